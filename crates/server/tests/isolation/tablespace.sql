# Tablespaces: made, used, changed, dropped; and who may.
a> select spcname, spcoptions, pg_get_userbyid(spcowner) from pg_tablespace order by 1
a> create tablespace ts1 location 'relative'
a> create tablespace ts1 location ''
a> create tablespace ts1 location '/it''s'
a> create tablespace ts1 location '/nowhere/at/all'
a> create tablespace pg_mine location '/tmp'
a> set allow_in_place_tablespaces = on
a> create tablespace ts1 location '' with (random_page_cost = 1.5, effective_io_concurrency = 7)
a> create tablespace ts1 location ''
a> create tablespace ts2 location '' with (nonsense = 1)
a> create tablespace ts2 location '' with (random_page_cost = -1)
a> create tablespace ts2 location '' with (effective_io_concurrency = 1001)
a> create tablespace ts2 location '' with (effective_io_concurrency = many)
a> create tablespace ts2 location ''
a> select spcname, spcoptions, pg_get_userbyid(spcowner) from pg_tablespace order by 1
a> select pg_tablespace_location(oid) = 'pg_tblspc/' || oid from pg_tablespace where spcname = 'ts1'
a> select pg_tablespace_location(999999)
a> begin
a> create tablespace ts3 location ''
a> rollback
a> begin
a> drop tablespace ts2
a> rollback
a> create table t (id int primary key, v text) tablespace ts1
a> insert into t select i, repeat('x', i % 50) from generate_series(1, 1000) i
a> create index t_v on t (v) tablespace ts2
a> create table nowhere (id int) tablespace nosuch
a> create table nowhere (id int) tablespace pg_global
a> create table u (id int, unique (id) using index tablespace ts2) tablespace ts1
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('t', 't_pkey', 't_v', 'u', 'u_id_key') order by 1
a> select tablename, tablespace from pg_tables where tablename in ('t', 'u') order by 1
a> select indexname, tablespace from pg_indexes where tablename in ('t', 'u') order by 1
a> select pg_get_indexdef('t_v'::regclass)
a> select pg_tablespace_size('ts1') > 0, pg_tablespace_size('ts2') > 0
a> select pg_tablespace_size('nosuch')
a> select datname from pg_database where oid in (select pg_tablespace_databases(oid) from pg_tablespace where spcname = 'ts1') and datname = current_database()
a> drop tablespace ts1
a> drop tablespace nosuch
a> drop tablespace if exists nosuch
a> drop tablespace pg_default
a> select count(*), sum(length(v)) from t
a> alter table t set tablespace ts2
a> alter index t_v set tablespace pg_default
a> alter table t set tablespace nosuch
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('t', 't_pkey', 't_v') order by 1
a> select count(*), sum(length(v)) from t
a> select v from t where id = 49
a> reindex (tablespace ts1) index t_pkey
a> reindex (tablespace nosuch) index t_pkey
a> truncate t
a> insert into t values (1, 'one')
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('t', 't_pkey', 't_v') order by 1
a> set default_tablespace = nosuch
a> set default_tablespace = ts1
a> show default_tablespace
a> create table d (id int primary key)
a> create table e as select 1 as one
a> create temp table temporary (id int)
a> create index on d ((id + 1))
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('d', 'd_pkey', 'e', 'temporary', 'd_expr_idx') order by 1
a> reset default_tablespace
a> set temp_tablespaces = nosuch
a> alter tablespace ts1 set (seq_page_cost = 0.5, maintenance_io_concurrency = 3)
a> alter tablespace ts1 reset (random_page_cost)
a> alter tablespace ts1 set (nonsense = 3)
a> alter tablespace ts1 reset (seq_page_cost = 1)
a> alter tablespace nosuch set (seq_page_cost = 1)
a> select spcoptions from pg_tablespace where spcname = 'ts1'
a> alter tablespace ts1 rename to ts2
a> alter tablespace ts1 rename to pg_ts
a> alter tablespace nosuch rename to ts9
a> alter tablespace ts1 rename to ts9
a> select spcname from pg_tablespace order by 1
# Others.
a> create role somebody
a> create role other
a> set role somebody
a> create tablespace mine location ''
a> alter tablespace ts9 set (seq_page_cost = 1)
a> alter tablespace ts9 rename to ts8
a> alter tablespace ts9 owner to somebody
a> drop tablespace ts9
a> select has_tablespace_privilege('ts9', 'create'), has_tablespace_privilege('other', 'pg_default', 'create')
a> reset role
a> alter tablespace ts9 owner to somebody
a> select pg_get_userbyid(spcowner) from pg_tablespace where spcname = 'ts9'
a> drop role somebody
a> alter table all in tablespace ts9 set tablespace ts2
a> alter index all in tablespace ts9 set tablespace ts2
a> alter table all in tablespace nosuch set tablespace ts2
a> alter table all in tablespace pg_global set tablespace ts2
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('t', 't_pkey', 't_v', 'u', 'u_id_key', 'd', 'd_pkey', 'e') order by 1
a> drop tablespace ts9
# Somebody is putting something into it.
b> begin
b> create table w (id int) tablespace ts2
b> insert into w values (1)
a> drop table t, u, d, e
b> commit
a> drop tablespace ts2
a> drop table w
a> drop tablespace ts2
a> select spcname from pg_tablespace order by 1
a> drop role somebody, other
