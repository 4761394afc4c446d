a> create role iso_acl_a
a> create role iso_acl_b
a> create role iso_acl_c
a> create role iso_acl_g
a> grant iso_acl_g to iso_acl_c
a> create schema acl_s
a> create table acl_s.t(x int primary key, y text, z int)
a> insert into acl_s.t values (1, 'one', 10)
a> create sequence acl_s.q
a> create view acl_s.v as select x, y from acl_s.t
a> create view acl_s.vi with (security_invoker = true) as select x, y from acl_s.t
b> set role iso_acl_a
b> select * from acl_s.t
b> create table acl_s.no(i int)
b> create table acl_no(i int)
a> grant usage on schema acl_s to iso_acl_a, iso_acl_b, iso_acl_g
b> select * from acl_s.t
b> select count(*) from acl_s.t
b> select x from acl_s.v
a> grant select on acl_s.v, acl_s.vi to iso_acl_a
b> select x from acl_s.v
b> select x from acl_s.vi
a> grant select (x) on acl_s.t to iso_acl_a with grant option
b> select x from acl_s.t
b> select y from acl_s.t
b> select * from acl_s.t
b> select t from acl_s.t
b> select count(*) from acl_s.t
b> select x from acl_s.vi
b> select a.x from acl_s.t a join acl_s.t b using (x)
b> select a.x from acl_s.t a natural join acl_s.t b
b> select ctid from acl_s.t
b> update acl_s.t set z = 1
a> grant update (z), insert (x, y) on acl_s.t to iso_acl_a
b> update acl_s.t set z = 1
b> update acl_s.t set z = z + 1
b> update acl_s.t set z = 1 where x = 1
b> update acl_s.t set z = 2 returning x
b> update acl_s.t set z = 2 returning y
b> update acl_s.t set y = 'two'
b> insert into acl_s.t(x, y) values (2, 'two')
b> insert into acl_s.t(x, y, z) values (3, 'two', 1)
b> insert into acl_s.t default values
b> insert into acl_s.t(x, y) values (2, 'two') on conflict do nothing
b> insert into acl_s.t(x, y) values (2, 'two') on conflict (x) do update set z = excluded.x
b> insert into acl_s.t(x, y) values (2, 'two') on conflict (x) do update set z = 5 where excluded.y = 'a'
b> insert into acl_s.t(x, y) values (2, 'two') on conflict (x) do update set y = 'no'
b> insert into acl_s.t(x, y) values (2, 'two') on conflict on constraint t_pkey do update set z = 7
b> delete from acl_s.t
b> select x from acl_s.t for update
b> truncate acl_s.t
b> begin
b> lock table acl_s.t in row exclusive mode
b> rollback
b> begin
b> lock table acl_s.t in share mode
b> rollback
b> grant select (x) on acl_s.t to iso_acl_b
b> grant select (x, y) on acl_s.t to iso_acl_b
b> grant all on acl_s.t to iso_acl_b
b> grant select on acl_s.t to iso_acl_b
b> grant usage on schema acl_s to iso_acl_c
b> revoke select (x) on acl_s.t from iso_acl_b
b> grant select (x) on acl_s.t to iso_acl_b with grant option
c> set role iso_acl_b
c> select x from acl_s.t
c> grant select (x) on acl_s.t to iso_acl_a with grant option
a> select attname, attacl from pg_attribute where attrelid = 'acl_s.t'::regclass and attacl is not null order by attnum
a> select relacl from pg_class where oid = 'acl_s.t'::regclass
a> revoke select (x) on acl_s.t from iso_acl_a
a> revoke select (x) on acl_s.t from iso_acl_a cascade
c> select x from acl_s.t
a> select attname, attacl from pg_attribute where attrelid = 'acl_s.t'::regclass and attacl is not null order by attnum
a> grant select, insert on acl_s.t to iso_acl_a with grant option
b> grant select, insert on acl_s.t to iso_acl_b
b> grant select on acl_s.t to public
b> grant select on acl_s.t to public with grant option
a> select relacl from pg_class where oid = 'acl_s.t'::regclass
a> select has_table_privilege('iso_acl_b', 'acl_s.t', 'select'), has_table_privilege('iso_acl_b', 'acl_s.t', 'select with grant option'), has_table_privilege('iso_acl_c', 'acl_s.t', 'insert, update'), has_column_privilege('iso_acl_a', 'acl_s.t', 'z', 'update'), has_any_column_privilege('iso_acl_c', 'acl_s.t', 'update')
a> select grantee::regrole, privilege_type, is_grantable from pg_class, aclexplode(relacl) where pg_class.oid = 'acl_s.v'::regclass order by 1, 2
a> select grantor, grantee, privilege_type, is_grantable from information_schema.table_privileges where table_name = 't' and grantee like 'iso%' order by 1, 2, 3
a> revoke grant option for select on acl_s.t from iso_acl_a
a> revoke grant option for select on acl_s.t from iso_acl_a cascade
a> select relacl from pg_class where oid = 'acl_s.t'::regclass
a> drop role iso_acl_a
a> grant usage on sequence acl_s.q to iso_acl_g
c> set role iso_acl_c
c> select nextval('acl_s.q'), currval('acl_s.q')
c> select setval('acl_s.q', 10)
c> select last_value from acl_s.q
a> grant insert on acl_s.q to iso_acl_g
a> grant usage on acl_s.t to iso_acl_g
a> grant select on sequence acl_s.t to iso_acl_g
a> grant select, update on acl_s.q to iso_acl_g
c> select setval('acl_s.q', 10)
c> select last_value from acl_s.q
a> alter table acl_s.t owner to iso_acl_b
a> select relacl from pg_class where oid = 'acl_s.t'::regclass
a> grant select on acl_s.nosuch to iso_acl_a
a> grant select on acl_s.t to iso_acl_nosuch
a> grant execute on acl_s.t to iso_acl_a
a> grant nosuch on acl_s.t to iso_acl_a
a> grant select (nosuch) on acl_s.t to iso_acl_a
a> grant select (x) on schema acl_s to iso_acl_a
a> grant delete (x) on acl_s.t to iso_acl_a
a> grant select on acl_s.t_pkey to iso_acl_a
a> grant select on acl_s.t to iso_acl_a granted by iso_acl_b
a> grant all privileges on all tables in schema acl_s to iso_acl_g
a> grant all on all sequences in schema acl_s to iso_acl_g
a> grant select on all tables in schema acl_nosuch to iso_acl_g
a> select relname, relacl from pg_class where relnamespace = 'acl_s'::regnamespace and relkind in ('r', 'v', 'S') order by 1
c> select * from acl_s.t
c> delete from acl_s.t
c> truncate acl_s.t
c> begin
c> lock table acl_s.v in access exclusive mode
c> rollback
a> revoke all on all tables in schema acl_s from iso_acl_g
a> drop owned by iso_acl_a, iso_acl_b, iso_acl_c, iso_acl_g
a> drop schema acl_s cascade
c> reset role
b> reset role
a> drop role iso_acl_a, iso_acl_b, iso_acl_c, iso_acl_g
