# An error takes a subtransaction back: nobody waits for it until its client has heard
s> CREATE TABLE t(a int PRIMARY KEY, b int)
s> INSERT INTO t VALUES (1, 1), (2, 2)
a> BEGIN
a> UPDATE t SET b = 10 WHERE a = 2
a> SAVEPOINT s
a> UPDATE t SET b = 20 WHERE a = 1
a> INSERT INTO t VALUES (3, 3)
a> SELECT 1 / 0
b> UPDATE t SET b = 30 WHERE a = 1
b> INSERT INTO t VALUES (3, 30)
b> UPDATE t SET b = 30 WHERE a = 2
a> SELECT 1
a> ROLLBACK TO s
a> SELECT * FROM t ORDER BY a
a> COMMIT
s> SELECT * FROM t ORDER BY a
a> BEGIN
a> SAVEPOINT s
a> LOCK TABLE t
a> SAVEPOINT r
a> SELECT pg_advisory_xact_lock(77)
a> INSERT INTO t VALUES (1, 1)
b> SELECT pg_advisory_lock(77)
c> SELECT count(*) FROM t
a> RELEASE s
a> ROLLBACK TO s
a> SELECT count(*) FROM t
a> COMMIT
b> SELECT pg_advisory_unlock(77)
a> BEGIN
a> SAVEPOINT s
a> CREATE TABLE made(x int)
a> SELECT * FROM nowhere
a> SELECT * FROM made
a> ROLLBACK TO s
a> SELECT * FROM made
a> ROLLBACK
# PREPARE TRANSACTION, which is not to be had.
a> BEGIN
a> INSERT INTO t VALUES (5, 5)
a> PREPARE TRANSACTION 'x'
a> SELECT count(*) FROM t
a> PREPARE TRANSACTION 'x'
a> BEGIN
a> SELECT 1 / 0
a> PREPARE TRANSACTION 'x'
a> INSERT INTO t VALUES (6, 6); PREPARE TRANSACTION 'x'; INSERT INTO t VALUES (7, 7)
a> SELECT * FROM t ORDER BY a
a> COMMIT PREPARED 'x'
a> ROLLBACK PREPARED 'x'
a> BEGIN
a> COMMIT PREPARED 'x'
a> ROLLBACK
a> BEGIN
a> DECLARE before CURSOR FOR SELECT * FROM t ORDER BY a
a> SAVEPOINT s
a> DECLARE c CURSOR FOR SELECT * FROM t
a> FETCH 1 FROM before
a> FETCH 1 FROM c
a> SELECT 1 / 0
a> ROLLBACK TO s
a> FETCH 1 FROM before
a> FETCH 1 FROM c
a> ROLLBACK
s> DROP TABLE t
