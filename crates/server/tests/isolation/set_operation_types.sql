a> select x, pg_typeof(x) from (select 1 x union select 2) t order by 1
a> select pg_typeof(sum(x)), sum(x) from (select 1 x union all select 2) t
a> select pg_typeof(sum(x)), sum(x) from (select 1 x union all select 2::bigint) t
a> select x, pg_typeof(x) from (select 1::smallint x union all select 2) t order by 1
a> select x, pg_typeof(x) from (select 1 x union all select 2::smallint union all select 3::bigint) t order by 1
a> select x, pg_typeof(x) from (select 1 x union all select 2.50) t order by 1
a> select x, pg_typeof(x) from (select 1.5 x union all select 1::real) t order by 1
a> select x, pg_typeof(x) from (select 1::real x union all select 0.25::double precision) t order by 1
a> select x, pg_typeof(x) from (select date '2020-01-01' x union all select timestamp '2020-01-02 01:00') t order by 1
a> select x, pg_typeof(x) from (select null x union all select 1 union all select null) t order by 1
a> select x, pg_typeof(x) from (select '3' x union all select 1) t order by 1
a> select x, pg_typeof(x) from (select 'a'::varchar(3) x union all select 'b') t order by 1
a> select x, pg_typeof(x) from (select 'a'::varchar(3) x union all select 'b'::text) t order by 1
a> select x, pg_typeof(x) from (select 'a'::text x union all select 'b'::varchar(3)) t order by 1
a> select 'a' union select 'b' union select 1
a> select 1 union select true
a> select x, pg_typeof(x) from (select array[1,2] x union all select array[3]) t order by 1
a> select x, pg_typeof(x) from (select 1 x intersect select 1::bigint) t
a> select x, pg_typeof(x) from (select 1::bigint x except select 2) t
a> select x, pg_typeof(x) from (select 1 x except select 2) t
a> select x, pg_typeof(x) from (select null x intersect select null::int) t
a> select 1 intersect select true
a> select x + 1, pg_typeof(x + 1) from (select 1 x union select 5) t order by 1
a> values (1,2),(3,4+4),(7,77.7)
a> values (1),('2')
a> values (1.50),('2'),(null)
a> select x, pg_typeof(x) from (values (1),(null),(2::bigint)) v(x) order by 1
a> select x, pg_typeof(x) from (values (1),(2)) v(x) order by 1
