# What transactions do to rows counts when they end, with subtransactions and TRUNCATE
a> CREATE TABLE t (a int PRIMARY KEY, b int) WITH (autovacuum_enabled = off)
a> CREATE VIEW st AS SELECT n_tup_ins, n_tup_upd, n_tup_del, n_live_tup, n_dead_tup, n_mod_since_analyze, n_ins_since_vacuum, vacuum_count, analyze_count FROM pg_stat_user_tables WHERE relname = 't'
a> INSERT INTO t SELECT g, g FROM generate_series(1, 100) g
a> UPDATE t SET b = b + 1 WHERE a <= 10
a> DELETE FROM t WHERE a > 90
a> SELECT pg_stat_force_next_flush()
a> TABLE st
a> BEGIN
a> INSERT INTO t VALUES (200), (201)
a> SELECT pg_stat_get_xact_tuples_inserted('t'::regclass), pg_stat_get_xact_tuples_updated('t'::regclass), pg_stat_get_xact_tuples_deleted('t'::regclass)
b> TABLE st
a> UPDATE t SET b = 0 WHERE a >= 200
a> DELETE FROM t WHERE a <= 3
a> SELECT n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_xact_user_tables WHERE relname = 't'
a> ROLLBACK
a> SELECT pg_stat_force_next_flush()
a> TABLE st
a> INSERT INTO t VALUES (1, 1)
a> SELECT pg_stat_force_next_flush()
a> TABLE st
a> BEGIN
a> INSERT INTO t VALUES (300)
a> SAVEPOINT s
a> INSERT INTO t VALUES (301), (302)
a> UPDATE t SET b = 1 WHERE a = 300
a> ROLLBACK TO s
a> SELECT pg_stat_get_xact_tuples_inserted('t'::regclass), pg_stat_get_xact_tuples_updated('t'::regclass)
a> DELETE FROM t WHERE a = 300
a> RELEASE s
a> COMMIT
a> SELECT pg_stat_force_next_flush()
a> TABLE st
# VACUUM and ANALYZE
a> ANALYZE t (a)
a> TABLE st
a> BEGIN
a> INSERT INTO t SELECT g FROM generate_series(400, 409) g
a> ANALYZE t
a> SELECT n_live_tup, n_mod_since_analyze, analyze_count FROM st
a> COMMIT
a> SELECT pg_stat_force_next_flush()
a> SELECT n_tup_ins, n_live_tup, n_mod_since_analyze, n_ins_since_vacuum, analyze_count FROM st
a> VACUUM t
a> SELECT pg_stat_force_next_flush()
a> TABLE st
a> DELETE FROM t WHERE a BETWEEN 50 AND 59
a> ALTER TABLE t ALTER b TYPE bigint
a> VACUUM FULL t
a> SELECT pg_stat_force_next_flush()
a> TABLE st
# TRUNCATE, taken back and not
a> BEGIN
a> INSERT INTO t VALUES (500), (501)
a> SAVEPOINT s
a> INSERT INTO t VALUES (502)
a> TRUNCATE t
a> SELECT pg_stat_get_xact_tuples_inserted('t'::regclass)
a> INSERT INTO t VALUES (1)
a> SELECT pg_stat_get_xact_tuples_inserted('t'::regclass)
a> ROLLBACK TO s
a> SELECT pg_stat_get_xact_tuples_inserted('t'::regclass)
a> COMMIT
a> SELECT pg_stat_force_next_flush()
a> TABLE st
a> BEGIN
a> INSERT INTO t VALUES (600), (601)
a> SAVEPOINT s
a> TRUNCATE t
a> INSERT INTO t VALUES (1), (2), (3)
a> RELEASE s
a> DELETE FROM t WHERE a = 2
a> COMMIT
a> SELECT pg_stat_force_next_flush()
a> TABLE st
# DROP
a> CREATE TABLE kept AS SELECT 't'::regclass::oid AS t
a> BEGIN
a> INSERT INTO t VALUES (700)
a> DROP TABLE t CASCADE
a> SELECT pg_stat_get_xact_tuples_inserted(t), pg_stat_get_live_tuples(t) FROM kept
a> ROLLBACK
a> SELECT pg_stat_force_next_flush()
a> TABLE st
a> DROP TABLE t CASCADE
a> SELECT pg_stat_force_next_flush()
a> SELECT pg_stat_get_xact_tuples_inserted(t), pg_stat_get_live_tuples(t), pg_stat_get_tuples_inserted(t), pg_stat_get_numscans(t) FROM kept
# COPY, CREATE TABLE AS, ON CONFLICT
a> CREATE TABLE u (a int PRIMARY KEY) WITH (autovacuum_enabled = off)
a> CREATE VIEW su AS SELECT n_tup_ins, n_tup_upd, n_tup_del, n_live_tup, n_dead_tup FROM pg_stat_user_tables WHERE relname = 'u'
a> INSERT INTO u SELECT generate_series(1, 20000)
a> INSERT INTO u VALUES (1), (-1) ON CONFLICT DO NOTHING
a> INSERT INTO u VALUES (1), (-2) ON CONFLICT (a) DO UPDATE SET a = excluded.a
a> SELECT pg_stat_force_next_flush()
a> TABLE su
a> BEGIN
a> INSERT INTO u SELECT generate_series(30001, 50000)
a> SELECT pg_stat_get_xact_tuples_inserted('u'::regclass)
a> ROLLBACK
a> SELECT pg_stat_force_next_flush()
a> TABLE su
a> MERGE INTO u USING (VALUES (1, 'd'), (2, 'u'), (60000, 'i')) v (k, w) ON a = k WHEN MATCHED AND w = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET a = -a - 100 WHEN NOT MATCHED THEN INSERT VALUES (k)
a> SELECT pg_stat_force_next_flush()
a> TABLE su
a> CREATE TABLE w AS SELECT * FROM u WHERE a < 50
a> SELECT pg_stat_force_next_flush()
a> SELECT n_tup_ins, n_live_tup FROM pg_stat_user_tables WHERE relname = 'w'
a> DROP TABLE u CASCADE
a> DROP TABLE w, kept
