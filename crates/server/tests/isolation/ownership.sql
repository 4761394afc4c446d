a> create role iso_owner_a
a> create role iso_owner_b createdb
a> create table own_t(a int primary key, b text)
a> create index own_i on own_t(b)
a> create sequence own_s
a> create table own_t2(a serial)
a> set role iso_owner_a
a> drop table own_t
a> drop table if exists own_t
a> drop table own_nosuch, own_t
a> alter table own_t add column c int
a> alter table own_t drop column b
a> alter table own_t rename to own_t9
a> alter table own_t rename column a to z
a> alter table own_t set (fillfactor = 50)
a> alter table own_t alter column a set default 3
a> alter table own_t alter column b set not null
a> alter table own_t add constraint ck check (a > 0)
a> alter table own_t drop constraint own_t_pkey
a> alter table if exists own_t drop column b
a> truncate own_t
a> truncate own_t2, own_t
a> drop index own_i
a> drop index if exists own_i
a> create index own_i2 on own_t(a)
a> drop sequence own_s
a> alter sequence own_s restart
a> alter sequence own_t2_a_seq increment 2
a> drop sequence own_t2_a_seq
a> vacuum own_t
a> analyze own_t
a> set role iso_owner_b
a> drop table own_t
a> reset role
a> drop index own_i
a> truncate own_t
a> drop table own_t, own_t2
a> drop sequence own_s
a> drop role iso_owner_a
a> drop role iso_owner_b
