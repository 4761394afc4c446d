# stats_fetch_consistency: what a transaction keeps of the statistics it has looked at
a> CREATE TABLE t (a int) WITH (autovacuum_enabled = off)
a> CREATE TABLE u (a int) WITH (autovacuum_enabled = off)
a> CREATE VIEW st AS SELECT relname, n_tup_ins FROM pg_stat_user_tables WHERE relname IN ('t', 'u') ORDER BY 1
a> INSERT INTO t VALUES (1)
a> INSERT INTO u VALUES (1)
a> SELECT pg_stat_force_next_flush()
a> TABLE st
# cache, by default: each object as it was when it was first looked at
a> BEGIN
a> SELECT pg_stat_get_tuples_inserted('t'::regclass)
b> INSERT INTO t VALUES (2)
b> INSERT INTO u VALUES (2)
b> SELECT pg_stat_force_next_flush()
a> SELECT pg_stat_get_tuples_inserted('t'::regclass), pg_stat_get_live_tuples('t'::regclass)
a> SELECT pg_stat_get_tuples_inserted('u'::regclass)
a> SELECT pg_stat_get_snapshot_timestamp() IS NULL
a> SELECT pg_stat_clear_snapshot()
a> TABLE st
a> COMMIT
# snapshot: all as it was then
a> BEGIN
a> SET LOCAL stats_fetch_consistency = snapshot
a> SELECT pg_stat_get_snapshot_timestamp() IS NULL
a> SELECT pg_stat_get_tuples_inserted('t'::regclass)
a> SELECT pg_stat_get_snapshot_timestamp() BETWEEN now() AND clock_timestamp()
b> INSERT INTO t VALUES (3)
b> INSERT INTO u VALUES (3)
b> CREATE TABLE w AS SELECT 1 AS a
b> SELECT pg_stat_force_next_flush()
a> TABLE st
a> SELECT pg_stat_get_tuples_inserted('w'::regclass)
a> SAVEPOINT s
a> SET LOCAL stats_fetch_consistency = none
a> SELECT pg_stat_get_snapshot_timestamp() IS NULL
a> TABLE st
a> ROLLBACK TO s
a> SELECT pg_stat_get_snapshot_timestamp() IS NULL
a> TABLE st
a> COMMIT
a> TABLE st
# none: as it is
a> BEGIN
a> SET LOCAL stats_fetch_consistency = none
a> TABLE st
b> INSERT INTO t VALUES (4)
b> SELECT pg_stat_force_next_flush()
a> TABLE st
a> COMMIT
# what is there once
a> BEGIN
a> SET LOCAL stats_fetch_consistency = cache
a> CREATE TEMP TABLE before ON COMMIT DROP AS SELECT wal_records, (SELECT sum(writes) + sum(extends) FROM pg_stat_io) AS io FROM pg_stat_wal
b> INSERT INTO t SELECT generate_series(1, 1000)
b> SELECT pg_stat_force_next_flush()
a> SELECT w.wal_records - b.wal_records, (SELECT sum(writes) + sum(extends) FROM pg_stat_io) - io FROM before b, pg_stat_wal w
a> SELECT pg_stat_clear_snapshot()
a> SELECT w.wal_records > b.wal_records FROM before b, pg_stat_wal w
a> COMMIT
a> DROP TABLE t, u, w CASCADE
