-- Everyday statements, each a script of pgbench behind a line with its name. The first makes the tables.

-- tables
DROP TABLE IF EXISTS k, m, people, orders, lines, hops, tree, counters, jobs, gone, wide;
CREATE TABLE k (id int PRIMARY KEY, g int, v int);
INSERT INTO k SELECT i, i % 100, i * 7 % 1000 FROM generate_series(1, 100000) i;
CREATE INDEX ON k (g);
CREATE TABLE m (k_id int, n int);
INSERT INTO m SELECT i % 1000, i FROM generate_series(1, 100000) i;
CREATE INDEX ON m (k_id);
CREATE TABLE people (
    id int PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, city int NOT NULL, born date NOT NULL,
    score numeric(10,2) NOT NULL, boss int, note text
);
INSERT INTO people SELECT i, 'p' || i || '@example.org', 'Name ' || i * 7919 % 20000, i % 200, date '1950-01-01' + i % 20000,
    i * 37 % 100000 / 100.0, nullif(i / 7, 0), CASE WHEN i % 3 = 0 THEN 'note ' || i END FROM generate_series(1, 20000) i;
CREATE INDEX ON people (city, score);
CREATE INDEX ON people (born);
CREATE INDEX ON people (boss);
CREATE INDEX ON people (lower(name));
CREATE TABLE orders (
    id bigint PRIMARY KEY, person_id int NOT NULL, status text NOT NULL, placed timestamptz NOT NULL, total numeric(12,2) NOT NULL,
    tags text[] NOT NULL
);
INSERT INTO orders SELECT i, 1 + i * 7919 % 20000, (ARRAY['new','paid','sent','back','lost'])[1 + i % 5],
    '2025-01-01'::timestamptz + i * interval '4 minutes', i * 17 % 100000 / 100.0,
    ARRAY['t' || i % 10, 'u' || i % 7] FROM generate_series(1, 100000) i;
CREATE INDEX ON orders (person_id, placed);
CREATE INDEX ON orders (status, placed);
CREATE INDEX ON orders (placed);
CREATE TABLE lines (
    order_id bigint NOT NULL, line int NOT NULL, product text NOT NULL, quantity int NOT NULL, price numeric(10,2) NOT NULL,
    PRIMARY KEY (order_id, line)
);
INSERT INTO lines SELECT i / 3, 1 + i % 3, 'product ' || i * 1049 % 5000, 1 + i % 4, i * 13 % 50000 / 100.0
    FROM generate_series(3, 299999) i;
CREATE INDEX ON lines (product);
CREATE TABLE hops (id int PRIMARY KEY, next int NOT NULL);
INSERT INTO hops SELECT i, (i * 7 + 1) % 20000 FROM generate_series(0, 19999) i;
CREATE TABLE tree (id int PRIMARY KEY, parent int, name text NOT NULL);
INSERT INTO tree SELECT i, nullif(i / 4, 0), 'node ' || i FROM generate_series(1, 4000) i;
CREATE INDEX ON tree (parent);
CREATE TABLE counters (name text PRIMARY KEY, n bigint NOT NULL DEFAULT 0, at timestamptz);
INSERT INTO counters SELECT 'c' || i, 0 FROM generate_series(1, 1000) i;
CREATE TABLE jobs (id int PRIMARY KEY, queue int NOT NULL, owner int, payload text);
INSERT INTO jobs SELECT i, i % 10, NULL, repeat('j', 50) FROM generate_series(1, 10000) i;
CREATE INDEX ON jobs (queue, id) WHERE owner IS NULL;
CREATE TABLE gone (id int PRIMARY KEY, g int NOT NULL, v text);
INSERT INTO gone SELECT i, i % 5000, 'v' || i FROM generate_series(1, 100000) i;
CREATE INDEX ON gone (g);
CREATE TABLE wide (id bigserial PRIMARY KEY, a int, b text, c timestamptz DEFAULT now(), d numeric, e boolean);
CREATE INDEX ON wide (a);
VACUUM ANALYZE;

-- SELECT 1
SELECT 1;
-- an expression
SELECT 1 + 2 * 3, upper('abc') || 'd', now() > '2000-01-01';
-- VALUES alone
VALUES (1, 'a'), (2, 'b'), (3, 'c');
-- SHOW
SHOW search_path;
-- SET
SET application_name = 'bench';
-- one value by key
SELECT v FROM k WHERE id = 77;
-- a row by key
\set id random(1, 20000)
SELECT * FROM people WHERE id = :id;
-- a key that is not there
\set id random(200000, 300000)
SELECT v FROM k WHERE id = :id;
-- a unique text key
\set id random(1, 20000)
SELECT id, name FROM people WHERE email = 'p' || :id || '@example.org';
-- a unique text key, a constant
SELECT id, name FROM people WHERE email = 'p77@example.org';
-- a key of two columns
\set id random(1, 90000)
SELECT product, quantity FROM lines WHERE order_id = :id AND line = 2;
-- the first column of a key of two
\set id random(1, 90000)
SELECT line, product, price FROM lines WHERE order_id = :id ORDER BY line;
-- by an expression's index
\set id random(1, 19999)
SELECT id FROM people WHERE lower(name) = 'name ' || :id;
-- a key and a filter
\set id random(1, 100000)
SELECT id FROM orders WHERE id = :id AND status = 'paid';
-- a key by a cast
\set id random(1, 100000)
SELECT total FROM orders WHERE id = (:id)::int;

-- two keys by IN
SELECT v FROM k WHERE id IN (77, 7077);
-- ten keys by IN
\set id random(1, 90000)
SELECT id, v FROM k WHERE id IN (:id, :id + 1, :id + 7, :id + 50, :id + 99, :id + 100, :id + 101, :id + 500, :id + 501, :id + 777);
-- keys by ANY of an array
SELECT id, v FROM k WHERE id = ANY ('{5,105,205,305,405}'::int[]);
-- IN and a filter
SELECT count(*) FROM k WHERE g = 5 AND id IN (5, 105, 205);
-- IN of a text key
SELECT name, n FROM counters WHERE name IN ('c1', 'c77', 'c500', 'none');
-- max of three by a secondary index
SELECT max(n) FROM m WHERE k_id IN (1, 2, 3);
-- a list of row values
SELECT order_id, line, product FROM lines WHERE (order_id, line) IN ((5, 1), (77, 2), (500, 3), (9999, 1));
-- row values, the second column by range
\set id random(1, 90000)
SELECT order_id, line FROM lines WHERE (order_id, line) > (:id, 2) ORDER BY order_id, line LIMIT 10;
-- a join with a list of row values
SELECT l.product, w.n FROM lines l JOIN (VALUES (5, 1, 10), (77, 2, 20), (500, 3, 30)) w(o, l, n) ON l.order_id = w.o AND l.line = w.l;
-- OR of two keys
\set id random(1, 20000)
SELECT id, email FROM people WHERE id = :id OR email = 'p5@example.org';
-- ANY of a column's array
SELECT id FROM orders WHERE 't3' = ANY (tags) LIMIT 10;
-- NOT IN of constants
SELECT id FROM k WHERE g = 7 AND id NOT IN (7, 107, 207) ORDER BY id LIMIT 10;

-- count of a range
SELECT count(*) FROM k WHERE id BETWEEN 100 AND 120;
-- sum of a range
\set id random(1, 90000)
SELECT sum(v) FROM k WHERE id BETWEEN :id AND :id + 19;
-- rows of a range
\set id random(1, 90000)
SELECT id, g, v FROM k WHERE id >= :id AND id < :id + 20;
-- a range in order of another column
\set id random(1, 90000)
SELECT id, v FROM k WHERE id BETWEEN :id AND :id + 99 ORDER BY v, id;
-- distinct values of a range
\set id random(1, 90000)
SELECT DISTINCT v FROM k WHERE id BETWEEN :id AND :id + 99 ORDER BY v;
-- a range of dates
\set day random(0, 19000)
SELECT id, name, born FROM people WHERE born BETWEEN date '1950-01-01' + :day::int AND date '1950-01-01' + :day::int + 7 ORDER BY born, id;
-- a range of times
\set day random(0, 250)
SELECT id, total FROM orders WHERE placed >= '2025-01-01'::timestamptz + :day * interval '1 day' AND placed < '2025-01-01'::timestamptz + :day * interval '1 day' + interval '1 hour' ORDER BY placed;
-- a prefix
\set id random(10, 99)
SELECT id, email FROM people WHERE email LIKE 'p123' || :id || '%' ORDER BY email LIMIT 10;

-- one of a group by an index
SELECT id FROM k WHERE g = 5 ORDER BY id LIMIT 1;
-- first ten of a group by value
SELECT v FROM k WHERE g = 5 ORDER BY v LIMIT 10;
-- first ten by an index of two columns
SELECT id, placed FROM orders WHERE status = 'paid' ORDER BY placed LIMIT 10;
-- last ten by an index of two columns
SELECT id, placed FROM orders WHERE status = 'paid' ORDER BY placed DESC LIMIT 10;
-- first ten by key
SELECT id, v FROM k ORDER BY id LIMIT 10;
-- by key with OFFSET
SELECT id, v FROM k ORDER BY id LIMIT 10 OFFSET 1000;
-- by an index with OFFSET
SELECT id, placed FROM orders ORDER BY placed LIMIT 10 OFFSET 1000;
-- a page behind a key
\set id random(1, 90000)
SELECT id, status, total FROM orders WHERE id > :id ORDER BY id LIMIT 20;
-- a page with its total count
\set city random(0, 199)
SELECT id, name, count(*) OVER () FROM people WHERE city = :city ORDER BY score DESC, id LIMIT 10;
-- LIMIT without order
SELECT id, v FROM k WHERE g = 5 LIMIT 5;
-- LIMIT of a filter
SELECT id FROM k WHERE v = 77 LIMIT 1;
-- WITH TIES
SELECT id, score FROM people WHERE city = 5 ORDER BY score FETCH FIRST 5 ROWS WITH TIES;
-- last order of a person
\set id random(1, 20000)
SELECT id, total FROM orders WHERE person_id = :id ORDER BY placed DESC LIMIT 1;
-- NULLS LAST by an index
SELECT id, boss FROM people WHERE city = 9 ORDER BY boss NULLS LAST, id LIMIT 10;

-- min by an index
SELECT min(placed) FROM orders;
-- min with a condition by an index
SELECT min(placed) FROM orders WHERE status = 'lost';
-- max by key
SELECT max(id) FROM orders;
-- min and max with a condition
SELECT min(score), max(score) FROM people WHERE city = 7;
-- count of a group
\set g random(0, 99)
SELECT count(*) FROM k WHERE g = :g;
-- groups of a range
SELECT g, count(*) FROM k WHERE id BETWEEN 100 AND 150 GROUP BY g;
-- sums of a person's orders
\set id random(1, 20000)
SELECT count(*), sum(total), avg(total)::numeric(12,2), max(placed) FROM orders WHERE person_id = :id;
-- groups by status
\set id random(1, 19000)
SELECT status, count(*), sum(total) FROM orders WHERE person_id BETWEEN :id AND :id + 20 GROUP BY status ORDER BY status;
-- HAVING
\set id random(1, 90000)
SELECT order_id, sum(quantity * price) FROM lines WHERE order_id BETWEEN :id AND :id + 20 GROUP BY order_id HAVING sum(quantity) > 6 ORDER BY 1;
-- FILTER
\set city random(0, 199)
SELECT count(*) FILTER (WHERE score > 500), count(*) FILTER (WHERE note IS NULL), count(DISTINCT boss) FROM people WHERE city = :city;
-- string_agg in order
\set id random(1, 90000)
SELECT order_id, string_agg(product, ', ' ORDER BY line) FROM lines WHERE order_id BETWEEN :id AND :id + 10 GROUP BY order_id ORDER BY order_id;
-- string_agg of one group in order
\set id random(1, 90000)
SELECT string_agg(product, ', ' ORDER BY product DESC) FROM lines WHERE order_id = :id;
-- array_agg in order
\set id random(1, 90000)
SELECT order_id, array_agg(price ORDER BY price DESC, line) FROM lines WHERE order_id BETWEEN :id AND :id + 10 GROUP BY order_id ORDER BY order_id;
-- array_agg without order
\set id random(1, 20000)
SELECT array_agg(id) FROM orders WHERE person_id = :id;
-- a rollup
\set id random(1, 19000)
SELECT person_id, status, count(*) FROM orders WHERE person_id BETWEEN :id AND :id + 5 GROUP BY ROLLUP (person_id, status) ORDER BY 1, 2;
-- bool_and and every
\set id random(1, 90000)
SELECT bool_and(quantity > 0), bool_or(price > 499) FROM lines WHERE order_id = :id;

-- a join by key
SELECT k.v, m.n FROM k JOIN m ON m.k_id = k.id WHERE k.id = 77;
-- a join of two keys
\set id random(1, 100000)
SELECT o.id, o.total, p.name FROM orders o JOIN people p ON p.id = o.person_id WHERE o.id = :id;
-- a join of three by keys
\set id random(1, 90000)
SELECT p.email, o.status, l.line, l.product FROM orders o JOIN people p ON p.id = o.person_id JOIN lines l ON l.order_id = o.id WHERE o.id = :id ORDER BY l.line;
-- a left join by key
\set id random(1, 19000)
SELECT p.id, b.name FROM people p LEFT JOIN people b ON b.id = p.boss WHERE p.id BETWEEN :id AND :id + 10 ORDER BY p.id;
-- a left join that finds nothing
\set id random(1, 19000)
SELECT p.id, c.n FROM people p LEFT JOIN counters c ON c.name = p.email WHERE p.id BETWEEN :id AND :id + 10 ORDER BY p.id;
-- a join by a secondary index
\set id random(1, 19000)
SELECT p.id, o.id, o.total FROM people p JOIN orders o ON o.person_id = p.id WHERE p.id BETWEEN :id AND :id + 10 ORDER BY p.id, o.id;
-- a join and a sum
\set id random(1, 20000)
SELECT sum(l.quantity * l.price) FROM orders o JOIN lines l ON l.order_id = o.id WHERE o.person_id = :id;
-- a join and groups
\set id random(1, 19000)
SELECT p.id, p.name, count(o.id), coalesce(sum(o.total), 0) FROM people p LEFT JOIN orders o ON o.person_id = p.id WHERE p.id BETWEEN :id AND :id + 20 GROUP BY p.id ORDER BY p.id;
-- a self-join
\set city random(0, 199)
SELECT a.id, b.id FROM people a JOIN people b ON a.city = b.city AND a.id < b.id WHERE a.city = :city AND a.id < 1000 AND b.id < 1000 ORDER BY 1, 2;
-- a join with a function
\set id random(1, 90000)
SELECT i, k.v FROM generate_series(:id, :id + 9) i JOIN k ON k.id = i ORDER BY i;
-- a hash join of small sides
\set city random(0, 199)
SELECT count(*) FROM people p JOIN tree t ON t.id = p.boss WHERE p.city = :city;
-- four tables
\set id random(1, 20000)
SELECT p.name, b.name, o.id, l.product FROM people p JOIN people b ON b.id = p.boss JOIN orders o ON o.person_id = p.id JOIN lines l ON l.order_id = o.id WHERE p.id = :id ORDER BY o.id, l.line;

-- a scalar subquery for each row
\set id random(1, 19000)
SELECT p.id, (SELECT max(o.placed) FROM orders o WHERE o.person_id = p.id) FROM people p WHERE p.id BETWEEN :id AND :id + 49;
-- a counting subquery for each row
\set id random(1, 19000)
SELECT p.id, (SELECT count(*) FROM orders o WHERE o.person_id = p.id) FROM people p WHERE p.id BETWEEN :id AND :id + 49;
-- a subquery by key for each row
\set id random(1, 90000)
SELECT o.id, (SELECT name FROM people p WHERE p.id = o.person_id) FROM orders o WHERE o.id BETWEEN :id AND :id + 49;
-- a subquery once
\set id random(1, 100000)
SELECT name FROM people WHERE id = (SELECT person_id FROM orders WHERE id = :id);
-- more than the mean
\set city random(0, 199)
SELECT id, score FROM people WHERE city = :city AND score > (SELECT avg(score) FROM people WHERE city = :city) ORDER BY id LIMIT 10;
-- EXISTS of one
\set id random(1, 20000)
SELECT EXISTS (SELECT 1 FROM orders WHERE person_id = :id AND status = 'lost');
-- EXISTS for each row
\set id random(1, 19000)
SELECT p.id FROM people p WHERE p.id BETWEEN :id AND :id + 49 AND EXISTS (SELECT 1 FROM orders o WHERE o.person_id = p.id AND o.status = 'lost') ORDER BY p.id;
-- NOT EXISTS for each row
\set id random(1, 19000)
SELECT p.id FROM people p WHERE p.id BETWEEN :id AND :id + 49 AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.person_id = p.id AND o.status = 'lost') ORDER BY p.id;
-- IN of a subquery
\set id random(1, 4000)
SELECT count(*) FROM orders WHERE id IN (SELECT order_id FROM lines WHERE product = 'product ' || :id);
-- NOT IN of a subquery
\set city random(0, 199)
SELECT count(*) FROM people WHERE city = :city AND id NOT IN (SELECT person_id FROM orders WHERE status = 'lost' AND placed < '2025-01-03');
-- ARRAY of a subquery
\set id random(1, 90000)
SELECT o.id, ARRAY(SELECT l.product FROM lines l WHERE l.order_id = o.id ORDER BY l.line) FROM orders o WHERE o.id BETWEEN :id AND :id + 9;
-- lateral, first two of each
\set id random(1, 19000)
SELECT p.id, o.id, o.total FROM people p CROSS JOIN LATERAL (SELECT id, total FROM orders WHERE person_id = p.id ORDER BY placed DESC LIMIT 2) o WHERE p.id BETWEEN :id AND :id + 19;
-- lateral, left
\set id random(1, 19000)
SELECT p.id, o.sum FROM people p LEFT JOIN LATERAL (SELECT sum(total) AS sum FROM orders WHERE person_id = p.id AND status = 'paid') o ON true WHERE p.id BETWEEN :id AND :id + 19;
-- lateral, a function
\set id random(1, 90000)
SELECT o.id, t FROM orders o, unnest(o.tags) t WHERE o.id BETWEEN :id AND :id + 9 ORDER BY 1, 2;
-- a derived table
\set id random(1, 19000)
SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM orders WHERE person_id BETWEEN :id AND :id + 20 GROUP BY person_id) s;

-- DISTINCT ON by an index
\set id random(1, 19000)
SELECT DISTINCT ON (person_id) person_id, id, placed FROM orders WHERE person_id BETWEEN :id AND :id + 20 ORDER BY person_id, placed DESC;
-- DISTINCT ON of a range
\set id random(1, 90000)
SELECT DISTINCT ON (g) g, id, v FROM k WHERE id BETWEEN :id AND :id + 99 ORDER BY g, v DESC;
-- WITH once
\set id random(1, 19000)
WITH s AS (SELECT person_id, sum(total) AS total FROM orders WHERE person_id BETWEEN :id AND :id + 20 GROUP BY person_id) SELECT p.name, s.total FROM s JOIN people p ON p.id = s.person_id ORDER BY s.total DESC LIMIT 5;
-- WITH twice
\set id random(1, 90000)
WITH s AS (SELECT id, v FROM k WHERE id BETWEEN :id AND :id + 20) SELECT a.id, b.id FROM s a JOIN s b ON a.v = b.v AND a.id < b.id;
-- WITH that changes
\set id random(1, 100000)
WITH c AS (UPDATE k SET v = v + 1 WHERE id = :id RETURNING id, v) SELECT c.v, m.n FROM c LEFT JOIN m ON m.k_id = c.id LIMIT 1;
-- a recursive look-up, 200 steps
\set id random(0, 19999)
WITH RECURSIVE r(id, n) AS (SELECT :id::int, 0 UNION ALL SELECT h.next, r.n + 1 FROM r JOIN hops h ON h.id = r.id WHERE r.n < 200) SELECT max(n) FROM r;
-- recursive, to the root
\set id random(1000, 4000)
WITH RECURSIVE up AS (SELECT id, parent, name FROM tree WHERE id = :id UNION ALL SELECT t.id, t.parent, t.name FROM tree t JOIN up ON t.id = up.parent) SELECT name FROM up;
-- recursive, to the leaves
\set id random(10, 60)
WITH RECURSIVE down AS (SELECT id FROM tree WHERE id = :id UNION ALL SELECT t.id FROM tree t JOIN down ON t.parent = down.id) SELECT count(*) FROM down;
-- UNION ALL of two
\set id random(1, 20000)
SELECT 'order' AS what, id::text FROM orders WHERE person_id = :id UNION ALL SELECT 'person', email FROM people WHERE id = :id;
-- UNION of two
\set id random(1, 90000)
SELECT v FROM k WHERE id BETWEEN :id AND :id + 20 UNION SELECT n FROM m WHERE k_id = 5 ORDER BY 1 LIMIT 10;
-- EXCEPT
\set id random(1, 90000)
SELECT g FROM k WHERE id BETWEEN :id AND :id + 50 EXCEPT SELECT g FROM k WHERE id BETWEEN :id + 10 AND :id + 20;

-- row_number over few rows
\set id random(1, 20000)
SELECT id, row_number() OVER (ORDER BY placed) FROM orders WHERE person_id = :id;
-- rank in parts
\set id random(1, 90000)
SELECT order_id, line, rank() OVER (PARTITION BY order_id ORDER BY price DESC) FROM lines WHERE order_id BETWEEN :id AND :id + 10;
-- a running sum
\set id random(1, 90000)
SELECT id, sum(v) OVER (ORDER BY id) FROM k WHERE id BETWEEN :id AND :id + 30;
-- lag and lead
\set id random(1, 20000)
SELECT id, placed - lag(placed) OVER w, lead(total) OVER w FROM orders WHERE person_id = :id WINDOW w AS (ORDER BY placed);
-- first of each part
\set id random(1, 90000)
SELECT * FROM (SELECT order_id, product, row_number() OVER (PARTITION BY order_id ORDER BY price) AS r FROM lines WHERE order_id BETWEEN :id AND :id + 10) s WHERE r = 1;

-- CASE
\set id random(1, 19000)
SELECT id, CASE WHEN score > 800 THEN 'gold' WHEN score > 300 THEN 'silver' ELSE 'none' END FROM people WHERE id BETWEEN :id AND :id + 20;
-- coalesce and nullif
\set id random(1, 19000)
SELECT id, coalesce(note, nullif(name, ''), email) FROM people WHERE id BETWEEN :id AND :id + 20;
-- parts of dates
\set id random(1, 19000)
SELECT id, date_part('year', born), to_char(born, 'YYYY-MM'), age(date '2025-01-01', born) FROM people WHERE id BETWEEN :id AND :id + 10;
-- groups by day
\set day random(0, 250)
SELECT date_trunc('day', placed), count(*) FROM orders WHERE placed >= '2025-01-01'::timestamptz + :day * interval '1 day' AND placed < '2025-01-03'::timestamptz + :day * interval '1 day' GROUP BY 1 ORDER BY 1;
-- text functions
\set id random(1, 19000)
SELECT upper(name), length(email), substr(email, 1, 3), split_part(email, '@', 2), replace(name, ' ', '_') FROM people WHERE id BETWEEN :id AND :id + 10;
-- optional parameters
\set id random(1, 20000)
SELECT id, total FROM orders WHERE (:id::int IS NULL OR person_id = :id) AND (NULL::text IS NULL OR status = NULL) ORDER BY id;
-- a row as JSON
\set id random(1, 20000)
SELECT row_to_json(p) FROM (SELECT id, name, email FROM people WHERE id = :id) p;
-- insert a row
\set id random(1, 1000000)
INSERT INTO wide (a, b, d, e) VALUES (:id, 'text', 1.5, true);
-- insert RETURNING
\set id random(1, 1000000)
INSERT INTO wide (a, b) VALUES (:id, 'text') RETURNING id, c;
-- insert ten rows
\set id random(1, 1000000)
INSERT INTO wide (a, b) VALUES (:id, 'a'), (:id + 1, 'b'), (:id + 2, 'c'), (:id + 3, 'd'), (:id + 4, 'e'), (:id + 5, 'f'), (:id + 6, 'g'), (:id + 7, 'h'), (:id + 8, 'i'), (:id + 9, 'j');
-- insert a hundred of a select
\set id random(1, 90000)
INSERT INTO wide (a, b) SELECT v, 'k' || id FROM k WHERE id BETWEEN :id AND :id + 99;
-- ON CONFLICT DO NOTHING, a new key
\set id random(1000000, 2000000000)
INSERT INTO gone (id, g, v) VALUES (:id, 1, 'new') ON CONFLICT DO NOTHING;
-- ON CONFLICT DO NOTHING, a key that is there
\set id random(1, 1000)
INSERT INTO counters (name) VALUES ('c' || :id) ON CONFLICT DO NOTHING;
-- ON CONFLICT DO NOTHING, four rows
\set id random(1000000, 2000000000)
INSERT INTO gone (id, g, v) VALUES (:id, 1, 'a'), (:id + 1, 2, 'b'), (:id + 2, 3, 'c'), (:id + 3, 4, 'd') ON CONFLICT (id) DO NOTHING;
-- ON CONFLICT DO UPDATE, a new key
\set id random(1000000, 2000000000)
INSERT INTO counters (name, n) VALUES ('n' || :id, 1) ON CONFLICT (name) DO UPDATE SET n = counters.n + excluded.n;
-- ON CONFLICT DO UPDATE, a key that is there
\set id random(1, 1000)
INSERT INTO counters (name, n) VALUES ('c' || :id, 1) ON CONFLICT (name) DO UPDATE SET n = counters.n + excluded.n, at = now() RETURNING n;
-- update by key
UPDATE k SET v = v + 1 WHERE id = 77;
-- update by key, any
\set id random(1, 100000)
UPDATE k SET v = v + 1 WHERE id = :id;
-- update by a key that is not there
\set id random(200000, 300000)
UPDATE k SET v = v + 1 WHERE id = :id;
-- update an indexed column
\set id random(1, 100000)
UPDATE k SET g = (g + 1) % 100 WHERE id = :id;
-- update a range
\set id random(1, 90000)
UPDATE k SET v = v + 1 WHERE id BETWEEN :id AND :id + 19;
-- update from a list
\set id random(1, 90000)
UPDATE k SET v = w.v FROM (VALUES (:id::int, 1), (:id + 1, 2), (:id + 2, 3)) w(id, v) WHERE k.id = w.id;
-- delete by key
\set id random(1, 100000)
DELETE FROM gone WHERE id = :id;
-- delete by a key that is not there
\set id random(200000, 300000)
DELETE FROM gone WHERE id = :id;
-- delete a range
\set id random(1, 4990)
DELETE FROM gone WHERE g = :id AND id > 50000;
-- delete and insert
\set id random(1, 1000)
BEGIN;
DELETE FROM counters WHERE name = 'c' || :id;
INSERT INTO counters (name) VALUES ('c' || :id);
COMMIT;
-- FOR UPDATE by key
\set id random(1, 100000)
SELECT v FROM k WHERE id = :id FOR UPDATE;
-- FOR SHARE of some
\set id random(1, 90000)
SELECT id FROM k WHERE id BETWEEN :id AND :id + 4 FOR SHARE;
-- SKIP LOCKED, the next of a queue
\set queue random(0, 9)
SELECT id, payload FROM jobs WHERE queue = :queue AND owner IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- lock and update
\set id random(1, 100000)
BEGIN;
SELECT v FROM k WHERE id = :id FOR UPDATE;
UPDATE k SET v = v - 1 WHERE id = :id;
COMMIT;

-- a relation by name
SELECT c.oid, c.relkind, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'people' AND n.nspname = 'public';
-- is there a table
SELECT to_regclass('public.people') IS NOT NULL;
-- columns of a relation
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull FROM pg_attribute a WHERE a.attrelid = 'people'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
-- \d, the name
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname OPERATOR(pg_catalog.~) '^(people)$' COLLATE pg_catalog.default AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3;
-- \d, the columns
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation, a.attidentity, a.attgenerated FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'people'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
-- \d, the indexes
SELECT c2.relname, i.indisprimary, i.indisunique, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true), pg_catalog.pg_get_constraintdef(con.oid, true), contype FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i LEFT JOIN pg_catalog.pg_constraint con ON (conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p', 'u', 'x')) WHERE c.oid = 'people'::regclass AND c.oid = i.indrelid AND i.indexrelid = c2.oid ORDER BY i.indisprimary DESC, c2.relname;
-- \dt
SELECT n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', '') AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast' AND n.nspname <> 'information_schema' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1, 2;
-- a driver's key columns
SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) WHERE i.indrelid = 'lines'::regclass AND i.indisprimary ORDER BY a.attnum;
-- a driver's type by name
SELECT t.oid, t.typarray, t.typtype FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'timestamptz' AND n.nspname = 'pg_catalog';
-- a driver's greeting
SELECT version(), current_database(), current_user, current_schema(), current_setting('server_version_num');
-- information_schema, the columns
SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'people' ORDER BY ordinal_position;
-- sessions that work
SELECT pid, state, query FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' ORDER BY pid;
