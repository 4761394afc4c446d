# Windows over partitions that are too large to be held: they are computed in pieces
s> SET work_mem = '64kB'
s> CREATE TABLE w(id int PRIMARY KEY, g int, k int, big int, v int, m numeric, t text, pad text)
s> INSERT INTO w SELECT i, CASE WHEN i < 50000 THEN 1 WHEN i < 90000 THEN 2 WHEN i < 90010 THEN 3 ELSE i % 50 + 10 END, (i * 7919) % 20011, i % 3, CASE WHEN i % 11 > 0 THEN (i * 31) % 1000 END, (i % 1013) / 10.0, 't' || i % 500, repeat(md5(i::text), 5) FROM generate_series(1, 100000) i
s> ANALYZE w
# What counts, and goes on
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, row_number() OVER (ORDER BY m, id), rank() OVER (ORDER BY m, id), dense_rank() OVER (ORDER BY k), sum(v) OVER (ORDER BY k), count(*) FILTER (WHERE v > 500) OVER (ORDER BY k GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM w) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, row_number() OVER w, rank() OVER w, sum(m) OVER w, max(t) OVER w FROM w WINDOW w AS (PARTITION BY g ORDER BY k, id)) s WHERE id % 3 > 0
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, row_number() OVER w, sum(v) OVER (w ROWS UNBOUNDED PRECEDING) FROM w WINDOW w AS (ORDER BY big, id)) s
# Rows near by
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, lag(v) OVER w, lag(m, 3000, -1) OVER w, lead(t, 7) OVER w, lead(v, -2, 0) OVER w FROM w WINDOW w AS (PARTITION BY g ORDER BY k, id)) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, sum(v) OVER (w ROWS BETWEEN 5 PRECEDING AND 3 FOLLOWING), min(t) OVER (w ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING), first_value(id) OVER (w ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), last_value(id) OVER (w ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING), count(v) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM w WINDOW w AS (ORDER BY m, id)) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, lag(id) OVER w, row_number() OVER w, rank() OVER w, sum(v) OVER w, avg(m) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM w WINDOW w AS (PARTITION BY g ORDER BY t, id)) s
# Results that are known at the end
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, count(*) OVER (), sum(v) OVER (), max(t) OVER (PARTITION BY g), avg(m) FILTER (WHERE v > 10) OVER (PARTITION BY g) FROM w) s
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, pad, sum(v) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), row_number() OVER w, count(v) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), lag(v) OVER w FROM w WINDOW w AS (PARTITION BY g ORDER BY id)) s
s> SELECT id, count(*) OVER (), sum(id) OVER () FROM w ORDER BY id LIMIT 3
# The first rows
s> SELECT id, row_number() OVER (ORDER BY id), sum(id) OVER (ORDER BY id), lead(id, 2) OVER (ORDER BY id) FROM w ORDER BY id LIMIT 3
s> SELECT id, n FROM (SELECT id, row_number() OVER (ORDER BY id DESC) n FROM w) s WHERE n <= 3
s> SELECT id, rank() OVER (PARTITION BY g ORDER BY id) FROM w ORDER BY g, id LIMIT 3
s> SELECT id, sum(g) OVER (ORDER BY id) / count(*) OVER (ORDER BY id) FROM w ORDER BY id OFFSET 99998
# What is not in pieces
s> SELECT count(*), sum(hashtext(s::text)::bigint) FROM (SELECT id, ntile(7) OVER w, cume_dist() OVER w, lag(id, id % 3) OVER w FROM (SELECT id, k FROM w WHERE id % 10 = 0) s WINDOW w AS (ORDER BY k, id)) s
