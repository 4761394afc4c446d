# REPEATABLE READ: one snapshot, 40001 on concurrent changes
s> CREATE TABLE t(id int PRIMARY KEY, n int)
s> INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> SELECT * FROM t ORDER BY id
b> UPDATE t SET n = 11 WHERE id = 1
b> INSERT INTO t VALUES (4, 40)
b> DELETE FROM t WHERE id = 3
a> SELECT * FROM t ORDER BY id
a> SELECT n FROM t WHERE id = 3
a> UPDATE t SET n = n + 1 WHERE id = 2
a> SELECT * FROM t ORDER BY id
a> SAVEPOINT s
a> UPDATE t SET n = n + 1 WHERE id = 1
a> ROLLBACK TO s
a> DELETE FROM t WHERE id = 3
a> SELECT 1
a> ROLLBACK
a> SELECT * FROM t ORDER BY id
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> SELECT n FROM t WHERE id = 1
b> BEGIN
b> UPDATE t SET n = 5 WHERE id = 1
a> UPDATE t SET n = 6 WHERE id = 1
b> COMMIT
a> COMMIT
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> SELECT n FROM t WHERE id = 1
b> BEGIN
b> UPDATE t SET n = 7 WHERE id = 1
a> UPDATE t SET n = 8 WHERE id = 1
b> ROLLBACK
a> COMMIT
a> SELECT * FROM t ORDER BY id
a> BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY
a> SELECT count(*) FROM t
a> DELETE FROM t
a> ROLLBACK
# Plans do not have an index that is younger than what the transaction sees; later ones have it.
a> create table younger (a int primary key, b int)
a> insert into younger select g, g from generate_series(1, 20000) g
a> analyze younger
b> begin isolation level repeatable read
b> select count(*) from younger
a> update younger set b = b + 100000 where a = 77
a> create index younger_b on younger (b)
b> select * from younger where b = 77
b> prepare p as select a from younger where b = $1
b> execute p(77)
b> commit
b> execute p(77)
b> execute p(100077)
b> explain (costs off) select * from younger where b = 100077
