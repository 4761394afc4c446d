select 1
select 1, 'a', null, 1.5, true, 3000000000, 99999999999999999999, -2147483648, 0x1F
select 'a' as x, 1 as "Y", 2 z
select 1 + 2, 1 + 2.0, 1 + 2::int8, 1::int2 + 1::int2, 1.5 * 2
select 'a' || 'b', 'a' || 1, 1 || 'a'
select upper('x'), length('abc'), abs(-5), round(1.5), round(1.55, 1), coalesce(null, 1), nullif(1, 2)
select now(), current_date, current_timestamp, localtime, current_user, current_timestamp(3), localtime(2), current_time
select cast('1' as int), '1'::int8, int4 '5', date '2020-01-01', '1.5'::numeric(10,2), 'abc'::varchar(2), 'abc'::char(5), 'abc'::bpchar
select interval '1 day', '2 days'::interval(3), interval '1' year, '10:00'::time(2), '2020-01-01'::timestamp(3)
select case when true then 1 else 2.5 end, case 1 when 1 then 'a' end, case when true then 'x'::varchar(5) else 'y'::varchar(5) end
select greatest(1, 2.5), least(1, 2)
select 1 in (1, 2, 3), 1 in (1.5, 2), 'a' in ('b', 'c'), 1 not in (2, 3)
select 1 between 0 and 2, 1 not between symmetric 3 and 2
select (1, 2) = (1, 2), (1, 2) < (3, 4), row(1, 'a'), (1, 2) <> (2, 3)
select 1 is null, 1 is not null, true is true, null is unknown, 1 is distinct from 2, null is not distinct from null
select array[1, 2, 3], array[1, 2.5], array['a', 'b'], array[[1, 2], [3, 4]], array[]::int[], array[1,2]::int8[]
select (array[1, 2, 3])[1], (array[1, 2, 3])[1:2], (array[[1,2]])[1][1]
select 'a' like 'b', 'a' ilike 'b', 'a' similar to 'b', 'a' not like 'b'
select extract(year from now()), position('a' in 'abc'), substring('abc' from 1 for 2), trim('  a '), overlay('abc' placing 'x' from 1)
select not true, true and false or true
select -5, +5, - (2), @ -3
select exists (select 1), (select 1), array(select 1), 1 in (select 2), 1 = any (array[1]), 1 > all (select 2)
select (select 'a'), (select 'x' as foo), (select a from t limit 1), (select a as q from t limit 1)::text
select * from t
select t.* from t
select a, b from t
select t.a, t.b as bb from t
select q.t.a from q.t
select x.a from t as x
select x.one, x.b from t x(one)
select * from t x(one, two)
select a, x from t join u using (a)
select * from t join u using (a)
select * from t natural join u
select * from t left join u on t.a = u.a
select * from t right join u using (a)
select * from t full join u using (a)
select a from t full join u using (a)
select j.a from t join u using (a) as j
select j.* from t join u using (a) as j
select j from t join u using (a) as j
select * from (t join u using (a)) as j
select j.a, j.x from (t join u using (a)) as j
select * from t cross join u
select * from t, u
select t.a, u.a from t, u where t.a = u.a
select t from t
select count(t.*) from t
select count(*), sum(a), avg(a), max(b), min(d), sum(c), sum(g), avg(f), bool_and(h), array_agg(a), string_agg(b, ',') from t
select count(distinct a), sum(distinct c), array_agg(a order by b desc), string_agg(distinct b, ',' order by b) from t
select count(distinct b), count(*) filter (where a > 1) from t
select b, count(*) from t group by b
select b, count(*) from t group by 1
select b as bb, count(*) from t group by bb
select upper(b), count(*) from t group by upper(b)
select upper(b) from t group by b
select a, b, c from t group by a
select b, sum(a) from t group by b having sum(a) > 10 order by 2 desc
select b, d, count(*), grouping(b, d) from t group by rollup (b, d)
select b, d, count(*) from t group by grouping sets ((b), (d), ())
select b, d, count(*) from t group by cube (b, d)
select 1 from t group by ()
select count(*) from t having count(*) > 1
select percentile_cont(0.5) within group (order by f), mode() within group (order by b) from t
select rank(1) within group (order by a) from t
select distinct b from t
select distinct on (b) b, a from t order by b, a
select a from t order by b
select a from t order by 1, b desc nulls last
select a as z from t order by z
select a from t order by a using >
select a from t limit 1 offset 2
select a from t fetch first 2 rows with ties
select a from t order by a fetch first 2 rows with ties
select row_number() over () from t
select rank() over (partition by b order by a), sum(a) over (order by a rows between 1 preceding and current row) from t
select sum(a) over w, avg(a) over w from t window w as (partition by b order by a)
select sum(a) over (w order by a) from t window w as (partition by b)
select lag(a) over (order by a), first_value(b) over (order by a), ntile(4) over (order by a), cume_dist() over (order by a) from t
select sum(a) over (order by a range between 1 preceding and 2 following) from t
select sum(a) over (order by d range between '1 day' preceding and current row) from t
select sum(a) over (order by a groups between 1 preceding and 1 following exclude ties) from t
select count(*) filter (where a > 1) over () from t
select sum(sum(a)) over () from t
select * from (select a, b from t) s
select s.a from (select a, b from t) s where s.b = 'x'
select * from (select 1 as one, 'a' as two) s
select * from (values (1, 'a'), (2, 'b')) v
select * from (values (1, 'a'), (2, 'b')) v(x, y)
values (1, 'a'), (2.5, null)
values (1), (2) order by 1
values ('a'::varchar(3)), ('b'::varchar(3))
select 1 union select 2.5
select 'a' union all select 'b'
select a, b from t union select a, x from u
select a from t intersect select a from u
select a from t except all select a from u order by a
select a as z from t union select 1 order by z limit 3
select null union select 1
select a from t union (select 1 order by 1 limit 1)
select 1 union select 2 union select 3.5
select 1 as x where false
with s as (select a, b from t) select * from s
with s(x, y) as (select a, b from t) select x from s where y = 'a'
with s as (select 1 as one), r as (select one + 1 as two from s) select * from s, r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 10) select * from r
with recursive r as (select a, b from t union select r.a, r.b from r join t on t.a = r.a) select * from r
with s as materialized (select a from t) select * from s s1 join s s2 using (a)
with s as (select 1 x) select (select x from s), (with z as (select 2 y) select y from z)
select * from t, lateral (select t.a + 1 as next) s
select * from t left join lateral (select x from u where u.a = t.a) s on true
select * from generate_series(1, 10)
select * from generate_series(1, 10) g
select * from generate_series(1, 10) g(i)
select g, g.g from generate_series(1, 10) g
select * from generate_series(1, 10) with ordinality
select * from unnest(array[1, 2], array['a', 'b']) u(x, y)
select * from unnest(array['a', 'b'])
select * from rows from (generate_series(1, 2), generate_series(1, 3)) with ordinality as z(a, b, c)
select t.a, s from t, generate_series(1, t.a) s
select unnest(arr) from t
select generate_series(1, 3), a from t
select * from current_date
select * from w
select a from w where b like 'x%'
select arr[1], arr[1:2], arr[:2] from t
select a = any (arr), a = any (array[1, 2]), a <> all (arr) from t
select t.ctid, t.tableoid, xmin from t
select exists (select 1 from u where u.a = t.a) from t
select (select max(x) from u where u.a = t.a) from t
select a from t where a in (select a from u)
select a from t where (a, b) in (select a, x from u)
select a from t where (a, b) = (select a, x from u limit 1)
select (select sum(t.a) from u limit 1) from t
select a from t where b = 'x' and c > 1.5 and d = '2020-01-01' and h
select a from t where h is not true
select a + 1 as next, a::text, c::int, b::varchar(5), e from t
select c, c + 1, -c, c * 2.5, f * 2, g + a, a / 2 from t
select d + 1, d - d, d + interval '1 day', y - y, y + interval '1 hour' from t, u
select a from t for update
select a from t for share of t nowait
select t.a from t, u for update of u skip locked
select $1::int
select $1 + 1
select a from t where a = $1
select a from t where a = $1 and b = $2
select $1
select $1, $2::text
select a from t where a in ($1, $2)
select a from t where a = any ($1)
select a from t limit $1 offset $2
select coalesce($1, 5), case when $1 > 3 then $2 else 'x' end
select $2::int, $1::text
insert into t (a, b, e) values ($1, $2, $3)
insert into t (a, b, e) values (1, 'x', 'y') returning a, b as bb, *
insert into t values (1, 'x', 2.5, '2020-01-01', 'e', 1, 2, true, null)
insert into t (a, e) values (1, 'x'), (2, 'y')
insert into t (a, e) select a, x from u
insert into t (a, e) select 1, 'lit'
insert into t default values
insert into t (a, b, e) values (1, default, 'x')
insert into t (a, e) values (1, 'x') on conflict do nothing
insert into t (a, e) values (1, 'x') on conflict (a) do update set b = excluded.b, c = t.c + 1 where t.a > 1 returning *
insert into v values (1, 'a') on conflict on constraint v_id_key do nothing
update t set b = 'x'
update t set b = upper(b), c = c + 1 where a = $1 returning a, c
update t set b = u.x from u where u.a = t.a
update t set (b, c) = ('x', 2)
update t set (b, c) = (select x, 1 from u where u.a = t.a)
update t as z set b = z.b || 'x' returning z.*
update t set b = default
delete from t
delete from t where a = 1 returning *
delete from t using u where t.a = u.a
with d as (delete from t returning a) select * from d
with i as (insert into u values (1, 'x', now(), 2) returning a, x) select a from i
select nosuch
select nosuch from t
select t.nosuch from t
select nosuch.a from t
select aa from t
select t.bb from t
select nam from v
select x.a from t
select t.a from t as x
select * from nosuch
select * from q.nosuch
select * from nosch.t
select q.nosuch.a from t
select a from t, u
select a from t join u on t.a = u.a
select * from t join u using (nosuch)
select * from t join u using (b)
select * from t, t
select * from t join u on t.a = v.id, v
select * from v, t join u on t.a = v.id
select * from t, (select t.a) s
select * from t, (select a) s where true
select * from t right join lateral (select t.a) s on true
select *
select u.* from t
select nofunc(1)
select nofunc(1, 'a', null)
select upper(1, 2)
select length(5)
select 1 + 'a'
select 1 + true
select 'a'::int
select 'x'::date
select true + true
select - 'a'::text
select 1 = 'a'
select 1 = true
select a = b from t
select 1::nosuch
select 1::nosuch[]
select cast(true as date)
select '1'::int(5)
select '1'::varchar(0)
select '1'::numeric(2000)
select '1'::numeric(5, 2, 1)
select case when 1 then 2 end
select case when true then 1 else true end
select case 1 when 'a' then 1 end
select coalesce(1, true)
select coalesce(1, 'a')
select array[1, true]
select array[]
select array[1, 'a']
select (1)[1]
select (array[1])['a'::text]
select (array[1,2])[true]
select 1 in (1, true)
select (1, 2) = (1, 2, 3)
select row() = row()
select (1, 2) in (select 1)
select (1, 2) = (select 1, 2, 3)
select (select 1, 2)
select 1 in (select 1, 2)
select 1 = any (5)
select 1 = any (array['a'])
select a from t where a
select a from t where count(*) > 1
select a from t having a > 1
select a, count(*) from t
select b, a from t group by b
select b from t group by 5
select b from t group by 'x'
select count(*) from t group by count(*)
select b, sum(a) as s from t group by s
select a from t group by b having sum(c) > 1
select (select t.b from u limit 1) from t group by a, c
select (select t.b from u limit 1) from t group by c
select sum(count(*)) from t
select sum(a) filter (where count(*) > 1) from t
select sum(row_number() over ()) from t
select sum(generate_series(1, 2)) from t
select row_number() from t
select row_number() over (order by rank() over ()) from t
select sum(a) over nosuch from t
select a from t where row_number() over () = 1
select sum(distinct a) over () from t
select sum(a) over (w partition by b) from t window w as (order by a)
select sum(a) over (w order by b) from t window w as (order by a)
select sum(a) over (w) from t window w as (order by a rows unbounded preceding)
select sum(a) over (w rows current row) from t window w as (order by a rows unbounded preceding)
select 1 from t window w as (), w as ()
select sum(a) over (groups 1 preceding) from t
select sum(a) over (range 1 preceding) from t
select sum(a) over (order by b range 1 preceding) from t
select sum(a) over (order by a, b range 1 preceding) from t
select sum(a) over (order by a rows a preceding) from t
select sum(a) over (order by a rows 'x' preceding) from t
select sum(a) over (order by d range 1.5 preceding) from t
select upper(distinct b) from t
select upper(*) from t
select upper(b) over () from t
select upper(b) filter (where true) from t
select upper(b order by b) from t
select count() from t
select percentile_cont(0.5) from t
select sum(a) within group (order by a) from t
select percentile_cont(b) within group (order by f) from t
select grouping(b) from t
select grouping(c) from t group by b
select distinct b from t order by a
select distinct on (b) a from t order by a
select string_agg(distinct b, ',' order by a) from t
select a from t order by 5
select a from t order by 'x'
select a as z, b as z from t order by z
select a from t order by a using +
select a from t limit a
select a from t limit 'x'
select a from t limit true
select a from t limit sum(1)
select 1 union select 'a'
select 1 union select true
select 1, 2 union select 1
select a from t union select a from u order by b
select a from t union select a from u order by a + 1
select 1 from t union select 2 for update
values (1), (2, 3)
values (1), (true)
select * from (values (1)) v(a, b)
select * from t x(a, b, c, d, e, f, g, h, i, j)
with s as (select 1), s as (select 2) select 1
with s(a, b) as (select 1) select * from s
with s as (select * from r), r as (select 1) select * from s
with recursive r as (select 1 union select n from r intersect select 2) select 1
with recursive r as (select * from r) select * from r
with recursive r(n) as (select n from r union select 1) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r, r r2) select * from r
with recursive r(n) as (select 1 union all select (select n from r)) select * from r
with recursive r(n) as (select 1 union all select n + 1 from t left join r on true) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r order by 1) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r limit 1) select * from r
with recursive r(n) as (select 1 union all select n + 1.5 from r) select * from r
with recursive r(n) as (select 1 union all select count(*) from r) select * from r
with recursive a as (select * from b), b as (select * from a) select * from a
with d as (delete from t) select * from d
select * from (with d as (delete from t returning a) select * from d) s
select a from t for update of u
select a from t for update of q.t
select distinct a from t for update
select count(*) from t for update
select b from t group by b for share
select t.a from (t join u using (a)) as j
select a from generate_series(1, 2) g for update of g
select * from generate_series(1, generate_series(1, 2))
select a from t where generate_series(1, 2) = 1
select case when true then generate_series(1, 2) end
select coalesce(generate_series(1, 2), 1)
select * from json_to_record('{}')
select (t).nosuch from t
select (t).a from t
select (t).* from t
select (a).x from t
select (row(1, 2)).f1
select (row(1, 2)).f3
select t.b.c from t
select a.b.c.d.e from t
select other.q.t.a from t
select $1 + $2
select $1 = $2
select $1 || 'a', $1 + 1
select a from t where $1
select $0
insert into t (nosuch) values (1)
insert into t (a, a) values (1, 2)
insert into t (a) values (1, 2)
insert into t (a, b) values (1)
insert into t (a, b) values ((1, 2))
insert into t (a) values (true)
insert into t (a) values ('x')
insert into t (d) values (5)
insert into t (a) select true
insert into t (a, b) select 1
insert into nosuch values (1)
insert into t (a) values (a)
insert into t (a) values (count(*))
insert into t (ctid) values ('(0,1)')
insert into t (a, e) values (1, 'x') on conflict do update set b = 'y'
insert into t (a, e) values (1, 'x') on conflict (b) do nothing
insert into t (a, e) values (1, 'x') on conflict (nosuch) do nothing
insert into t (a, e) values (1, 'x') on conflict on constraint nosuch do nothing
insert into t (a, e) values (1, 'x') on conflict (a) do update set b = b
insert into t (a, e) values (1, 'x') returning nosuch
update t set nosuch = 1
update t set a = true
update t set b = 'x', b = 'y'
update t set t.b = 'x'
update t set ctid = null
update t set (a, b) = (1, 2, 3)
update t set (a, b) = (select 1)
update t set a = sum(a)
update t set b = nosuch
update t set b = u.x
update t set b = 'x' from (select t.a) s
update nosuch set a = 1
delete from t where nosuch
delete from t where a
delete from t using t
select default
select a collate "C" from t
select b collate "C", b collate nosuch from t
select 1 where 'x'
select 1 where null
select 1 having 'x'
select b'101'
select 1 from t group by a order by sum(a), c
select sum(u.a) from t left join u using (a) group by t.b order by t.b
select max(a) from t full join u using (a) group by a
select a, count(*) from t full join u using (a) group by a
select t.b, u.x from t join u on t.a = u.a group by t.a, u.x
select x.* from (select * from t) x, lateral (select x.a from u) z
select s.x from (select 'a' x) s where s.x = 'b'
select lower(name), name || 'x', name = 'a' from v
select concat(a, b), format('%s', a), make_interval(days => 5), make_date(2020, 1, 2) from t
select to_char(c, '999'), date_trunc('day', y), age(y), y at time zone 'UTC' from t, u
select sum(z), avg(z), max(z), sum(amount), stddev(f), variance(a), corr(f, f), count(u) from t, u, v
select pg_typeof(a), a::int2, a::float4, a::oid, b::"char", b::name from t
select int4(c), text(b), float8(a), bool(a) from t
select random(), pi(), sqrt(2), power(2, 3), mod(5, 2), div(5, 2), ceil(1.5), trunc(2.7)
select substr(b, 1), left(b, 2), replace(b, 'a', 'b'), split_part(b, ',', 1), strpos(b, 'a'), ltrim(b), lpad(b, 5) from t
select a, b from t group by b, a having b > 'x' order by max(c)
select t.* from t group by a
select t.*, u.* from t join u on true group by t.a
select b || 'x', count(*) from t group by b || 'x'
select b || 'y' from t group by b || 'x'
select case b when 'x' then 1 else 2 end from t group by case b when 'x' then 1 else 2 end
select (a + 1) * 2 from t group by a + 1
select a + 1, exists (select 1 from u where u.a = t.a) from t group by a + 1, a
select b, (select count(*) from u where u.x = t.b) from t group by b
select count(*), (select count(t.a) from u) from t
select (select count(*) from t t2 where t2.a = t.a) from t
select a from t group by grouping sets (a, b)
select a, b from t group by grouping sets ((a, b), rollup (b))
select a, b from t group by distinct rollup (a, b), cube (a, b)
select grouping(a, b), a from t group by cube (a, b)
select grouping(a + 1) from t group by rollup (a + 1)
select sum(a) over (partition by b order by d) + 1 as s from t order by s
select a from t order by sum(a) over ()
select distinct a, b from t order by a, b
select distinct on (a + 1) a from t order by a + 1
select a from (select a, row_number() over () rn from t) s where rn < 3
select * from t join (u join v on u.a = v.t_a) on t.a = u.a
select * from (t join u using (a)) join v on a = t_a
select * from t join u using (a) join v on v.t_a = a
select a from t join u using (a) join (select 1 as a) s using (a)
select * from t natural left join (select 1 as a, 'x' as b) s
select * from (select 1 a) x full join (select 2.5 a) y using (a)
select x.a, y.a, a from (select 1 a) x full join (select 2.5 a) y using (a)
select * from t, lateral (select * from u where u.a = t.a) s(p, q)
select s.* from t, lateral (values (t.a), (t.a + 1)) s
select * from t, lateral generate_series(1, t.a) with ordinality as g(n, o)
select * from (select $1 as p) s
select * from (select 'x' as p union select 'y') s where p > 'a'
select (select a from u where u.a = t.a and u.x = $1) from t where t.b = $1
select $1::text || $1
select $1 + interval '1 day'
select a from t where d > $1 and y_is is null
select a from t where (a, b) > ($1, $2)
select a from t where a between $1 and $2
select a from t where b like $1 || '%'
select array[$1, 2], greatest($1, 3)
select nullif($1, 1), $2 is null
update t set b = $1, c = $2 where a = $3
delete from t where a = any ($1) and b <> $2
insert into v select id, name, t_a, amount from v where id > $1
insert into v (id, amount) values ($1, $2), ($3, 5)
insert into t (a, e) select $1, $2
with x as (insert into v (id) values (1) returning id) update v set name = 'a' from x where v.id = x.id returning v.name, x.id
with recursive r(a, p) as (select a, b from t union all select t.a, r.p || t.b from r, t where t.a = r.a + 1) select * from r
with recursive a as (select 1 x), b as (select x from a union all select x + 1 from b) select * from b
with a as (select 1 x) select * from a union all select * from a
with a as (select 1 x) select * from (with b as (select x + 1 y from a) select * from b) s
select * from t where a in (select a from u union select 5)
select a from t union all select a from u union select 1.5 order by 1
(select a from t order by b limit 1) union all (select a from u limit 2) order by a
select a from t intersect select a from u union select 3
select 1 as a, 2 as a
select a from (select 1 as a, 2 as a) s
select s.a from (select 1 as a, 2 as a) s
select t from t t, u t
select t.a from t, u t
select count(u), u from t, u group by u
select row(t.*), (t.*) is null, t = t, t is not null from t
select (select u from u limit 1).x from t
select ((select u from u limit 1)).x
select ((select t from t limit 1)).*
select w.*, w from w
select (w).a, (w.b) from w
select upper(t) from t
select a(t), b(t) from t
select t.upper from t
select e.upper from t e
select t.b::int, (b)::varchar, b::char, d::text, h::int, f::numeric(5, 1), arr::text[], arr::int8[] from t
select h::date from t
select arr || 1, arr || arr, 1 || arr, array_length(arr, 1), arr = array[1], arr @> array[2] from t
select arr['x'] from t
select a[1] from t
select sum(arr[1]), max(arr), array_agg(arr) from t
select 'x' is distinct from b, b in ('a', b), a in (1, a, 2.5) from t
select not a from t
select a and b from t
select a or true from t
select - b from t
select a ! from t
select a ### b from t
select operator(pg_catalog.+)(1, 2)
select 1 operator(pg_catalog.+) 2, 1 operator(q.+) 2
select 1 operator(nosuch.+) 2
select pg_catalog.upper('a'), q.upper('a')
select nosuch.upper('a')
select current_database(), current_schema(), version(), user, session_user
select make_interval(1, days => 2), make_interval(nosuch => 1)
select make_interval(days => 1, days => 2)
select make_interval(days => 1, 2)
select concat_ws(',', variadic array['a', 'b']), concat(variadic 'a')
select count(a, b) from t
select max(t) from t
select sum(b) from t
select avg(h) from t
select string_agg(a, ',') from t
select array_agg(distinct a order by a desc) from t
select rank(1, 2) within group (order by a) from t
select percentile_disc(array[0.5, 0.9]) within group (order by a) from t
select lag(a, 1, 'x') over () from t
select lag(a, 1, 2.5) over () from t
select nth_value(b, 2) over (order by a rows between unbounded preceding and 1 following) from t
select sum(a) over (order by c range between 1.5 preceding and current row), sum(a) over (order by f range 1 preceding) from t
select ntile(b) over () from t
select rank() filter (where true) over () from t
select rank(distinct a) over () from t
select t.a as x from t where x = 1
select a as x from t group by x having x > 1
select b, count(*) c from t group by b order by c
select b as a from t group by a
select b as z from t order by z || 'x'
merge into t using u on t.a = u.a when matched then delete
merge into t using u on t.a = u.a when matched and t.b = u.x then update set b = u.x, c = default when not matched then insert (a, b, e) values (u.a, u.x, 'e')
merge into t using u on t.a = u.a when matched then do nothing when not matched then insert values (u.a, u.x) returning merge_action(), t.a, u.x
merge into t as target using (select a, x from u) s on target.a = s.a when not matched by source then delete when not matched by target then insert (a, e) values (s.a, s.x) returning *
merge into t using u on t.a = u.a when not matched then insert (a, e) values (t.a, 'x')
merge into t using u on t.a = u.a when not matched by source then update set b = u.x
merge into t using u on t.a = u.a when matched then delete when matched then do nothing
merge into t using t on true when matched then delete
merge into t using t as t2 on t.a = t2.a when matched and a = 1 then delete
merge into t using u on t.a = u.x when matched then delete
merge into t using u on t.a = u.a when matched then update set nope = 1
merge into t using u on t.a = u.a when not matched then insert (a, nope) values (1, 2)
merge into t using u on t.a = u.a when not matched then insert (a, b) values (1)
merge into t using u on t.a = u.a when not matched then insert default values
merge into t using u on t.a = u.a when not matched then insert (a, e) values ($1, $2)
merge into nope using u on true when matched then delete
merge into t using nope on true when matched then delete
merge into w using u on w.a = u.a when matched then update set b = u.x
with recursive x as (select 1) merge into t using x on true when matched then delete
with x as (select 1 as a) merge into t using x on t.a = x.a when matched then delete
select merge_action()
update t set a = 1 returning merge_action()
merge into t using u on t.a = u.a when matched then update set b = 'x' returning old.b, new.b, (select merge_action())
update t set b = 'x' returning old.b, new.b, b
update t set b = 'x' returning old.*, new.*
update t set b = 'x' returning with (old as o, new as n) o.b, n.b
update t set b = 'x' returning with (old as o) o.b, new.b, old.b
update t set b = 'x' returning with (old as o, old as p) o.b
update t set b = 'x' returning with (old as t) t.b
update t as old set b = 'x' returning old.b, new.b
update t set b = 'x' returning old.nope
update t set b = 'x' returning old, new.ctid
insert into t (a, e) values (1, 'e') returning old.a, new.a
insert into t (a, e) values (1, 'e') on conflict (a) do update set b = excluded.b returning old.b, new.b, old is null
delete from t returning old.a, new.a
update t set b = 'x' from u where u.a = t.a returning old.b, u.x
select old.a from t
update t set arr[1] = 5
update t set arr[1] = 'x'
update t set arr[1] = $1
update t set arr[1:2] = array[1, 2]
update t set arr[1] = 5, arr[2] = 6
update t set arr[1] = 5, arr = null
update t set arr[1] = b
update t set arr['x'] = 1
update t set a[1] = 1
update t set arr[1][2] = 5
update t set arr[1] = default
insert into t (a, e, arr[1]) values (1, 'e', 5)
insert into t (a, e, arr[1], arr[2]) values (1, 'e', 5, 6)
insert into t (a, e, arr[1]) select 1, 'e', 5
insert into t (a, e, arr[1], arr) values (1, 'e', 5, null)
