# What ALTER COLUMN … SET says of a column's values, ANALYZE takes over
a> CREATE TABLE t (a int, b text)
a> CREATE INDEX ti ON t ((a + 1), b)
a> CREATE VIEW v AS SELECT * FROM t
a> CREATE VIEW o AS SELECT attname, attoptions FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum
a> ALTER TABLE t ALTER a SET (n_distinct = 5)
a> TABLE o
a> ALTER TABLE t ALTER a SET (n_distinct = -0.5, n_distinct_inherited = 7)
a> TABLE o
a> ALTER TABLE t ALTER a RESET (n_distinct)
a> TABLE o
a> ALTER TABLE t ALTER a RESET (n_distinct_inherited, whatever)
a> TABLE o
a> ALTER TABLE t ALTER a SET (n_distinct = -2)
a> ALTER TABLE t ALTER a SET (n_distinct = abc)
a> ALTER TABLE t ALTER a SET (n_distinct)
a> ALTER TABLE t ALTER a SET (fillfactor = 70)
a> ALTER TABLE t ALTER a SET (n_distinct = 1, n_distinct = 2)
a> ALTER TABLE t SET (fillfactor = 70, fillfactor = 80)
a> ALTER TABLE t ALTER a SET (toast.n_distinct = 1)
a> ALTER TABLE t ALTER a RESET (n_distinct = 1)
a> ALTER TABLE t ALTER z SET (n_distinct = 1)
a> ALTER TABLE t ALTER ctid SET (n_distinct = 1)
a> ALTER VIEW v ALTER a SET (n_distinct = 1)
a> ALTER TABLE v ALTER a SET (n_distinct = 1)
a> ALTER TABLE v ALTER a RESET (n_distinct)
a> ALTER TABLE ti ALTER b SET (n_distinct = 1)
a> CREATE SEQUENCE s
a> ALTER TABLE s ALTER last_value SET (n_distinct = 1)
a> INSERT INTO t SELECT g % 10, g % 20 FROM generate_series(1, 1000) g
a> CREATE VIEW st AS SELECT tablename, attname, n_distinct, most_common_vals, histogram_bounds FROM pg_stats WHERE tablename IN ('t', 'ti') ORDER BY 1, 2
a> ALTER TABLE t ALTER a SET (n_distinct = '3.50'), ALTER b SET (n_distinct = -0.25)
a> TABLE o
a> ANALYZE t
a> TABLE st
a> ALTER TABLE t ALTER a SET (n_distinct = 1e3), ALTER b SET (n_distinct = 0)
a> ANALYZE t
a> TABLE st
a> ALTER TABLE t RENAME a TO aa
a> TABLE o
a> ALTER TABLE t ALTER aa SET STATISTICS 10
a> CREATE TABLE l (LIKE t INCLUDING ALL)
a> SELECT attname, attoptions, attstattarget FROM pg_attribute WHERE attrelid = 'l'::regclass AND attnum > 0 ORDER BY attnum
a> BEGIN
a> ALTER TABLE t ALTER b SET (n_distinct = 9)
b> SELECT count(*) FROM t
a> ROLLBACK
a> TABLE o
a> DROP TABLE t, l CASCADE
a> DROP SEQUENCE s
# What ANALYZE has found stays where nothing of it changes
a> CREATE TABLE t (a int, b int, c int)
a> CREATE INDEX t_a ON t ((a + 1))
a> CREATE INDEX t_b ON t ((b + 1))
a> CREATE INDEX t_c ON t ((c + 1)) WHERE b > 0
a> INSERT INTO t SELECT g % 5, g % 7, g FROM generate_series(1, 100) g
a> ANALYZE t
a> CREATE VIEW k AS SELECT starelid::regclass, staattnum, stadistinct FROM pg_statistic WHERE starelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 't'::regclass UNION SELECT 't'::regclass) ORDER BY 1, 2
a> TABLE k
a> ALTER TABLE t ALTER b TYPE bigint
a> TABLE k
a> ALTER TABLE t DROP COLUMN b
a> SELECT starelid, stadistinct FROM k
a> DROP TABLE t CASCADE
# Arrays of any type
a> CREATE TABLE t (x int, y text)
a> INSERT INTO t VALUES (1, 'b'), (2, 'a'), (3, 'c')
a> ANALYZE t
a> SELECT attname, to_json(histogram_bounds), json_build_array(histogram_bounds), array_to_json(histogram_bounds) FROM pg_stats WHERE tablename = 't' ORDER BY 1
a> SELECT row_to_json(s) FROM (SELECT attname, histogram_bounds FROM pg_stats WHERE tablename = 't' ORDER BY 1) s
a> SELECT max(histogram_bounds), min(histogram_bounds) FROM pg_stats WHERE tablename = 't' AND attname = 'x'
a> SELECT max(histogram_bounds) FROM pg_stats WHERE tablename = 't'
a> SELECT min(histogram_bounds) FROM pg_stats WHERE tablename = 't'
a> DROP TABLE t
