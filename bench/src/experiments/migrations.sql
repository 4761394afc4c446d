-- What migrations, test suites and reports do beside queries, each a script of pgbench behind a line with its name. The first makes
-- the tables.

-- tables
DROP TABLE IF EXISTS small, keyed, loaded;
DROP SEQUENCE IF EXISTS numbers;
CREATE TABLE small AS SELECT i AS v FROM generate_series(1, 1000) i;
CREATE TABLE keyed (id serial PRIMARY KEY, name text UNIQUE);
CREATE TABLE loaded (id int, name text);
CREATE SEQUENCE numbers;
VACUUM ANALYZE;

-- a table with keys
CREATE TABLE t (id serial PRIMARY KEY, name text UNIQUE, note text);
INSERT INTO t (name) VALUES ('a');
DROP TABLE t;
-- a migration
BEGIN;
CREATE TABLE m1 (id serial PRIMARY KEY, name varchar(50) NOT NULL, created timestamptz DEFAULT now());
CREATE INDEX ON m1 (name);
CREATE TABLE m2 (id serial PRIMARY KEY, m1_id int NOT NULL);
CREATE INDEX ON m2 (m1_id);
ALTER TABLE m1 ADD COLUMN extra text;
COMMIT;
DROP TABLE m1, m2;
-- truncate
INSERT INTO keyed (name) VALUES ('a');
TRUNCATE keyed;
-- a temporary table
CREATE TEMP TABLE x (id int, name text);
INSERT INTO x SELECT i, 'n' FROM generate_series(1, 100) i;
DROP TABLE x;
-- a temporary table for a transaction
BEGIN;
CREATE TEMP TABLE x ON COMMIT DROP AS SELECT * FROM small;
UPDATE small SET v = small.v FROM x WHERE small.v = x.v AND small.v < 3;
COMMIT;
-- a table of a query
CREATE TABLE c AS SELECT * FROM small;
DROP TABLE c;
-- an index
CREATE INDEX i ON small (v);
DROP INDEX i;
-- an index, concurrently
CREATE INDEX CONCURRENTLY i ON small (v);
DROP INDEX CONCURRENTLY i;
-- reindex
REINDEX TABLE keyed;
-- a column
ALTER TABLE keyed ADD COLUMN c int;
ALTER TABLE keyed DROP COLUMN c;
-- not null
ALTER TABLE small ALTER v SET NOT NULL;
ALTER TABLE small ALTER v DROP NOT NULL;
-- a check
ALTER TABLE small ADD CONSTRAINT c CHECK (v >= 0);
ALTER TABLE small DROP CONSTRAINT c;
-- a view
CREATE VIEW w AS SELECT * FROM small;
DROP VIEW w;
-- vacuum and analyze
UPDATE small SET v = v WHERE v < 10;
VACUUM ANALYZE small;
-- a sequence's next value
SELECT nextval('numbers');
-- 2,000 rows
INSERT INTO loaded SELECT i, 'name ' || i FROM generate_series(1, 2000) i;
-- 20,000 rows
INSERT INTO loaded SELECT i, 'name ' || i FROM generate_series(1, 20000) i;
-- rows that come and go
INSERT INTO loaded SELECT i, 'name ' || i FROM generate_series(1, 500) i;
DELETE FROM loaded WHERE id < 501;
