# Prepared statements when what they name changes; how often plans were made
a> create table t(id int primary key, v text)
a> insert into t select g, g::text from generate_series(1,3) g
a> prepare named as select id from t where id = $1
a> execute named(1)
a> alter table t rename id to key
a> execute named(1)
a> alter table t rename key to id
a> execute named(1)
a> prepare "all" as select * from t order by 1
a> alter table t rename v to w
a> execute "all"
a> alter table t rename w to v
a> execute "all"
a> prepare aliased as select id as x from t where id = $1
a> alter table t rename id to key
a> execute aliased(2)
a> alter table t rename key to id
a> prepare changes as update t set v = 'x' where id = $1 returning v
a> alter table t rename v to w
a> execute changes(1)
a> alter table t rename w to v
a> execute changes(1)
a> prepare computed as select id + 1 from t where id = $1
a> alter table t rename id to key
a> execute computed(1)
a> alter table t rename key to id
a> prepare counted(int) as select count(*) from t where id = $1
a> execute counted(1)
a> execute counted(1)
a> execute counted(1)
a> select generic_plans, custom_plans from pg_prepared_statements where name = 'counted'
a> create index on t(v)
a> execute counted(1)
a> execute counted(1)
a> execute counted(1)
a> execute counted(1)
a> select generic_plans, custom_plans from pg_prepared_statements where name = 'counted'
a> alter table t add column more int
a> execute counted(1)
a> execute counted(1)
a> select generic_plans, custom_plans from pg_prepared_statements where name = 'counted'
a> prepare without as select count(*) from t
a> execute without
a> execute without
a> alter table t add column more2 int
a> execute without
a> select generic_plans, custom_plans from pg_prepared_statements where name = 'without'
