# COPY FREEZE wants a table that the current subtransaction has made, emptied or written anew, and that nobody looks at
a> CREATE TABLE t (a int)
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> BEGIN
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> SAVEPOINT s
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK TO s
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> RELEASE s
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> COMMIT
# taken back
a> BEGIN
a> SAVEPOINT s
a> TRUNCATE t
a> ROLLBACK TO s
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> TRUNCATE t
a> SAVEPOINT s
a> TRUNCATE t
a> ROLLBACK TO s
a> RELEASE s
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> TRUNCATE t
a> SAVEPOINT s
a> SAVEPOINT s2
a> TRUNCATE t
a> RELEASE s2
a> ROLLBACK TO s
a> RELEASE s
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> TRUNCATE t
a> SAVEPOINT s
a> SELECT 1 / 0
a> ROLLBACK TO s
a> RELEASE s
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
# a table of the transaction
a> BEGIN
a> CREATE TABLE u (a int)
a> SAVEPOINT s
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK TO s
a> TRUNCATE u
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK TO s
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK TO s
a> RELEASE s
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> SAVEPOINT s
a> CREATE TABLE u (a int)
a> RELEASE s
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> SAVEPOINT s
a> ALTER TABLE u ALTER a TYPE bigint
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK TO s
a> RELEASE s
a> COPY u FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
# written anew
a> BEGIN
a> ALTER TABLE t ALTER a TYPE bigint
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> CREATE INDEX ti ON t (a)
a> BEGIN
a> CLUSTER t USING ti
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> REINDEX TABLE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
# somebody looks
a> BEGIN
a> TRUNCATE t
a> DECLARE c CURSOR FOR SELECT * FROM pg_class
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> DECLARE c CURSOR FOR SELECT * FROM pg_class
a> CLOSE c
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> COMMIT
a> BEGIN
a> DECLARE c CURSOR WITH HOLD FOR SELECT relname FROM pg_class WHERE oid = 1259
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> BEGIN
a> DECLARE h CURSOR WITH HOLD FOR SELECT relname FROM pg_class WHERE oid = 1259
a> COMMIT
a> BEGIN
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> COMMIT
a> CLOSE h
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> COMMIT
a> BEGIN ISOLATION LEVEL REPEATABLE READ
a> SELECT count(*) FROM t
a> TRUNCATE t
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> COMMIT
a> TRUNCATE t; COPY t FROM '/dev/null' WITH (FREEZE)
a> BEGIN
a> TRUNCATE t
a> DECLARE c CURSOR FOR SELECT 1
a> FETCH c
a> FETCH c
a> COPY t FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
# temporary tables
a> CREATE TEMP TABLE tt (a int)
a> BEGIN
a> TRUNCATE tt
a> COPY tt FROM '/dev/null' WITH (FREEZE)
a> SAVEPOINT s
a> COPY tt FROM '/dev/null' WITH (FREEZE)
a> ROLLBACK
a> DROP TABLE t
