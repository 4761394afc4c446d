a> create role iso_mw_a
a> create role iso_mw_b
a> create table mw_t(a int)
a> insert into mw_t values (1), (2)
a> grant select on mw_t to iso_mw_a
b> set role iso_mw_a
b> prepare p as select * from mw_t
b> prepare q as insert into mw_t values (3)
b> execute p
b> execute q
a> grant insert on mw_t to iso_mw_a
b> execute q
a> revoke select on mw_t from iso_mw_a
b> execute p
b> prepare r as select a from mw_t
b> execute r
a> grant iso_mw_b to iso_mw_a
a> grant select on mw_t to iso_mw_b
b> execute p
b> execute r
a> revoke iso_mw_b from iso_mw_a
b> execute r
a> grant iso_mw_b to iso_mw_a
b> begin
b> declare c cursor for select * from mw_t
b> fetch 1 from c
a> revoke select on mw_t from iso_mw_b
b> fetch 1 from c
b> select * from mw_t
b> rollback
a> grant select (a) on mw_t to iso_mw_a
b> execute p
b> reset role
b> execute p
b> set role iso_mw_b
b> execute p
b> reset role
a> create view mw_v as select a from mw_t
a> alter view mw_v owner to iso_mw_a
b> set role iso_mw_a
b> select count(*) from mw_v
a> revoke select (a) on mw_t from iso_mw_a
b> select count(*) from mw_v
b> reset role
b> select count(*) from mw_v
b> insert into mw_v values (9)
a> revoke insert on mw_t from iso_mw_a
b> insert into mw_v values (9)
b> explain select * from mw_v
a> grant select on mw_t to iso_mw_a
b> select relacl from pg_class where relname = 'mw_t'
a> alter table mw_t add column b int
a> alter table mw_t rename to mw_u
a> select relacl from pg_class where relname = 'mw_u'
a> alter table mw_u drop column a cascade
a> drop table mw_u
a> drop role iso_mw_a, iso_mw_b
