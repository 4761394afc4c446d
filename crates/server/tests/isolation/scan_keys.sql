# Conditions of sequential scans that are asked of rows where they lie on their pages: recorded from PostgreSQL 18.
a> SET client_min_messages = error
a> CREATE TABLE s (id int, small int2, big bigint, day date, at timestamp, tz timestamptz, yes bool, name text, code char(4), price numeric(9,2), free numeric, u uuid, f float8, doc text)
a> INSERT INTO s SELECT i, i % 200 - 100, i * 10000000000, date '2026-01-01' + i % 400, timestamp '2026-01-01' + i * interval '1 hour', timestamptz '2026-01-01 00:00+00' + i * interval '1 hour', i % 3 = 0, 'n' || i % 50, 'c' || i % 7, i % 1000 / 4.0, i % 10, ('00000000-0000-0000-0000-0000000000' || lpad((i % 90)::text, 2, '0'))::uuid, CASE WHEN i % 5 > 0 THEN i / 7.0 END, repeat(md5(i::text), i % 40) FROM generate_series(1, 6000) i
a> INSERT INTO s (id) SELECT i FROM generate_series(6001, 6100) i
a> INSERT INTO s (id, name, doc, f) VALUES (7001, '', repeat('x', 100000), 'NaN'), (7002, repeat('y', 9000), 'x', '-0')
a> SET timezone = 'America/New_York'
a> SELECT count(*), sum(id) FROM s WHERE small < -95
a> SELECT count(*), sum(id) FROM s WHERE small < -40000
a> SELECT count(*), sum(id) FROM s WHERE small > -40000::bigint AND id <= 17
a> SELECT count(*), sum(id) FROM s WHERE small = 70000
a> SELECT count(*), sum(id) FROM s WHERE small = ANY ('{1, 2, NULL, 70000}'::int[])
a> SELECT count(*), sum(id) FROM s WHERE 17 >= id
a> SELECT count(*), sum(id) FROM s WHERE 5990 < id AND id < 6010
a> SELECT count(*), sum(id) FROM s WHERE id = NULL OR id = 4
a> SELECT count(*), sum(id) FROM s WHERE id < NULL::int
a> SELECT count(*), sum(id) FROM s WHERE id <> 4 AND id < 7
a> SELECT count(*), sum(id) FROM s WHERE big BETWEEN 50000000000 AND 200000000000
a> SELECT count(*), sum(id) FROM s WHERE big = 30000000000
a> SELECT count(*), sum(id) FROM s WHERE day = '2026-02-03'
a> SELECT count(*), sum(id) FROM s WHERE day < timestamp '2026-01-02 12:00' AND day >= date '2026-01-02'
a> SELECT count(*), sum(id) FROM s WHERE day < timestamptz '2026-01-02 00:00-05'
a> SELECT count(*), sum(id) FROM s WHERE at > '2026-09-07 12:00'
a> SELECT count(*), sum(id) FROM s WHERE at < date '2026-01-02'
a> SELECT count(*), sum(id) FROM s WHERE tz >= date '2026-09-07'
a> SELECT count(*), sum(id) FROM s WHERE tz < timestamp '2026-01-01 05:00'
a> SELECT count(*), sum(id) FROM s WHERE tz > timestamptz '2026-09-01 00:00+00' + interval '5 days' AND yes
a> SELECT count(*), sum(id) FROM s WHERE NOT yes AND id < 10
a> SELECT count(*), sum(id) FROM s WHERE yes = true AND id < 10
a> SELECT count(*), sum(id) FROM s WHERE yes IS NULL
a> SELECT count(*), sum(id) FROM s WHERE yes IS NOT TRUE AND id > 5995
a> SELECT count(*), sum(id) FROM s WHERE name = 'n7'
a> SELECT count(*), sum(id) FROM s WHERE name = ''
a> SELECT count(*), sum(id) FROM s WHERE name = repeat('y', 9000)
a> SELECT count(*), sum(id) FROM s WHERE name = repeat('y', 9001)
a> SELECT count(*), sum(id) FROM s WHERE name IN ('n1', 'n2', 'none', NULL)
a> SELECT count(*), sum(id) FROM s WHERE name IN ('n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10')
a> SELECT count(*), sum(id) FROM s WHERE name < 'n1'
a> SELECT count(*), sum(id) FROM s WHERE code = 'c3' AND id < 40
a> SELECT count(*), sum(id) FROM s WHERE code = 'c3  '::text AND id < 40
a> SELECT count(*), sum(id) FROM s WHERE code IN ('c3', 'c4  ') AND id < 40
# Texts that are compared as char(n).
a> INSERT INTO s (id, name, code) VALUES (8001, 'b', 'b'), (8002, 'b  ', 'b'), (8003, ' b', 'b ')
a> SELECT count(*), sum(id) FROM s WHERE name::bpchar = 'b'::bpchar
a> SELECT count(*), sum(id) FROM s WHERE name = 'b'
a> SELECT count(*), sum(id) FROM s WHERE name = 'b '::char(3)
a> SELECT count(*), sum(id) FROM s WHERE name::bpchar IN ('b', 'a')
a> SELECT count(*), sum(id) FROM s WHERE code = 'b   '
a> SELECT count(*), sum(id) FROM s WHERE code::text = 'b'
a> DELETE FROM s WHERE name::bpchar = 'b' AND id > 8000
a> DELETE FROM s WHERE id > 8000
a> CREATE TABLE blanks (i int, c bpchar, t time, d date, ts timestamp, tz timestamptz)
a> INSERT INTO blanks VALUES (1, 'b  ', '00:00', '-infinity', '-infinity', 'infinity'), (2, 'b', '12:30', 'infinity', 'infinity', '-infinity'), (3, 'x', '24:00', '2026-01-01', '2026-01-01', '2026-01-01'), (4, 'y', NULL, NULL, NULL, NULL)
a> SELECT i FROM blanks WHERE c = 'b' ORDER BY i
a> SELECT i FROM blanks WHERE c IN ('b ', 'z') ORDER BY i
a> SELECT i FROM blanks WHERE t > '12:00' ORDER BY i
a> SELECT i FROM blanks WHERE t = '24:00' ORDER BY i
a> SELECT i FROM blanks WHERE d = '-infinity' OR d > '2030-01-01' ORDER BY i
a> SELECT i FROM blanks WHERE d < '2020-01-01' ORDER BY i
a> SELECT i FROM blanks WHERE ts >= 'infinity' ORDER BY i
a> SELECT i FROM blanks WHERE tz < date '2020-01-01' ORDER BY i
a> SELECT i FROM blanks WHERE d < timestamp 'infinity' ORDER BY i
a> ALTER TABLE blanks ADD COLUMN more int DEFAULT 7
a> ALTER TABLE blanks ADD COLUMN none int
a> ALTER TABLE blanks DROP COLUMN t
a> SELECT i FROM blanks WHERE more = 7 AND i = 3
a> SELECT i FROM blanks WHERE none IS NULL AND d = '2026-01-01'
a> SELECT i FROM blanks WHERE more > 7 OR none = 1
# NULL in a condition is as good as false.
a> SELECT count(*) FROM s WHERE id < 3 OR (NULL::bool AND 1 / (id - id) > 0)
a> SELECT count(*) FROM s WHERE id < 3 AND (day = NULL::date OR small = 1 - 1 - 99)
a> SELECT count(*) FROM s WHERE (id < 3 OR NULL) AND (NULL OR id > 1)
a> SELECT count(*), sum(id) FROM s WHERE price = 0.5
a> SELECT count(*), sum(id) FROM s WHERE price < 0.251
a> SELECT count(*), sum(id) FROM s WHERE price > 249.741
a> SELECT count(*), sum(id) FROM s WHERE price = 0.501
a> SELECT count(*), sum(id) FROM s WHERE price >= 'NaN'
a> SELECT count(*), sum(id) FROM s WHERE price < 'Infinity' AND id < 4
a> SELECT count(*), sum(id) FROM s WHERE free = 1.00 AND id < 60
a> SELECT count(*), sum(id) FROM s WHERE f = 'NaN'
a> SELECT count(*), sum(id) FROM s WHERE f = 0
a> SELECT count(*), sum(id) FROM s WHERE f IS NULL AND id < 100
a> SELECT count(*), sum(id) FROM s WHERE u = '00000000-0000-0000-0000-000000000089'
a> SELECT count(*), sum(id), sum(length(doc)) FROM s WHERE doc = repeat('x', 100000)
a> SELECT id, length(doc) FROM s WHERE id > 7000 ORDER BY id
a> SELECT id FROM s WHERE id % 1000 = 7 AND yes LIMIT 3
# A condition that fails is asked of the rows that come before it, and of no others.
a> SELECT count(*) FROM s WHERE 10 / (id - 5) > 0 AND id > 6000
a> SELECT count(*) FROM s WHERE id > 6000 AND 10 / (id - 5) > -1
a> SELECT count(*) FROM s WHERE id > 10 / (SELECT 0)
# EXISTS asks nothing of rows behind the first one.
a> SELECT EXISTS (SELECT FROM s WHERE 1 / (id - 10) >= 0)
a> SELECT EXISTS (SELECT FROM s WHERE 1 / (id - 1) >= 0)
a> SELECT count(*) FROM (SELECT o.id FROM (VALUES (1), (2)) o(id) WHERE EXISTS (SELECT FROM s WHERE s.id >= o.id AND 1 / (s.id - 10) >= -5) OR o.id IS NULL) z
a> SELECT count(*) FROM s WHERE id < (SELECT 10)
a> CREATE SEQUENCE asked
a> SELECT count(*) FROM s WHERE id > (SELECT nextval('asked')) AND small = 70000
a> SELECT nextval('asked')
a> PREPARE p (int, text) AS SELECT count(*), sum(id) FROM s WHERE id < $1 AND name = $2
a> EXECUTE p (200, 'n3')
a> EXECUTE p (NULL, 'n3')
a> SET plan_cache_mode = force_generic_plan
a> EXECUTE p (200, 'n4')
a> EXECUTE p (200, NULL)
# Who looks sees his own versions.
b> BEGIN ISOLATION LEVEL REPEATABLE READ
b> SELECT count(*), sum(id) FROM s WHERE small = -100
a> UPDATE s SET small = 1 WHERE small = -100 AND id < 3000
a> UPDATE s SET small = -100 WHERE id BETWEEN 501 AND 520
a> DELETE FROM s WHERE small = -100 AND id > 5000
a> SELECT count(*), sum(id) FROM s WHERE small = -100
b> SELECT count(*), sum(id) FROM s WHERE small = -100
b> COMMIT
b> SELECT count(*), sum(id) FROM s WHERE small = -100
a> EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT id FROM s WHERE id < 20
a> BEGIN
a> UPDATE s SET name = 'mine' WHERE id = 12
b> UPDATE s SET price = 1 WHERE name = 'n12' AND id < 100
a> COMMIT
b> SELECT id, price FROM s WHERE id IN (12, 62) ORDER BY id
