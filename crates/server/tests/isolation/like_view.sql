a> create table t(a int not null default 3, b text collate "C", c numeric(10,2), d varchar(5))
a> create view v as select a, b as x, c, d, now() as n from t
a> alter view v alter a set default 7
a> comment on column v.x is 'hello'
a> create table l1 (like v)
a> select attname, format_type(atttypid, atttypmod), attnotnull, atthasdef, attcollation::regcollation from pg_attribute where attrelid = 'l1'::regclass and attnum > 0 order by attnum
a> create table l2 (like v including all, y int)
a> select attname, format_type(atttypid, atttypmod), attnotnull, atthasdef, col_description(attrelid, attnum) from pg_attribute where attrelid = 'l2'::regclass and attnum > 0 order by attnum
a> insert into l2(x) values ('q') returning a
a> create sequence q
a> create table l5 (like q)
a> create index i on t(a)
a> create table l5 (like i)
a> create table l5 (like nosuch)
a> create table l5 (like nosuch.x)
a> create table l5 (a int, like v)
a> create role iso_like
a> grant create on schema public to iso_like
b> set role iso_like
b> create table l6 (like v)
b> reset role
a> grant select(a) on v to iso_like
b> set role iso_like
b> create table l6 (like v)
b> reset role
a> grant select on v to iso_like
b> set role iso_like
b> create table l6 (like v)
b> reset role
a> drop owned by iso_like
a> drop role iso_like
a> create temp view tv as select 1 as a
a> create table l7 (like tv)
a> select pg_relation_filepath('t') like 'base/%', pg_relation_filepath('v'), pg_relation_filepath('q') is not null, pg_relation_filepath(1), pg_relation_filenode('v'), pg_relation_filenode('t') > 0, pg_relation_filenode(1)
a> create table l3 (like pg_tables)
a> select attname, format_type(atttypid, atttypmod), attnotnull from pg_attribute where attrelid = 'l3'::regclass and attnum > 0 order by attnum
a> create table l5 (like pg_stats)
