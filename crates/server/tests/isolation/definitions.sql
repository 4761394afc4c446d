a> create table d1 (b bool default 1 in (1, 2))
a> create table d1 (b bool default true and false)
a> create table d1 (b bool default 1 between 0 and 2)
a> create table d1 (b bool default not true)
a> create table d1 (b bool default 'a' like 'b')
a> create table d1 (b bool default (1 in (1, 2)), c int default 1 + 2 * 3, d int default -1 not null, e bool default 1 < 2, f text default 'x'::text not null)
a> insert into d1 default values returning *
a> drop table d1
a> create table d1 (a int null primary key)
a> create table d1 (a int primary key null)
a> create table d1 (a serial null)
a> create table d1 (a int null generated always as identity)
a> create table d1 (a int null not null)
a> create table d1 (a int null, b text null)
a> drop table d1
a> create table d1 (a int generated always as identity, b int default 3, c serial)
a> alter table d1 alter a set default 1
a> alter table d1 alter a drop default
a> alter table d1 alter a drop not null
a> alter table d1 alter b set default avg(1)
a> alter table d1 alter b set default b
a> alter table d1 alter b set default (select 1)
a> alter table d1 alter b set default 'x'
a> alter table d1 alter b set default 1 + 1
a> alter sequence d1_a_seq owned by none
a> alter sequence d1_a_seq owned by d1.b
a> alter sequence d1_c_seq owned by nobody
a> alter sequence d1_c_seq owned by none
a> create sequence d1_s owned by nobody
a> create sequence d1_s owned by d1.nope
a> create sequence d1_s owned by d_none.b
a> create sequence d1_s owned by d1.b
a> insert into d1 (b) values (5000000000)
a> insert into d1 (b) values (7) returning a, b
a> drop table d1
a> select nextval('d1_s')
a> select nextval('d1_c_seq')
a> drop sequence d1_c_seq
a> create sequence d1_l
a> select nextval('d1_l'), lastval()
a> drop sequence d1_l
a> select lastval()
a> create role d1_r password 'SCRAM-SHA-256$00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004096:wNFxNSk1hAXBkgub8py3bg==$65zC6E+R0U7tiYTC9+Wtq4Thw6gUDj3eDCINij8TflU=:rC1I7tcVugrHEY2DT0iPjGyjM4aJxkMM9n8WBxtUtHU='
