a> create role iso_sys
a> create table t(a int, b int)
a> insert into t values (1, 2)
a> grant select(tableoid, ctid) on t to iso_sys
b> set role iso_sys
b> select tableoid::regclass from t
b> select ctid from t
b> select xmin from t
b> select a from t
b> select count(*) from t
b> select * from t
b> select has_column_privilege('t', 'tableoid', 'select'), has_any_column_privilege('t', 'select'), has_column_privilege('t', 'xmin', 'select')
a> select attname, attacl from pg_attribute where attrelid = 't'::regclass and attacl is not null order by attnum
b> delete from t where ctid = '(0,9)'
a> grant delete on t to iso_sys
b> delete from t where ctid = '(0,9)'
b> delete from t where a = 9
a> grant select(nosuch) on t to iso_sys
a> grant update(ctid) on t to iso_sys
a> grant all(ctid) on t to iso_sys
a> select column_name, privilege_type from information_schema.column_privileges where grantee = 'iso_sys' order by 1, 2
a> select refobjid::regrole, objsubid from pg_shdepend where objid = 't'::regclass and deptype = 'a' order by 2
a> create view v as select * from t
a> grant select(ctid) on v to iso_sys
a> revoke select(tableoid) on t from iso_sys
b> select tableoid::regclass from t
a> revoke all on t from iso_sys
b> select ctid from t
b> select tableoid from t
a> grant select(ctid) on t to iso_sys
a> drop role iso_sys
a> drop owned by iso_sys
a> drop role iso_sys
a> create extension pg_prewarm
a> create role iso_pw
a> create table kept(a int primary key)
a> insert into kept values (1)
b> set role iso_pw
b> select pg_prewarm('kept')
b> select pg_prewarm('kept_pkey')
b> select pg_prewarm('pg_authid')
b> create index on kept(a)
b> create index concurrently on kept(a)
b> reindex index kept_pkey
a> grant select on kept to iso_pw
b> select pg_prewarm('kept') > 0
b> select pg_prewarm('kept_pkey') > 0
b> create index on kept(a)
b> reset role
a> revoke all on kept from iso_pw
a> drop role iso_pw
