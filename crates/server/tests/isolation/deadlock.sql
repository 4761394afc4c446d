# Deadlocks end
s> CREATE TABLE t(id int PRIMARY KEY, n int)
s> INSERT INTO t VALUES (1, 10), (2, 20)
a> BEGIN
b> BEGIN
b> SET deadlock_timeout = '10ms'
a> UPDATE t SET n = 1 WHERE id = 1
b> UPDATE t SET n = 2 WHERE id = 2
a> UPDATE t SET n = 3 WHERE id = 2
b> UPDATE t SET n = 4 WHERE id = 1
a> COMMIT
b> COMMIT
s> SELECT * FROM t ORDER BY id
b> SET lock_timeout = '50ms'
a> BEGIN
a> DELETE FROM t WHERE id = 1
b> UPDATE t SET n = 5 WHERE id = 1
a> ROLLBACK
b> UPDATE t SET n = 5 WHERE id = 1
