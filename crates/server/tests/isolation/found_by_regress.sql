# What PostgreSQL's own regression files found, and its neighbours: CREATE SCHEMA with what is in it, tables that are there
# already, roles that are not
a> SELECT pg_catalog.set_config('search_path', ' ', false)
a> CREATE SCHEMA s1 CREATE UNIQUE INDEX abc_a_idx ON abc (a) CREATE VIEW abc_view AS SELECT a+1 AS a, b+1 AS b FROM abc CREATE TABLE abc (a serial, b int UNIQUE)
a> SHOW search_path
a> SELECT a, b FROM s1.abc_view
a> RESET search_path
a> CREATE SCHEMA s2 CREATE TEMP VIEW v AS SELECT 1
a> CREATE SCHEMA s2 CREATE TEMP TABLE t (a int)
a> CREATE SCHEMA s2 CREATE TEMP SEQUENCE s
a> CREATE SCHEMA s2 CREATE TABLE s1.t (a int)
a> CREATE SCHEMA s2 CREATE TEMP TABLE s1.t (a int)
a> CREATE SCHEMA s2 CREATE TABLE t (a int) CREATE VIEW v AS SELECT * FROM t
a> SELECT * FROM s2.v
a> CREATE TABLE made AS SELECT 1 AS a
a> CREATE TABLE made AS SELECT 1 / 0 AS a
a> CREATE TABLE IF NOT EXISTS made AS SELECT 1 / 0 AS a
a> CREATE TABLE IF NOT EXISTS made AS SELECT 1 / 0 AS a WITH NO DATA
a> CREATE TABLE IF NOT EXISTS made AS SELECT nothing FROM made
a> CREATE TABLE IF NOT EXISTS made (a, b) AS SELECT 1
a> SELECT 1 / 0 AS a INTO made
a> CREATE TABLE other AS SELECT 1 / 0 AS a
a> CREATE TABLE other AS SELECT * FROM other
a> CREATE TABLE other AS SELECT a, a + 1 AS b FROM made
a> SELECT * FROM other
a> CREATE TEMP TABLE made AS SELECT a + 1 AS a FROM made
a> SELECT * FROM made
a> PREPARE p(int) AS SELECT $1 / 0
a> SELECT has_table_privilege(999999::oid, 'other', 'select'), has_schema_privilege(999999::oid, 's1', 'usage')
a> SELECT has_table_privilege(999999::oid, 'pg_authid', 'update'), has_table_privilege(999999::oid, 999999::oid, 'select')
a> SELECT has_column_privilege(999999::oid, 'other', 'a', 'select'), has_database_privilege(999999::oid, 'postgres', 'connect')
a> SELECT has_table_privilege('nobody', 'other', 'select')
a> SELECT has_table_privilege('postgres', 'other', 'select')
a> SELECT has_table_privilege(999999::oid, 'pg_class', 'select'), has_table_privilege(999999::oid, 'pg_class', 'update')
a> SELECT has_table_privilege(999999::oid, 'pg_authid', 'select'), has_column_privilege(999999::oid, 'pg_class', 'relname', 'select')
a> SELECT has_schema_privilege(999999::oid, 'pg_catalog', 'usage'), has_schema_privilege(999999::oid, 'pg_catalog', 'create, usage')
a> SELECT has_function_privilege(999999::oid, 'abs(int)', 'execute'), has_type_privilege(999999::oid, 'int4', 'usage')
a> SELECT has_language_privilege(999999::oid, 'sql', 'usage'), has_database_privilege(999999::oid, 'postgres', 'create')
a> SELECT has_database_privilege(999999::oid, 'postgres', 'temp'), has_schema_privilege(999999::oid, 's2', 'usage')
a> CREATE ROLE found_by_regress
a> SELECT has_table_privilege('found_by_regress', 'pg_class', 'select'), has_table_privilege('found_by_regress', 'pg_class', 'insert')
a> SELECT has_table_privilege('found_by_regress', 'pg_authid', 'select'), has_table_privilege('found_by_regress', 'pg_file_settings', 'select')
a> SELECT has_table_privilege('found_by_regress', 'pg_class', 'insert, select'), has_any_column_privilege('found_by_regress', 'pg_authid', 'select')
a> SELECT has_column_privilege('found_by_regress', 'pg_subscription', 'subname', 'select'), has_column_privilege('found_by_regress', 'pg_subscription', 'subconninfo', 'select')
a> SELECT has_any_column_privilege('found_by_regress', 'pg_subscription', 'select'), has_table_privilege('found_by_regress', 'pg_subscription', 'select')
a> SELECT has_function_privilege('found_by_regress', 'pg_reload_conf()', 'execute'), has_function_privilege('found_by_regress', 'abs(int)', 'execute')
a> SELECT has_schema_privilege('found_by_regress', 's2', 'create'), has_schema_privilege('found_by_regress', 'public', 'create'), has_schema_privilege('found_by_regress', 'public', 'usage')
a> SELECT has_database_privilege('found_by_regress', 'postgres', 'create'), has_database_privilege('found_by_regress', 'postgres', 'connect, create')
a> CREATE SCHEMA s3 AUTHORIZATION found_by_regress
a> SELECT has_schema_privilege('found_by_regress', 's3', 'create'), has_schema_privilege('found_by_regress', 's3', 'usage with grant option')
a> SELECT has_function_privilege('public', 'pg_reload_conf()', 'execute'), has_table_privilege('public', 'pg_class', 'select'), has_table_privilege('public', 'pg_authid', 'select')
a> DROP SCHEMA s3
a> DROP ROLE found_by_regress
