a> create role iso_typ
a> grant create on schema public to iso_typ
a> create table t(a int8, b text)
a> insert into t values (1, '1')
a> create table own(x int, y int8)
a> insert into own values (1, 1)
a> alter table own owner to iso_typ
a> grant all on t to iso_typ
a> revoke usage on type int8 from public
b> set role iso_typ
b> create table c1(a int8)
b> create table c1(x text, a int8, b nosuch)
b> create table c1(x text, a int8[])
b> create table c1(a int8 generated always as identity)
b> create table c1(a bigserial)
b> create table c1(a serial)
b> create table c1(a int8 default nosuch())
b> create table if not exists own(a int8)
b> create table c2(a int4 default 1::int8, check (a > 1::int8))
b> create table c3(like t)
b> create table c3(like t including all)
b> create table c4 as select 1::int8 as x
b> create table c4 as select a from t
b> create table c4 as select 1::int8 as x with no data
b> create table nosuch.c4 as select 1::int8 as x
b> select count(*) into c5 from t
b> create view v1 as select 1::int8
b> create view v1 as select a from t
b> create or replace view v1 as select array[1::int8]
b> create temp view v1 as select 1::int8
b> create view v1 as select 1::int8 = 1 as a
b> create sequence s1
b> create sequence s2 as int4
b> create table c6(a int4 generated always as identity)
b> create temp table c7(a int8)
b> alter table own add column z int8
b> alter table own add column z int8[]
b> alter table own alter x type int8
b> alter table own alter y type int8
b> alter table own add column if not exists x int8
b> alter table own add z1 bigserial
b> alter table t add z int8
b> alter table own add z int4, add w int8
b> alter table own alter y type int4
b> alter table own alter y type int8
b> create index on own((y + 1::int8))
b> select 1::int8
b> select a::int8 from t
b> select array[1]::int8[]
b> insert into t values (5)
b> create table c8(a int4[] default array[1::int8])
b> select has_type_privilege('int8', 'usage'), has_type_privilege('int8[]', 'usage')
a> revoke usage on type bool from public
a> grant usage on type int8 to iso_typ
b> create sequence s1
b> create table c9(a int8)
b> reset role
a> grant usage on type int8, bool to public
a> drop owned by iso_typ
a> drop role iso_typ
