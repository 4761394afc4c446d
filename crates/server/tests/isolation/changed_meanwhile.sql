# What WITH has changed when the statement around comes to the same rows
a> create table t(k int primary key, v text)
a> insert into t values (1,'a'),(2,'b')
a> with w as (insert into t values (1,'cte') on conflict (k) do update set v = excluded.v returning *) insert into t select k, v||'!' from w on conflict (k) do update set v = excluded.v returning *
a> select * from t order by 1
a> with w as (insert into t values (1,'cte') on conflict (k) do update set v = excluded.v returning *) insert into t values (1,'main') on conflict (k) do update set v = (select v from w) returning *
a> select * from t order by 1
a> update t set v = chr(96 + k)
a> with w as (insert into t values (1,'cte') on conflict (k) do update set v = excluded.v returning *) insert into t values (1,'main'),(2,'main2') on conflict (k) do update set v = excluded.v where (select count(*) from w) = 1 returning *
a> select * from t order by 1
a> update t set v = chr(96 + k)
a> with w as (insert into t values (2,'cte') on conflict (k) do update set v = excluded.v returning *) insert into t values (1,'main'),(2,'main2'),(3,'main3') on conflict (k) do update set v = excluded.v || (select v from w) returning k, v, old.v
a> select * from t order by 1
a> delete from t where k > 2
a> update t set v = chr(96 + k)
a> with w as (update t set v='upd' where k=1 returning *) insert into t values (1,'main'),(2,'main2') on conflict (k) do update set v = (select v from w) returning *
a> select * from t order by 1
a> update t set v = chr(96 + k)
a> with w as (delete from t where k=1 returning *) insert into t values (1,'main'),(2,'main2') on conflict (k) do update set v = (select v from w) returning *
a> select * from t order by 1
a> insert into t values (1,'a') on conflict do nothing
a> update t set v = chr(96 + k)
a> with w as (insert into t values (3,'cte') returning *) insert into t values (3,'main') on conflict (k) do update set v = (select v from w) returning *
a> with w as (update t set v='cte' where k=1 returning *) update t set v = (select v from w) returning *
a> select * from t order by 1
a> update t set v = chr(96 + k)
a> with w as (update t set v='cte' where k=1 returning *) delete from t where (select v from w) = 'cte' returning *
a> select * from t order by 1
a> insert into t values (2,'b')
a> update t set v = chr(96 + k)
a> with w as (update t set v='cte' where k=1 returning *) merge into t using (values (1),(2)) s(k) on t.k=s.k when matched then update set v = (select v from w) returning t.*
a> with w as (delete from t where k=1 returning *) merge into t using (values (1),(2)) s(k) on t.k=s.k when matched and (select count(*) from w)=1 then update set v = 'm' returning t.*
a> select * from t order by 1
# merge_action() in queries of RETURNING
a> merge into t using (values (1),(3)) s(k) on t.k = s.k when matched then update set v = 'm' when not matched then insert values (s.k, 'n') returning merge_action(), (select 'x' where merge_action() = 'UPDATE'), t.k
a> merge into t using (values (1),(4)) s(k) on t.k = s.k when matched then delete when not matched then insert values (s.k, 'n') returning (select count(*) from t u where merge_action() = 'DELETE' and u.k < s.k + 2), (select (select merge_action() || s.k)), exists (select 1 from t u where merge_action() in ('INSERT')), merge_action() in (select 'DELETE')
a> with m as (merge into t using (values (2),(5)) s(k) on t.k = s.k when matched then update set v = 'x' when not matched then insert values (s.k, 'y') returning (select lower(merge_action())) as done, s.k) select * from m order by k
a> merge into t using (values (2)) s(k) on t.k = s.k when matched then update set v = 'z' returning (select string_agg(merge_action() || g, ',') from generate_series(1, 2) g), (select a from (select merge_action() as a) x), (with y as (select merge_action() as a) select a from y)
a> merge into t using (values (2)) s(k) on t.k = s.k when matched then update set v = (select merge_action())
a> select (select merge_action())
