# What an expression is worth below, at and above a join, and which equalities hold there: recorded from PostgreSQL 18.
a> SET client_min_messages = error
# An index is looked up by columns of two tables, which have to be equal to each other too.
a> CREATE TABLE big (k int, v int)
a> INSERT INTO big SELECT i % 1000, i FROM generate_series(0, 9999) i
a> CREATE INDEX ON big (k, v)
a> VACUUM ANALYZE big
a> CREATE TABLE one (x int, y int)
a> CREATE TABLE two (x int, y int)
a> INSERT INTO one VALUES (1, 980), (3, 1000)
a> INSERT INTO two VALUES (0, 20), (3, 3)
a> ANALYZE one
a> ANALYZE two
a> SELECT one.x, two.x, big.* FROM big, one, two WHERE two.x = big.k AND one.x = two.x AND big.v = one.y + two.y
a> SELECT one.x, two.x, big.* FROM big, one, two WHERE two.x = big.k AND one.x = big.k AND big.v = one.y + two.y
a> SELECT one.x, two.x, big.* FROM one JOIN two ON one.x = two.x LEFT JOIN big ON two.x = big.k AND big.v = one.y + two.y ORDER BY 1
a> SELECT one.x, two.x, l.* FROM one, two, LATERAL (SELECT * FROM big WHERE big.k = one.x AND big.k = two.x AND big.v = one.y + two.y) l
a> SELECT one.x, two.x, o.x, big.* FROM big, one, two, one o WHERE two.x = big.k AND one.x = two.x AND o.x = one.x AND big.v = one.y + two.y + o.y * 0
a> SELECT count(*) FROM one, two WHERE EXISTS (SELECT FROM big WHERE big.k = one.x AND big.k = two.x AND big.v = one.y + two.y)
# What is computed below an outer join, to be merged or hashed by, is not what it is above.
a> CREATE TABLE l (x int, z int)
a> CREATE TABLE r (x int, z int)
a> INSERT INTO l VALUES (1, 1), (2, 2), (3, 3)
a> INSERT INTO r VALUES (2, 2), (NULL, 3)
a> SELECT l.x, coalesce(r.x, -1) FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) ORDER BY 1
a> SELECT l.x FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) WHERE coalesce(r.x, -1) = -1 ORDER BY 1
a> SELECT coalesce(r.x, -1), count(*) FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) GROUP BY coalesce(r.x, -1) ORDER BY 1
a> SELECT coalesce(l.x, 0), coalesce(r.x, 0) FROM l FULL JOIN r ON coalesce(l.x, 0) = coalesce(r.x, 0) ORDER BY 1, 2
a> SELECT coalesce(l.x, 0) + 1, coalesce(r.x, 0) || 'x' FROM l FULL JOIN r ON coalesce(l.x, 0) = coalesce(r.x, 0) ORDER BY 1, 2
a> SELECT coalesce(l.x, 0), coalesce(r.x, 0) FROM l RIGHT JOIN r ON coalesce(l.x, 0) = coalesce(r.x, 0) ORDER BY 1, 2
a> SELECT l.x FROM l WHERE NOT EXISTS (SELECT FROM r WHERE l.x = coalesce(r.x, -1)) ORDER BY 1
a> SELECT DISTINCT coalesce(r.x, -1) FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) ORDER BY 1
a> SELECT rank() OVER (ORDER BY coalesce(r.x, -1)), max(r.x) OVER (PARTITION BY coalesce(r.x, -1)) FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) ORDER BY 1
a> SELECT s.*, coalesce(s.x, -1) FROM (SELECT l.x AS of_l, r.x FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1)) s ORDER BY 1
a> SELECT l.x, coalesce(r.x, -1), coalesce(o.x, -1) FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) LEFT JOIN r o ON coalesce(r.x, -1) = coalesce(o.x, -1) ORDER BY 1
a> BEGIN
a> UPDATE l SET z = coalesce(s.y, -1) FROM (SELECT l.x, r.x AS y FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1)) s WHERE s.x = l.x
a> SELECT * FROM l ORDER BY x
a> DELETE FROM l USING (SELECT l.x, r.x AS y FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1)) s WHERE s.x = l.x AND coalesce(s.y, -1) = -1
a> SELECT * FROM l ORDER BY x
a> ROLLBACK
a> SET enable_mergejoin = off
a> SELECT l.x, coalesce(r.x, -1) FROM l LEFT JOIN r ON l.x = coalesce(r.x, -1) WHERE coalesce(r.x, -1) = -1 ORDER BY 1
a> SELECT coalesce(l.x, 0), coalesce(r.x, 0) FROM l FULL JOIN r ON coalesce(l.x, 0) = coalesce(r.x, 0) ORDER BY 1, 2
a> RESET enable_mergejoin
# What follows from a constant holds above the outer joins within.
a> CREATE TABLE p (id int)
a> CREATE TABLE q (id int, k int)
a> CREATE TABLE c (id int, k int)
a> INSERT INTO p VALUES (3)
a> INSERT INTO q VALUES (1, 1), (2, 2)
a> INSERT INTO c VALUES (1, 7)
a> SELECT p.id, q.id FROM p LEFT JOIN (q LEFT JOIN c ON q.id = c.id) ON coalesce(c.k, 3) = p.id WHERE p.id = 3 ORDER BY 2
a> SELECT p.id, q.id, c.id FROM p LEFT JOIN (q LEFT JOIN c ON q.id = c.id) ON coalesce(c.k, q.k + 1) = p.id WHERE p.id = 3 ORDER BY 2
a> SELECT p.id, q.id FROM (q LEFT JOIN c ON q.id = c.id) RIGHT JOIN p ON p.id = coalesce(c.k, 3) WHERE p.id = 3 ORDER BY 2
a> SELECT p.id, q.id, c.id FROM p LEFT JOIN (q FULL JOIN c ON q.id = c.id) ON coalesce(c.k, 3) = p.id AND coalesce(q.k, 2) = p.id - 1 WHERE p.id = 3 ORDER BY 2
a> SELECT p.id, q.id, d.k FROM p LEFT JOIN (q LEFT JOIN (c LEFT JOIN c d ON c.k = d.id) ON q.id = c.id) ON coalesce(d.k, 3) = p.id WHERE p.id = 3 ORDER BY 2
# Grouping sets over one expression under two names. (PostgreSQL itself sorts by the first of them only.)
a> SELECT a AS p, a AS q, count(*) FROM (VALUES (1), (2)) t(a) GROUP BY GROUPING SETS ((p), (q)) ORDER BY 1, 2, 3
a> SELECT a AS p, a AS q, count(*), grouping(a) FROM (VALUES (1), (2)) t(a) GROUP BY GROUPING SETS ((p), (q)) ORDER BY 1, 2, 3
a> SELECT a AS p, a AS q, a, a + 1, count(*) FROM (VALUES (1), (2)) t(a) GROUP BY GROUPING SETS ((q), (p)) ORDER BY 1, 2, 3
a> SELECT * FROM (SELECT a AS p, a AS q, count(*) FROM (VALUES (1), (2)) t(a) GROUP BY ROLLUP (p, q) OFFSET 0) s ORDER BY 1, 2, 3
a> SELECT * FROM (SELECT a AS p, a AS q, count(*) FROM (VALUES (1), (2)) t(a) GROUP BY CUBE (p, q) OFFSET 0) s ORDER BY 1, 2, 3
a> SELECT a + 1, a + 1, count(*) FROM (VALUES (1), (2)) t(a) GROUP BY GROUPING SETS ((1), (2)) HAVING a + 1 > 2 ORDER BY 1, 2
a> SELECT a AS p, a AS q, rank() OVER (ORDER BY a) FROM (VALUES (1), (2)) t(a) GROUP BY GROUPING SETS ((p), (q)) ORDER BY 1, 2
a> SELECT a AS p, a AS q, count(*) FROM (VALUES (1), (2)) t(a) GROUP BY p, q ORDER BY 1
a> SELECT p, q, count(*) FROM (SELECT a AS p, a AS q FROM (VALUES (1), (2)) t(a)) s GROUP BY GROUPING SETS ((p), (q)) ORDER BY 1, 2
# What GROUPING says stays what it is under DISTINCT.
a> SELECT DISTINCT grouping(x) FROM l WHERE x <> x GROUP BY ROLLUP (x)
a> SELECT DISTINCT grouping(x), grouping(z), grouping(x, z) FROM l GROUP BY CUBE (x, z) ORDER BY 1, 2, 3
a> SELECT DISTINCT grouping(coalesce(x, 0)), coalesce(x, 0) FROM l WHERE x <> x GROUP BY ROLLUP (coalesce(x, 0), z)
a> SELECT DISTINCT ON (1) grouping(x, z), x, z FROM l GROUP BY CUBE (x, z) ORDER BY 1, 2, 3
# A greedy search turns back from orders that lead nowhere.
a> CREATE TABLE several(id int, a int, b int, c text)
a> INSERT INTO several VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, NULL, NULL, NULL)
a> SET geqo_threshold = 2
a> SELECT t2.id FROM several t2, least(t2.id, 4) t3(c1) WHERE t2.c IN (SELECT text 'a' AS c1 WHERE 1 = t3.c1 EXCEPT SELECT text 'a' AS c1 WHERE 2 = t2.id)
a> SELECT t4.c, t4.id FROM several t1 RIGHT JOIN (several t4 JOIN several t5 ON true) ON true, generate_series(1, t1.a) t6(c1) WHERE t4.a = t6.c1 AND t4.b IN (SELECT t7.b AS c1 FROM several t7 WHERE t5.c = t7.c UNION ALL SELECT t8.c1 + bigint '0' FROM generate_series(1, least(t1.a, 4)) t8(c1) WHERE coalesce(t8.c1, t8.c1) = t6.c1 AND bigint '5' = bigint '0' ORDER BY 1) ORDER BY 1, 2
a> RESET geqo_threshold
