a> select min(x) over () from (values (true)) v(x)
a> select max(x) over (order by x) from (values ('00000000-0000-0000-0000-000000000001'::uuid)) v(x)
a> select min(x) from (values (true)) v(x)
a> select string_agg(x, ',') from (values (1), (2)) v(x)
a> select string_agg(x, ',') over () from (values (1.5)) v(x)
a> select string_agg(x, ',') from (values (true)) v(x)
a> select string_agg(x, ',') from (values (now())) v(x)
a> select string_agg(x::char(3), '|') from (values ('x'), ('y')) v(x)
a> select string_agg(x::varchar, ',') from (values ('a'), (null), ('b')) v(x)
a> select string_agg(null, ','), string_agg('a', ',')
a> select sum(x) from (values (1::oid)) v(x)
a> select avg(x) over () from (values (1::oid)) v(x)
a> select bit_and(x) from (values (1::oid)) v(x)
a> select stddev(x) from (values (1::oid)) v(x)
a> select g, min(x), max(x) from (values (1, 'NaN'::float8), (1, 2), (2, 'NaN'), (3, null)) v(g, x) group by g order by g
a> select g, min(x), max(x) from (values (1, 2::float4), (1, 'NaN'), (1, '-Infinity'), (2, 'NaN')) v(g, x) group by g order by g
a> select min(distinct x), max(distinct x), count(distinct x) from (values ('NaN'::float8), (2), (2), (null)) v(x)
a> select count(distinct x order by x desc), min(x order by x desc) from (values (1.5::float8), (2), (2)) v(x)
a> select count(distinct x order by y) from (values (1, 2)) v(x, y)
a> select i, sum(x) over (order by i rows between 1 preceding and current row) from (values (1, 1e20::float8), (2, 1), (3, 2)) v(i, x)
a> select i, avg(x) over (order by i rows between 1 preceding and current row), sum(x) over (order by i rows 1 preceding) from (values (1, 'Infinity'::float8), (2, 1), (3, null), (4, 2)) v(i, x)
a> select i, stddev_pop(x::real) over (order by i rows between 1 preceding and 1 following), sum(x::real) over (order by i rows between 1 preceding and 1 following) from (values (1, 0.1), (2, 1.5), (3, -2.25), (4, 100.5), (5, 0.3)) v(i, x)
a> select i, sum(x) filter (where i <> 2) over (order by i rows 1 preceding) from (values (1, 0.5::float8), (2, 1), (3, 2)) v(i, x)
a> select x, count(*) over (order by x range between 4 preceding and 4 following) from (values (9223372036854775807), (9223372036854775805), (5), (-9223372036854775808)) v(x) order by x
a> select x, first_value(x) over (order by x desc range between 2 preceding and current row) from (values (32767::smallint), (32766), (-32768)) v(x) order by x
a> select x, sum(x) over (order by x range 1 preceding) from (values (2147483647), (2147483646)) v(x) order by x
a> select count(*) over (order by x range between 1 preceding and 1 following) from (values (true)) v(x)
a> select count(*) over (order by x range 1 preceding) from (values (1::oid)) v(x)
a> select x like p from (values ('a', 'a\'), ('b', 'c')) v(x, p)
a> select x like p, x not like p, x ilike p from (values ('abc', 'a_c'), ('äöü', '%Ü'), ('x', null), ('', '%'), ('ab', '%\b')) v(x, p)
a> select 'ab' like 'a\'
a> select 'a' like 'a\', 'a' like 'b\', '' like '\'
a> select 'abc' like '%\'
a> select 'abc' not like '_\'
a> select 'ABC' ilike 'a\'
a> select 'a#' like 'a#' escape '#'
a> select 'a%' like 'a#%' escape '#', 'ab' like 'a#%' escape '#', 'a' like 'a%' escape ''
a> select 1_000.5_0e1_0, 1e1_0, .5_5
a> select 1_000._5
a> select 1_e10
a> select 1_
a> begin
a> select set_config('transaction_read_only', 'on', true)
a> select set_config('transaction_read_only', 'off', true)
a> rollback
a> begin
a> select set_config('transaction_isolation', 'repeatable read', true)
a> rollback
a> set transaction_isolation to default
a> set local session authorization postgres
a> begin
a> set local session authorization default
a> set session session authorization postgres
a> set local session authorization nosuch
a> rollback
a> set timezone = 'Europe/Berlin'
a> select timestamp '2024-07-01 12:00' at local, timestamptz '2024-07-01 12:00+00' at local, date '2024-07-01' at local
a> select x at local from (values (timestamptz '2024-07-01 12:00+00')) v(x)
