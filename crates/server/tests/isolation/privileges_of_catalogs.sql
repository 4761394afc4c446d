a> create role iso_z
b> set role iso_z
b> alter table pg_class add x int
b> alter table pg_catalog.pg_class add x int
b> alter table pg_class rename to x
b> alter table pg_class rename relname to x
b> alter table pg_class owner to iso_z
b> alter table pg_class set schema public
b> alter table pg_class enable row level security
b> alter table pg_class alter relname drop default
b> alter table if exists pg_class add x int
b> alter view pg_tables rename to x
b> alter view pg_tables set (security_barrier)
b> alter view pg_tables owner to iso_z
b> alter view pg_tables alter tablename set default 1
b> alter view pg_tables set schema public
b> create or replace view pg_catalog.pg_tables as select 1 as a
b> create view pg_catalog.x as select 1 as a
b> create sequence pg_catalog.x
b> create table pg_catalog.x(a int)
b> create table information_schema.x(a int)
b> create table pg_catalog.x as select 1 as a
b> create table pg_toast.x(a int)
b> truncate pg_class
b> truncate pg_tables
b> create index on pg_class(relname)
b> create index on pg_tables(tablename)
b> cluster pg_class
b> cluster pg_class using pg_class_oid_index
b> reindex table pg_class
b> reindex index pg_class_oid_index
b> drop table pg_class
b> drop view pg_tables
b> drop index pg_class_oid_index
b> drop schema pg_catalog
b> drop schema information_schema
b> alter schema pg_catalog rename to x
b> alter schema pg_catalog owner to iso_z
b> lock table pg_class
b> lock table pg_class in access share mode
b> lock table pg_tables
b> create policy p on pg_class
b> create policy p on pg_tables
b> alter policy p on pg_class to public
b> drop policy p on pg_class
b> drop policy if exists p on pg_class
b> comment on table pg_class is 'x'
b> comment on view pg_tables is 'x'
b> comment on column pg_class.relname is 'x'
b> comment on function lower(text) is 'x'
b> comment on schema pg_catalog is 'x'
b> grant select on pg_class to iso_z
b> grant insert on pg_class to iso_z
b> grant select(relname) on pg_class to iso_z
b> revoke select on pg_class from public
b> grant select on pg_tables to iso_z
b> grant execute on function lower(text) to iso_z
b> alter function lower(text) owner to iso_z
b> alter function lower(text) rename to x
b> drop function lower(text)
b> alter type int4 owner to iso_z
b> alter type int4 rename to x
b> drop type int4
b> alter index pg_class_oid_index rename to x
b> alter sequence pg_class restart
b> copy pg_class(relname) from stdin
b> select * from pg_class for update limit 0
b> select * from pg_tables for update limit 0
b> select * from pg_authid limit 0
b> select rolname from pg_authid limit 0
b> insert into pg_class(relname) values ('x')
b> update pg_class set relname = 'x' where false
b> delete from pg_class where false
b> vacuum full pg_class
b> analyze pg_class
b> vacuum pg_tables
b> reset role
a> begin
a> truncate pg_class
a> rollback
a> alter table pg_class add x int
a> alter table if exists pg_class add x int
a> create index on pg_class(relname)
a> truncate pg_tables
a> create table pg_toast.x(a int)
a> create table pg_catalog.x(a int)
a> create view pg_catalog.x as select 1 as a
a> reindex table pg_class
a> reindex index pg_class_oid_index
a> create view v as select 1 as a
a> create sequence s
a> create table t(a int)
a> create index i on t(a)
a> create index on v(a)
a> create index on s(a)
a> create index on i(a)
a> drop role iso_z
