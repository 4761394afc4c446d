# Statements that change several rows while others are at some of them: they wait for one before they have those behind it
s> CREATE TABLE t(id int PRIMARY KEY, n int, note text)
s> INSERT INTO t SELECT i, 0 FROM generate_series(1, 6) i
# Who waits for the first row has not the second.
a> BEGIN
a> UPDATE t SET n = n + 1 WHERE id = 1
b> UPDATE t SET n = n + 10 WHERE id IN (1, 2, 3)
a> UPDATE t SET n = n + 1 WHERE id = 2
a> COMMIT
s> SELECT * FROM t ORDER BY id
# The same in a page of many versions.
s> CREATE TABLE v(id int, n int)
c> BEGIN ISOLATION LEVEL REPEATABLE READ
c> SELECT count(*) FROM v
a> INSERT INTO v VALUES (1, 0), (2, 0)
b> INSERT INTO v VALUES (3, 0)
s> INSERT INTO v VALUES (4, 0)
a> INSERT INTO v VALUES (5, 0), (6, 0)
a> BEGIN
a> SELECT id FROM v WHERE id = 3 FOR UPDATE
b> BEGIN
b> UPDATE v SET n = n + 10
a> UPDATE v SET n = n + 1 WHERE id = 6
a> SELECT id FROM v WHERE id > 3 ORDER BY id FOR UPDATE
a> COMMIT
b> COMMIT
c> COMMIT
s> SELECT * FROM v ORDER BY id
# Row locks stand in the way as changes do.
a> BEGIN
a> SELECT id FROM t WHERE id = 2 FOR UPDATE
b> DELETE FROM t WHERE id IN (2, 5, 6) AND n < 10000
a> UPDATE t SET n = 7 WHERE id = 5
a> UPDATE t SET n = 20000 WHERE id = 6
a> COMMIT
s> SELECT * FROM t ORDER BY id
# One row after the other, two waits in a statement; what is no longer wanted is left.
a> BEGIN
a> UPDATE t SET n = -1 WHERE id = 1
c> BEGIN
c> UPDATE t SET n = -3 WHERE id = 3
b> UPDATE t SET note = 'b' WHERE n >= 0 RETURNING id, n
a> COMMIT
c> COMMIT
s> SELECT * FROM t ORDER BY id
# Joins, and MERGE.
a> BEGIN
a> UPDATE t SET n = 1 WHERE id = 1
b> UPDATE t SET n = t.n + v.n FROM (VALUES (1, 10), (3, 30), (4, 40)) v(id, n) WHERE v.id = t.id
a> UPDATE t SET n = 3 WHERE id = 3
a> COMMIT
s> SELECT * FROM t ORDER BY id
a> BEGIN
a> UPDATE t SET n = 1 WHERE id = 1
b> MERGE INTO t USING (VALUES (1, 10), (3, 30)) v(id, n) ON v.id = t.id WHEN MATCHED THEN UPDATE SET n = t.n + v.n
a> UPDATE t SET n = 3 WHERE id = 3
a> COMMIT
s> SELECT * FROM t ORDER BY id
# A key that changes, and long values.
s> INSERT INTO t SELECT i, i, repeat(md5(i::text), 200) FROM generate_series(11, 14) i
a> BEGIN
a> UPDATE t SET note = repeat('x', 5000) WHERE id = 11
b> UPDATE t SET id = id + 10, note = note || '!' WHERE id > 10
a> UPDATE t SET note = repeat('y', 9000) WHERE id = 13
a> DELETE FROM t WHERE id = 12
a> COMMIT
s> SELECT id, n, length(note), right(note, 2) FROM t ORDER BY id
# Two who change everything wait for each other's end, not for each other.
a> BEGIN
a> UPDATE t SET n = n + 1
b> UPDATE t SET n = n * 2
a> SELECT id FROM t ORDER BY id FOR UPDATE
a> COMMIT
s> SELECT id, n FROM t ORDER BY id
# REPEATABLE READ.
b> BEGIN ISOLATION LEVEL REPEATABLE READ
b> SELECT count(*) FROM t
a> BEGIN
a> UPDATE t SET n = 0 WHERE id = 1
b> UPDATE t SET n = 1
a> UPDATE t SET n = 0 WHERE id = 3
a> COMMIT
b> ROLLBACK
s> SELECT id, n FROM t ORDER BY id
# Rows come in their order, those that somebody is changing too: whoever locks them as they come waits for one before he has others.
s> CREATE TABLE m(id int PRIMARY KEY, n int)
s> INSERT INTO m SELECT i, 0 FROM generate_series(1, 4) i
s> CREATE TABLE x(id int)
s> INSERT INTO x SELECT generate_series(1, 4)
s> ANALYZE m, x
a> BEGIN
a> UPDATE m SET n = 100 WHERE id = 2
b> SELECT id FROM m
b> SELECT id, n FROM m LIMIT 2
b> SELECT id FROM m FOR UPDATE
c> BEGIN
c> SELECT id FROM m WHERE id > 2 FOR UPDATE NOWAIT
c> COMMIT
a> ROLLBACK
a> BEGIN
a> UPDATE m SET n = 1 WHERE id = 1
b> SELECT id, n FROM m LIMIT 1 FOR UPDATE NOWAIT
b> SELECT id FROM m LIMIT 2 FOR UPDATE SKIP LOCKED
b> SELECT id, n FROM m WHERE n = 0 LIMIT 1 FOR UPDATE
a> ROLLBACK
a> BEGIN
a> UPDATE m SET n = 100 WHERE id = 1
b> UPDATE m SET n = n + 1
c> MERGE INTO m t USING x ON x.id = t.id WHEN MATCHED THEN UPDATE SET n = t.n + 1
a> ROLLBACK
s> SELECT * FROM m ORDER BY id
