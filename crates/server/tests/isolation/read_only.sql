# What a read-only transaction may do: lock and change rows of temporary tables alone
a> create table t (id int primary key, n int)
a> insert into t values (1, 10), (2, 20)
a> create table t2 (id int, n int)
a> create view tv as select * from t
a> create sequence s
a> create temp table tt (id int primary key, n int)
a> create temp sequence ts
a> prepare changes as insert into t values (5, 5)
a> prepare locks as select * from t for update
a> prepare reads as select n from t where id = 1
a> prepare own as insert into tt values (100, 5)
a> set default_transaction_read_only = on
# Data-modifying WITH
a> with w as (insert into t values (3, 3) returning *) select * from w
a> with w as (update t set n = 0 returning *) select * from w
a> with w as (delete from t returning *) select * from w
a> with w as (merge into t using t2 on t.id = t2.id when not matched then insert values (9, 9) returning *) select 1
a> with w as (insert into t values (3, 3)) select 1
a> with w as (insert into t2 values (3, 3) returning *) update tt set n = w.n from w
a> with w as (insert into tt values (3, 3) returning *) insert into t select * from w
a> copy (with w as (insert into t values (3, 3) returning *) select * from w) to stdout
a> copy (insert into t values (3, 3) returning *) to stdout
a> explain analyze with w as (insert into t values (3, 3) returning *) select * from w
a> explain analyze delete from t
a> explain (costs off) insert into t values (3, 3)
a> explain (costs off) select * from t for update
a> execute changes
a> execute locks
a> execute reads
a> explain analyze execute changes
a> begin
a> declare c cursor for select * from t for update
a> rollback
a> begin
a> declare c cursor for select id from t order by id
a> fetch c
a> rollback
# Row locks
a> select * from t for update
a> select * from t for no key update
a> select * from t for share
a> select * from t for key share
a> select * from t where id = 1 for update
a> select * from t, t2 for share of t for key share of t2
a> select * from (select * from t for no key update) x
a> select (select n from t for share limit 1)
a> with w as (select n from t for update) select * from w
a> select * from t where exists (select from t2 for share)
a> select * from tv for update
a> select * from t where false for update
a> select * from (select * from t for update) x for share
a> insert into t select * from t2 for update
a> explain (analyze, costs off) select * from t for share
a> select 1 for update
a> select * from generate_series(1, 2) g for update
a> select * from t, tt for update
a> select t.id, tt.id from t left join tt on t.id = tt.id order by t.id for update of t
a> select t.id from t, tt where t.id = tt.id for update of tt
# Temporary tables
a> insert into tt values (1, 1), (2, 2)
a> update tt set n = n + 1
a> delete from tt where id = 2
a> merge into tt using t on tt.id = t.id when matched then update set n = t.n when not matched then insert values (t.id, t.n)
a> with w as (insert into tt values (3, 3) returning *) select * from w
a> insert into tt select id + 10, n from t on conflict (id) do update set n = 0
a> execute own
a> select * from tt order by id for update
a> insert into tt values (1, 1)
a> select nextval('ts'), setval('ts', 8), nextval('ts')
a> select nextval('s')
a> select setval('s', 8)
a> truncate tt
a> create temp table tt2 (id int)
a> drop table tt
a> create index on tt (n)
# Nothing but rows
a> insert into t values (3, 3)
a> update t set n = 0 where false
a> delete from t
a> copy t from stdin
# What is not called a change
a> reindex table t
a> reindex index t_pkey
a> reindex table concurrently t
a> cluster t using t_pkey
a> cluster t
a> cluster
a> vacuum t
a> vacuum (full) t
a> analyze t
a> checkpoint
a> begin
a> reindex table t
a> cluster t using t_pkey
a> lock table t in access exclusive mode
a> lock table t in row exclusive mode
a> commit
a> select * from t order by id
a> begin read write
a> insert into t values (3, 3)
a> commit
a> set default_transaction_read_only = off
a> select * from t order by id for update
a> drop table t, t2 cascade
