a> create schema domains
a> set search_path to domains
a> create domain short as varchar(3)
a> create domain short as int
a> create domain money_like as numeric default 1.5
a> create domain words as text collate "C" default 'none'
a> create domain list as int[]
a> create domain over as money_like
a> create domain bad as nowhere
a> create domain bad as int collate "C"
a> create domain bad as int unique
a> create domain bad as int primary key
a> create domain bad as int references x
a> create domain bad as int default 1 default 2
a> create domain bad as record
a> create domain bad as int default 'x'
a> create type colour as enum ('red', 'green')
a> create type pair as (a int, b text)
a> create domain tint as colour default 'green'
a> create domain couple as pair
a> select typname, typlen, typbyval, typtype, typcategory, typispreferred, typdelim, typrelid, typsubscript, typelem, typarray::regtype, typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typalign, typstorage, typnotnull, typbasetype::regtype, typtypmod, typndims, typcollation, typdefault from pg_type where typnamespace = 'domains'::regnamespace and typtype = 'd' order by 1
a> select pg_get_expr(typdefaultbin, 0) from pg_type where typnamespace = 'domains'::regnamespace and typtype = 'd' order by typname
a> select distinct pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype from pg_depend where objid in ('tint'::regtype, 'tint[]'::regtype, 'couple'::regtype) order by 1, 2
a> select 'abcdef'::short, 'ab'::short
a> select 'abc'::short || 'd', 2.345::money_like, '7'::over, '{1,2}'::list
a> select pg_typeof('x'::short), pg_typeof('x'::short || 'y'), 3::money_like + 1, pg_typeof(3::money_like + 1)
a> create table kept (id int primary key, s short, m money_like, w words, l list, o over, t tint, c couple, ss short[])
a> insert into kept (id) values (1)
a> insert into kept values (2, 'abcd')
a> insert into kept values (2, 'abc', 2.345, 'some', '{1,2,3}', 3, 'red', row(1, 'x'), '{a,b}')
a> insert into kept values (3, default, default, default, array[4], default, default, '(2,y)', array['c', 'd']::short[])
a> select * from kept order by id
a> select id, l[1], (c).b, ss[2] from kept order by id
a> select id from kept where s = 'abc'
a> select id from kept where t = 'green' order by id
a> select id from kept where m > 2 order by id
a> select t, count(*) from kept group by t order by t
a> select max(m), min(w), sum(o), array_agg(t order by id) from kept
a> create index kept_m on kept (m)
a> create index kept_t on kept (t)
a> create unique index kept_s on kept (s)
a> insert into kept (id, s) values (4, 'abc')
a> copy (select id, s, m, w, l, t, c from kept order by id) to stdout
a> update kept set m = 7.777 where id = 2 returning m
a> select to_json(m), to_json(l), to_json(t), row_to_json(kept) from kept where id = 2
a> prepare find(money_like) as select id from kept where m = $1
a> execute find(7.78)
a> execute find('1.5')
a> select column_name, data_type, domain_schema, domain_name, udt_name, column_default from information_schema.columns where table_name = 'kept' order by ordinal_position
a> select domain_name, data_type, character_maximum_length, numeric_precision, domain_default, udt_name from information_schema.domains where domain_schema = 'domains' order by 1
a> select attname, atttypid::regtype, atttypmod, attlen, attalign, attstorage, attndims, attcollation from pg_attribute where attrelid = 'kept'::regclass and attnum > 0 order by attnum
a> alter domain money_like set default 9
a> insert into kept (id) values (10) returning m, o
a> alter domain money_like drop default
a> insert into kept (id) values (11) returning m, o
a> alter domain short set default 'xyz'
a> insert into kept (id) values (12) returning s
a> alter domain colour set default 'red'
a> alter domain nowhere set default 1
a> alter domain short drop constraint c
a> alter domain short drop constraint if exists c
a> alter domain short rename to brief
a> select pg_typeof(s) from kept where id = 2
a> alter domain colour rename to x
a> alter type brief rename to short
a> comment on domain short is 'three letters'
a> select obj_description('short'::regtype, 'pg_type')
a> create view seen as select s, m::text as m, 'a'::short as a from kept
a> select pg_get_viewdef('seen'::regclass)
a> drop type short
a> drop domain colour
a> drop domain if exists nowhere
a> drop domain tint
a> drop domain short cascade
a> drop schema domains cascade
