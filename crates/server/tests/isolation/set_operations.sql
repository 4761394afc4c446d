# Set operations, constants, patterns, grouping sets, NULLs of subqueries, empty catalogs
a> create table u(id int, x int, c varchar(10), d char(4), e char(6), t text, n numeric(8,2), f float8, b bigint, r real, dt date)
a> insert into u values (1,100,'aa','ab','ab','ab',1.50,1.5,10,1.5,'2024-01-01'),(2,200,'bb','cd','cd','cd ',2.00,2,20,2,'2024-02-01'),(3,null,null,null,null,null,null,null,null,null,null)
a> select c from u union all select d from u order by 1
a> select c from u union select t from u order by 1
a> select t from u union all select d from u order by 1
a> select x from u union select b from u order by 1
a> select x from u union all select f from u order by 1
a> select n from u union all select f from u order by 1
a> select r from u union all select f from u order by 1
a> select n from u union all select 1 order by 1
a> select n, 'k' from u union all select 1, 'l' order by 1,2
a> select '1' union select 1
a> select 1 union select '1'
a> select '2024-01-01' union select dt from u order by 1
a> select null union select dt from u order by 1
a> select 'a' union select null order by 1
a> select null union select null
a> select x as foo from u union select b as bar from u order by foo
a> select x as foo from u union select b as bar from u order by bar
a> select x from u union select 1 order by x + 1
a> (select x from u order by x limit 1) union (select 5) order by 1
a> select x from u where id = 1 union all select x from u where id = 2 limit 1
a> (select x from u where id = 1) union all (select x from u where id = 2) offset 1
a> select x from u intersect select 100
a> select 1 union select 2 intersect select 2 order by 1
a> select 1 union all select 1 except select 1
a> (select 1 union select 2) except select 2
a> select 1.5 union all select 2 union all select 2.25
a> values (1,'a'),(2,null) order by 1 desc
a> values (1),(2.5),(null)
a> values ('1'),(2)
a> select * from (values (1,2.5),(2,3)) v(a,b) where b > 2.7
a> values ((select 1)),(2)
a> values ((select max(x) from u), 'q'), (1, 'w')
a> insert into u(id, x) values (10, (select max(x) from u)), (11, (select count(*) from u))
a> select id, x from u where id >= 10 order by id
a> insert into u(id, n) values (12, (select 1.239)), (13, 2)
a> insert into u(id, c) values (14, (select 'abcdefghijklmnop'))
a> select id, n from u where id in (12,13) order by id
a> select case when id = 1 then 1 else 2.5 end from u order by 1
a> select case when id = 1 then null else 'x' end from u order by 1
a> select case id when 1 then n when 2 then 7 else f end from u order by 1
a> select coalesce(x, 1.5) from u order by 1
a> select greatest('a', 'b'), least(1, '3')
a> select 1/0
a> select 1/0 from u where false
a> select x/0 from u where false
a> select 1/0 from u limit 0
a> select * from u where 1/0 = 1
a> select * from u where false and 1/0 = 1
a> select * from u where 1/0 = 1 and false
a> select case when true then 1 else 1/0 end
a> select case when id > 0 then 1 else 1/0 end from u
a> select case 1 when 1 then 2 when 1/0 then 3 end
a> select coalesce(1, 1/0), coalesce(null, 1)
a> select coalesce(x, 1/0) from u
a> select true or 1/0 = 1, false and 1/0 = 1
a> select 1/0 = 1 or true
a> select (select 1/0)
a> select exists(select 1/0)
a> select exists(select 1/0 from u)
a> select count(1/0) from u where false
a> select y from (select 1/0 as x, 2 as y) q
a> select x from (select 1/0 as x, 2 as y) q
a> select 'abc' like 'a%' and 1 = 1
a> select 'x'::int from u where false
a> select 2147483647 + 1
a> select 2147483647 + 1 where false
a> select nullif(1, 1/0)
a> select 5 in (1, 1/0)
a> select log(0), 1
a> select sqrt(-1) where false
a> select 'abc' similar to 'abc', 'abc' similar to 'a', 'abc' similar to 'a%', 'abc' similar to '_b_', 'abc' similar to '(a|b)%', 'abc' similar to '[a-c]{3}', 'abc' similar to '[^a]%'
a> select 'a.c' similar to 'a.c', 'axc' similar to 'a.c', 'a+' similar to 'a+', 'aaa' similar to 'a+', 'a^b' similar to 'a^b', 'a$' similar to 'a$', 'a|b' similar to 'a\|b', 'a%b' similar to 'a\%b', 'ab' similar to 'a\b'
a> select 'abc' not similar to 'a%', null similar to 'a', 'a' similar to null
a> select 'a_c' similar to 'a#_c' escape '#', 'abc' similar to 'a#_c' escape '#', 'a\c' similar to 'a\c' escape '', 'abc' similar to 'abc' escape null
a> select 'abc' similar to 'abc' escape 'xx'
a> select E'a\nb' similar to 'a%b', E'a\nb' similar to 'a_b', 'ABC' similar to 'abc', '' similar to '', 'a' similar to ''
a> select 'abc' similar to 'a(b|x)c', 'ab' similar to 'a?b', 'abab' similar to '(ab)*', 'abc' similar to '[[:alpha:]]+', 'a-c' similar to 'a[-]c', 'a&&c' similar to 'a[&]{2}c'
a> select t, t similar to '%b%' from u order by 1
a> select 'a_c' like 'a#_c' escape '#', 'abc' like 'a#_c' escape '#', 'a%' like 'a^%' escape '^', 'a\c' like 'a\c' escape '', 'A' ilike 'a#%' escape '#', 'a#' like 'a##' escape '#'
a> select 'a\%' like 'a\\\%', 'a%' like 'a\%', 'ab' like 'a\b', 'a' like 'a\\'
a> select 'a' like 'a\'
a> select E'a\nb' like 'a%b', E'a\nb' like 'a_b', 'ä' like '_', '' like '%', '' like ''
a> select 'abc' ~ 'b', 'abc' ~ '^b', E'a\nb' ~ 'a.b', E'a\nb' ~ '^b', E'a\nb' ~ 'a$', 'ABC' ~* 'b', 'abc' !~ 'x', 'a1' ~ '\d', 'foo bar' ~ '\mbar\M', 'x' ~ '\y'
a> select x, c, count(*), grouping(x), grouping(c), grouping(x, c) from u where id < 4 group by rollup(x, c) order by 1,2,3,4,5
a> select x, c, count(*) from u where id < 4 group by cube(x, c) order by 1,2,3
a> select x as q, count(*) from u where id < 4 group by rollup(q) order by 1, 2
a> select id, count(*) from u where id < 4 group by rollup(1) order by 1,2
a> select x, count(*) from u where id < 4 group by grouping sets ((x), ()) having count(*) > 0 order by 1,2
a> select count(*) from u group by grouping sets (())
a> select count(*) from u where false group by grouping sets ((), ())
a> select sum(x) from u where false group by rollup(id)
a> select x, c, count(*) from u where id < 4 group by x, rollup(c) order by 1,2,3
a> select x, d, grouping(d) from u group by grouping sets (x, d) order by 1,2,3
a> select lower(c), count(*) from u where id<4 group by rollup(lower(c)) order by 1,2
a> update u set id = (select null::int) where id = 1
a> alter table u alter column id set not null
a> update u set id = (select null::int) where id = 1
a> insert into u(id) select null
a> insert into u(id) values ((select null::int))
a> insert into u(id) select (select null::int)
a> insert into u(x) values (1)
a> select 1+count(*) from pg_trigger
a> select coalesce(max(oid),0) from pg_trigger
a> select (select tgname from pg_trigger where tgrelid = a.oid) is null from pg_am a where amname in ('heap')
a> select array(select tgname from pg_trigger where tgrelid = a.oid) from pg_am a where amname = 'heap'
a> select sum(1) from pg_trigger group by tgrelid
a> select max(tgname) from pg_trigger
a> select a.amname, t.tgname from pg_am a left join pg_trigger t on t.tgrelid = a.oid where a.amname = 'heap'
