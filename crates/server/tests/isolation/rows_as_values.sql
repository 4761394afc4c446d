# Whole rows: shown, compared, as JSON
a> create table t(a int, b text, c date, d numeric(8,2), e int[], f varchar(3))
a> insert into t values (1, 'x y', '2026-01-02', 1.5, '{1,2}', 'abc'), (2, null, null, null, null, null), (3, 'q"\', '2026-02-03', -1, '{}', '')
a> alter table t drop column c
a> select t from t
a> select t.*::text, t::text, length(t::text) from t
a> select row_to_json(t), to_json(t) from t
a> select row_to_json(t, true) from t
a> select row_to_json(t, null) from t
a> select json_agg(t) from t
a> select json_agg(t order by a desc) filter (where b is not null) from t
a> select to_json(s) from (select a, b from t) s
a> select json_agg(s) from (select a as "A b", b as "Straße" from t offset 0) s
a> select row_to_json(row(1,'a')), to_json(row(1, null, row(2, '{3}'::int[])))
a> select array_agg(t), array_to_json(array_agg(t)) from t
a> select array_to_json(array_agg(t), true) from t
a> select (t).b, (t).f from t
a> select count(t), count(distinct t) from t
a> select a, t is null, t is not null from t
a> select x.a, y.a from t x, t y where x = y
a> select x.a from t x join t y on x < y order by 1
a> select coalesce(t, t) from t
a> select max(t), min(t) from t
a> select t from t order by t desc
a> select null::t, to_json(null::t)
a> select (json_agg(t)->0)->>'b' from t
a> select s from (select a, b from t) s
a> select s.x from (select t as x from t) s
a> select (s.x).a from (select t as x from t offset 0) s
a> select json_build_object('row', t, 'key', a) from t
a> select json_build_object(t, 1) from t
a> select json_build_array(t, a) from t
a> select coalesce(json_agg(row_to_json(q)), '[]') from (select a, (select json_agg(z) from (select b from t) z) as zs from t) q
a> select json_object_agg(a, t) from t
a> select concat(t, 'x'), concat_ws('|', t, t.a), format('%s %L', t, t) from t
a> select quote_literal(t.*::text) from t
a> select pg_typeof(t), pg_typeof(row(1)), pg_typeof(array_agg(t)) from t group by t order by 1 limit 1
a> select unnest(array_agg(t)) from t
a> select x.*, x from (values (1,2)) x
a> select to_json(x) from (values (1,2)) x(p)
a> select row_to_json(g) from generate_series(1,2) g
a> select to_json(g), g from generate_series(1,2) g
a> select row_to_json(e) from (select oid, relname, relkind from pg_class where relname = 'pg_class') e
a> with w as (select * from t) select json_agg(w) from w
a> with w as materialized (select * from t) select w, row_to_json(w) from w
a> select a, (select row_to_json(o) from t o where o.a = t.a limit 1) from t
a> select t from t group by t order by 1
a> select distinct t from t order by t
a> select t.a from t group by t.a having count(t) > 0 order by 1
a> select row_number() over (order by t), lag(t) over (order by a) from t
a> select l, r from t l left join t r on l.a = r.a + 1 order by l.a
a> select to_json(r), r is null, count(r) from t l left join t r on l.a = r.a + 1 group by r order by r.*
a> select r from t l left join (select a, b from t) r on l.a = r.a + 1 order by l.a
a> select to_json(x), to_json(b) from (values (1), (null)) v(x), t
a> update t set (a, b) = row(7, 'z') where a = 2 returning t, to_json(old), to_json(new)
a> delete from t where a = 7 returning t, old, to_json(new), row_to_json(t)
a> insert into t select (r).* from (select t as r from t where a = 1) s returning t
a> create view v as select t as whole, row_to_json(t) as j from t
a> select * from v
a> select (whole).a, j->>'b' from v
a> select pg_get_viewdef('v')
a> create table w as select row_to_json(t) as j from t
a> select * from w
a> alter table t rename b to bb
a> select row_to_json(t) from t limit 1
a> select to_json(array_agg(s order by s)) from (select a, bb from t) s
a> select row_to_json(n) from (select a as x, a as x from t limit 1) n
a> create temp table z()
a> insert into z default values
a> select z, row_to_json(z), to_json(z), z is null, z is not null from z
a> select array_agg(column_name order by ordinal_position) from information_schema.columns where table_name = 't'
a> select to_json(array_agg(table_name)), json_agg(table_name) from information_schema.tables where table_name = 't'
a> select array[table_name, table_type] from information_schema.tables where table_name = 't'
a> drop view v
a> drop table t, w
# A table's row has the names of its type, whatever the query calls them; old and new rows of views
a> create table q(id int primary key, pid int, v text default 'none')
a> insert into q values (1, 1, 'one'), (2, 2, 'two'), (-1, 0, 'hidden')
a> select row_to_json(t), t.a from q as t(a, b) where t.a = 1
a> create view qv as select v as name, id as key, pid + 1 as more from q where id > 0
a> select row_to_json(x), x.aa from qv as x(aa, bb)
a> select row_to_json(x) from (select id, pid from q) as x(aa, bb) where aa = 1
a> insert into qv (name, key) values ('n', 9) returning old, new, qv, to_json(old), to_json(new)
a> update qv set name = 'm' where key = 9 returning old, new, row_to_json(old), old is null
a> delete from qv where key = 9 returning old, new, to_json(new), new is null, coalesce(new, old)
a> create view qw as select key as k, name as n, 'c' as c from qv where key < 100
a> merge into qw t using (values (1, 'r1'), (2, 'r2'), (3, 'r3')) as v(a, b) on k = v.a when matched and k = 1 then delete when matched then update set n = v.b when not matched then insert (k, n) values (v.a, v.b) returning merge_action(), v.*, old, new, t.*
a> select * from q order by id
a> merge into qw t using (values (3, 'q3'), (4, 'q4'), (-1, 'q-1')) as v(a, b) on k = v.a when matched then update set n = v.b when not matched and v.a > 0 then insert (k) values (v.a) when not matched by source then update set n = 'no source' returning merge_action(), v.a, t.k, t.n
a> select * from q order by id
a> merge into qv using (values (2)) v(a) on key = v.a when not matched by source then delete when matched then do nothing
a> select * from q order by id
a> merge into qv using q on key = q.id and q.id > 0 when matched then update set name = q.v || '!' when not matched then insert (key) values (q.id + 50)
a> select * from q order by id
a> drop view qw
a> drop view qv
a> drop table q
