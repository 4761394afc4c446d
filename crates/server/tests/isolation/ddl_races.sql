# Definitions that meet: who gives another name to what a definition says, or drops it, waits for who makes the definition
s> CREATE TABLE tr(a int, b int)
a> BEGIN
a> CREATE INDEX tri ON tr ((a + b)) WHERE a > 0
b> ALTER TABLE tr RENAME a TO z
a> COMMIT
b> SELECT pg_get_indexdef('tri'::regclass)
b> INSERT INTO tr VALUES (1, 2)
s> CREATE TABLE tc(a int, b int CHECK (b > 0), c int)
a> BEGIN
a> ALTER TABLE tc DROP COLUMN a
b> ALTER TABLE tc RENAME c TO d
a> COMMIT
b> SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'tc'::regclass AND contype = 'c'
s> CREATE SCHEMA other
a> BEGIN
a> ALTER TABLE tc ADD CHECK (d > 1)
b> ALTER TABLE tc SET SCHEMA other
a> COMMIT
b> SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'other.tc'::regclass AND contype = 'c' ORDER BY oid
# What a view reads
s> CREATE TABLE t3(a int, b int)
s> INSERT INTO t3 VALUES (1, 2)
a> BEGIN
a> CREATE VIEW vv AS SELECT a FROM t3
b> ALTER TABLE t3 ALTER a TYPE date USING current_date
a> COMMIT
a> BEGIN
a> CREATE VIEW vw AS SELECT a FROM vv WHERE a IN (SELECT a FROM t3)
b> ALTER TABLE t3 RENAME a TO x
a> COMMIT
b> SELECT pg_get_viewdef('vw'::regclass)
a> BEGIN
a> CREATE OR REPLACE VIEW vw AS SELECT a FROM vv
b> DROP VIEW vv
a> COMMIT
a> BEGIN
a> CREATE OR REPLACE VIEW vv AS SELECT x AS a FROM t3 WHERE b > 0
b> DROP TABLE t3
a> COMMIT
a> BEGIN
a> ALTER TABLE t3 RENAME x TO y
b> CREATE VIEW vx AS SELECT x FROM t3
a> COMMIT
a> BEGIN
a> ALTER TABLE t3 RENAME TO t4
b> CREATE VIEW vx AS SELECT y FROM t3
a> COMMIT
b> SELECT * FROM vw
a> BEGIN
a> ALTER TABLE t4 RENAME y TO w
b> SELECT * FROM vw
a> COMMIT
b> ALTER VIEW vv RENAME TO vu
b> SELECT pg_get_viewdef('vu'::regclass)
b> SELECT pg_get_viewdef('vw'::regclass)
# A view that is replaced while what it was over gets another name
s> CREATE TABLE t5(a int)
s> CREATE VIEW v5 AS SELECT a FROM t5
a> BEGIN
a> CREATE OR REPLACE VIEW v5 AS SELECT 7 AS a
b> DROP TABLE t5
a> COMMIT
b> SELECT * FROM v5
a> BEGIN
a> DROP VIEW v5
b> CREATE OR REPLACE VIEW v5 AS SELECT 8 AS a
a> COMMIT
b> SELECT * FROM v5
# Readers
a> BEGIN
a> SELECT * FROM v5
b> DROP VIEW v5
a> COMMIT
s> CREATE VIEW v5 AS SELECT 9 AS a
s> CREATE VIEW v6 AS SELECT a FROM v5
a> BEGIN
a> CREATE OR REPLACE VIEW v5 AS SELECT 10 AS a
b> SELECT * FROM v6
a> COMMIT
a> BEGIN
a> DROP VIEW v6
b> SELECT * FROM v6
a> ROLLBACK
a> BEGIN
a> SELECT * FROM v6
b> ALTER VIEW v5 RENAME TO v7
a> COMMIT
b> SELECT * FROM v6
# Sequences
s> CREATE TABLE t6(a int, b int)
s> CREATE SEQUENCE sq
a> BEGIN
a> ALTER SEQUENCE sq OWNED BY t6.a
b> ALTER TABLE t6 RENAME a TO c
a> COMMIT
a> BEGIN
a> ALTER SEQUENCE sq OWNED BY t6.b
b> DROP TABLE t6
a> COMMIT
b> SELECT count(*) FROM pg_class WHERE relname = 'sq'
s> CREATE TABLE t6(a int)
s> CREATE SEQUENCE sq OWNED BY t6.a
a> BEGIN
a> ALTER SEQUENCE sq OWNED BY NONE
b> DROP TABLE t6
a> COMMIT
b> SELECT count(*) FROM pg_class WHERE relname = 'sq'
s> CREATE TABLE t9(a int)
a> BEGIN
a> ALTER TABLE t9 ALTER a SET DEFAULT nextval('sq')
b> DROP SEQUENCE sq
a> COMMIT
a> BEGIN
a> CREATE TABLE t10(a int DEFAULT nextval('sq'))
b> ALTER SEQUENCE sq RENAME TO sr
a> COMMIT
b> SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 't10'::regclass
b> INSERT INTO t9 DEFAULT VALUES
a> BEGIN
a> DROP TABLE t9, t10
a> DROP SEQUENCE sr
b> CREATE TABLE t11(a int DEFAULT nextval('sr'))
a> ROLLBACK
b> INSERT INTO t11 DEFAULT VALUES
# Owners
s> CREATE ROLE ddl_races_owner
s> CREATE TABLE t7(a int)
a> BEGIN
a> ALTER TABLE t7 OWNER TO ddl_races_owner
b> DROP ROLE ddl_races_owner
a> COMMIT
s> ALTER TABLE t7 OWNER TO CURRENT_USER
a> BEGIN
a> CREATE SCHEMA theirs AUTHORIZATION ddl_races_owner
b> DROP ROLE ddl_races_owner
a> ROLLBACK
s> CREATE ROLE ddl_races_owner
a> BEGIN
a> DROP ROLE ddl_races_owner
b> ALTER TABLE t7 OWNER TO ddl_races_owner
a> ROLLBACK
s> ALTER TABLE t7 OWNER TO CURRENT_USER
s> DROP ROLE ddl_races_owner
# LIKE, and what somebody else has dropped meanwhile
a> BEGIN
a> ALTER TABLE t7 ADD COLUMN b int
b> CREATE TABLE t8 (LIKE t7)
a> COMMIT
b> INSERT INTO t8 VALUES (1, 2)
a> BEGIN
a> DROP TABLE t8
b> DROP TABLE IF EXISTS t8
a> COMMIT
s> CREATE VIEW v8 AS SELECT a FROM t7
a> BEGIN
a> DROP VIEW v8
b> DROP TABLE t7
a> COMMIT
