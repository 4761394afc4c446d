a> create role iso_kind_a
a> create role iso_kind_b
b> set role iso_kind_a
a> revoke temporary on database iso_privileges_of_kinds from public
b> create temp table kind_types(a int8)
b> drop table if exists kind_types
a> grant temporary on database iso_privileges_of_kinds to iso_kind_b
a> select has_database_privilege('iso_kind_a', current_database(), 'temp'), has_database_privilege('iso_kind_b', current_database(), 'temp, create'), has_database_privilege('iso_kind_a', current_database(), 'connect')
a> grant temporary on database iso_privileges_of_kinds to public
b> create schema kind_s
b> create table kind_public(a int)
a> grant create on schema public to iso_kind_a with grant option
b> create table kind_public(a int)
b> grant create on schema public to iso_kind_b
b> revoke create on schema public from iso_kind_b
a> select nspacl from pg_namespace where nspname = 'public'
a> revoke create on schema public from iso_kind_a cascade
b> drop table kind_public
a> select nspacl from pg_namespace where nspname = 'public'
a> grant execute on function pg_reload_conf() to iso_kind_a
a> select proacl from pg_proc where oid = 'pg_reload_conf()'::regprocedure
a> revoke execute on function pg_reload_conf() from iso_kind_a
a> revoke execute on function upper(text) from public
b> select upper('a')
b> select upper(relname) from pg_class where false
a> grant execute on function upper(text) to public
b> select upper('a')
a> grant usage on language plpgsql to iso_kind_a
a> grant usage on language c to iso_kind_a
a> revoke usage on language plpgsql from iso_kind_a
a> grant usage on type int4 to iso_kind_a
a> grant usage on type int4[] to iso_kind_a
a> grant usage on domain int4 to iso_kind_a
a> grant usage on type nosuch to iso_kind_a
a> revoke usage on type int4 from iso_kind_a
a> revoke usage on type int4 from public
b> create temp table kind_types(a int8, b int4)
b> create temp table kind_types as select 1 as a
b> create temp table kind_types(a int8)
b> alter table kind_types add column b int4[]
b> select 1::int4
b> drop table kind_types
a> grant usage on type int4 to public
a> grant create on tablespace pg_default to iso_kind_a
a> revoke create on tablespace pg_default from iso_kind_a
a> grant select on database postgres to iso_kind_a
a> grant usage on foreign server nosuch to iso_kind_a
a> grant set on parameter log_min_messages to iso_kind_a
a> select parname, paracl from pg_parameter_acl order by 1
b> set log_min_messages = 'error'
b> reset log_min_messages
a> revoke set on parameter log_min_messages from iso_kind_a
a> select parname, paracl from pg_parameter_acl order by 1
b> set log_min_messages = 'error'
a> grant set on parameter nosuch to iso_kind_a
a> grant select on pg_authid to iso_kind_a
b> select count(*) > 0 from pg_authid
a> select relacl from pg_class where oid = 'pg_authid'::regclass
a> revoke select on pg_authid from iso_kind_a
b> select count(*) > 0 from pg_authid
b> alter default privileges grant select on tables to iso_kind_b
b> alter default privileges in schema public grant select on tables to iso_kind_b
b> alter default privileges grant select on sequences to iso_kind_b
b> alter default privileges grant update on tables to iso_kind_nosuch
b> alter default privileges for role iso_kind_b grant update on tables to iso_kind_a
b> alter default privileges grant usage on tables to iso_kind_b
b> alter default privileges in schema public grant usage on schemas to iso_kind_b
a> alter default privileges for role iso_kind_a in schema public revoke select on tables from iso_kind_b
a> select defaclrole::regrole, defaclnamespace, defaclobjtype, defaclacl from pg_default_acl order by 3
a> grant create on schema public to iso_kind_a
b> create table kind_new(a serial)
b> create view kind_view as select a from kind_new
b> select relname, relacl from pg_class where relname like 'kind%' order by 1
a> set role iso_kind_b
a> select * from kind_new
a> insert into kind_new values (1)
a> reset role
a> drop role iso_kind_a
a> reassign owned by iso_kind_a to iso_kind_b
a> select relname, relowner::regrole, relacl from pg_class where relname like 'kind%' order by 1
b> reset role
a> drop owned by iso_kind_a
a> drop role iso_kind_a
a> drop owned by iso_kind_b
a> select relname from pg_class where relname like 'kind%'
a> drop role iso_kind_b
a> select acldefault('r', 10), acldefault('d', 10), acldefault('f', 10), acldefault('c', 10), acldefault('n', 10)
a> select makeaclitem(10, 0, 'select, update', true)
a> select '=r/postgres'::aclitem, 'postgres=arw*/postgres'::aclitem = 'postgres=arw*/postgres'::aclitem, '{=r/postgres}'::aclitem[] @> '=r/postgres'::aclitem
a> select 'nosuch=r/postgres'::aclitem
a> select '=q/postgres'::aclitem
