-- Functions that are not PostgreSQL's own: of its extensions that are built in.
-- own.sh makes them in a PostgreSQL server and records their rows; who answers them is declared in crates/types.

-- pg_prewarm
create function pg_prewarm(regclass, mode text default 'buffer', fork text default 'main', first_block int8 default null,
                           last_block int8 default null) returns int8 language internal volatile parallel safe as 'pg_lock_status';
create function autoprewarm_dump_now() returns int8 language internal strict as 'pg_lock_status';

-- pg_buffercache
create function pg_buffercache_pages(out bufferid int4, out relfilenode oid, out reltablespace oid, out reldatabase oid,
                                     out relforknumber int2, out relblocknumber int8, out isdirty bool, out usagecount int2,
                                     out pinning_backends int4)
    returns setof record language internal strict parallel safe rows 10000 as 'pg_lock_status';
create function pg_buffercache_summary(out buffers_used int4, out buffers_unused int4, out buffers_dirty int4,
                                       out buffers_pinned int4, out usagecount_avg float8)
    language internal strict parallel safe as 'pg_lock_status';
create function pg_buffercache_usage_counts(out usage_count int4, out buffers int4, out dirty int4, out pinned int4)
    returns setof record language internal strict parallel safe rows 10 as 'pg_lock_status';
