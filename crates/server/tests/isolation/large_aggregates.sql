# Aggregates whose rows are sorted or made distinct, over more rows than the memory holds
s> SET work_mem = '64kB'
s> SET hash_mem_multiplier = 1
s> CREATE TABLE a(id int PRIMARY KEY, g int, k int, v int, m numeric, f float8, t text, pad text)
s> INSERT INTO a SELECT i, CASE WHEN i < 70000 THEN 1 WHEN i < 120000 THEN 2 WHEN i < 120010 THEN NULL ELSE i % 50 + 10 END, (i * 7919) % 20011, CASE WHEN i % 11 > 0 THEN (i * 31) % 1000 END, (i % 1013) / 10.0, (i % 977) / 4.0, 't' || i % 500, repeat(md5(i::text), 4) FROM generate_series(1, 150000) i
s> CREATE INDEX ON a (k)
s> ANALYZE a
# One order for all
s> SELECT md5(string_agg(pad, ',' ORDER BY pad)) FROM a
s> SELECT md5(string_agg(pad, ',' ORDER BY k, id)), md5(array_agg(id ORDER BY k, id)::text), count(*), sum(v) FROM a
s> SELECT g, md5(string_agg(pad, ',' ORDER BY id DESC)), count(DISTINCT g) FROM a GROUP BY g ORDER BY g NULLS FIRST LIMIT 5
s> SELECT md5(string_agg(t, ',' ORDER BY id) FILTER (WHERE v > 500)), md5(array_agg(v ORDER BY id)::text) FROM a
s> SELECT md5(string_agg(DISTINCT t, ',' ORDER BY t DESC)), md5(array_agg(DISTINCT t)::text) FROM a
# Several orders
s> SELECT md5(string_agg(pad, ',' ORDER BY pad)), md5(string_agg(pad, ',' ORDER BY id)), md5(array_agg(k ORDER BY m DESC, id)::text) FROM a
s> SELECT g, md5(array_agg(id ORDER BY k, id)::text), md5(array_agg(id ORDER BY v NULLS FIRST, id DESC)::text), count(DISTINCT v), count(DISTINCT t), sum(DISTINCT m), avg(DISTINCT f) FROM a GROUP BY g ORDER BY g NULLS FIRST LIMIT 5
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT k, array_agg(id ORDER BY id DESC), array_agg(DISTINCT g), string_agg(t, '-' ORDER BY t, id), count(DISTINCT v) FILTER (WHERE id % 2 = 0) FROM a GROUP BY k) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id / 3, count(DISTINCT v), count(DISTINCT g), array_agg(id ORDER BY id DESC) FROM a GROUP BY id / 3) s
# DISTINCT: few and many values, long ones
s> SELECT count(DISTINCT v), count(DISTINCT t), count(DISTINCT g), count(DISTINCT id % 10) FROM a
s> SELECT count(DISTINCT id), count(DISTINCT pad), count(DISTINCT m), count(DISTINCT (v, k)) FROM a
s> SELECT count(DISTINCT pad || pad || pad || pad), sum(DISTINCT m), avg(DISTINCT f), min(DISTINCT t), sum(DISTINCT id::bigint) FILTER (WHERE id > 1000) FROM a
s> SELECT count(DISTINCT k), count(DISTINCT k + 1) FROM a WHERE k BETWEEN 100 AND 15000
s> SELECT count(DISTINCT CASE WHEN id % 2 = 0 THEN id END), count(DISTINCT NULL::int), count(DISTINCT 1) FROM a
s> SELECT count(DISTINCT id), array_agg(DISTINCT v) FILTER (WHERE false), string_agg(t, ',' ORDER BY t) FILTER (WHERE id < 0) FROM a WHERE id < 5
s> SELECT count(DISTINCT id), array_agg(DISTINCT v), string_agg(t, ',' ORDER BY t) FROM a WHERE false
s> SELECT v, count(DISTINCT t), array_agg(t ORDER BY t) FROM a WHERE false GROUP BY v
# What is equal shows differently
s> SELECT count(DISTINCT x), sum(DISTINCT x), count(DISTINCT -x::float8) FROM (SELECT (i % 3)::numeric(10, 2) x FROM generate_series(1, 1000) i UNION ALL SELECT (i % 3)::numeric FROM generate_series(1, 1000) i UNION ALL SELECT '-0'::float8::numeric) s
# Grouping sets
s> SELECT g IS NULL, k % 7, count(DISTINCT id), count(DISTINCT v), md5(string_agg(pad, ',' ORDER BY id)) FROM a WHERE id % 2 = 0 GROUP BY ROLLUP (1, 2) ORDER BY 1, 2
# Conditions after which a window stops
s> SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE n <= 3
s> SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE n BETWEEN 11 AND 13
s> SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE 20000 = n
s> SELECT id, n FROM (SELECT id, rank() OVER (ORDER BY k) n FROM a) s WHERE n < 9 ORDER BY id
s> SELECT g, id, n FROM (SELECT g, id, row_number() OVER (PARTITION BY g ORDER BY id DESC) n FROM a) s WHERE n < 2 AND g > 50 ORDER BY g
s> SELECT count(*) FROM (SELECT count(*) OVER (ORDER BY k) n FROM a) s WHERE n <= 1000
s> SELECT count(*) FROM (SELECT count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) n FROM a) s WHERE n >= 149000
s> SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY g) n FROM a) s WHERE n <= 600
s> SELECT count(*) FROM (SELECT count(*) OVER () n FROM a) s WHERE n = 150000
s> SELECT count(*) FROM (SELECT count(*) OVER (ROWS UNBOUNDED PRECEDING) n FROM a) s WHERE n = 150
s> SELECT count(*) FROM (SELECT count(v) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) n FROM a) s WHERE n < 4
s> SELECT count(*) FROM (SELECT count(*) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) n FROM a WHERE id <= 3000) s WHERE n < 4
s> SELECT id, n, r FROM (SELECT id, row_number() OVER (ORDER BY id) n, row_number() OVER (ORDER BY id DESC) r FROM a) s WHERE n <= 3 AND r > 5 ORDER BY id
s> SELECT id, n, r FROM (SELECT id, row_number() OVER (ORDER BY id) n, sum(v) OVER (ORDER BY k) r FROM a) s WHERE n <= 3 ORDER BY id
s> SELECT id, n FROM (SELECT DISTINCT ON (v) id, v, row_number() OVER (ORDER BY id DESC) n FROM a ORDER BY v, id) s WHERE n <= 149998 AND v < 3 ORDER BY id
s> SELECT id, n FROM (SELECT id, ntile(id) OVER (ORDER BY id) n FROM (SELECT nullif(id, 1) id FROM a WHERE id < 5) a) s WHERE n < 9 ORDER BY id
s> SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE n <= (SELECT count(*) FROM a WHERE id < 3)
s> SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE n < NULL
s> PREPARE p(bigint) AS SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE n <= $1
s> EXECUTE p(2)
s> EXECUTE p(0)
s> SELECT b.id, s.n FROM a b, LATERAL (SELECT * FROM (SELECT row_number() OVER (ORDER BY id DESC) n FROM a WHERE a.k = b.k) w WHERE n <= b.id) s WHERE b.id < 3 ORDER BY 1, 2
s> EXPLAIN (COSTS OFF) SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE n <= 3
s> EXPLAIN (COSTS OFF) SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM a) s WHERE 3 = n
s> EXPLAIN (COSTS OFF) SELECT string_agg(t, ',' ORDER BY t) FROM a
s> EXPLAIN (COSTS OFF) SELECT array_agg(id ORDER BY id) FROM a
s> EXPLAIN (COSTS OFF) SELECT g, array_agg(id ORDER BY m), array_agg(t ORDER BY m, t) FROM a GROUP BY g
# Set operations of many rows
s> SELECT count(*), sum(hashtext(pad)::bigint) FROM (SELECT pad FROM a EXCEPT SELECT pad FROM a WHERE id % 3 = 0) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT v, pad FROM a INTERSECT SELECT v, pad FROM a WHERE id % 3 = 0) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT pad, t FROM (SELECT * FROM a UNION ALL SELECT * FROM a WHERE id < 1000) x EXCEPT ALL SELECT pad, t FROM a WHERE id % 3 = 0) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM ((SELECT pad, v FROM a UNION ALL SELECT pad, v FROM a WHERE id < 1000) INTERSECT ALL (SELECT pad, v FROM a UNION ALL SELECT pad, v FROM a WHERE id < 500)) s
s> SELECT count(*), count(t) FROM (SELECT t, pad FROM a EXCEPT SELECT t, pad FROM a) s
s> SELECT v, count(*) FROM (SELECT v FROM a EXCEPT ALL SELECT v FROM a WHERE id > 30) s GROUP BY v ORDER BY count(*) DESC, v NULLS FIRST LIMIT 3
# Cursors over many rows
s> BEGIN
s> DECLARE h SCROLL CURSOR WITH HOLD FOR SELECT id, md5(pad || pad), repeat(pad, 4) p FROM a ORDER BY id DESC
s> DECLARE n NO SCROLL CURSOR WITH HOLD FOR SELECT id, repeat(pad, 4) FROM a ORDER BY id
s> FETCH 2 FROM n
s> MOVE 3 IN h
s> COMMIT
s> FETCH 2 FROM n
s> MOVE 100000 IN n
s> FETCH NEXT FROM n
s> MOVE ALL IN n
s> FETCH NEXT FROM n
s> FETCH PRIOR FROM h
s> FETCH LAST FROM h
s> FETCH BACKWARD 2 FROM h
s> FETCH ABSOLUTE 75000 FROM h
s> FETCH RELATIVE -50000 FROM h
s> FETCH RELATIVE 70000 FROM h
s> MOVE BACKWARD 10 IN h
s> FETCH FIRST FROM h
s> FETCH ABSOLUTE -3 FROM h
s> FETCH ABSOLUTE 0 FROM h
s> FETCH NEXT FROM h
s> CLOSE ALL
# Sorted by aggregates whose rows come sorted
s> CREATE TABLE z(a int, b int)
s> INSERT INTO z SELECT i % 3, i / 2 FROM generate_series(1, 20) i
s> SELECT a, count(DISTINCT b) FROM z GROUP BY a ORDER BY 2 DESC, 1
s> SELECT a, string_agg(b::text, ',' ORDER BY b, a) x FROM z GROUP BY a ORDER BY length(string_agg(b::text, ',' ORDER BY b, a)), x DESC
s> SELECT a FROM z GROUP BY a HAVING count(DISTINCT b) > 2 ORDER BY count(DISTINCT b), a
s> SELECT DISTINCT a % 1, count(DISTINCT b) FROM z GROUP BY a ORDER BY 2
s> SELECT DISTINCT ON (2) a, count(DISTINCT b) FROM z GROUP BY a ORDER BY 2, a DESC
s> SELECT * FROM (SELECT a, count(b ORDER BY b) c FROM z GROUP BY a ORDER BY c, a LIMIT 2) s
s> SELECT a, count(DISTINCT b) c, rank() OVER (ORDER BY count(DISTINCT b), a) FROM z GROUP BY a ORDER BY 3
s> SELECT a, (SELECT count(DISTINCT z1.b) FROM z WHERE z.b = 1 LIMIT 1) c FROM z z1 GROUP BY a ORDER BY 2, 1
s> SELECT count(DISTINCT a) FROM z ORDER BY 1
# Sides that come sorted
s> SELECT count(*), max(length(t)) FROM (SELECT repeat(pad, 5) t, id FROM a INTERSECT ALL SELECT repeat(pad, 5), id FROM a) s
s> SET enable_hashagg = off
s> SELECT v, count(*) FROM (SELECT v FROM a WHERE id < 50 EXCEPT ALL SELECT v FROM a WHERE id < 30) s GROUP BY v ORDER BY v NULLS FIRST LIMIT 4
s> SELECT v FROM a WHERE id < 3000 INTERSECT SELECT nullif(id, 5) FROM a WHERE id < 12 OR id BETWEEN 990 AND 994 ORDER BY 1
s> SELECT v FROM a WHERE id < 60 INTERSECT ALL SELECT v FROM a WHERE id BETWEEN 20 AND 45 ORDER BY 1 NULLS FIRST LIMIT 5
s> SELECT k, v FROM a WHERE id < 40 EXCEPT SELECT k, v FROM a WHERE id > 9 ORDER BY 1, 2
