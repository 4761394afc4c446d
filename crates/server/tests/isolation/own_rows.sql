# Whoever has changed or locked a row goes on with it while others wait for it
s> CREATE TABLE t(id int PRIMARY KEY, n int)
s> INSERT INTO t VALUES (1, 0), (2, 0)
a> BEGIN
a> UPDATE t SET n = n + 1 WHERE id = 1
b> UPDATE t SET n = n + 10 WHERE id = 1
c> UPDATE t SET n = n + 100 WHERE id = 1
a> UPDATE t SET n = n + 1 WHERE id = 1
a> SELECT * FROM t WHERE id = 1 FOR UPDATE
a> SELECT * FROM t WHERE id = 1 FOR KEY SHARE
a> COMMIT
s> SELECT * FROM t ORDER BY id
a> BEGIN
a> UPDATE t SET n = 0 WHERE id = 1
b> DELETE FROM t WHERE id = 1
a> DELETE FROM t WHERE id = 1
a> ROLLBACK
s> SELECT * FROM t ORDER BY id
# A reader of the key is waited for, those in the queue are not.
a> BEGIN
a> UPDATE t SET n = 1 WHERE id = 2
b> BEGIN
b> SELECT id FROM t WHERE id = 2 FOR KEY SHARE
c> UPDATE t SET n = n + 100 WHERE id = 2
a> DELETE FROM t WHERE id = 2
b> COMMIT
a> ROLLBACK
s> SELECT * FROM t ORDER BY id
# Two share a row, a third waits, one of the two changes it.
a> BEGIN
a> SELECT id FROM t WHERE id = 2 FOR SHARE
b> BEGIN
b> SELECT id FROM t WHERE id = 2 FOR SHARE
c> UPDATE t SET n = n + 100 WHERE id = 2
a> UPDATE t SET n = n + 1 WHERE id = 2
b> COMMIT
a> COMMIT
s> SELECT * FROM t ORDER BY id
# A key that was changed, and then another column.
a> BEGIN
a> UPDATE t SET id = 3 WHERE id = 2
a> UPDATE t SET n = 0 WHERE id = 3
b> SELECT * FROM t WHERE id = 2 FOR KEY SHARE
a> COMMIT
# A change of a key waits for those who read it.
a> BEGIN
a> SELECT * FROM t WHERE id = 3 FOR KEY SHARE
b> SET lock_timeout = '200ms'
b> UPDATE t SET id = 4 WHERE id = 3
b> UPDATE t SET n = 7 WHERE id = 3
b> INSERT INTO t VALUES (3, 0) ON CONFLICT (id) DO UPDATE SET id = 5, n = excluded.n
b> INSERT INTO t VALUES (3, 8) ON CONFLICT (id) DO UPDATE SET n = excluded.n
b> RESET lock_timeout
b> UPDATE t SET id = 4 WHERE id = 3
a> COMMIT
s> SELECT * FROM t ORDER BY id
# A row that gets another key meanwhile is not in the way any more.
a> BEGIN
a> SELECT * FROM t WHERE id = 4 FOR UPDATE
b> INSERT INTO t VALUES (4, -1) ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING *
c> INSERT INTO t VALUES (4, -2) ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING *
a> UPDATE t SET id = 6 WHERE id = 4
a> COMMIT
s> SELECT * FROM t ORDER BY id
a> BEGIN
a> SELECT * FROM t WHERE id = 6 FOR UPDATE
b> BEGIN ISOLATION LEVEL REPEATABLE READ
b> SELECT count(*) FROM t
b> INSERT INTO t VALUES (6, 0) ON CONFLICT (id) DO UPDATE SET n = excluded.n
a> UPDATE t SET id = 7 WHERE id = 6
a> COMMIT
b> ROLLBACK
# Who has waited in vain does not keep others waiting.
a> BEGIN
a> UPDATE t SET n = 1 WHERE id = 4
b> BEGIN
b> SAVEPOINT s
b> SET LOCAL statement_timeout = '300ms'
b> UPDATE t SET n = 2 WHERE id = 4
c> UPDATE t SET n = 3 WHERE id = 4
a> COMMIT
b> ROLLBACK
s> SELECT * FROM t ORDER BY id
# Rows that a transaction has changed since a cursor was declared are passed over.
a> BEGIN
a> DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE
a> UPDATE t SET n = 99 WHERE id = 4
a> FETCH ALL FROM c
a> ROLLBACK
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id FOR UPDATE
a> DELETE FROM t WHERE id = 4
a> FETCH ALL FROM c
a> ROLLBACK
# Who holds a table's lock does not wait for those who queue for it.
a> BEGIN
a> SELECT count(*) FROM t
b> BEGIN
b> LOCK TABLE t IN SHARE MODE
c> ALTER TABLE t ADD COLUMN z int
a> INSERT INTO t VALUES (10, 10)
b> COMMIT
a> COMMIT
s> SELECT count(*) FROM t
s> DROP TABLE t
