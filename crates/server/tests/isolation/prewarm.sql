# pg_prewarm and pg_buffercache, and extensions as such.
a> create extension pg_prewarm with schema nowhere
a> create extension pg_prewarm
a> create extension pg_prewarm
a> create extension if not exists pg_prewarm
a> create table t as select i, repeat('x', 100) v from generate_series(1, 1000) i
a> create index t_i on t (i)
a> select pg_prewarm('t') > 0, pg_prewarm('t', 'read') > 0, pg_prewarm('t', 'prefetch') > 0, pg_prewarm('t_i') > 0
a> select pg_prewarm('t', 'buffer', 'main', 0, 2), pg_prewarm('t', 'read', 'main', 1, 1), pg_prewarm('t', 'buffer', 'main', 3, 2), pg_prewarm('t', first_block => 2, last_block => 4)
a> select pg_prewarm('t', 'warm')
a> select pg_prewarm(null)
a> select pg_prewarm('t', null)
a> select pg_prewarm('t', 'buffer', null)
a> select pg_prewarm('t', 'buffer', 'init')
a> select pg_prewarm('t', 'buffer', 'nonsense')
a> create view v as select 1 as one
a> select pg_prewarm('v')
a> select pg_prewarm('nothing')
a> create extension pg_buffercache with schema nowhere
a> create schema s
a> create extension pg_buffercache with schema s version '9.9'
a> create extension pg_buffercache with schema s
a> select extname, nspname from pg_extension e join pg_namespace n on n.oid = extnamespace where extname like 'pg\_%' order by 1
a> select count(*) > 0, bool_and(usagecount between 0 and 5) from s.pg_buffercache where relfilenode = (select relfilenode from pg_class where relname = 't')
a> drop view s.pg_buffercache
a> create view over as select count(*) from s.pg_buffercache
a> drop extension pg_buffercache
a> drop schema s
a> drop schema s cascade
a> select * from over
a> drop extension pg_buffercache
a> drop extension if exists pg_buffercache
a> begin
a> drop extension pg_prewarm
a> rollback
a> select extversion from pg_extension where extname = 'pg_prewarm'
a> comment on extension pg_prewarm is 'warm'
a> select obj_description(oid, 'pg_extension') from pg_extension where extname = 'pg_prewarm'
a> create role plain
a> set role plain
a> create extension pg_buffercache
a> drop extension pg_prewarm
a> reset role
a> drop role plain
a> drop extension pg_prewarm
a> drop table t
a> drop view v
