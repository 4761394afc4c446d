# Subqueries that look rows up by what they take from a row: for many rows at once, and for each where one of them fails.
a> create table outer_rows (id int primary key, k int, name text)
a> create table looked_up (k int, v int, word text)
a> insert into outer_rows select i, case when i % 10 = 0 then null else i % 300 end, 'n' || i from generate_series(1, 1000) i
a> insert into looked_up select i, 1000 - i, 'w' || i from generate_series(0, 249) i
a> create index on looked_up (k)
a> set enable_seqscan = off
a> select count(v), sum(v), count(*) from (select (select l.v from looked_up l where l.k = o.k) as v from outer_rows o) s
a> select id, k, (select l.word from looked_up l where l.k = o.k) from outer_rows o where id between 245 and 256 order by id
a> select (select l.word || o.name from looked_up l where l.k = o.k and l.v > o.id) from outer_rows o where id in (3, 30, 700) order by id
a> select count(*) from outer_rows o where exists (select 1 from looked_up l where l.k = o.k) or o.id = 10
a> select count(*) from outer_rows o where exists (select 1 from looked_up l where l.k = o.k and l.v > 900) or o.id = 10
a> select count(*) from outer_rows o where not exists (select 1 from looked_up l where l.k = o.k) or o.id = 10
a> select id, (select l.v from looked_up l where l.k = o.k and o.id > 5) from outer_rows o where id between 4 and 8 order by id
a> select id, (select 10 / (l.v - 995) from looked_up l where l.k = o.k) from outer_rows o where id between 1 and 4 order by id
a> select id, (select 10 / (l.v - 995) from looked_up l where l.k = o.k) from outer_rows o where id between 1 and 6 order by id
a> insert into looked_up values (3, 1, 'again')
a> select id, (select l.v from looked_up l where l.k = o.k) from outer_rows o where id between 1 and 2 order by id
a> select id, (select l.v from looked_up l where l.k = o.k) from outer_rows o where id between 1 and 4 order by id
a> select id, (select 10 / (l.v - 995) from looked_up l where l.k = o.k) from outer_rows o where id between 1 and 6 order by id
a> select id, (select l.v from looked_up l where l.k = o.k limit 1) is not null from outer_rows o where id between 1 and 4 order by id
a> select id, (select max(l.v) from looked_up l where l.k = o.k) from outer_rows o where id between 1 and 4 order by id
a> select id, array(select l.v from looked_up l where l.k = o.k order by l.v) from outer_rows o where id between 1 and 4 order by id
a> select count(*) from outer_rows o where exists (select 1 from looked_up l where l.k = o.k and l.v > 1) or o.id = 10
a> begin
a> update looked_up set v = v + 10000 where k between 20 and 40
b> select sum((select l.v from looked_up l where l.k = o.k + 17)) from outer_rows o where id between 1 and 60
a> select sum((select l.v from looked_up l where l.k = o.k + 17)) from outer_rows o where id between 1 and 60
a> delete from looked_up where k between 30 and 50
a> select count((select l.v from looked_up l where l.k = o.k + 17)) from outer_rows o where id between 1 and 60
a> rollback
a> update outer_rows o set name = (select l.word from looked_up l where l.k = o.k) where id between 4 and 6 returning id, name
a> delete from outer_rows o where id < 20 and not exists (select 1 from looked_up l where l.k = o.k) returning id
a> create table fractions (k numeric(10,2), v numeric(10,2))
a> insert into fractions select i / 4.0, i from generate_series(1, 400) i
a> create index on fractions (k)
a> select id, (select f.v from fractions f where f.k = o.id / 8.0) from outer_rows o where id in (4, 5, 6, 8) order by id
a> create table many (k int, w text)
a> insert into many select i % 5, repeat('x', 3000) || i from generate_series(1, 50) i
a> create index on many (k)
a> select id, exists (select 1 from many m where m.k = o.id) or id < 0 from outer_rows o where id in (1, 2, 4, 6) order by id
a> select id, (select m.w from many m where m.k = o.id) from outer_rows o where id in (6, 8) order by id
a> select id, (select m.w from many m where m.k = o.id) from outer_rows o where id in (4, 6) order by id
a> create table long_values (k int primary key, w text)
a> insert into long_values select i, repeat(md5(i::text), 400) from generate_series(1, 300) i
a> select sum(length(w)), count(distinct w) from (select (select l.w from long_values l where l.k = o.id) as w from outer_rows o) s
a> select md5((select l.w from long_values l where l.k = o.id)) from outer_rows o where id in (4, 21) order by id
a> prepare p (int) as select o.id, (select l.v + $1 from looked_up l where l.k = o.k) from outer_rows o where id between 4 and 6 order by id
a> execute p (1)
a> execute p (2)
a> execute p (3)
a> execute p (4)
a> execute p (5)
a> execute p (6)
a> execute p (7)
a> select a.attname, (select pg_catalog.pg_get_expr(d.adbin, d.adrelid) from pg_catalog.pg_attrdef d where d.adrelid = a.attrelid and d.adnum = a.attnum and a.atthasdef), (select t.typname from pg_catalog.pg_type t where t.oid = a.atttypid) from pg_catalog.pg_attribute a where a.attrelid = 'looked_up'::regclass and a.attnum > 0 order by a.attnum
a> select count((select c.relname from pg_catalog.pg_class c where c.oid = t.typrelid)) from pg_catalog.pg_type t where t.typname in ('many', 'fractions', 'int4', '_many')
a> select t.typname, exists (select 1 from pg_catalog.pg_type el where el.oid = t.typelem and el.typarray = t.oid) or false from pg_catalog.pg_type t where t.typname in ('many', '_many', 'int4', '_int4') order by 1
a> select (select a.attname from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0) from pg_catalog.pg_class c where c.relname in ('fractions', 'many') order by c.relname
a> reset all
a> create table asked (id int primary key, k int)
a> insert into asked select i, i from generate_series(1, 10000) i
a> create table others (k int, v int)
a> insert into others select i % 500, i from generate_series(1, 10000) i
a> create index on others (k)
a> analyze asked
a> analyze others
a> explain (costs off) select * from asked a where id = 7 and (exists (select from others o where o.k = a.k) or k < 0)
a> select * from asked a where id = 7 and (exists (select from others o where o.k = a.k) or k < 0)
a> select count(*) from asked a where exists (select from others o where o.k = a.k) or k < 0
a> explain (costs off) select id, exists (select from others o where o.k = a.k) from asked a where id = 7
a> select id, exists (select from others o where o.k = a.k) from asked a where id in (7, 700) order by id
a> select e, count(*) from (select id, exists (select from others o where o.k = a.k) e from asked a) s group by e order by e
a> explain (costs off) update asked a set k = -1 where id = 7 and not (exists (select from others o where o.k = a.k) and k > 3)
a> delete from asked a where id > 9990 and not (exists (select from others o where o.k = a.id) or k < 0)
a> drop table asked, others
