-- Functions and views that are not PostgreSQL's own: of its extensions that are built in, and of asynchronous I/O.
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

-- Asynchronous I/O: times in milliseconds, bandwidth in bytes a second, depths in pages.
create function pg_stat_get_aios(out pid int4, out io_id int4, out io_generation int8, out state text, out operation text,
                                 out off int8, out length int8, out target text, out target_desc text, out result text,
                                 out prepared timestamptz, out submitted timestamptz, out completed timestamptz)
    returns setof record language internal strict parallel restricted rows 1000 as 'pg_lock_status';
create function pg_stat_get_aio_backends(out pid int4, out backend_type text, out issued int8, out merged int8,
                                         out completed int8, out in_flight int4, out max_in_flight int4,
                                         out depth_histogram int8[], out waits int8, out waited float8, out worked float8)
    returns setof record language internal strict parallel restricted rows 100 as 'pg_lock_status';
create function pg_stat_get_devices(out device text, out mount_point text, out operation text, out operations int8,
                                    out bytes numeric, out iops float8, out bandwidth float8, out max_iops float8,
                                    out max_bandwidth float8, out share float8, out latency_p50 float8,
                                    out latency_p95 float8, out latency_p99 float8, out latency_max float8,
                                    out in_flight int4, out sequential_depth int4, out random_depth int4)
    returns setof record language internal strict parallel restricted rows 10 as 'pg_lock_status';
revoke all on function pg_stat_get_aios() from public;
revoke all on function pg_stat_get_aio_backends() from public;
revoke all on function pg_stat_get_devices() from public;
grant execute on function pg_stat_get_aios() to pg_read_all_stats;
grant execute on function pg_stat_get_aio_backends() to pg_read_all_stats;
grant execute on function pg_stat_get_devices() to pg_read_all_stats;
create view pg_stat_aios as select * from pg_stat_get_aios();
create view pg_stat_aio_backends as select * from pg_stat_get_aio_backends();
create view inflight_devices as select * from pg_stat_get_devices();
revoke all on pg_stat_aios, pg_stat_aio_backends, inflight_devices from public;
grant select on pg_stat_aios, pg_stat_aio_backends, inflight_devices to pg_read_all_stats;

-- The undo log: sizes in bytes. Whoever does not see the oldest transaction holds the rest of it up.
create function pg_stat_get_undo(out size int8, out kept int8, out max_size int8, out oldest_xid xid, out holder_pid int4,
                                 out held_since timestamptz)
    returns setof record language internal strict parallel restricted rows 1 as 'pg_lock_status';
revoke all on function pg_stat_get_undo() from public;
grant execute on function pg_stat_get_undo() to pg_read_all_stats;
create view inflight_undo as select * from pg_stat_get_undo();
revoke all on inflight_undo from public;
grant select on inflight_undo to pg_read_all_stats;
