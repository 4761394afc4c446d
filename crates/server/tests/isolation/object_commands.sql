# Names, owners, schemas and the end of objects of every kind: which there are, which there are not, and what depends on what
s> CREATE TABLE root(a int PRIMARY KEY, b text, c int CHECK (c > 0))
s> CREATE VIEW v1 AS SELECT a, b FROM root
s> CREATE VIEW v2 AS SELECT a FROM v1
s> CREATE VIEW v3 AS SELECT v2.a, root.b FROM v2, root
s> DROP TABLE root
s> DROP TABLE root RESTRICT
s> DROP VIEW v1
s> DROP VIEW v1, v2
s> DROP VIEW v1, v2, v3
s> CREATE VIEW v1 AS SELECT a, b FROM root
s> CREATE VIEW v2 AS SELECT a FROM v1
s> ALTER VIEW v1 RENAME TO w1
s> ALTER TABLE root RENAME TO trunk
s> ALTER TABLE trunk DROP COLUMN b
s> ALTER TABLE trunk DROP COLUMN c
s> ALTER TABLE trunk DROP COLUMN b CASCADE
s> SELECT relname FROM pg_class WHERE relname IN ('v1', 'v2', 'w1', 'trunk') ORDER BY 1
s> SELECT conname FROM pg_constraint WHERE conrelid = 'trunk'::regclass ORDER BY 1
s> DROP TABLE trunk
# A type of rows that others use
s> CREATE TABLE rowtype(x int)
s> CREATE VIEW of_row AS SELECT NULL::rowtype AS r
s> CREATE TABLE checked(a text CHECK (a::rowtype IS NULL))
s> DROP TABLE rowtype
s> DROP TABLE rowtype CASCADE
s> SELECT relname FROM pg_class WHERE relname IN ('rowtype', 'of_row', 'checked', 'defaulted') ORDER BY 1
s> SELECT count(*) FROM pg_constraint WHERE conrelid = 'checked'::regclass
s> SELECT count(*) FROM pg_attrdef WHERE adrelid = 'defaulted'::regclass
s> DROP TABLE checked, defaulted
# Sequences that defaults draw from
s> CREATE SEQUENCE sq
s> CREATE TABLE draws(a int DEFAULT nextval('sq'), b int GENERATED ALWAYS AS IDENTITY, c serial)
s> CREATE VIEW draws_too AS SELECT nextval('sq') AS n
s> DROP SEQUENCE sq
s> DROP SEQUENCE draws_b_seq
s> DROP SEQUENCE draws_c_seq
s> DROP SEQUENCE draws_c_seq CASCADE
s> DROP SEQUENCE sq CASCADE
s> SELECT adnum FROM pg_attrdef WHERE adrelid = 'draws'::regclass
s> ALTER SEQUENCE draws_b_seq RENAME TO drawn
s> DROP TABLE draws
s> SELECT count(*) FROM pg_class WHERE relname IN ('drawn', 'draws', 'draws_too')
# Keys that a view groups by
s> CREATE TABLE keyed(k int CONSTRAINT keyed_k PRIMARY KEY, v text)
s> CREATE VIEW grouped AS SELECT k, v FROM keyed GROUP BY k
s> ALTER TABLE keyed DROP CONSTRAINT keyed_k
s> DROP INDEX keyed_k
s> ALTER TABLE keyed RENAME CONSTRAINT keyed_k TO keyed_other
s> DROP INDEX keyed_other
s> DROP INDEX keyed_k
s> ALTER INDEX keyed_other RENAME TO keyed_k
s> ALTER TABLE keyed DROP CONSTRAINT keyed_k CASCADE
s> SELECT count(*) FROM pg_class WHERE relname IN ('grouped', 'keyed_k')
s> ALTER TABLE keyed ADD CONSTRAINT one CHECK (v <> '')
s> ALTER TABLE keyed ADD CONSTRAINT two UNIQUE (v)
s> ALTER TABLE keyed RENAME CONSTRAINT one TO two
s> ALTER TABLE keyed RENAME CONSTRAINT two TO one
s> ALTER TABLE keyed RENAME CONSTRAINT none TO one
s> ALTER TABLE keyed RENAME CONSTRAINT keyed_k_not_null TO not_null
s> SELECT conname FROM pg_constraint WHERE conrelid = 'keyed'::regclass ORDER BY 1
s> ALTER TABLE keyed DROP CONSTRAINT not_null
s> DROP TABLE keyed
# Wrong kinds and missing ones
s> CREATE TABLE t(a int)
s> CREATE INDEX ti ON t(a)
s> CREATE VIEW v AS SELECT 1 AS one
s> CREATE SEQUENCE q
s> DROP VIEW t
s> DROP TABLE v
s> DROP TABLE ti
s> DROP INDEX q
s> DROP SEQUENCE ti
s> DROP MATERIALIZED VIEW v
s> DROP FOREIGN TABLE t
s> DROP TABLE nowhere
s> DROP TABLE nowhere.t
s> DROP TABLE IF EXISTS nowhere.t, nowhere
s> DROP VIEW nowhere
s> DROP INDEX nowhere
s> DROP SEQUENCE nowhere
s> DROP MATERIALIZED VIEW nowhere
s> DROP FOREIGN TABLE nowhere
s> DROP TABLE pg_class
s> DROP TABLE other.public.t
s> DROP TYPE t
s> DROP TYPE t[]
s> DROP TYPE _t
s> DROP TYPE int4
s> DROP TYPE nowhere
s> DROP DOMAIN t
s> DROP RULE "_RETURN" ON v
s> DROP RULE nowhere ON v
s> DROP TRIGGER nowhere ON t
s> DROP POLICY nowhere ON t
s> DROP FUNCTION lower(text)
s> DROP FUNCTION lower
s> DROP FUNCTION nowhere(int)
s> DROP FUNCTION sum(int)
s> DROP AGGREGATE lower(text)
s> DROP AGGREGATE sum(int)
s> DROP PROCEDURE lower(text)
s> DROP OPERATOR + (int, int)
s> DROP OPERATOR @#@ (int, int)
s> DROP CAST (int AS bigint)
s> DROP CAST (int AS box)
s> DROP COLLATION "C"
s> DROP COLLATION nowhere
s> DROP ACCESS METHOD btree
s> DROP ACCESS METHOD nowhere
s> DROP OPERATOR CLASS int4_ops USING btree
s> DROP OPERATOR CLASS nowhere USING btree
s> DROP OPERATOR FAMILY integer_ops USING btree
s> DROP OPERATOR CLASS IF EXISTS nowhere USING nowhere
s> DROP LANGUAGE sql
s> DROP LANGUAGE nowhere
s> DROP SCHEMA pg_catalog
s> DROP SCHEMA nowhere
s> DROP SCHEMA IF EXISTS nowhere
s> DROP EXTENSION nowhere
s> DROP SERVER nowhere
s> DROP PUBLICATION nowhere
s> DROP EVENT TRIGGER nowhere
s> DROP STATISTICS nowhere
s> DROP TEXT SEARCH DICTIONARY nowhere
s> ALTER VIEW t RENAME TO x
s> ALTER SEQUENCE v RENAME TO x
s> ALTER INDEX t RENAME TO t2
s> ALTER TABLE t2 RENAME TO t
s> ALTER TABLE v RENAME TO v2
s> ALTER TABLE v2 RENAME TO v
s> ALTER TABLE nowhere RENAME TO x
s> ALTER TABLE nowhere.t RENAME TO x
s> ALTER TABLE IF EXISTS nowhere.t RENAME TO x
s> ALTER TABLE t RENAME TO v
s> ALTER TABLE t RENAME TO t
s> ALTER TABLE pg_class RENAME TO x
s> ALTER MATERIALIZED VIEW t RENAME TO x
s> ALTER FOREIGN TABLE t RENAME TO x
s> ALTER TYPE t RENAME TO x
s> ALTER TYPE _t RENAME TO x
s> ALTER DOMAIN t RENAME TO x
s> ALTER RULE "_RETURN" ON v RENAME TO x
s> ALTER RULE nowhere ON v RENAME TO x
s> ALTER TRIGGER nowhere ON t RENAME TO x
s> ALTER COLLATION nowhere RENAME TO x
s> ALTER FUNCTION nowhere(int) RENAME TO x
s> ALTER SCHEMA nowhere RENAME TO x
s> ALTER DATABASE nowhere RENAME TO x
s> ALTER ROLE nowhere RENAME TO x
s> ALTER TABLESPACE nowhere RENAME TO x
s> ALTER LANGUAGE nowhere RENAME TO x
s> ALTER TABLE t RENAME COLUMN nowhere TO b
s> ALTER TABLE t RENAME COLUMN a TO ctid
s> ALTER TABLE t RENAME COLUMN ctid TO b
s> ALTER TABLE t RENAME a TO a
s> ALTER TABLE q RENAME COLUMN last_value TO x
s> ALTER VIEW v RENAME COLUMN one TO uno
s> ALTER TABLE v RENAME COLUMN uno TO one
s> ALTER TABLE t RENAME a TO aa
s> ALTER TABLE t RENAME aa TO a
s> ALTER TABLE v SET SCHEMA public
s> ALTER TABLE t SET SCHEMA nowhere
s> ALTER TABLE nowhere SET SCHEMA public
s> ALTER TABLE ti SET SCHEMA public
s> ALTER VIEW t SET SCHEMA public
s> ALTER SEQUENCE t SET SCHEMA public
s> ALTER TYPE t SET SCHEMA public
s> ALTER EXTENSION nowhere SET SCHEMA public
s> ALTER COLLATION nowhere SET SCHEMA public
s> ALTER FUNCTION nowhere(int) SET SCHEMA public
s> ALTER TABLE t OWNER TO nobody_there
s> ALTER SCHEMA nowhere OWNER TO nobody_there
s> ALTER SCHEMA nowhere OWNER TO CURRENT_USER
s> ALTER TYPE t OWNER TO CURRENT_USER
s> ALTER DATABASE nowhere OWNER TO CURRENT_USER
s> ALTER TABLESPACE nowhere OWNER TO CURRENT_USER
s> ALTER FUNCTION nowhere(int) OWNER TO CURRENT_USER
s> ALTER INDEX ti OWNER TO CURRENT_USER
s> COMMENT ON TABLE v IS 'x'
s> COMMENT ON VIEW t IS 'x'
s> COMMENT ON COLUMN t.nowhere IS 'x'
s> COMMENT ON COLUMN q.last_value IS 'x'
s> COMMENT ON DATABASE nowhere IS 'x'
s> COMMENT ON RULE "_RETURN" ON v IS 'x'
s> COMMENT ON TYPE t IS 'x'
s> COMMENT ON SCHEMA nowhere IS 'x'
# Owners
s> CREATE ROLE object_commands_one
s> CREATE ROLE object_commands_two CREATEROLE
s> CREATE TABLE owned(a int PRIMARY KEY, b serial, c text)
s> CREATE SEQUENCE owned_s
s> CREATE VIEW owned_v AS SELECT a FROM owned
s> ALTER TABLE owned OWNER TO object_commands_one
s> SELECT relname, relowner::regrole FROM pg_class WHERE relname LIKE 'owned%' ORDER BY 1
s> SELECT typname, typowner::regrole FROM pg_type WHERE typname LIKE '%owned%' ORDER BY 1
s> SELECT count(*) FROM pg_shdepend WHERE refobjid = 'object_commands_one'::regrole
s> ALTER SEQUENCE owned_b_seq OWNER TO object_commands_two
s> ALTER INDEX owned_pkey OWNER TO object_commands_two
s> ALTER VIEW owned_v OWNER TO object_commands_two
s> ALTER TABLE owned_s OWNER TO object_commands_two
s> SELECT relname, relowner::regrole FROM pg_class WHERE relname IN ('owned_s', 'owned_v') ORDER BY 1
s> CREATE SCHEMA theirs AUTHORIZATION object_commands_one
s> CREATE VIEW theirs.v AS SELECT a FROM owned
s> DROP ROLE object_commands_one
s> SET ROLE object_commands_two
s> DROP TABLE owned
s> DROP SCHEMA theirs
s> DROP INDEX owned_pkey
s> DROP SEQUENCE owned_b_seq
s> DROP TYPE owned
s> DROP RULE "_RETURN" ON v
s> ALTER TABLE owned RENAME TO u
s> ALTER TABLE owned RENAME a TO u
s> ALTER TABLE owned OWNER TO object_commands_two
s> ALTER INDEX owned_pkey RENAME TO x
s> ALTER SCHEMA theirs RENAME TO ours
s> ALTER SCHEMA theirs RENAME TO public
s> ALTER SCHEMA theirs OWNER TO object_commands_two
s> ALTER SCHEMA theirs OWNER TO object_commands_one
s> ALTER VIEW owned_v OWNER TO object_commands_one
s> ALTER VIEW owned_v OWNER TO object_commands_two
s> ALTER TABLE owned SET SCHEMA public
s> COMMENT ON TABLE owned IS 'x'
s> COMMENT ON COLUMN owned.a IS 'x'
s> COMMENT ON CONSTRAINT owned_pkey ON owned IS 'x'
s> COMMENT ON INDEX owned_pkey IS 'x'
s> COMMENT ON SCHEMA theirs IS 'x'
s> COMMENT ON VIEW owned_v IS 'x'
s> COMMENT ON ROLE object_commands_one IS 'x'
s> COMMENT ON ROLE postgres IS 'x'
s> COMMENT ON FUNCTION lower(text) IS 'x'
s> DROP FUNCTION lower(text)
s> DROP TYPE int4
s> DROP CAST (int AS bigint)
s> DROP ACCESS METHOD btree
s> DROP TABLE pg_class
s> ALTER TABLE pg_class RENAME TO x
s> ALTER DATABASE template1 RENAME TO x
s> ALTER DATABASE template1 OWNER TO object_commands_two
s> ALTER TABLESPACE pg_default RENAME TO x
s> ALTER ROLE object_commands_two RENAME TO x
s> ALTER ROLE object_commands_one RENAME TO x
s> RESET ROLE
s> ALTER ROLE object_commands_two RENAME TO object_commands_one
s> ALTER ROLE object_commands_two RENAME TO pg_two
s> ALTER ROLE object_commands_two RENAME TO object_commands_three
s> SELECT relowner::regrole FROM pg_class WHERE oid = 'owned_v'::regclass
s> SET ROLE object_commands_one
s> DROP VIEW theirs.v
s> RESET ROLE
s> DROP SCHEMA theirs CASCADE
s> DROP VIEW owned_v
s> DROP SEQUENCE owned_s
s> DROP TABLE owned
s> DROP ROLE object_commands_one, object_commands_three
# Schemas
s> CREATE SCHEMA one
s> CREATE TABLE one.t(a int PRIMARY KEY, b serial, c text CHECK (c <> ''))
s> CREATE VIEW over AS SELECT a FROM one.t
s> CREATE SEQUENCE one.q
s> DROP SCHEMA one
s> ALTER SCHEMA one RENAME TO public
s> ALTER SCHEMA one RENAME TO pg_one
s> ALTER SCHEMA one RENAME TO two
s> DROP SCHEMA two
s> ALTER TABLE two.t SET SCHEMA public
s> ALTER SEQUENCE two.t_b_seq SET SCHEMA public
s> ALTER TABLE two.t RENAME TO moved
s> ALTER TABLE two.moved SET SCHEMA public
s> SELECT relname, relnamespace::regnamespace FROM pg_class WHERE relname LIKE 't\_%' OR relname = 'moved' ORDER BY 1
s> SELECT typname, typnamespace::regnamespace FROM pg_type WHERE typname IN ('moved', '_moved') ORDER BY 1
s> SELECT conname, connamespace::regnamespace FROM pg_constraint WHERE conrelid = 'moved'::regclass ORDER BY 1
s> SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = 'two'::regnamespace
s> ALTER TABLE moved SET SCHEMA pg_temp
s> DROP SCHEMA two
s> DROP SCHEMA two CASCADE
s> DROP TABLE moved CASCADE
s> CREATE SCHEMA gone
s> CREATE TABLE gone.a(x int)
s> CREATE VIEW gone.b AS SELECT x FROM gone.a
s> CREATE VIEW outside AS SELECT x FROM gone.b
s> DROP SCHEMA gone CASCADE
s> SELECT count(*) FROM pg_class WHERE relname IN ('outside', 'over')
s> DROP SCHEMA public
s> DROP SCHEMA public CASCADE
s> CREATE TABLE homeless(a int)
s> CREATE SCHEMA public
s> CREATE TABLE t(a int)
s> ALTER SCHEMA public RENAME TO open
s> SELECT a FROM t
s> SELECT a FROM open.t
s> ALTER SCHEMA open RENAME TO public
s> DROP TABLE t
# Databases
s> CREATE DATABASE object_commands_db
s> ALTER DATABASE object_commands_db RENAME TO postgres
s> ALTER DATABASE object_commands_db RENAME TO object_commands_other
s> CREATE ROLE object_commands_one
s> ALTER DATABASE object_commands_other OWNER TO object_commands_one
s> SELECT datname, datdba::regrole FROM pg_database WHERE datname LIKE 'object_commands_%'
s> DROP ROLE object_commands_one
s> DROP DATABASE object_commands_db
s> DROP DATABASE object_commands_other
s> DROP ROLE object_commands_one
s> ALTER DATABASE iso_object_commands RENAME TO x
# Extensions
s> CREATE SCHEMA ext
s> CREATE SCHEMA place
s> CREATE EXTENSION pg_buffercache SCHEMA ext
s> DROP SCHEMA ext
s> DROP VIEW ext.pg_buffercache
s> DROP VIEW ext.pg_buffercache CASCADE
s> CREATE VIEW reads AS SELECT bufferid FROM ext.pg_buffercache
s> DROP EXTENSION pg_buffercache
s> ALTER EXTENSION pg_buffercache SET SCHEMA nowhere
s> ALTER EXTENSION pg_buffercache SET SCHEMA place
s> SELECT relnamespace::regnamespace FROM pg_class WHERE relname = 'pg_buffercache'
s> SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'pg_buffercache'
s> ALTER EXTENSION pg_buffercache ADD VIEW reads
s> ALTER EXTENSION pg_buffercache ADD VIEW reads
s> DROP VIEW reads
s> ALTER EXTENSION pg_buffercache ADD SCHEMA place
s> ALTER EXTENSION pg_buffercache DROP VIEW reads
s> ALTER EXTENSION pg_buffercache DROP VIEW reads
s> ALTER EXTENSION pg_buffercache ADD TABLE nowhere
s> ALTER EXTENSION nowhere ADD VIEW reads
s> ALTER EXTENSION nowhere UPDATE
s> ALTER EXTENSION pg_buffercache UPDATE
s> ALTER EXTENSION pg_buffercache UPDATE TO '99'
s> DROP EXTENSION pg_buffercache CASCADE
s> SELECT count(*) FROM pg_class WHERE relname IN ('reads', 'pg_buffercache')
s> SELECT count(*) FROM pg_depend WHERE refobjid = 'place'::regnamespace
s> DROP SCHEMA ext, place
# A drop and what is made meanwhile
s> CREATE SCHEMA racing
a> BEGIN
a> CREATE TABLE racing.t(a int)
b> DROP SCHEMA racing
a> COMMIT
s> ALTER SCHEMA racing RENAME TO raced
a> BEGIN
a> CREATE VIEW racing_view AS SELECT a FROM raced.t
b> DROP TABLE raced.t
a> COMMIT
b> DROP SCHEMA raced CASCADE
