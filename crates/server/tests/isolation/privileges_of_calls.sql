a> create role iso_f
a> create table t(a int, b text)
a> insert into t values (1,'A'),(2,'B')
a> grant all on t to iso_f
b> set role iso_f
b> prepare p as select lower(b) from t
b> prepare q(text) as select lower($1)
b> prepare r(text) as insert into t values (5, lower($1)) returning b
b> execute p
b> execute q('X')
b> execute q('X')
b> execute q('X')
b> execute q('X')
b> execute q('X')
b> execute q('X')
b> execute q('X')
b> select lower('A')
b> select lower('A')
b> select lower('A')
b> select a from t where b = upper('a')
b> select a from t where b = upper('a')
b> select a from t where b = upper('a')
b> begin
b> declare c cursor for select lower(b) from t
b> fetch c
a> revoke execute on function lower(text), upper(text) from public
b> fetch c
b> rollback
b> execute p
b> execute q('X')
b> execute r('X')
b> select lower('A')
b> select a from t where b = upper('a')
b> select a from t where b = upper('b')
b> insert into t values (1, upper('a'))
b> update t set b = upper(b)
b> select 1 from t where a = 1 or lower(b) = 'x'
b> select 1 from t order by lower(b)
b> select 1 from t group by lower(b)
b> select 1 from t having max(lower(b)) > ''
b> select max(lower(b)) from t
b> select count(*) filter (where lower(b) = 'a') from t
b> select string_agg(b, ',' order by lower(b)) from t
b> select row_number() over (order by lower(b)) from t
b> select sum(a) over (partition by lower(b)) from t
b> select sum(a) over (order by a rows between length(lower('a')) preceding and current row) from t
b> select * from t limit length(lower('a'))
b> select * from t offset length(lower('a'))
b> select * from (values (lower('A'))) v
b> select * from generate_series(1, length(lower('a')))
b> select * from unnest(array[lower('a')])
b> select array[lower(b)] from t
b> select row(lower(b)) from t
b> select (select lower(b)) from t
b> select exists (select 1 from t x where lower(x.b) = t.b) from t
b> select * from t where b in (select lower(b) from t)
b> select case when a = 1 then lower(b) else b end from t
b> select coalesce(b, lower(b)) from t
b> select coalesce('x', lower(b)) from t
b> select greatest(b, lower(b)) from t
b> select nullif(b, lower(b)) from t
b> select b || lower(b) from t
b> select lower(b)::varchar from t
b> select t.* from t join t u on lower(t.b) = lower(u.b)
b> select t.* from t left join t u on t.a = u.a and lower(u.b) = 'q'
b> select t.a from t, lateral (select lower(t.b) as l) x where x.l = 'a'
b> with x as (select lower(b) from t) select 1
b> with x as (select lower(b) from t) select count(*) from x
b> with x as materialized (select lower(b) from t) select count(*) from x
b> select 1 from t where exists (select lower(b))
b> delete from t where lower(b) = 'nothing'
b> delete from t where false returning lower(b)
b> insert into t select 1, lower(b) from t where false
b> insert into t values (1, 'q') on conflict do nothing returning lower(b)
b> merge into t using (select 1 as x) s on lower(t.b) = 'qq' when matched then do nothing
b> merge into t using (select 1 as x) s on t.a = 99 when matched and lower(t.b) = 'q' then delete
b> merge into t using (select 1 as x) s on t.a = 99 when matched then update set b = lower(t.b)
b> explain (costs off) select lower(b) from t
b> explain (analyze, costs off, timing off, summary off) select lower(b) from t
b> create temp table tt as select lower(b) from t
b> create temp view tv as select lower(b) as l, a from t
b> select a from tv
b> select l from tv
b> select count(l) from tv
b> select * from tv where a = 1
b> insert into tv(a) values (1)
b> prepare z as select lower(b) from t
b> execute z
a> grant execute on function lower(text) to iso_f
b> execute z
b> execute p
b> select lower('A')
b> select upper('A')
a> revoke execute on function lower(text) from iso_f
b> execute z
b> reset role
b> execute z
b> set role iso_f
b> execute z
b> reset role
a> grant execute on function lower(text), upper(text) to public
a> drop owned by iso_f
a> drop role iso_f
