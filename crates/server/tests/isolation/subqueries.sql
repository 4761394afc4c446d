# Scalar subqueries, assignments of rows, names that USING merges, set_config
a> CREATE TABLE a(id int, x int, k int)
a> CREATE TABLE b(id int, y int, k int)
a> CREATE TABLE c(id int, z int)
a> INSERT INTO a VALUES (1, 10, 1), (2, 20, 2), (3, 30, NULL)
a> INSERT INTO b VALUES (1, 100, 1), (2, 200, 2), (4, 400, 4), (4, 401, 4)
a> INSERT INTO c VALUES (1, 1000), (2, 2000)
a> SELECT id, (SELECT y FROM b WHERE b.id = a.id) FROM a ORDER BY id
a> SELECT id, (SELECT y FROM b WHERE b.id = a.id + 1) FROM a ORDER BY id
a> SELECT id, (SELECT y FROM b WHERE b.id = a.id + 1 ORDER BY y DESC LIMIT 1) FROM a ORDER BY id
a> SELECT id, (SELECT y + 1 FROM b WHERE b.id = a.id + 1 ORDER BY y LIMIT 1) AS n FROM a ORDER BY id
a> SELECT id, (SELECT b.k FROM b WHERE b.id = a.id + 1 ORDER BY y LIMIT 1) AS n FROM a ORDER BY id
a> SELECT id FROM a WHERE x * 10 = (SELECT y FROM b WHERE b.id = a.id) ORDER BY id
a> SELECT id, coalesce((SELECT y FROM b WHERE b.id = a.id), -1) FROM a ORDER BY id
a> SELECT id, (SELECT (SELECT z FROM c WHERE c.id = b.id) FROM b WHERE b.id = a.id) FROM a ORDER BY id
a> SELECT (SELECT y FROM b)
a> SELECT (SELECT y FROM b WHERE id = 1), (SELECT y FROM b WHERE id = 9)
a> SELECT id, (SELECT x, k FROM b WHERE b.id = a.id) FROM a
a> UPDATE a SET x = (SELECT y FROM b WHERE b.id = a.id)
a> SELECT * FROM a ORDER BY id
a> UPDATE a SET x = (SELECT y FROM b WHERE b.id = a.id + 1) WHERE id = 3
a> UPDATE a SET x = (SELECT max(y) FROM b WHERE b.id = a.id + 1) WHERE id = 3 RETURNING *
a> UPDATE a SET (x, k) = (SELECT y, k FROM b WHERE b.id = a.id) WHERE id < 3 RETURNING *
a> UPDATE a SET (x, k) = (SELECT y, k FROM b WHERE b.id = 9) WHERE id = 1 RETURNING *
a> UPDATE a SET (x, k) = (SELECT y, k FROM b ORDER BY y DESC LIMIT 1) WHERE id = 1 RETURNING *
a> UPDATE a SET (x, k) = (SELECT * FROM c WHERE id = 2) WHERE id = 1 RETURNING *
a> UPDATE a SET (x, k) = (SELECT y FROM b WHERE id = 1)
a> UPDATE a SET (x, k) = ROW(7, DEFAULT) WHERE id = 1 RETURNING *
a> UPDATE a SET (x, k) = (8, x) WHERE id = 1 RETURNING *
a> UPDATE a SET (x, k) = (1, 2, 3)
a> UPDATE a SET (x) = ROW(9) WHERE id = 1 RETURNING *
a> DELETE FROM a WHERE x = (SELECT y FROM b WHERE b.id = a.id) RETURNING id
a> INSERT INTO a SELECT id, y, k FROM b WHERE id < 3
a> SELECT id, a.x, y, z FROM a JOIN b USING (id) JOIN c USING (id) ORDER BY id, y, a.x
a> SELECT * FROM a JOIN b USING (id) JOIN c USING (id) ORDER BY id, y, a.x
a> SELECT count(*), id FROM a JOIN b USING (id) JOIN c USING (id) GROUP BY id HAVING id > 0 ORDER BY id
a> SELECT id FROM a LEFT JOIN b USING (id) LEFT JOIN c USING (id) WHERE id = 3
a> SELECT id, k FROM a JOIN b USING (id, k) JOIN c USING (id) ORDER BY id
a> SELECT b.id AS id, c.z FROM a JOIN b USING (id) JOIN c USING (id) WHERE id > 1 ORDER BY id
a> SELECT s.id FROM a JOIN b USING (id) JOIN (SELECT id FROM c) AS s USING (id) ORDER BY id
a> SELECT x FROM a JOIN b USING (id) JOIN c USING (id) WHERE id IN (SELECT id FROM c WHERE id = 2)
a> SHOW statement_timeout
a> SELECT set_config('statement_timeout', '5s', true)
a> SHOW statement_timeout
a> BEGIN
a> SELECT set_config('statement_timeout', '6s', true)
a> SHOW statement_timeout
a> COMMIT
a> SHOW statement_timeout
a> SELECT set_config('statement_timeout', '7s', false)
a> SHOW statement_timeout
a> BEGIN
a> SELECT set_config('statement_timeout', '8s', false)
a> ROLLBACK
a> SHOW statement_timeout
a> SELECT set_config('default_transaction_read_only', 'on', false)
a> INSERT INTO a VALUES (0)
a> SELECT set_config('default_transaction_read_only', 'off', false)
a> INSERT INTO a VALUES (0)
a> SELECT set_config('shared_buffers', '1GB', false)
a> SELECT set_config('no_such_thing', '1', false)
a> SELECT id FROM a WHERE (id, k) IN (SELECT id, k FROM b) ORDER BY id
a> SELECT id FROM a WHERE id = 0 OR (id, k) IN (SELECT b.id, b.k FROM b WHERE b.k = 2) ORDER BY id
a> DELETE FROM a WHERE (id, k) IN (SELECT id, k FROM b WHERE id = 2) RETURNING id
# EXISTS and IN among the results
a> DELETE FROM a
a> INSERT INTO a VALUES (1, 1, 1), (2, 2, 2), (0, 0, 0), (NULL, 5, 5)
a> DELETE FROM b WHERE id > 2
a> SELECT id, EXISTS (SELECT 1 FROM b WHERE b.id = a.id), NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.id) AS none FROM a ORDER BY id
a> SELECT EXISTS (SELECT 1 FROM b), EXISTS (SELECT 1 FROM b WHERE id = 99), EXISTS (SELECT id FROM b ORDER BY id LIMIT 1)
a> SELECT id, id IN (SELECT id FROM b), id NOT IN (SELECT id FROM b) FROM a ORDER BY id
a> SELECT 1 IN (SELECT id FROM b), 7 IN (SELECT id FROM b), NULL IN (SELECT id FROM b), 7 IN (SELECT id FROM b WHERE id = 99), NULL IN (SELECT id FROM b WHERE id = 99)
a> INSERT INTO b VALUES (NULL, 0, 0)
a> SELECT id, id IN (SELECT id FROM b), id NOT IN (SELECT id FROM b) FROM a ORDER BY id
a> SELECT id, id IN (SELECT b.id FROM b WHERE b.k = a.k) FROM a ORDER BY id
a> SELECT CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.id = a.id) THEN 'y' ELSE 'n' END FROM a ORDER BY id
a> SELECT count(*), EXISTS (SELECT 1 FROM c) FROM a
a> SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id) = true ORDER BY id
a> SELECT s.there FROM (SELECT EXISTS (SELECT 1 FROM b WHERE b.id = a.id) AS there, id FROM a) s ORDER BY s.id
a> UPDATE a SET k = (EXISTS (SELECT 1 FROM b WHERE b.id = a.id))::int
a> SELECT id, k FROM a ORDER BY id
a> INSERT INTO a SELECT 9, 9, 9 WHERE NOT EXISTS (SELECT 1 FROM a WHERE id = 9) RETURNING id
a> INSERT INTO a SELECT 9, 9, 9 WHERE NOT EXISTS (SELECT 1 FROM a WHERE id = 9) RETURNING id
a> UPDATE a SET k = max(k)
a> UPDATE a SET k = 1 WHERE max(k) = 1
a> DELETE FROM a RETURNING count(*)
a> DELETE FROM a RETURNING row_number() OVER ()
a> SELECT count(*) FROM a
a> WITH RECURSIVE r(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, s || 'b' FROM r WHERE n < 3) SELECT * FROM r
a> WITH RECURSIVE r(n) AS (SELECT 1 + 1 UNION ALL SELECT n * 2 FROM r WHERE n < 30) SELECT sum(n) FROM r
a> WITH RECURSIVE r AS (SELECT id, x FROM a WHERE id = 0 UNION SELECT a.id, a.x FROM a JOIN r ON a.id = r.id + 1) SELECT * FROM r ORDER BY id
a> SELECT substr('hello', 2, 3), substring('hello' from 2 for 3)
a> WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 FROM r JOIN c ON c.id > 0 WHERE r.n < 4) SELECT n, count(*) FROM r GROUP BY n ORDER BY n
# Subqueries over the statement's own table, aggregates, limits
a> CREATE TABLE t(id int, k int, flag boolean)
a> INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)
a> SELECT id, id IN (SELECT id FROM t WHERE k > 1) FROM t ORDER BY id
a> UPDATE t SET flag = id IN (SELECT id FROM t WHERE k > 1)
a> SELECT id, flag, EXISTS (SELECT 1 FROM t AS o WHERE o.id = t.id + 1) FROM t ORDER BY id
a> CREATE TABLE u(id int, g int, x int)
a> INSERT INTO u VALUES (1, 1, 10), (1, 1, 11), (2, 2, 20)
a> SELECT id, (SELECT count(*) FROM u WHERE u.id = t.id LIMIT 1), (SELECT sum(x) FROM u WHERE u.id = t.id ORDER BY 1 LIMIT 1) FROM t ORDER BY id
a> UPDATE t SET (id, k) = (SELECT id + 0, count(*) FROM u WHERE u.id = 2 GROUP BY 1) WHERE id = 2 RETURNING *
a> UPDATE t SET (k, id) = (SELECT count(*), max(u.id) FROM u WHERE u.id = t.id) WHERE id < 3
a> SELECT * FROM t ORDER BY id
a> UPDATE t SET (k, flag) = (SELECT count(*), true FROM u WHERE u.x > 100) WHERE id = 1 RETURNING *
a> SELECT id, (SELECT x FROM u WHERE u.id = t.id) FROM t WHERE id = 1
a> SELECT EXISTS (SELECT FROM t WHERE id = 1 FOR UPDATE), EXISTS (SELECT FROM t WHERE id = 7 FOR UPDATE)
a> SELECT * FROM t, (SELECT 1 AS one) WHERE id = 1 FOR UPDATE OF t
a> UPDATE t SET k = one FROM (SELECT 77 AS one) WHERE id = 1 RETURNING *
a> CREATE TABLE o(id int PRIMARY KEY, x int, n int)
a> INSERT INTO o VALUES (1, 10, 0)
a> INSERT INTO o VALUES (1, 0, 0) ON CONFLICT (id) DO UPDATE SET n = (SELECT count(*) FROM u WHERE u.x = o.x) RETURNING *
a> INSERT INTO o VALUES (1, 0, 0) ON CONFLICT (id) DO UPDATE SET n = (SELECT max(g) FROM u WHERE x > 10) RETURNING *
a> SELECT set_config('work_mem', '8MB', 'true'), set_config('work_mem', '8MB', NULL)
a> SELECT set_config('work_mem', NULL, false), set_config(NULL, 'x', false)
a> WITH w AS (SELECT 5 AS five) INSERT INTO t VALUES (8, 8) RETURNING id, (SELECT five FROM w)
a> WITH w AS (SELECT 5 AS five) DELETE FROM t WHERE id = 8 RETURNING id, (SELECT five FROM w)
a> SELECT t.id, (SELECT u.g FROM u WHERE u.id = t.id GROUP BY u.g ORDER BY count(*) DESC LIMIT 1) FROM t ORDER BY id
a> UPDATE t SET (k, flag) = (SELECT count(*), true FROM u WHERE u.id = t.id)
a> SELECT * FROM t ORDER BY id
a> WITH RECURSIVE w AS (SELECT 0.5 AS x UNION ALL SELECT 0.25), r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2) SELECT x, n FROM w, r ORDER BY x, n
