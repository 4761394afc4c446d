# Indexes on expressions, partial indexes, INCLUDE
s> SET enable_seqscan = off
a> SET enable_seqscan = off
b> SET enable_seqscan = off
s> CREATE TABLE t(id int PRIMARY KEY, name text, a int, b int, active bool)
s> CREATE UNIQUE INDEX ON t (lower(name)) WHERE active
s> CREATE INDEX ON t ((a + b) DESC, name) INCLUDE (id, b)
s> CREATE UNIQUE INDEX ON t ((a * 10), (b + 1)) INCLUDE (name) WHERE a > 0 AND b IS NOT NULL
s> INSERT INTO t VALUES (1, 'One', 1, 1, true), (2, 'ONE', 1, 2, false), (3, NULL, NULL, 3, true), (4, 'four', -1, 4, NULL)
a> INSERT INTO t VALUES (5, 'oNe', 9, 9, true)
a> INSERT INTO t VALUES (5, 'oNe', 1, 1, false)
a> INSERT INTO t VALUES (5, 'oNe', -1, 1, false), (6, 'six', -1, 1, true), (7, 'six', 6, NULL, NULL)
a> UPDATE t SET active = true WHERE id = 5
a> UPDATE t SET active = NOT active WHERE id = 1
a> UPDATE t SET active = true WHERE id = 5
a> UPDATE t SET active = true WHERE id = 1
a> UPDATE t SET a = 1 WHERE id = 6
a> SELECT id FROM t WHERE active AND lower(name) = 'one'
a> SELECT id FROM t WHERE lower(name) = 'one' ORDER BY id
a> INSERT INTO t VALUES (10, 'OnE', 5, 5, true) ON CONFLICT (lower(name)) WHERE active DO UPDATE SET b = t.b + 100 RETURNING *
a> INSERT INTO t VALUES (10, 'OnE', 5, 5, true) ON CONFLICT (lower(name)) DO NOTHING
a> INSERT INTO t VALUES (10, 'OnE', 5, 5, false) ON CONFLICT (lower(name)) WHERE active DO NOTHING
a> INSERT INTO t VALUES (11, 'x', 5, 5, false) ON CONFLICT ((a * 10), (b + 1)) WHERE a > 0 AND b IS NOT NULL DO UPDATE SET name = excluded.name RETURNING *
a> INSERT INTO t VALUES (11, 'x', 5, 5, false) ON CONFLICT ((b + 1), (a * 10)) WHERE b IS NOT NULL AND a > 0 DO NOTHING
a> INSERT INTO t VALUES (11, 'x', 5, 5, false) ON CONFLICT (upper(name)) DO NOTHING
s> SELECT id, a + b FROM t WHERE a + b > 2 ORDER BY a + b DESC, id
s> SELECT max(a + b), min(a + b) FROM t
# A row that leaves the predicate frees its key; who waits sees it.
a> BEGIN
a> UPDATE t SET active = false WHERE id = 5
b> INSERT INTO t VALUES (20, 'ONE', -7, 1, true)
a> COMMIT
b> SELECT id, name FROM t WHERE active AND lower(name) = 'one'
a> BEGIN
a> UPDATE t SET name = 'twenty' WHERE id = 20
b> INSERT INTO t VALUES (21, 'TWENTY', -7, 1, true)
a> COMMIT
a> BEGIN
a> DELETE FROM t WHERE id = 20
b> INSERT INTO t VALUES (22, 'Twenty', -7, 1, true) ON CONFLICT (lower(name)) WHERE active DO UPDATE SET b = 77 RETURNING id, b
a> ROLLBACK
# A snapshot keeps the rows that it saw, by their keys of then.
b> BEGIN ISOLATION LEVEL REPEATABLE READ
b> SELECT id, name FROM t WHERE active AND lower(name) = 'twenty'
a> UPDATE t SET name = 'changed' WHERE id = 20
a> UPDATE t SET active = NULL WHERE id = 20
b> SELECT id, name FROM t WHERE active AND lower(name) = 'twenty'
b> SELECT id, name FROM t WHERE active AND lower(name) = 'changed'
a> VACUUM t
b> SELECT id, name FROM t WHERE active AND lower(name) = 'twenty'
b> COMMIT
b> SELECT id, name FROM t WHERE active AND lower(name) = 'twenty'
# What conditions say of a predicate: NULL is neither true nor false.
s> CREATE TABLE p(id int, x int, f bool)
s> INSERT INTO p SELECT i, nullif(i % 5, 4), nullif(i % 3, 2) = 1 FROM generate_series(1, 30) i
s> CREATE INDEX ON p (id) WHERE NOT f
s> CREATE INDEX ON p (id DESC) WHERE x IN (1, 2)
s> CREATE INDEX ON p ((id + 1)) WHERE x > 1
s> ANALYZE p
s> SELECT count(*), count(f) FROM p WHERE NOT (f IS TRUE) AND id > 0
s> SELECT count(*), count(f) FROM p WHERE (f IS TRUE) IS FALSE AND id > 0
s> SELECT count(*), count(f) FROM p WHERE f IS FALSE AND id > 0
s> SELECT count(*), count(f) FROM p WHERE NOT f AND id BETWEEN 3 AND 9
s> SELECT count(*) FROM p WHERE x = 2 AND id > 3
s> SELECT count(*) FROM p WHERE x IN (2, 1, 1) AND id > 3
s> SELECT count(*) FROM p WHERE x IN (1, 2, 3) AND id > 3
s> SELECT count(*) FROM p WHERE (x = 1 OR x = 2) AND id > 3
s> SELECT count(*) FROM p WHERE x >= 2 AND id + 1 > 10
s> SELECT count(*) FROM p WHERE x >= 1 AND id + 1 > 10
s> SELECT id + 1 FROM p WHERE x > 2 ORDER BY id + 1 LIMIT 3
s> SELECT max(id + 1), min(id + 1) FROM p WHERE x > 1
s> EXPLAIN (COSTS OFF) SELECT id FROM p WHERE x = 2 ORDER BY id DESC LIMIT 1
s> EXPLAIN (COSTS OFF) SELECT max(id + 1) FROM p WHERE x > 1
s> MERGE INTO p USING (VALUES (6, 2), (99, 3)) AS v(id, x) ON p.id + 1 = v.id AND p.x > 1 WHEN MATCHED THEN UPDATE SET x = v.x WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.x, NULL)
s> UPDATE p SET x = x + 1 WHERE id + 1 > 20 AND x > 1
s> DELETE FROM p WHERE id + 1 = 100 AND x > 2
s> SELECT id, x FROM p WHERE x > 1 AND id + 1 > 18 ORDER BY id + 1 FOR UPDATE
s> SELECT count(*) FROM p o JOIN p i ON i.id + 1 = o.id AND i.x > 1
s> SELECT sum(id), count(*) FROM p
# Definitions.
s> CREATE INDEX ON t (now())
s> CREATE INDEX ON t ((random() > a))
s> CREATE INDEX ON t (a) WHERE now() > '2020-01-01'
s> CREATE INDEX ON t (a) WHERE count(*) > 1
s> CREATE INDEX ON t (((SELECT 1)))
s> CREATE INDEX ON t (generate_series(1, a))
s> CREATE INDEX ON t (a) INCLUDE ((b + 1))
s> CREATE INDEX ON t (a) INCLUDE (b DESC)
s> CREATE INDEX ON t (a) INCLUDE (nosuch)
s> CREATE INDEX ON t (ctid)
s> CREATE INDEX ON t ((ctid::text))
s> CREATE INDEX ON t ((row(a, b)))
s> CREATE INDEX ON t (a) WHERE a
s> CREATE INDEX ON t ((1 / (a - 1)))
s> CREATE INDEX failing ON t ((1 / (a - 1000)))
s> INSERT INTO t VALUES (30, 'thirty', 1000, 1, true)
s> DROP INDEX failing
s> CREATE UNIQUE INDEX ON t ((id / 2))
s> CREATE INDEX ON t ((id)) INCLUDE (id)
s> ALTER TABLE t ADD UNIQUE (id, name) INCLUDE (a)
s> ALTER TABLE t ADD CONSTRAINT pair UNIQUE (name, id) INCLUDE (b, active)
s> SELECT pg_get_indexdef(indexrelid), indnatts, indnkeyatts, indkey, pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid) FROM pg_index WHERE indrelid = 't'::regclass ORDER BY indexrelid::regclass::text
s> SELECT conname, pg_get_constraintdef(oid), conkey FROM pg_constraint WHERE conrelid = 't'::regclass AND contype IN ('p', 'u') ORDER BY 1
s> SELECT c.relname, attnum, attname, atttypid::regtype FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE attrelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 't'::regclass) ORDER BY c.relname, attnum
s> ALTER TABLE t RENAME COLUMN name TO label
s> ALTER TABLE t RENAME COLUMN a TO x
s> ALTER TABLE t ALTER COLUMN x TYPE bigint
s> SELECT indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY indexname
s> ALTER TABLE t ALTER COLUMN label TYPE int USING 1
s> ALTER TABLE t DROP CONSTRAINT pair
s> CREATE TABLE l (first int, LIKE t INCLUDING INDEXES)
s> SELECT indexdef FROM pg_indexes WHERE tablename = 'l' ORDER BY indexname
s> INSERT INTO l VALUES (1, 1, 'a', 1, 1, true), (1, 2, 'A', 2, 2, false)
s> INSERT INTO l VALUES (1, 3, 'A', 3, 3, true)
s> ALTER TABLE t DROP COLUMN b
s> SELECT indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY indexname
s> SELECT id FROM t WHERE active AND lower(label) = 'one' ORDER BY id
s> INSERT INTO t VALUES (40, 'ONE', 1, true)
s> DROP TABLE t, l, p
