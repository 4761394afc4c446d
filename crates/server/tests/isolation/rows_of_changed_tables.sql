-- Whole rows in a view: of a table whose columns get other types, go and come.
a> SET timezone = 'UTC'
a> CREATE TABLE t (a text, b int)
a> INSERT INTO t VALUES ('x', 1), (NULL, 2)
a> CREATE VIEW w AS SELECT z AS whole FROM t z
a> CREATE VIEW n AS SELECT b, (SELECT row_to_json(y) FROM t y WHERE y.b = z.b) AS j FROM t z
a> SELECT * FROM w
a> ALTER TABLE t ALTER a TYPE timestamptz USING '2024-01-31 12:00+00'
a> SELECT * FROM w
a> SELECT * FROM n
a> SELECT (whole).a, pg_typeof((whole).a) FROM w
a> ALTER TABLE t ALTER a TYPE numeric(5,2) USING 7
a> SELECT * FROM w
a> SELECT (whole).a + 1, pg_typeof((whole).a) FROM w
a> ALTER TABLE t ADD COLUMN c date DEFAULT '2020-02-02'
a> SELECT * FROM w
a> SELECT row_to_json(whole) FROM w
a> ALTER TABLE t DROP COLUMN a
a> SELECT * FROM w
a> SELECT row_to_json(whole) FROM w
