-- What a generator of DDL found: a join's columns that a view does not name get other types, and catalogs.
a> CREATE SCHEMA generated
a> SET search_path = generated
a> CREATE TABLE t (d numeric, f date, a text, b int)
a> INSERT INTO t VALUES (1, '2024-01-31', NULL, 5)
a> CREATE VIEW v AS SELECT d, count(*) AS n FROM t aa JOIN t bb USING (d, f) GROUP BY 1
a> ALTER TABLE t ALTER COLUMN a TYPE timestamptz USING f + interval '1 day'
a> SELECT * FROM v
a> ALTER TABLE t DROP COLUMN b
a> SELECT * FROM v
a> SELECT pg_get_viewdef('v')
a> ALTER TABLE t ALTER COLUMN f TYPE text
a> CREATE VIEW w AS SELECT z AS whole FROM t z
a> SELECT attalign FROM pg_attribute WHERE attrelid = 'w'::regclass AND attnum = 1
a> SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype FROM pg_depend WHERE objid = 'w'::regclass AND objsubid > 0
a> CREATE TABLE c (a int, b text, c text, CONSTRAINT k CHECK (c IS NULL OR (a > 0 AND b <> '')), UNIQUE (a) INCLUDE (b))
a> SELECT conkey FROM pg_constraint WHERE conname = 'k'
a> SELECT attnum, attcollation FROM pg_attribute WHERE attrelid = 'c_a_b_key'::regclass ORDER BY attnum
a> ALTER TABLE c VALIDATE CONSTRAINT c_a_b_key
a> CREATE TABLE n (a int NOT NULL, b int PRIMARY KEY)
a> ALTER TABLE n VALIDATE CONSTRAINT n_a_not_null
a> ALTER TABLE n DROP CONSTRAINT n_a_not_null
a> SELECT attname, attnotnull FROM pg_attribute WHERE attrelid = 'n'::regclass AND attnum > 0 ORDER BY attnum
a> ALTER TABLE n DROP CONSTRAINT n_b_not_null
a> CREATE TABLE s (a int, b varchar(10), c text)
a> ALTER TABLE s ALTER a SET STORAGE PLAIN, ALTER b SET STORAGE PLAIN, ALTER b SET COMPRESSION lz4, ALTER c SET STORAGE EXTERNAL
a> ALTER TABLE s ALTER a TYPE text, ALTER b TYPE varchar(20), ALTER c TYPE int USING 1
a> SELECT attname, attstorage, attcompression FROM pg_attribute WHERE attrelid = 's'::regclass AND attnum > 0 ORDER BY attnum
a> INSERT INTO s (a) VALUES (repeat('long', 100000))
a> SELECT length(a) FROM s
a> ALTER TABLE s ALTER b TYPE text, ALTER b TYPE varchar(5)
a> ALTER TABLE s DROP COLUMN b, ADD COLUMN b int
a> CREATE SEQUENCE q
a> INSERT INTO q (last_value) VALUES (5)
a> UPDATE q SET last_value = 5
a> DELETE FROM q
a> ALTER VIEW c SET SCHEMA public
a> ALTER SEQUENCE v SET SCHEMA public
a> CREATE TABLE identities (i int GENERATED ALWAYS AS IDENTITY)
a> RESET search_path
a> DROP INDEX generated.c_a_b_key
a> DROP SEQUENCE generated.identities_i_seq
a> CREATE TEMP TABLE c (a int PRIMARY KEY)
a> SELECT pg_get_indexdef('pg_temp.c_pkey'::regclass)
