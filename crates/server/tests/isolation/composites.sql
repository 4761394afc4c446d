a> create schema composites
a> set search_path to composites
a> create type pair as (a int, b text)
a> create type pair as (a int)
a> create type twice as (a int, a text)
a> create type bad as (a nowhere)
a> create type coloured as (a text collate "C", b int collate "C")
a> create type nothing as ()
a> create type spot as (at pair, n numeric(6,2), list int[])
a> select relname, relkind, reltype::regtype, relnatts, relam, relfilenode, reltuples, relreplident, relpersistence from pg_class where relnamespace = 'composites'::regnamespace order by 1
a> select typname, typlen, typbyval, typtype, typcategory, typdelim, typrelid::regclass, typelem::regtype, typarray::regtype, typinput, typoutput, typreceive, typsend, typalign, typstorage from pg_type where typnamespace = 'composites'::regnamespace order by 1
a> select attname, atttypid::regtype, atttypmod, attnum, attlen, attalign, attstorage from pg_attribute where attrelid = 'spot'::regclass order by attnum
a> select pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype from pg_depend where objid in ('pair'::regtype, 'pair[]'::regtype, 'pair'::regclass, 'spot'::regclass) order by 1, 2
a> select '(1,x)'::pair, row(1, 'x')::pair, row(1, null)::pair, (1, 'x')::pair, '(,)'::pair, '( 3 ,"a ""b"", c")'::pair
a> select '(1)'::pair
a> select '(1,2,3)'::pair
a> select '(x,y)'::pair
a> select row(1)::pair
a> select row(1, 2, 3)::pair
a> select row('x', 2)::pair
a> select row(current_date, 2)::pair
a> select ('(1,x)'::pair).a, ('(1,x)'::pair).b, (row(2, 'y')::pair).*
a> select ('(1,x)'::pair).c
a> select '("(1,x)",2.345,"{1,2}")'::spot, row(row(1, 'y'), 7, '{3}')::spot, (row(row(1, 'y'), 7, '{3}')::spot).at.b
a> create table places (id int primary key, p pair, ps pair[], s spot)
a> insert into places values (1, row(1, 'one'), array[row(1, 'a'), row(2, 'b')]::pair[], null), (2, '(2,two)', '{"(3,c)",NULL}', '("(5,f)",1.5,)'), (3, null, null, row(null, 2, array[1, 2])), (4, row(null, null), '{}', null)
a> select * from places order by id
a> select id, p.a from places
a> select id, (p).a, (p).b, (s).at, ((s).at).a, (s).list[1], ps[1], (ps[1]).b from places order by id
a> select id, (p).* from places order by id
a> select id, p is null, p is not null, p is distinct from null from places order by id
a> select id from places where p = row(1, 'one')
a> select id from places where p = '(2,two)'
a> select id from places where p > row(1, 'a')::pair order by id
a> select id from places where (p).a = 2
a> select p, id from places order by p, id
a> select distinct (p).a is null from places order by 1
a> select p, count(*) from places group by p order by p
a> select max(p), min(p) from places
a> select count(*) from places x join places y using (p)
a> select id from places where row(1, 'a')::pair = any (ps)
a> select unnest(ps) from places order by 1
a> select (unnest(ps)).* from places order by 1
a> select to_json(p), row_to_json(p), to_json(s) from places order by id
a> select p::text, '(9,nine)'::text::pair, s::text from places order by id
a> select pg_typeof(p), pg_typeof(ps), pg_typeof((s).at), pg_typeof(row(1, 2)) from places where id = 1
a> create index places_p on places (p)
a> create unique index places_pa on places (((p).a))
a> set enable_seqscan to off
a> select id from places where p = row(2, 'two')::pair
a> select id from places where (p).a = 2
a> reset enable_seqscan
a> select pg_get_indexdef('places_pa'::regclass), pg_get_indexdef('places_p'::regclass)
a> alter table places add q pair default row(7, 'seven')
a> select id, q, (q).b from places order by id
a> select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'places'::regclass
a> alter table places add check ((q).a > 5)
a> insert into places (id, q) values (9, row(1, 'x'))
a> select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'places'::regclass and contype = 'c'
a> update places set p = row(10, 'ten') where id = 1 returning p
a> update places set p = places.q where id = 2 returning p, (p).b
a> update places set p.a = 77 where id = 1 returning p
a> update places set p.a = 78, p.b = 'both' where id = 3 returning p
a> update places set p.b = (p).b || '!', p.a = (p).a + 1 where id = 1 returning p
a> update places set s.at.b = 'deep', s.list[2] = 9 where id = 2 returning s
a> update places set ps[1].b = 'in array' where id = 1 returning ps
a> update places set p.z = 1
a> update places set id.z = 1
a> update places set p.a = 'x'
a> update places set p.a = current_date
a> update places set p.a = default
a> update places set p = null, p.a = 1
a> update places set p.a = 1, p = null
a> insert into places (id, p.a, s.n) values (20, 5, 1.239) returning p, s
a> insert into places (id, p.b, p.a) values (21, 'b', 6) returning p
a> insert into places (id, p.z) values (22, 6)
a> insert into places (id, ps[1].a) values (23, 6) returning ps
a> delete from places where id > 9
a> create view shown as select id, (p).a as a, p, row(id, 'v')::pair as made from places
a> select pg_get_viewdef('shown'::regclass)
a> select * from shown order by id
a> select column_name, data_type, udt_name from information_schema.columns where table_name = 'places' order by ordinal_position
a> select attribute_name, data_type, attribute_udt_name, ordinal_position from information_schema.attributes where udt_name = 'spot' order by 4
a> select p from places union select row(99, 'last')::pair order by 1
a> select case when id = 1 then p else row(0, 'none')::pair end, coalesce(p, '(5,five)') from places order by id
a> prepare find(pair) as select id from places where p = $1
a> execute find('(10,ten)')
a> execute find(row(10, 'ten'))
a> copy (select id, p, ps from places order by id) to stdout
a> create table rows_of (id int, r places)
a> insert into rows_of select id, places from places where id < 3
a> select (r).id, (r).p, ((r).p).b from rows_of order by 1
a> select r = places from rows_of, places where rows_of.id = places.id order by rows_of.id
a> alter type pair alter attribute a type bigint
a> drop table places
a> drop type pair
a> drop table pair
a> drop type places
a> alter type pair rename to couple
a> select relname from pg_class where oid = 'couple'::regtype::regclass
a> select pg_typeof(p) from places where id = 1
a> alter type couple owner to current_user
a> create role composites_owner
a> alter type couple owner to composites_owner
a> select r.rolname, (select rolname from pg_authid where oid = t.typowner), (select rolname from pg_authid where oid = a.typowner) from pg_class c join pg_authid r on r.oid = c.relowner join pg_type t on t.oid = c.reltype join pg_type a on a.oid = t.typarray where c.relname = 'couple'
a> reassign owned by composites_owner to current_user
a> drop role composites_owner
a> create schema composites_other
a> alter type couple set schema composites_other
a> select relnamespace::regnamespace, reltype::regtype, (select typnamespace::regnamespace from pg_type where oid = c.reltype) from pg_class c where relname = 'couple'
a> alter type composites_other.couple set schema composites
a> drop schema composites_other
a> comment on type couple is 'two things'
a> select obj_description('couple'::regtype, 'pg_type')
a> create type loose as (x int)
a> alter type loose add attribute y text, add attribute z date
a> alter type loose add attribute y text
a> alter type loose drop attribute q
a> alter type loose drop attribute if exists q
a> alter type loose drop attribute y
a> alter type loose alter attribute x type bigint
a> alter type loose add attribute l loose
a> alter type loose add attribute l loose[]
a> select attname, atttypid::regtype, attnum, attisdropped from pg_attribute where attrelid = 'loose'::regclass order by attnum
a> select '(5,2020-01-01)'::loose, row(6, '2020-01-02')::loose, (row(6, '2020-01-02')::loose).z
a> create table loose (a int)
a> create table uses_loose (l loose)
a> insert into uses_loose values (row(1, '2020-02-02'))
a> select (l).x, (l).z, l from uses_loose
a> drop type loose
a> drop type loose cascade
a> select attname, attisdropped from pg_attribute where attrelid = 'uses_loose'::regclass and attnum > 0
a> begin
a> create type gone as (a int)
a> create table of_gone (g gone)
a> rollback
a> select '(1)'::gone
a> create type again as (a int)
a> begin
a> create table of_again (g again)
b> set search_path to composites
b> drop type again
a> commit
a> drop schema composites cascade
