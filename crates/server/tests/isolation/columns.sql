# Columns keep their numbers, and rows stay as they are: beside older snapshots, in transactions, taken back
s> CREATE TABLE t(id int PRIMARY KEY, n int NOT NULL, txt text, c varchar(4))
s> INSERT INTO t SELECT i, i * 10, 'row ' || i, 'c' || i FROM generate_series(1, 4) i
s> CREATE TABLE other(x int)
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> SELECT count(*) FROM other
b> UPDATE t SET n = n + 1 WHERE id <= 2
b> DELETE FROM t WHERE id = 4
b> ALTER TABLE t ADD COLUMN d int DEFAULT 7, ADD COLUMN e text
b> UPDATE t SET d = 8, e = 'new' WHERE id = 1
b> INSERT INTO t VALUES (5, 50, 'row 5', 'c5', 9, 'five')
b> ALTER TABLE t DROP COLUMN txt
b> ALTER TABLE t ALTER n DROP NOT NULL
b> UPDATE t SET n = NULL, d = d + 1 WHERE id IN (2, 5)
b> ALTER TABLE t ALTER c TYPE varchar(40)
b> UPDATE t SET c = 'a longer value' WHERE id = 3
a> SELECT * FROM t ORDER BY id
b> SELECT * FROM t ORDER BY id
a> UPDATE t SET d = 100 WHERE id = 1
a> ROLLBACK
a> SELECT * FROM t ORDER BY id
# In a transaction that is taken back, as a whole and in parts
a> BEGIN
a> ALTER TABLE t ADD COLUMN f int DEFAULT 1
a> UPDATE t SET f = id, d = 0
a> INSERT INTO t(id, f) VALUES (10, 10)
a> SAVEPOINT s
a> ALTER TABLE t DROP COLUMN d, ADD COLUMN g text DEFAULT 'g'
a> UPDATE t SET g = g || id WHERE id < 3
a> INSERT INTO t(id, g) VALUES (11, 'eleven')
a> SELECT * FROM t ORDER BY id
b> SELECT d FROM t WHERE id = 1
a> ROLLBACK TO s
a> SELECT * FROM t ORDER BY id
a> ALTER TABLE t ADD COLUMN g int
a> SELECT id, g FROM t ORDER BY id
a> UPDATE t SET g = 3 WHERE id < 3
a> SELECT * FROM t ORDER BY id
a> ROLLBACK
s> SELECT * FROM t ORDER BY id
s> ALTER TABLE t ADD COLUMN f text DEFAULT 'other'
s> SELECT * FROM t ORDER BY id
s> SELECT attname, attnum, atttypid, attnotnull, atthasdef, atthasmissing, attmissingval, attisdropped FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum
# What is left out, and what is not
s> INSERT INTO t VALUES (6, 60, 'c6') RETURNING *
s> UPDATE t SET e = f FROM other WHERE false
s> SELECT t FROM t WHERE id = 6
s> SELECT row_to_json(t) FROM t WHERE id = 6
s> INSERT INTO t(id, txt) VALUES (7, 'x')
s> SELECT txt FROM t
s> CREATE TABLE copy AS TABLE t
s> SELECT attname, attnum FROM pg_attribute WHERE attrelid = 'copy'::regclass AND attnum > 0 ORDER BY attnum
s> CREATE TABLE likeness (LIKE t INCLUDING ALL)
s> SELECT attname, attnum FROM pg_attribute WHERE attrelid = 'likeness'::regclass AND attnum > 0 ORDER BY attnum
s> SELECT column_name, ordinal_position FROM information_schema.columns WHERE table_name = 't' ORDER BY 2
s> INSERT INTO t(id, n) VALUES (6, 61) ON CONFLICT (id) DO UPDATE SET n = excluded.n, f = 'conflict' RETURNING *
s> CREATE VIEW v AS SELECT id, e FROM t
s> ALTER TABLE t DROP COLUMN e
s> ALTER TABLE t DROP COLUMN e CASCADE
s> SELECT * FROM v
# NOT NULL: a check says so, or the rows are read
s> ALTER TABLE t ALTER n SET NOT NULL
s> UPDATE t SET n = 0 WHERE n IS NULL
s> ALTER TABLE t ADD CONSTRAINT k CHECK (n IS NOT NULL AND (c IS NOT NULL OR f IS NOT NULL))
s> ALTER TABLE t ALTER n SET NOT NULL
s> ALTER TABLE t ALTER c SET NOT NULL
s> UPDATE t SET n = NULL
s> ALTER TABLE t ADD COLUMN h int NOT NULL
s> ALTER TABLE t ADD COLUMN h int NOT NULL DEFAULT 1 CHECK (h < 1)
s> ALTER TABLE t ADD COLUMN h int NOT NULL DEFAULT 1 CHECK (h > 0), ADD COLUMN IF NOT EXISTS f int
s> ALTER TABLE t ADD COLUMN r int DEFAULT 1 / 0
s> CREATE INDEX ON t(h, f)
s> SELECT id FROM t WHERE h = 1 AND f = 'other' ORDER BY id
s> ALTER TABLE t DROP COLUMN h
s> SELECT count(*) FROM pg_index WHERE indrelid = 't'::regclass
s> SELECT count(*) FROM pg_constraint WHERE conrelid = 't'::regclass AND contype = 'c'
s> VACUUM FULL t
s> SELECT * FROM t ORDER BY id
s> SELECT attname, attnum, atthasmissing FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum
s> DROP VIEW IF EXISTS v
s> DROP TABLE t, other, copy, likeness
