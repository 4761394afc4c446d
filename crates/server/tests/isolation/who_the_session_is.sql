a> create role iso_other
a> select current_user, session_user
a> set session authorization iso_other
a> select current_user, session_user, current_setting('is_superuser')
a> reset session authorization
a> select current_user, session_user, current_setting('is_superuser')
a> set session authorization iso_other
a> set session authorization default
a> select current_user, session_user
a> set session authorization iso_other
a> reset all
a> select current_user
a> discard all
a> select current_user, session_user, current_setting('is_superuser')
a> begin
a> set session authorization iso_other
a> rollback
a> select current_user
a> set role iso_other
a> select current_user, session_user, current_setting('is_superuser')
a> reset role
a> select current_user, current_setting('is_superuser')
a> set role iso_other; discard all
a> reset role
a> drop role iso_other
a> select pg_typeof(current_user), pg_typeof(session_user), pg_typeof(current_database()), pg_typeof(current_schema), pg_typeof(pg_typeof(1)), pg_typeof(null)
a> select pg_typeof(current_schemas(false)), current_schemas(true), current_schemas(false), current_schemas(null)
a> select to_regtype('nope'), to_regclass('ng_catalog.pg_class'), to_regclass('public.pg_class'), to_regclass('pg_catalog.pg_class')
a> select 'public.pg_class'::regclass
a> select 0::regclass, 999999::regclass, 0::regtype, 23::regtype, 'int[]'::regtype, 'public'::regnamespace
a> create table "Mixed Case" (a serial)
a> select '"Mixed Case"'::regclass, '"Mixed Case"'::regclass::text, '"Mixed Case_a_seq"'::regclass
a> drop table "Mixed Case"
a> select format_type('bpchar'::regtype, -1), format_type('bpchar'::regtype, null), format_type(1042, 9), format_type(23, null), format_type(0, null)
a> select pg_typeof('pg_class'::regclass::oid), 'pg_class'::regclass::oid, '12'::oid
