# What a block made and used is taken back: by an error, by ROLLBACK, by ROLLBACK TO, by DROP
a> BEGIN
a> CREATE SEQUENCE s
a> SELECT nextval('s')
a> SELECT 1/0
a> SELECT 1
a> ROLLBACK
a> SELECT nextval('s')
a> BEGIN
a> CREATE TABLE t(id serial PRIMARY KEY, v text)
a> INSERT INTO t(v) VALUES ('a'), ('b') RETURNING id
a> INSERT INTO t(id, v) VALUES (1, 'c')
b> SELECT 1
a> COMMIT
a> SELECT * FROM t
a> BEGIN
a> SAVEPOINT p
a> CREATE SEQUENCE s
a> SELECT nextval('s'), nextval('s')
a> ROLLBACK TO p
a> SELECT currval('s')
a> ROLLBACK TO p
a> CREATE SEQUENCE s START 7
a> SELECT nextval('s')
a> COMMIT
a> SELECT nextval('s')
a> BEGIN
a> SELECT nextval('s')
a> SAVEPOINT p
a> ALTER SEQUENCE s RESTART WITH 100
a> SELECT nextval('s')
a> ROLLBACK TO p
a> SELECT nextval('s')
a> DROP SEQUENCE s
a> ROLLBACK TO p
a> SELECT nextval('s')
a> DROP SEQUENCE s
a> SELECT 1/0
a> ROLLBACK TO p
a> SELECT nextval('s')
a> COMMIT
a> SELECT nextval('s')
a> BEGIN
a> SELECT nextval('s')
a> DROP SEQUENCE s
a> COMMIT
a> SELECT nextval('s')
a> CREATE TABLE t(id serial PRIMARY KEY, v text)
a> CREATE INDEX t_v ON t(v)
a> INSERT INTO t(v) SELECT 'v' || g FROM generate_series(1, 2000) g
a> BEGIN
a> INSERT INTO t(v) VALUES ('new') RETURNING id
a> TRUNCATE t RESTART IDENTITY
a> INSERT INTO t(v) VALUES ('newer') RETURNING id
a> SELECT 1/0
a> ROLLBACK
a> SELECT count(*), max(id) FROM t
a> INSERT INTO t(v) VALUES ('after') RETURNING id
a> BEGIN
a> SAVEPOINT p
a> TRUNCATE t RESTART IDENTITY
a> INSERT INTO t(v) VALUES ('newer') RETURNING id
a> ROLLBACK TO p
a> INSERT INTO t(v) VALUES ('again') RETURNING id
a> SELECT count(*) FROM t WHERE v LIKE 'v%'
a> ALTER TABLE t ADD COLUMN n bigserial
a> SELECT max(n) FROM t
a> INSERT INTO t(v) VALUES ('with n') RETURNING n
a> SELECT 1/0
a> ROLLBACK TO p
a> SELECT n FROM t
a> ROLLBACK TO p
a> ALTER TABLE t DROP COLUMN v
a> SELECT count(*) FROM t
a> SELECT v FROM t
a> ROLLBACK TO p
a> SELECT count(v) FROM t
a> COMMIT
a> BEGIN
a> TRUNCATE t RESTART IDENTITY
b> SELECT nextval('t_id_seq') > 0
a> INSERT INTO t(v) VALUES ('first') RETURNING id
a> COMMIT
a> SELECT id, v FROM t
b> BEGIN
b> SELECT nextval('t_id_seq')
a> BEGIN
a> TRUNCATE t RESTART IDENTITY
b> SELECT nextval('t_id_seq')
b> COMMIT
a> INSERT INTO t(v) VALUES ('one') RETURNING id
a> COMMIT
b> SELECT nextval('t_id_seq')
a> BEGIN
a> CREATE UNIQUE INDEX t_u ON t(v)
a> INSERT INTO t(v) VALUES ('one')
a> SELECT 1
a> ROLLBACK
a> BEGIN
a> CREATE TABLE u(a int PRIMARY KEY, b text UNIQUE)
a> INSERT INTO u SELECT g, 'x' || g FROM generate_series(1, 3000) g
a> SAVEPOINT p
a> UPDATE u SET b = b || '!' WHERE a < 100
a> CREATE INDEX u_b ON u(b)
a> DELETE FROM u WHERE a = 5
a> DROP INDEX u_b
a> INSERT INTO u VALUES (6, 'six')
a> ROLLBACK TO p
a> SELECT count(*), count(DISTINCT b) FROM u
a> SAVEPOINT q
a> DROP TABLE u
a> SELECT * FROM u
a> ROLLBACK TO q
a> SELECT count(*) FROM u
a> CREATE TABLE u2 AS SELECT * FROM u
a> SELECT count(*) FROM u2
a> DROP TABLE u
a> RELEASE SAVEPOINT q
a> SELECT count(*) FROM u2
a> COMMIT
a> BEGIN
a> SAVEPOINT p
a> CREATE TABLE w(id int GENERATED ALWAYS AS IDENTITY, v int)
a> INSERT INTO w(v) VALUES (1), (2), (3)
a> SAVEPOINT q
a> INSERT INTO w(v) SELECT 1/0
a> ROLLBACK TO q
a> INSERT INTO w(v) VALUES (4) RETURNING id
a> RELEASE SAVEPOINT p
a> SELECT 1/0
a> ROLLBACK
a> SELECT * FROM w
b> CREATE SEQUENCE s
a> SELECT nextval('s')
a> DROP SEQUENCE s
