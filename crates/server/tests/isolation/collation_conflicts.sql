# Expressions whose collation cannot be told: what is sorted, grouped or united must have one, and functions that go by one fail when they are called
a> create table pairs(id int, c text collate "C", p text collate "POSIX", d text, cn char(3) collate "C", ca text[] collate "C", pa text[] collate "POSIX")
a> select c < p, lower(c || p), c like p, c = any (array[p]) from pairs
a> insert into pairs values (1, 'a', 'b', 'c', 'x', '{a}', '{b}'), (2, 'b', NULL, 'd', 'y', NULL, '{c}')
a> select c < p from pairs
a> select c < p from pairs where id = 2
a> select id from pairs where c = p
a> select id from pairs where not c <> p collate "C"
a> select c || p, length(c || p), c || p || d from pairs order by id
a> select c < d, p < d, c < 'x', p = any ('{b}') from pairs order by id
a> select c like p from pairs
a> select c ilike p from pairs
a> select c ~ p from pairs
a> select c similar to p from pairs
a> select upper(c || p) from pairs
a> select initcap(c || p) from pairs
a> select casefold(c || p) from pairs
a> select strpos(c, p) from pairs
a> select position(c in p) from pairs
a> select replace(c, p, 'x') from pairs
a> select split_part(c, p, 1) from pairs
a> select starts_with(c, p), c ^@ p from pairs
a> select regexp_replace(c, p, 'x') from pairs
a> select hashtext(c || p) from pairs
a> select string_to_array(c, p) from pairs where id = 1
a> select ca = pa from pairs
a> select ca && pa, ca @> pa from pairs
a> select array_position(ca, p) from pairs
a> select c = any (array[p]) from pairs
a> select c in (p, 'x') from pairs
a> select c in ('x', 'y', p) from pairs
a> select cn = p from pairs
a> select nullif(c, p) from pairs
a> select c is distinct from p from pairs
a> select greatest(c, p) from pairs
a> select least(c, NULL, d) from pairs order by id
a> select coalesce(c, p) from pairs order by id
a> select case c when p then 1 end from pairs
a> select c between 'a' and p from pairs
a> select (id, c) < (id, p) from pairs
a> select (id, c) < (id + 1, p) from pairs order by id
a> select (c, p) = (p, c) from pairs
a> select id from pairs where (c, p) in (select p, c from pairs)
a> select id from pairs where c in (select p from pairs)
a> select id from pairs where c = (select p from pairs where id = 1)
a> select id from pairs where exists (select 1 from pairs q where q.p = pairs.c)
a> select a.id from pairs a join pairs b on a.c = b.p
a> select a.id from pairs a left join pairs b on a.c = b.p
a> select a.id from pairs a join pairs b on a.c = b.p collate "C"
a> select a.id from pairs a join (select p as c from pairs) b using (c)
a> select count(c || p), string_agg(c || p, ','), array_agg(c || p) from pairs
a> select c || p from pairs order by c || p
a> select c || p from pairs order by 1
a> select id from pairs order by c || p, d
a> select c || p from pairs order by (c || p) collate "C"
a> select c || p, count(*) from pairs group by c || p
a> select c || p, count(*) from pairs group by 1
a> select distinct c || p from pairs
a> select distinct on (c || p) id from pairs
a> select count(distinct c || p) from pairs
a> select array_agg(id order by c || p) from pairs
a> select array_agg(id order by c, p) from pairs
a> select string_agg(c, p order by id) from pairs
a> select string_agg(c collate "C", d collate "POSIX") from pairs
a> select rank() over (order by c || p) from pairs
a> select rank() over (partition by c || p) from pairs
a> select rank() over (order by c, p) from pairs
a> select rank('a' collate "C") within group (order by d collate "POSIX") from pairs
a> select rank('a'::text) within group (order by d collate "POSIX") from pairs
a> select rank('a'::text collate "C", 1) within group (order by d, id) from pairs
a> select rank((select c from pairs limit 1)) within group (order by p) from pairs
a> select mode() within group (order by c || p) from pairs
a> select percentile_disc(0.5) within group (order by c) from pairs
a> select c from pairs union select p from pairs
a> select c from pairs union all select p from pairs order by 1
a> select c from pairs union all select p from pairs
a> select c from pairs intersect select p from pairs
a> select c from pairs except select p from pairs
a> select c from pairs union select d from pairs order by 1
a> select c collate "C" from pairs union all select p collate "POSIX" from pairs
a> select c from pairs union select p collate "POSIX" from pairs order by 1
a> select lower(x) from (select c from pairs union all select p from pairs) s(x)
a> select * from (values ('a' collate "C"), ('b' collate "POSIX")) v
a> select x < 'b' from (values ('a' collate "C"), ('b')) v(x) order by 1
a> create table made as select c || p as x from pairs
a> create table made as select c from pairs union all select p from pairs
a> select c || p as x into made from pairs
a> create table made as select (c || p) collate "C" as x, c || d as y from pairs
a> select attname, collname from pg_attribute a join pg_collation c on c.oid = attcollation where attrelid = 'made'::regclass and attnum > 0 order by attnum
a> create view seen as select c || p as x from pairs
a> create view seen as select id, c, p, d from pairs
a> create or replace view seen as select id, c, p, d collate "C" as d from pairs
a> create or replace view seen as select id, c collate "POSIX" as c, p, d from pairs
a> create or replace view seen as select id, c, p, d, d collate "C" as e from pairs
a> select attname, collname from pg_attribute a left join pg_collation c on c.oid = attcollation where attrelid = 'seen'::regclass and attnum > 0 order by attnum
a> select c < p from seen
a> select e < p from seen
a> with recursive r(x) as (select c from pairs union all select x || 'z' collate "POSIX" from r where length(x) < 3) select * from r
a> with recursive r(x) as (select c from pairs union all select x || d from pairs, r where length(x) < 2) select * from r order by 1
a> with recursive r(x) as (select d from pairs union all select r.x || c from pairs, r where length(x) < 2) select * from r
a> with x as (select c || p as v from pairs) select v || 'x' from x order by 1
a> with x as (select c || p as v from pairs) select v < 'x' from x order by 1
a> select (select c || p from pairs limit 1) < 'x'
a> select row(c, p) = row(p, c) from pairs
a> select (row(c || p)) is null from pairs order by id
a> insert into pairs(id, d) values (3, 'a' collate "C"), (4, 'b' collate "POSIX")
a> insert into pairs(id, d) select id + 10, c || p from pairs where id < 3
a> update pairs set d = c || p where id = 1 returning d
a> update pairs set d = 'q' where c = p
a> delete from pairs where c < p
a> merge into pairs t using pairs s on t.c = s.p when matched then delete
a> insert into pairs(id) values (9) returning c < p
a> select 'a' collate "C" || ('b' collate "POSIX")
a> select 'a' collate "C" < 'b' collate "POSIX", nosuch from pairs
a> select ('a' collate "C", 'b') < ('a', 'b' collate "POSIX")
a> select ('a' collate "C", 'b') < ('a' collate "POSIX", 'b')
a> select row('a' collate "C", 'b' collate "POSIX")
a> select array['a' collate "C", 'b' collate "POSIX"]
a> select (array['a', 'b'])[length('a' collate "C" || 'x')] collate "POSIX"
a> select count(*) filter (where d collate "C" > 'a' collate "C") from pairs
a> select max(d) filter (where c < 'b') from pairs
a> select case when c < 'b' collate "C" then d collate "POSIX" else 'x' end from pairs where id = 1
a> select case c collate "C" when 'a' collate "C" then d collate "POSIX" end from pairs where id = 1
a> select case c collate "C" when 'a' collate "POSIX" then 1 end from pairs order by id
a> prepare q as select c < $1 collate "POSIX" from pairs where id = 1
a> execute q('b')
a> create table checked(a text collate "C", b text collate "POSIX", check (a < b))
a> insert into checked values (NULL, 'b')
a> insert into checked values ('a', 'b')
a> create table defaulted(a text default 'a' collate "C" || 'b' collate "POSIX")
a> select relname || nspname from pg_class c join pg_namespace n on n.oid = relnamespace where relname = 'pairs'
a> select relname < c from pg_class, pairs where relname = 'pairs' order by 1
a> select relname < p from pg_class, pairs where relname = 'pairs' order by 1
