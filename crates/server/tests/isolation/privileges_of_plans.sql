a> create role iso_pln
a> create schema s
a> grant usage on schema s to iso_pln
a> create table s.hidden(a int primary key, b int)
a> create table s.seen(a int)
a> insert into s.seen values (1)
a> create table s.written(a int, b int)
a> create view s.view as select * from s.hidden
a> create view s.shown as select * from s.view
a> grant select on s.seen, s.shown to iso_pln
a> grant insert, update(a), delete on s.written to iso_pln
b> set search_path = s
b> set role iso_pln
b> with x as (select * from hidden) select 1
b> with x as materialized (select * from hidden) select 1
b> with x as (select * from hidden), y as (select * from x) select 1 from seen
b> with x as (select * from hidden for update) select 1
b> with x as (insert into hidden values (1,1)) select 1
b> with x as (delete from hidden) select 1
b> select (with x as (select * from hidden) select 1)
b> with x as (with y as (select * from hidden) select 1) select * from x
b> with x as (select 1 where exists (select 1 from hidden)) select 1
b> select 1 where false and exists(select 1 from hidden)
b> select 1 where exists(select 1 from hidden) and false
b> select 1 where false and 1 in (select a from hidden)
b> select 1 from seen where false and exists(select 1 from hidden where a = seen.a)
b> select case when false then (select a from hidden limit 1) end
b> select case when false then exists(select from hidden) end
b> select coalesce(1, (select a from hidden))
b> select 1 from (select * from hidden) s where false
b> select 1 from hidden where false
b> select 1 from seen left join hidden on false
b> select 1 from seen left join hidden on seen.a = hidden.a
b> select seen.a from seen left join (select a from hidden) h using (a)
b> select 1 from seen, lateral (select a from hidden where a = seen.a limit 0) x where false
b> select 1 from seen where exists (select 1 from hidden limit 0)
b> select 1 from seen where true or exists (select 1 from hidden)
b> select exists (select 1 from hidden where false)
b> select (select count(*) from hidden) limit 0
b> select 1 from seen order by (select a from hidden) limit 0
b> select 1 limit (select a from hidden)
b> select 1 union all select a from hidden where false
b> select 1 from seen where false union all select a from hidden where false
b> insert into seen select a from hidden where false
b> insert into written select a from hidden where false
b> update written set a = 1 where exists(select 1 from hidden) and false
b> update written set a = (select a from hidden) where false
b> delete from written where false
b> update written set b = 1 where false
b> select count(*) filter (where false and exists (select 1 from hidden)) from seen
b> select nullif(null, (select a from hidden))
b> select 1 where null in (select a from hidden)
b> select array(select a from hidden where false)
b> values (case when true then 1 else (select a from hidden) end)
b> select * from seen where a = (select case when false then (select a from hidden) else 1 end)
b> select * from view where false
b> select * from shown where false
b> with x as (select * from shown) select 1
b> select 1 where false and exists (select 1 from shown)
b> with x as (select * from view) select 1
b> select 1 where false and exists (select 1 from view)
b> select 1 where 1 = any(select 1 from hidden where false)
b> with x as (select 1 from hidden), y as (insert into written values (1)) select 1
b> select 1 where 1=2 and exists(select 1 from hidden)
b> select 1 where length('abc') = 2 and exists(select 1 from hidden)
b> select 1 where now() is null and exists(select 1 from hidden)
b> select 1 from seen where a is null and a is not null and exists (select 1 from hidden)
b> select max(x) from (select 1 as x) s where false and exists (select 1 from hidden)
b> select 1 from seen join hidden on false and seen.a = hidden.a
b> select x.a from seen x where not (true or exists (select 1 from hidden))
b> select case 1 when 2 then (select a from hidden) else 1 end
b> select case when a = 1 then 2 else (select a from hidden) end from seen
b> with x as (select a from hidden) select 1 where exists (select 1 from x) and false
b> with x as (select a from hidden) select (select 1 from x) where false
b> with x as (select a from hidden) select 1 from x where false
b> with x as (with y as (select a from hidden) select 1 as a) select * from x
b> with x as (with y as (select a from hidden) select 1 as a) select 1
b> select 1 from (with y as (select a from hidden) select 1) z
b> insert into seen with x as (select * from hidden) select 1
b> merge into written using (select 1 as a) s on false when not matched and exists (select 1 from hidden) then insert values (1,1)
b> insert into written values ((select case when false then (select a from hidden) end))
b> select 1 from seen, (select a from hidden limit 1) x where false
b> select 1 from seen, (select a from hidden limit 0) x where true
b> select 1 from (select a from hidden limit 0) x where true
b> select 1 from (select a from hidden limit 1) x where true
b> select 1 from (select a from hidden limit 1) x where false
b> select 1 from (select a from hidden offset 0) x where false
b> select x.a from (select a from hidden offset 0) x where false
b> select 1 from seen left join (select a from hidden offset 0) x on false
b> select 1 from seen join (select a from hidden offset 0) x on seen.a = x.a where false
b> select 1 from seen where false
b> select 1 from hidden where a is null
b> select 1 from (select a from hidden offset 0) x where x.a is null and false
b> select 1 from (select exists(select 1 from hidden) as e from seen offset 0) x where false
b> select 1 from (select 1 as e from seen where false and exists(select 1 from hidden) offset 0) x where true
b> select 1 from (select 1 as e from seen where false and exists(select 1 from hidden)) x where true
b> select 1 from (select exists(select 1 from hidden) as e from seen) x
b> select e is null from (select exists(select 1 from hidden) as e from seen offset 0) x
b> select 1 from seen, lateral (select a from hidden where a = seen.a limit 0) x
b> select 1 from (select a from hidden where false union all select a from seen) x
b> select 1 from seen where a in (select a from hidden where false)
b> select 1 from seen where a in (select a from hidden) and false
b> select 1 from seen where (a in (select a from hidden) and false) or a = 1
b> select 1 from seen where (false and a in (select a from hidden)) or a = 1
b> select 1 from (select a, (select 1 from hidden where a = seen.a) from seen) x
b> select a from (select a, (select count(*) from hidden where a = seen.a) from seen) x
b> select a from (select distinct a, (select count(*) from hidden where a = seen.a) from seen) x
b> with x as (select a, (select count(*) from hidden where a = seen.a) from seen) select a from x
b> with x as materialized (select a, (select count(*) from hidden where a = seen.a) from seen) select a from x
b> select 1 from seen group by a, (select 1 from hidden) 
b> select 1 from seen order by 1, (select 1 from hidden)
b> select distinct on (a) 1 from seen order by a, (select 1 from hidden)
b> with x as (select * from hidden) select 1 from (select 1 from x where false) y
b> with x as (select 1 from hidden) select 1 from (select * from x limit 0) x2 where false
b> with x as not materialized (select * from hidden) select 1 from seen left join x on false
b> with x as materialized (select * from hidden) select 1 from seen left join x on false
b> with x as materialized (select a from hidden) select 1 from seen where false and exists (select 1 from x)
b> with x as materialized (select a from hidden) select case when false then (select 1 from x) end from seen
b> with x as materialized (select a from hidden) select case when false then (select 1 from x) end from seen where a = (select 1 from x)
b> insert into written values (1) returning (select 1 from hidden)
b> delete from written where exists (select 1 from hidden where a = written.a) and false
b> select 1 from seen s full join hidden h on false
b> select 1 where exists (select 1 from seen where false and exists (select 1 from hidden))
b> select 1 where exists (select 1 from seen where exists (select 1 from hidden where hidden.a = seen.a)) and false
b> with recursive x as (select a from hidden union all select a from x) select 1
b> prepare kept(bool) as select 1 where $1 and exists(select 1 from hidden)
b> execute kept(false)
b> set plan_cache_mode = force_custom_plan
b> execute kept(false)
b> set plan_cache_mode = force_generic_plan
b> execute kept(false)
b> merge into view using (select 1 as x) s on view.a = s.x when matched then do nothing
b> merge into shown using (select 1 as x) s on shown.a = s.x when matched then do nothing
b> explain (costs off) with x as (select * from hidden) select 1
b> with x as (select 1 / 0 from hidden) select 1
b> with x as (select 1 / 0 from hidden) select 1 from x
b> reset role
a> revoke all on s.shown from iso_pln
b> set role iso_pln
b> with x as (select * from shown) select 1
b> with x as (select * from shown) select 1 from x where false
b> select 1 where false and exists (select 1 from shown)
b> select 1 from shown where false
b> reset role
a> drop schema s cascade
a> drop role iso_pln
