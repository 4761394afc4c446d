# READ COMMITTED: lost updates, rows that stop to qualify, deleted rows
s> CREATE TABLE t(id int PRIMARY KEY, n int, note text)
s> INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')
a> BEGIN
a> UPDATE t SET n = n + 1 WHERE id = 1
b> UPDATE t SET n = n + 5 WHERE id = 1
a> COMMIT
b> SELECT * FROM t ORDER BY id
a> BEGIN
a> UPDATE t SET n = 0 WHERE id = 2
b> UPDATE t SET note = 'x' WHERE n = 20
a> COMMIT
b> SELECT * FROM t ORDER BY id
a> BEGIN
a> DELETE FROM t WHERE id = 3
b> UPDATE t SET n = 1 WHERE id = 3
a> COMMIT
a> BEGIN
a> UPDATE t SET n = 99 WHERE id = 1
b> DELETE FROM t WHERE n < 50
a> ROLLBACK
b> SELECT * FROM t ORDER BY id
a> INSERT INTO t VALUES (4, 1, 'd'), (5, 1, 'e')
a> BEGIN
a> SELECT count(*) FROM t
b> INSERT INTO t VALUES (6, 1, 'f')
a> SELECT count(*) FROM t
b> DELETE FROM t WHERE id = 4
a> SELECT id FROM t ORDER BY id
a> COMMIT
a> BEGIN
a> UPDATE t SET n = n + 1 WHERE id IN (5, 6)
a> SAVEPOINT s
a> UPDATE t SET n = n * 10 WHERE id = 5
a> SELECT id, n FROM t ORDER BY id
a> ROLLBACK TO s
a> SELECT id, n FROM t ORDER BY id
b> UPDATE t SET n = n + 100 WHERE id = 5
a> COMMIT
b> SELECT id, n FROM t ORDER BY id
