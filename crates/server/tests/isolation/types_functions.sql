# Answers of types, functions and operators, as PostgreSQL 18 gives them.
a> select 'a'::"char", '\101'::"char", '\377'::"char", '\000'::"char"::text = '', 'abc'::text::"char", 65::"char"
a> select pg_typeof('a'::"char"), pg_typeof('a'::name), pg_typeof(1::oid), pg_typeof('1'::xid), pg_typeof('1'::xid8)
a> select true::"char"
a> select 128::"char"
a> select true::name, 12::name
a> select '1'::xid < '2'::xid
a> select '1'::xid = '1'::xid, '-5'::xid
a> select 1.5::float8::oid
a> select pg_typeof(pg_current_xact_id())
a> select cast(123456789012345::bigint as oid)
a> select 0::regclass, 0::regtype, 5::regtype
a> select mod(7::smallint, 2::smallint), mod(-7, 3), mod(7::bigint, 2), mod(7.5, 2)
a> select pg_typeof(mod(7::smallint, 2::smallint)), pg_typeof(mod(-7, 3)), pg_typeof(mod(7.5, 2))
a> select upper('tschüß'), lower('ΑΣ')
a> select lpad('a', -5), rpad('abc', 2), lpad('äö', 5, 'xy'), lpad('x', 3, ''), rpad('x', 4, 'ab'), lpad(null, 2)
a> select lpad('a', 2147483647)
a> select rpad('a', 2147483647, 'b')
a> select repeat('abc', 2147483647)
a> select repeat('abc', -1), repeat('ab', 3), repeat('', 2147483647)
a> select lpad('a', 'b')
a> select lpad(5, 2)
a> select chr(0)
a> select chr(-1)
a> select position('b', 'abc')
a> select sha256('\x616263')
a> select pg_typeof(regexp_count('ab', 'a')), pg_typeof(regexp_instr('ab', 'b')), regexp_instr('ab', 'b')
a> select 5 & 1.5
a> select pg_typeof((-8)::smallint >> 1), pg_typeof(5 # 1::bigint), pg_typeof(1 << 3)
a> select 1 << 3::bigint
a> select + timestamp '2024-01-01'
a> select + 5, + (2.5)
a> select array[1]::int[] is distinct from null, null::int[] is distinct from null, array[1] is not distinct from array[1]
a> select '{0.5}'::float8[] between '{1}'::int[] and '{2}'::int[]
a> select '{0.5}'::float8[] in ('{1.5}'::numeric[])
a> select array_sort('{3,1,null,2}'::int[]), array_sort('{3,1,null,2}'::int[], true), array_sort('{b,null,a}'::text[], false, true)
a> select array_agg('{}'::int[]) from generate_series(1, 2)
a> select array_agg(null::int[]) from generate_series(1, 2)
a> select array_agg(v.x) from (values ('{1,2}'::int[]), ('{3}'::int[])) v(x)
a> select array_agg(v.x) from (values ('{1,2}'::int[]), ('{3,4}'::int[])) v(x)
a> select ('{}'::int[])[1][2][3][4][5][6][7]
a> select '{{1,2,3},{4,5,6}}'::int[], '{1,null,3}'::int[], '[2]={1,7}'::int[], '{0 second, 1 hour}'::interval[]
a> select coalesce(0.1::real, 2.5), pg_typeof(coalesce(0.1::real, 2.5)), greatest(0.1::real, -7)
a> select array[9::bigint, 3.5::real], pg_typeof(array[9::bigint, 3.5::real])
a> set timezone = 'Europe/Berlin'
a> select date '2024-02-29' as x union all select timestamptz '2024-10-27 00:30:00+00'
a> select coalesce(null::date, timestamptz '2024-10-27 00:30:00+00'), case when true then date '2024-01-01' else timestamp '2024-01-01 12:00' end
a> select nullif(7::smallint, 0), pg_typeof(nullif(7::smallint, 0)), nullif(date '2000-01-01', timestamp '2000-01-01 00:00'), nullif(1::real, 1::float8)
a> select |/ 2::numeric, pg_typeof(|/ 2::numeric), pg_typeof(||/ 8::real)
a> select cot('Infinity'::float8)
a> select extract(hour from date 'infinity')
a> select extract(month from date 'infinity')
a> select regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), corr(y, x) from (values (1.1, 2.3), (2.7, 3.9), (4.1, 0.7), (10.3, 5.5)) v(x, y)
a> select regr_count(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_avgx(y, x), regr_avgy(y, x), covar_pop(y, x), covar_samp(y, x) from (values (1.1, 2.3), (2.7, 3.9), (null, 0.7)) v(x, y)
a> select corr(y, x), regr_count(y, x), covar_samp(y, x) from (values (1, 2)) v(x, y) where x > 5
a> select regr_r2(y, x), corr(y, x), regr_slope(y, x) from (values (1, 2), (2, 2)) v(x, y)
a> select sum(x) over (order by x rows between 1 following and 1 preceding) from (values (1)) v(x)
a> select sum(x) over (order by x rows between unbounded following and current row) from (values (1)) v(x)
a> select sum(x) over (order by x rows -1 preceding) from (values (1)) v(x)
a> select sum(x) over (rows null preceding) from (values (1)) v(x)
a> select sum(x) over (range 1 preceding) from (values (1)) v(x)
a> select sum(x) over (groups 1 preceding) from (values (1)) v(x)
a> select '5.5 ms 3 microseconds'::interval
