# Rows of tables that have lost columns: dropped columns do not count where rows are compared, tested and shown.
a> CREATE TABLE d (a int, b text, c int, e text)
a> INSERT INTO d VALUES (2, 'x', 1, 'p'), (1, 'y', 1, 'q'), (1, 'z', NULL, 'q'), (NULL, NULL, NULL, NULL)
a> CREATE VIEW dv AS SELECT d AS r, d.* FROM d
a> CREATE VIEW dw AS SELECT d AS r, d.a FROM d
a> ALTER TABLE d DROP COLUMN b CASCADE
a> CREATE VIEW dx AS SELECT x AS r, y.a FROM d x LEFT JOIN d y ON x.a = y.c
a> SELECT d FROM d ORDER BY d; SELECT DISTINCT d FROM d ORDER BY 1; SELECT d, count(*) FROM d GROUP BY d ORDER BY d; SELECT r FROM dw ORDER BY r
a> SELECT x, y FROM d x JOIN d y ON x = y ORDER BY 1; SELECT count(*) FROM d x JOIN dw y ON x = y.r; SELECT max(a) FROM d WHERE d IN (SELECT r FROM dw)
a> SELECT d IS NULL, d IS NOT NULL, row_to_json(d) FROM d ORDER BY d; SELECT r IS NULL, r IS NOT NULL, row_to_json(r), (r).e FROM dw ORDER BY r
a> SELECT array_agg(d ORDER BY d) FROM d; SELECT x = (SELECT y FROM d y WHERE a = 2), x < (SELECT y FROM d y WHERE a = 2) FROM d x ORDER BY x
a> ALTER TABLE d DROP COLUMN e; SELECT r FROM dx ORDER BY 1; SELECT r, a FROM dx ORDER BY 1, 2; SELECT (r).* FROM dx ORDER BY 1, 2
a> ALTER TABLE d ADD COLUMN f int DEFAULT 9
a> SELECT d FROM d ORDER BY d; SELECT r FROM dx ORDER BY r; SELECT pg_get_viewdef('dx'::regclass); SELECT r, r = (SELECT y FROM d y WHERE a = 2) FROM dx ORDER BY r, a
a> CREATE TABLE d2 (LIKE d); INSERT INTO d2 SELECT * FROM d; SELECT x FROM d2 x ORDER BY x
a> DROP TABLE d2; DROP TABLE d CASCADE
