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
