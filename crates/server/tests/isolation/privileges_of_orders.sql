a> create role iso_six
a> create role iso_seven
a> create schema s6
a> create table s6.t(a int, b int)
a> create table t(a int, b int)
a> create view v as select * from t
a> create table own(a int)
a> alter table own owner to iso_six
b> set role iso_six
b> create table nosuch.x as select * from t
b> create table s6.x as select * from t
b> create table s6.x as select 1 as a
b> create table s6.x(a int)
b> create table s6.x as select * from nosuch
b> create view s6.x as select * from t
b> select * into s6.x from t
b> create temp table x as select * from t
b> create table public.x as select * from t
b> create table public.x(a int)
b> create table x(a int)
b> select * from s6.t
b> select s6.f(1)
b> select 1::s6.t
b> insert into s6.t values (1)
b> select 's6.t'::regclass
b> create index on s6.t(a)
b> drop table s6.t
b> alter table s6.t add c int
b> comment on table s6.t is 'x'
b> grant select on s6.t to public
b> analyze s6.t
b> vacuum s6.t
b> vacuum nosuch.t
b> lock table s6.t
b> truncate s6.t
b> copy s6.t to stdout
b> alter table s6.t rename to x
b> alter table s6.t set schema public
b> alter table own set schema s6
b> create sequence s6.q
b> select nextval('s6.q')
b> select has_table_privilege('s6.t', 'select')
b> reindex table s6.t
b> cluster s6.t
b> create policy p on s6.t
b> drop policy p on s6.t
b> drop schema s6
b> alter view s6.v owner to iso_six
b> alter view nosuch.v owner to iso_six
b> alter view if exists nosuch.v owner to iso_six
b> alter table nosuch.v owner to iso_six
b> alter table nosuch.v enable row level security
b> alter table if exists nosuch.v enable row level security
b> alter sequence nosuch.v owner to iso_six
b> alter index nosuch.v rename to x
b> alter table nosuch.v add a int
b> alter table nosuch.v rename to x
b> alter table nosuch.v set schema public
b> alter view nosuch.v set schema public
b> alter view nosuch.v rename to x
b> alter view nosuch.v set (security_barrier)
b> alter view nosuch.v alter a set default 1
b> drop table nosuch.v
b> drop table if exists nosuch.v
b> lock table nosuch.v
b> truncate nosuch.v
b> grant select on nosuch.v to public
b> comment on table nosuch.v is 'x'
b> create policy p on nosuch.v
b> alter policy p on nosuch.v to public
b> drop policy p on nosuch.v
b> drop policy if exists p on nosuch.v
b> create index on nosuch.v(a)
b> reindex table nosuch.v
b> cluster nosuch.v
b> analyze nosuch.v
b> select * from nosuch.v
b> insert into nosuch.v values (1)
b> copy nosuch.v from stdin
b> create table nosuch.v(a int)
b> vacuum v
b> analyze v
b> vacuum t
b> analyze t
b> vacuum pg_class
b> analyze pg_authid
b> vacuum full v
b> vacuum own, v, t
b> vacuum pg_catalog.pg_tables
b> analyze own(nosuch)
b> analyze t(nosuch)
b> analyze v(nosuch)
b> vacuum (analyze) v
b> reset role
a> vacuum v
a> analyze v
a> vacuum pg_tables
a> create index vi on t(a)
a> vacuum vi
a> analyze vi
a> create sequence sq
a> vacuum sq
a> grant select(nosuch), insert on t to iso_six
a> grant insert, select(nosuch) on t to iso_six
a> grant select(a), usage on t to iso_six
a> grant usage, select(a) on t to iso_six
a> grant select(nosuch), usage on t to iso_six
a> grant select(a, nosuch) on t to nosuchrole
a> grant select(a) on t, v, nosuch to iso_six
a> grant select(a), insert on t to iso_six
a> select relacl, (select array_agg(attacl::text order by attnum) from pg_attribute where attrelid = 't'::regclass and attnum > 0) from pg_class where relname = 't'
a> revoke select(a), insert on t from iso_six
a> create role iso_eight in role iso_eight
a> create role iso_eight role iso_eight
a> create role iso_eight admin iso_eight
a> create role iso_eight in role iso_six, nosuch
a> create role iso_eight in role iso_six, iso_six
a> drop role iso_eight
a> create role iso_eight role iso_six admin iso_six
a> select roleid::regrole, member::regrole, admin_option from pg_auth_members where roleid = 'iso_eight'::regrole
a> alter group iso_eight add user iso_seven
a> alter group iso_eight drop user iso_seven
a> alter group iso_eight drop user iso_seven
a> alter group iso_eight add user nosuch
a> alter group nosuch add user iso_seven
a> alter group iso_eight add user iso_eight
a> alter group iso_eight drop user nosuch
b> set role iso_six
b> alter group iso_seven add user iso_six
b> alter group iso_seven drop user iso_six
b> alter group iso_seven rename to x
b> alter role iso_seven rename to x
b> alter role iso_seven nologin
b> alter user iso_seven set work_mem = 1
b> alter role iso_six createdb
b> reset role
a> grant all(a, b) on t to iso_six with grant option
b> set role iso_six
b> grant select(a) on t to iso_seven
b> revoke all on t from iso_seven
b> revoke all(a) on t from iso_seven
b> revoke all on t from public
b> revoke all(a, b) on t from public
b> revoke select on t from public
b> grant all on t to iso_seven
b> grant select on t to iso_seven
b> grant select, insert(a) on t to iso_seven
b> grant all(a) on t to iso_seven
b> revoke grant option for all(a) on t from iso_seven
b> reset role
a> revoke all on t from iso_six
b> set role iso_six
b> revoke all on t from iso_seven
b> revoke select(a) on t from iso_seven
b> reset role
a> create role iso_nine
a> grant iso_nine to iso_six
a> select pg_describe_object(classid, objid, objsubid) from (select 'pg_auth_members'::regclass::oid as classid, oid as objid, 0 as objsubid from pg_auth_members where roleid = 'iso_nine'::regrole) x
a> select i.* from pg_auth_members m, pg_identify_object('pg_auth_members'::regclass, m.oid, 0) i where roleid = 'iso_nine'::regrole
a> select i.* from pg_auth_members m, pg_identify_object_as_address('pg_auth_members'::regclass, m.oid, 0) i where roleid = 'iso_nine'::regrole
a> create policy twice on t to iso_six, iso_six, iso_seven using (true)
a> select polroles::regrole[] from pg_policy
a> alter policy twice on t to public, iso_six
a> select polroles from pg_policy
a> alter policy twice on t to iso_six, public
a> alter policy twice on t to iso_six, iso_six
a> grant select on t to iso_six, iso_six
a> revoke select on t from iso_six, iso_six
a> grant iso_nine to iso_six, iso_six
a> begin
a> grant iso_six to postgres
a> set local role iso_six
a> set local role iso_seven
a> rollback
a> revoke iso_nine from iso_six
a> revoke iso_nine from iso_six
a> drop role if exists iso_nosuch, iso_nosuch2
a> drop user if exists iso_nosuch
a> drop group if exists iso_nosuch
a> drop policy if exists nosuch on t
a> drop policy if exists nosuch on nosuch
a> drop owned by iso_six
a> reassign owned by iso_six to iso_seven
a> reassign owned by iso_seven to postgres
a> create role iso_gone
b> set role iso_gone
a> drop role iso_gone
b> select has_table_privilege('pg_class', 'select'), has_table_privilege('pg_authid', 'select')
b> select has_schema_privilege('public', 'usage'), has_schema_privilege('public', 'create')
b> select has_function_privilege('lower(text)', 'execute'), has_type_privilege('int4', 'usage'), has_parameter_privilege('work_mem', 'set')
b> select has_column_privilege('pg_class', 'oid', 'select'), has_any_column_privilege('pg_class', 'select')
b> select pg_has_role('iso_seven', 'usage'), pg_has_role('iso_seven', 'member'), pg_has_role('iso_seven', 'set')
b> select * from t
b> select row_security_active('pg_class')
b> reset role
a> create database iso_limited
a> alter database iso_limited connection limit 3
a> select datconnlimit, datistemplate, datallowconn from pg_database where datname = 'iso_limited'
a> alter database iso_limited with connection limit -1 is_template true allow_connections false
a> select datconnlimit, datistemplate, datallowconn from pg_database where datname = 'iso_limited'
a> drop database iso_limited
a> alter database iso_limited connection limit -2
a> alter database iso_limited connection limit 'x'
a> alter database iso_limited connection limit 1 connection limit 2
a> alter database iso_limited connection limit 99999999999
a> alter database iso_limited connection limit default
a> alter database iso_limited is_template maybe
a> alter database iso_limited is_template 7
a> alter database iso_limited foo 1
a> alter database iso_limited tablespace pg_default connection limit 1
a> alter database iso_limited connection limit 1 tablespace pg_default
a> alter database iso_limited owner_x 1
a> alter database nosuch connection limit 1
a> alter database nosuch connection limit -2
a> alter database iso_limited
a> alter database iso_privileges_of_orders allow_connections false
a> alter database iso_privileges_of_orders is_template true
a> alter database iso_privileges_of_orders is_template false
b> set role iso_six
b> alter database iso_limited connection limit 1
b> alter database nosuch connection limit 1
b> alter database iso_privileges_of_orders allow_connections false
b> reset role
a> begin
a> alter database iso_limited is_template false connection limit 7
a> rollback
a> select datconnlimit, datistemplate, datallowconn from pg_database where datname = 'iso_limited'
a> alter database iso_limited is_template = false
a> alter database iso_limited encoding 'utf8'
a> begin read only
a> alter database iso_limited is_template false
a> rollback
a> select datconnlimit, datistemplate, datallowconn from pg_database where datname = 'iso_limited'
a> alter database iso_limited is_template default
a> alter database iso_limited connection limit 2.5
a> alter database iso_limited is_template false
a> drop database iso_limited
a> drop owned by iso_six, iso_seven cascade
a> drop role iso_six, iso_seven, iso_eight, iso_nine
