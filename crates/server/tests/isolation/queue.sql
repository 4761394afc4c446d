# Locks in subqueries and joins, WITH queries that change rows, RETURNING of other tables
s> CREATE TABLE q(id int PRIMARY KEY, state text NOT NULL DEFAULT 'new', owner text)
s> INSERT INTO q SELECT i FROM generate_series(1, 9) i
s> CREATE TABLE p(id int PRIMARY KEY, qid int, n int)
s> INSERT INTO p VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, 5, 40)
a> BEGIN
a> UPDATE q SET state = 'taken', owner = 'a' WHERE id = (SELECT id FROM q WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING *
b> BEGIN
b> UPDATE q SET state = 'taken', owner = 'b' WHERE id = (SELECT id FROM q WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *
c> WITH next AS (SELECT id FROM q WHERE state = 'new' ORDER BY id LIMIT 2 FOR NO KEY UPDATE SKIP LOCKED) UPDATE q SET state = 'taken', owner = 'c' FROM next WHERE q.id = next.id RETURNING q.*, next.id AS got
c> DELETE FROM q WHERE id IN (SELECT id FROM q WHERE state = 'new' ORDER BY id FOR UPDATE NOWAIT LIMIT 1)
a> COMMIT
b> ROLLBACK
c> SELECT * FROM q ORDER BY id
# Whoever waits in a subquery sees what the other one left.
a> BEGIN
a> UPDATE q SET state = 'done' WHERE id = 2
b> DELETE FROM q WHERE id = (SELECT id FROM q WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE) RETURNING id
a> COMMIT
c> SELECT id, state FROM q ORDER BY id
# Joins.
a> BEGIN
a> SELECT q.id, p.id, n FROM q JOIN p ON p.qid = q.id ORDER BY p.id FOR UPDATE OF q
b> SELECT * FROM p ORDER BY id FOR UPDATE NOWAIT
b> SELECT id FROM q ORDER BY id FOR UPDATE SKIP LOCKED
b> SELECT q.id, p.id FROM q, p WHERE q.id = p.qid ORDER BY p.id FOR UPDATE OF p FOR KEY SHARE OF q NOWAIT
b> SELECT q.id, p.id FROM q, p WHERE q.id = p.qid ORDER BY p.id FOR SHARE OF p FOR NO KEY UPDATE OF q SKIP LOCKED
b> SELECT q.id, p.id, p.n FROM q, p WHERE q.id = p.qid AND p.n < 100 ORDER BY p.id FOR UPDATE
a> UPDATE q SET owner = 'x' WHERE id = 1
a> UPDATE p SET n = n + 85 WHERE qid = 1
a> COMMIT
a> BEGIN
a> UPDATE p SET n = 1000 WHERE id = 3
b> SELECT q.id, p.* FROM q LEFT JOIN p ON q.id = p.qid ORDER BY q.id, p.id FOR UPDATE OF q
b> SELECT q.state, p.* FROM q JOIN p ON q.id = p.qid WHERE p.n < 500 ORDER BY p.id FOR UPDATE OF p
a> COMMIT
a> SELECT * FROM q LEFT JOIN p ON q.id = p.qid FOR UPDATE
a> SELECT * FROM q RIGHT JOIN p ON q.id = p.qid FOR UPDATE OF q
a> SELECT * FROM q RIGHT JOIN p ON q.id = p.qid ORDER BY p.id FOR SHARE OF p
a> SELECT * FROM q FULL JOIN p ON q.id = p.qid FOR UPDATE OF p
a> SELECT * FROM q JOIN p ON q.id = p.qid FOR UPDATE OF x
a> SELECT * FROM q AS x JOIN p ON x.id = p.qid FOR UPDATE OF q
a> WITH w AS (SELECT 1 AS one) SELECT * FROM w, p WHERE p.id = 1 FOR UPDATE
a> WITH w AS (SELECT 1 AS one) SELECT * FROM w, p WHERE p.id = 1 FOR UPDATE OF w
a> SELECT * FROM p JOIN (SELECT 1 AS one) s ON p.id = s.one FOR UPDATE OF p
a> SELECT * FROM generate_series(1, 2) g, p WHERE p.id = g ORDER BY p.id FOR UPDATE
a> SELECT * FROM p a JOIN p b USING (qid) WHERE a.id = 1 ORDER BY b.id FOR UPDATE
a> SELECT * FROM p ORDER BY n DESC FETCH FIRST 2 ROWS ONLY FOR UPDATE
a> SELECT id FROM p ORDER BY id OFFSET 1 LIMIT 1 FOR UPDATE
a> SELECT * FROM (SELECT * FROM p ORDER BY id LIMIT 1 FOR UPDATE) s
a> SELECT DISTINCT id FROM p FOR UPDATE
a> SELECT id FROM p UNION SELECT id FROM q FOR UPDATE
# RETURNING with other tables, old and new.
a> UPDATE p SET n = p.n + 1 FROM q WHERE q.id = p.qid AND p.id = 3 RETURNING p.id, q.id, p.n, state, owner
a> UPDATE p SET n = p.n + 1 FROM q WHERE q.id = p.qid AND p.id = 3 RETURNING *
a> UPDATE p AS t SET n = 7 FROM q AS o WHERE o.id = t.qid AND t.id = 3 RETURNING t.*, o.id + t.n AS sum, old.n, new.n, old.*
a> UPDATE p SET n = 8 FROM q WHERE q.id = p.qid AND p.id = 3 RETURNING id
a> UPDATE p SET n = 8 WHERE id = 3 RETURNING nothing
a> UPDATE p SET n = 8 WHERE id = 3 RETURNING q.id
a> UPDATE p SET n = 8 WHERE id = 3 RETURNING q.*
a> UPDATE p SET n = n + 1 WHERE id = 3 RETURNING old.n AS before, new.n AS after, n
a> UPDATE p SET n = s.x FROM (VALUES (1, 100), (2, 200)) AS s(id, x) WHERE s.id = p.id RETURNING p.id, s.x, n
a> DELETE FROM p USING q WHERE q.id = p.qid AND p.id = 3 RETURNING p.*, q.state, old.n, new.n
a> INSERT INTO p VALUES (3, 2, 30) RETURNING *, old.n, new.n
a> SELECT * FROM p ORDER BY id
# WITH queries that change rows.
a> WITH gone AS (DELETE FROM p WHERE id = 3 RETURNING *) INSERT INTO p SELECT id + 10, qid, n FROM gone RETURNING *
a> WITH gone AS (DELETE FROM p WHERE id > 10 RETURNING id), more AS (INSERT INTO p VALUES (5, 5, 50), (6, 5, 60) RETURNING id) SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM more), (SELECT count(*) FROM p)
a> SELECT * FROM p ORDER BY id
a> WITH up AS (UPDATE p SET n = n + 1 WHERE id = 5 RETURNING *) SELECT up.n, p.n FROM up JOIN p USING (id)
a> WITH up AS (UPDATE p SET n = n + 1 WHERE id = 5) SELECT 1
a> WITH up AS (UPDATE p SET n = n + 1 WHERE id = 5) SELECT * FROM up
a> WITH first AS (UPDATE p SET n = 1 WHERE id = 5 RETURNING id), second AS (UPDATE p SET n = p.n + 100 FROM first WHERE p.id = first.id + 1 RETURNING p.*) SELECT * FROM second
a> WITH w(x) AS (SELECT 5) DELETE FROM p USING w WHERE p.id = w.x RETURNING *
a> WITH w AS (SELECT 6 AS id) UPDATE p SET n = (SELECT id FROM w) WHERE id IN (SELECT id FROM w) RETURNING *
a> WITH w AS (SELECT 7 AS id) INSERT INTO p SELECT id, 1, 1 FROM w RETURNING *
a> WITH w AS (INSERT INTO p VALUES (7, 0, 0) RETURNING *) SELECT * FROM w
a> WITH w AS (INSERT INTO p VALUES (7, 0, 0) ON CONFLICT (id) DO UPDATE SET n = p.n + 5 RETURNING *) SELECT id, n FROM w
a> SELECT * FROM p ORDER BY id
a> PREPARE take(int, text) AS WITH next AS (SELECT id FROM q WHERE id >= $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE q SET owner = $2 FROM next WHERE q.id = next.id RETURNING q.id, owner
a> EXECUTE take(3, 'prepared')
a> EXECUTE take(100, 'prepared')
a> PREPARE drop_one(int) AS WITH d AS (DELETE FROM p WHERE id = $1 RETURNING *) SELECT id, n FROM d
a> EXECUTE drop_one(7)
# A chain of waits through a join.
a> BEGIN
a> UPDATE q SET owner = 'a' WHERE id = 1
b> BEGIN
b> UPDATE p SET n = n + 1 FROM q WHERE q.id = p.qid AND q.owner = 'x' AND p.id = 1 RETURNING p.n
b> UPDATE q SET owner = 'b' FROM p WHERE p.qid = q.id AND q.owner = 'x' RETURNING q.id
a> COMMIT
b> COMMIT
c> BEGIN ISOLATION LEVEL REPEATABLE READ
c> SELECT count(*) FROM q
a> UPDATE q SET owner = 'later' WHERE id = 1
c> SELECT q.id FROM q JOIN p ON p.qid = q.id ORDER BY p.id FOR UPDATE OF p
c> SELECT q.id FROM q JOIN p ON p.qid = q.id ORDER BY p.id FOR UPDATE
c> ROLLBACK
# One snapshot, and every WITH query once.
a> CREATE SEQUENCE s
a> CREATE TABLE parent(id int)
a> CREATE TABLE child(id int)
a> WITH n AS (SELECT nextval('s') AS id), i AS (INSERT INTO parent SELECT id FROM n) INSERT INTO child SELECT id FROM n RETURNING *
a> SELECT parent.id, child.id FROM parent, child
a> TRUNCATE p
a> INSERT INTO p VALUES (1, 1, 10)
a> BEGIN
a> UPDATE p SET n = 5 WHERE id = 1
a> INSERT INTO child VALUES (100)
b> SELECT (SELECT n FROM p WHERE id = 1 FOR UPDATE), (SELECT count(*) FROM child)
a> COMMIT
b> WITH d AS (DELETE FROM child RETURNING id) SELECT (SELECT sum(id) FROM d), (SELECT sum(id) FROM child)
a> BEGIN
a> ALTER SEQUENCE s RESTART WITH 40
b> SELECT nextval('s')
a> COMMIT
# What a statement that failed leaves; what others lock; WITH queries that nobody reads.
a> CREATE TABLE k(id int PRIMARY KEY)
a> INSERT INTO k VALUES (1)
a> WITH d AS (INSERT INTO k VALUES (1) RETURNING *) SELECT * FROM d
b> INSERT INTO k VALUES (2)
a> ALTER TABLE k ADD COLUMN c int DEFAULT 7
a> SELECT * FROM k ORDER BY id
a> BEGIN
a> LOCK TABLE k IN EXCLUSIVE MODE
a> INSERT INTO k VALUES (5)
b> WITH d AS (DELETE FROM k WHERE id = 5 RETURNING *) SELECT * FROM d
a> COMMIT
a> WITH unused AS (SELECT 1/0), d AS (DELETE FROM k WHERE id = 1 RETURNING id) SELECT id FROM d
a> CREATE SEQUENCE n
a> WITH w AS (SELECT nextval('n') AS v) INSERT INTO k SELECT v + 100 FROM w RETURNING id, (SELECT v FROM w)
a> PREPARE g(int) AS WITH w AS (SELECT * FROM generate_series(1, $1) AS i) INSERT INTO k SELECT i + 200 FROM w RETURNING id, (SELECT max(i) FROM w)
a> EXECUTE g(2)
b> BEGIN
b> CREATE TABLE own(id int)
a> ALTER SEQUENCE n RESTART WITH 100
b> SELECT nextval('n')
b> COMMIT
