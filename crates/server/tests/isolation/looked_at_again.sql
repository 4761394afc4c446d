# READ COMMITTED looks at rows again (EvalPlanQual): rows of what is no table stay the same, all rows of FOR UPDATE are looked at
# together, and what MERGE has matched may come apart
s> CREATE TABLE mg(id int PRIMARY KEY, v int, g int)
s> CREATE TABLE ms(r int, c int)
s> INSERT INTO ms SELECT i, i FROM generate_series(2, 6) i
# subqueries, CTEs, VALUES and functions
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> DELETE FROM mg WHERE id = 3
b> MERGE INTO mg USING (SELECT r, count(*) c FROM ms GROUP BY r) s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.r FROM mg, (SELECT DISTINCT r FROM ms) s WHERE id IN (3, 4) ORDER BY id, r FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg, (SELECT r % 2 k, count(*) c FROM ms GROUP BY 1) s WHERE id IN (3, 4) ORDER BY id, k FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg, (SELECT r FROM ms ORDER BY r LIMIT 3) s WHERE id IN (3, 4) ORDER BY id, r FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg, (SELECT r FROM ms EXCEPT SELECT 4) s WHERE id IN (3, 4) ORDER BY id, r FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg, (VALUES (7), (8)) s WHERE id IN (3, 4) ORDER BY id, column1 FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s FROM mg, unnest(ARRAY[7, 8]) s WHERE id IN (3, 4) ORDER BY id, s FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg, unnest(ARRAY['x', 'y']) WITH ORDINALITY s(w, n) WHERE id IN (3, 4) ORDER BY id, n FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> WITH s AS MATERIALIZED (SELECT r FROM ms) SELECT mg.*, s.* FROM mg, s WHERE id IN (3, 4) ORDER BY id, r FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> WITH RECURSIVE s AS (SELECT 1 n UNION ALL SELECT n + 1 FROM s WHERE n < 3) SELECT mg.*, s.* FROM mg, s WHERE id IN (3, 4) ORDER BY id, n FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg LEFT JOIN (SELECT r % 2 k, count(*) c FROM ms GROUP BY 1) s ON s.k * 100 < mg.v - 30 WHERE id IN (2, 3, 4) ORDER BY id, k FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, s.* FROM mg, (SELECT r % 2 k, sum(c)::numeric(10, 2) n, avg(c) a, array_agg(c ORDER BY c) l, NULL::text e FROM ms GROUP BY 1) s WHERE id IN (3, 4) AND n <> mg.v ORDER BY id, k FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> UPDATE mg SET v = mg.v + s.c FROM (SELECT r, count(*) c FROM ms GROUP BY r) s WHERE s.r = mg.id
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> UPDATE mg SET v = mg.v + f.n FROM (VALUES (3, 5), (4, 7)) f(i, n) WHERE f.i = mg.id
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> DELETE FROM mg USING (SELECT r, sum(c) c FROM ms GROUP BY r) s WHERE s.r <> mg.id AND mg.id = 3 AND s.r > 5 RETURNING mg.*, s.*
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> WITH q AS (SELECT id FROM mg WHERE g = 0 ORDER BY id LIMIT 2 FOR UPDATE) UPDATE mg SET v = mg.v + 100 FROM q WHERE q.id = mg.id
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> DELETE FROM mg WHERE id IN (SELECT r FROM ms ORDER BY r LIMIT 2)
a> COMMIT
b> SELECT id FROM mg ORDER BY id
# LATERAL: the row is what it was for the old one, unless it is a part of the query
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> SELECT * FROM mg, LATERAL (SELECT * FROM ms WHERE ms.r = mg.id LIMIT 1) l ORDER BY id FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> SELECT * FROM mg, LATERAL (SELECT count(*) FROM ms WHERE ms.r = mg.id) l ORDER BY id FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET g = 2 WHERE id = 4
b> SELECT * FROM mg, LATERAL generate_series(1, mg.g) n ORDER BY id, n FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT mg.*, x FROM mg LEFT JOIN LATERAL (SELECT mg.v + 1) s(x) ON true WHERE id IN (3, 4) ORDER BY id FOR UPDATE OF mg
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> SELECT mg.*, x FROM mg LEFT JOIN LATERAL (SELECT ms.c + mg.v FROM ms WHERE ms.r = mg.id) s(x) ON true WHERE v IN (30, 40) ORDER BY id FOR UPDATE OF mg
a> COMMIT
# sublinks are asked again for the new row
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET g = 1 WHERE id = 3
b> SELECT * FROM mg WHERE v < (SELECT max(v) FROM mg x WHERE x.g = mg.g) AND id IN (3, 6) ORDER BY id FOR UPDATE
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET g = 1 WHERE id = 3
b> UPDATE mg SET v = (SELECT max(x.v) FROM mg x WHERE x.g = mg.g) WHERE id IN (3, 6)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
# several rows are locked, then looked at together
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> SELECT * FROM mg a JOIN mg b USING (id) WHERE b.v = 30 FOR UPDATE
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> SELECT * FROM mg a JOIN mg b ON a.id = b.id WHERE a.id < 5 ORDER BY a.id FOR UPDATE
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT * FROM mg a, mg b WHERE a.id = b.id AND a.v = b.v AND a.id < 5 ORDER BY a.id FOR UPDATE
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id = 3
b> SELECT * FROM mg a, mg b WHERE a.id = b.id AND a.v = b.v AND a.id < 5 ORDER BY a.id FOR UPDATE OF a
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> DELETE FROM mg WHERE id = 3
b> SELECT * FROM mg a JOIN mg b USING (id) WHERE a.id < 5 ORDER BY id FOR UPDATE
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET v = v + 1 WHERE id IN (3, 4)
b> SELECT * FROM mg a, mg b WHERE b.id = a.id + 1 AND b.v = a.v + 10 AND a.id < 5 ORDER BY a.id FOR UPDATE
a> COMMIT
# MERGE: two actions for what has come apart
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> MERGE INTO mg USING ms s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> DELETE FROM mg WHERE id = 3
b> MERGE INTO mg USING ms s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 8
b> MERGE INTO mg USING ms s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET g = 1 WHERE id = 3
b> MERGE INTO mg USING ms s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> MERGE INTO mg USING (SELECT r, count(*) c FROM ms GROUP BY r) s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> MERGE INTO mg USING ms s ON s.r = mg.id WHEN MATCHED AND g = 0 THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE AND id > 9 THEN DELETE
a> COMMIT
b> SELECT * FROM mg ORDER BY id
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> MERGE INTO mg USING (SELECT * FROM ms WHERE r = 3) s ON s.r = mg.id WHEN MATCHED THEN UPDATE SET v = c WHEN NOT MATCHED BY SOURCE AND id > 9 THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0) RETURNING merge_action(), mg.*, s.*
a> COMMIT
s> DELETE FROM mg; INSERT INTO mg SELECT i, i * 10, i % 3 FROM generate_series(1, 9) i
a> BEGIN
a> UPDATE mg SET id = 33 WHERE id = 3
b> MERGE INTO mg USING (VALUES (3, 3), (4, 4)) s(r, c) ON s.r = mg.id WHEN MATCHED AND g = 0 THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (r + 500, c, 0)
a> COMMIT
b> SELECT * FROM mg WHERE v <> id * 10 OR id > 9 ORDER BY id
