# INSERT ... ON CONFLICT, MERGE and SELECT ... FOR UPDATE of several rows: they are locked in their order, and RETURNING keeps it
s> CREATE TABLE t(id int PRIMARY KEY, n int CHECK (n < 100000), note text)
s> INSERT INTO t SELECT i, i, 'old' FROM generate_series(1, 8) i
a> INSERT INTO t SELECT i, 100, 'new' FROM unnest(ARRAY[9, 3, 10, 1, 8, 11, 2]) i ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n, note = t.note || excluded.note RETURNING id, n, note, xmax::text = '0' AS inserted
a> INSERT INTO t SELECT i, 1, 'w' FROM generate_series(1, 12) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1 WHERE t.id % 3 > 0 AND t.n > 50 RETURNING id, n
a> INSERT INTO t SELECT i, 1, 'w' FROM unnest(ARRAY[5, 6, 5]) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1
a> INSERT INTO t SELECT i, 1, 'w' FROM unnest(ARRAY[21, 6, 21]) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1
a> INSERT INTO t SELECT i, 1, 'w' FROM unnest(ARRAY[5, 6, 5]) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1 WHERE t.n < 0 RETURNING id
a> INSERT INTO t SELECT i, i, 'k' FROM unnest(ARRAY[30, 31, 30, 32]) i ON CONFLICT DO NOTHING RETURNING id
a> INSERT INTO t SELECT i, 1, 'x' FROM generate_series(1, 3) i ON CONFLICT (id) DO UPDATE SET n = 100000 * (excluded.id - 1)
s> SELECT * FROM t ORDER BY id
# A key that is assigned: what comes next finds what the row has become
s> CREATE TABLE k(id int PRIMARY KEY, u int UNIQUE, n int)
s> INSERT INTO k VALUES (1, 1, 0), (2, 2, 0), (5, 5, 0)
a> INSERT INTO k VALUES (1, 0, 0), (3, 3, 0), (11, 11, 0) ON CONFLICT (id) DO UPDATE SET id = k.id + 10, n = k.n + 1 RETURNING *
a> INSERT INTO k VALUES (5, 0, 0), (6, 15, 0) ON CONFLICT (id) DO UPDATE SET u = k.u + 10 RETURNING *
s> SELECT * FROM k ORDER BY id
# Two that come with the same rows in the same order wait for each other once
a> BEGIN
a> INSERT INTO t SELECT i, 1, 'a' FROM generate_series(39, 42) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1
b> INSERT INTO t SELECT i, 1, 'b' FROM generate_series(38, 43) i ON CONFLICT (id) DO UPDATE SET n = t.n + 10, note = t.note || 'b' RETURNING id, n
a> INSERT INTO t SELECT i, 1, 'a' FROM generate_series(43, 44) i ON CONFLICT (id) DO UPDATE SET n = t.n + 1
a> COMMIT
s> SELECT * FROM t WHERE id > 37 ORDER BY id
# A row in the middle that somebody else has: those before it are locked, those behind it are not
a> BEGIN
a> UPDATE t SET n = n + 1000 WHERE id = 4
b> INSERT INTO t SELECT i, 5, 'b' FROM generate_series(3, 6) i ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n RETURNING id, n
c> SELECT id FROM t WHERE id = 3 FOR UPDATE NOWAIT
c> SELECT id FROM t WHERE id = 5 FOR UPDATE NOWAIT
a> COMMIT
a> BEGIN
a> DELETE FROM t WHERE id = 5
b> INSERT INTO t SELECT i, 7, 'b' FROM generate_series(4, 6) i ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n RETURNING id, n
a> COMMIT
b> BEGIN ISOLATION LEVEL REPEATABLE READ
b> SELECT count(*) FROM t
a> UPDATE t SET n = 0 WHERE id = 5
b> INSERT INTO t SELECT i, 7, 'b' FROM generate_series(4, 6) i ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n
b> ROLLBACK
# MERGE
a> WITH m AS (MERGE INTO t USING (SELECT i, i * 10 AS v FROM generate_series(1, 12) i) s ON s.i = t.id WHEN MATCHED AND t.id % 4 = 0 THEN DELETE WHEN MATCHED AND t.id % 4 = 1 THEN DO NOTHING WHEN MATCHED THEN UPDATE SET n = s.v, note = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (s.i, s.v, 'inserted') RETURNING merge_action(), s.i, t.*) SELECT * FROM m ORDER BY 2
a> MERGE INTO t USING (VALUES (1, 5), (2, 6), (1, 7)) s(i, v) ON s.i = t.id WHEN MATCHED THEN UPDATE SET n = s.v
a> MERGE INTO t USING (VALUES (1, 5), (2, 6), (1, 7)) s(i, v) ON s.i = t.id WHEN MATCHED AND s.v < 7 THEN UPDATE SET n = s.v WHEN NOT MATCHED THEN DO NOTHING
a> WITH m AS (MERGE INTO t USING (SELECT id, n FROM t WHERE id < 4) s ON s.id = t.id WHEN MATCHED THEN UPDATE SET n = s.n + 1 WHEN NOT MATCHED BY SOURCE AND t.id > 30 THEN DELETE RETURNING merge_action(), t.id, t.n) SELECT * FROM m ORDER BY 2
s> SELECT * FROM t ORDER BY id
a> BEGIN
a> UPDATE t SET n = n + 1000 WHERE id = 2
b> WITH m AS (MERGE INTO t USING (SELECT i, i * 10 AS v FROM generate_series(1, 4) i) s ON s.i = t.id WHEN MATCHED AND t.n > 900 THEN UPDATE SET note = 'big' WHEN MATCHED THEN UPDATE SET n = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.i, s.v, 'inserted') RETURNING merge_action(), t.*) SELECT * FROM m ORDER BY 2
c> SELECT id FROM t WHERE id = 1 FOR UPDATE NOWAIT
c> SELECT id FROM t WHERE id = 3 FOR UPDATE NOWAIT
a> COMMIT
s> SELECT * FROM t ORDER BY id
# SELECT ... FOR UPDATE of many rows, of the first ones, and of a cursor's
a> BEGIN
a> SELECT id FROM t WHERE id IN (2, 3) FOR UPDATE
b> SELECT id, n FROM t WHERE id < 8 ORDER BY id FOR UPDATE SKIP LOCKED
b> SELECT id FROM t WHERE id < 8 ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED
b> SELECT id FROM t WHERE id < 8 ORDER BY id FOR UPDATE NOWAIT
c> BEGIN
c> SELECT id FROM t WHERE id >= 4 ORDER BY id LIMIT 2 FOR UPDATE
b> SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED
c> COMMIT
a> UPDATE t SET n = 77 WHERE id = 2
b> SELECT id, n FROM t WHERE id < 6 ORDER BY id FOR UPDATE
a> COMMIT
a> BEGIN
a> DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE
a> FETCH 2 FROM c
b> SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED
a> COMMIT
# RETURNING's expressions are of the row as it is now
a> UPDATE t SET n = n + 1 WHERE id = 3 RETURNING n, n + 1, old.n + 1, new.n + 1
a> UPDATE t SET n = t.n + v.i FROM (VALUES (3), (4)) v(i) WHERE v.i = t.id RETURNING t.n, t.n + v.i, v.i
# Keys of rows that are gone
a> DELETE FROM t WHERE id < 40
a> INSERT INTO t SELECT i, i, 'again' FROM generate_series(1, 50) i ON CONFLICT DO NOTHING
a> DELETE FROM t WHERE id < 40
a> INSERT INTO t SELECT i, i, 'thrice' FROM generate_series(1, 39) i
a> INSERT INTO t SELECT i, i, 'four' FROM generate_series(39, 45) i
b> BEGIN ISOLATION LEVEL REPEATABLE READ
b> SELECT count(*), sum(n) FROM t
a> DELETE FROM t WHERE id < 40
a> INSERT INTO t SELECT i, -i, 'last' FROM generate_series(1, 39) i
b> SELECT count(*), sum(n) FROM t WHERE id < 40
b> COMMIT
s> SELECT count(*), sum(n) FROM t WHERE id < 40
# MERGE does one row after the other where keys are given up and taken
s> CREATE TABLE m(k int PRIMARY KEY, v int UNIQUE)
s> INSERT INTO m SELECT i, i FROM generate_series(1, 10) i
a> SET enable_hashjoin = off
a> SET enable_mergejoin = off
a> MERGE INTO m USING (VALUES (1, 1), (901, 1)) s(k, v) ON m.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v) WHEN MATCHED THEN DELETE
a> MERGE INTO m USING (VALUES (2, 100), (902, 2), (3, 200), (903, 3)) s(k, v) ON m.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v) WHEN MATCHED THEN UPDATE SET v = s.v
a> MERGE INTO m USING (VALUES (904, 4), (4, 4)) s(k, v) ON m.k = s.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)
s> SELECT * FROM m ORDER BY k
s> CREATE SEQUENCE seq
a> MERGE INTO m USING (VALUES (5, 1), (905, 3), (6, 2), (906, 3)) s(k, v) ON m.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1000 + nextval('seq')) WHEN MATCHED THEN UPDATE SET v = 1000 + nextval('seq')
s> SELECT * FROM m WHERE v > 1000 ORDER BY k
# Whoever waits for a key has none of those behind it
s> CREATE TABLE q(id int PRIMARY KEY, n int)
b> BEGIN
b> INSERT INTO q VALUES (3, 3)
a> INSERT INTO q VALUES (3, 1), (4, 4)
b> INSERT INTO q VALUES (4, 4)
b> COMMIT
b> BEGIN
b> INSERT INTO q VALUES (1, 1)
a> MERGE INTO q USING (VALUES (1, 1), (3, 3)) s(id, n) ON q.id = s.id WHEN MATCHED THEN UPDATE SET n = 9 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)
b> UPDATE q SET n = 5 WHERE id = 3
b> COMMIT
b> BEGIN
b> INSERT INTO q VALUES (6, 1)
a> MERGE INTO q USING (VALUES (6, 1), (7, 3)) s(id, n) ON q.id = s.id WHEN MATCHED THEN UPDATE SET n = 9 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.n)
b> INSERT INTO q VALUES (7, 7)
b> ROLLBACK
a> INSERT INTO q VALUES (11, 1), (4, 1), (12, 1), (1, 1), (11, 2)
a> INSERT INTO q SELECT i % 40 + 20, i FROM generate_series(1, 60) i
s> SELECT * FROM q ORDER BY id
# Whoever waits for a row keeps nobody from sharing it
a> BEGIN
a> SELECT n FROM q WHERE id = 3 FOR SHARE
b> UPDATE q SET n = 33 WHERE id = 3
c> SELECT n FROM q WHERE id = 3 FOR SHARE NOWAIT
c> SELECT n FROM q WHERE id = 3 FOR KEY SHARE SKIP LOCKED
c> SELECT n FROM q WHERE id = 3 FOR UPDATE SKIP LOCKED
a> COMMIT
s> SELECT * FROM q WHERE id = 3
