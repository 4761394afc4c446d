-- What a shop's application asks of its database, each a script of pgbench behind a line with its name. The first makes the tables.

-- tables
DROP TABLE IF EXISTS categories, customers, products, orders, order_items, tags, events, counters, sessions;
CREATE TABLE categories (id int PRIMARY KEY, parent_id int, name text NOT NULL);
CREATE TABLE customers (
    id int PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, country char(2) NOT NULL,
    active boolean NOT NULL DEFAULT true, balance numeric(12,2) NOT NULL DEFAULT 0, created_at timestamptz NOT NULL
);
CREATE TABLE products (
    id int PRIMARY KEY, sku varchar(20) NOT NULL UNIQUE, title text NOT NULL, price numeric(10,2) NOT NULL,
    category_id int NOT NULL, stock int NOT NULL, updated_at timestamptz
);
CREATE TABLE orders (
    id bigserial PRIMARY KEY, customer_id int NOT NULL, status text NOT NULL, placed_at timestamptz NOT NULL, total numeric(12,2),
    note text
);
CREATE TABLE order_items (
    order_id bigint NOT NULL, line int NOT NULL, product_id int NOT NULL, quantity int NOT NULL, price numeric(10,2) NOT NULL,
    PRIMARY KEY (order_id, line)
);
CREATE TABLE tags (product_id int NOT NULL, tag text NOT NULL, PRIMARY KEY (product_id, tag));
CREATE TABLE events (id bigserial PRIMARY KEY, customer_id int, kind text NOT NULL, at timestamptz NOT NULL, payload text);
CREATE TABLE counters (name text PRIMARY KEY, n bigint NOT NULL);
CREATE TABLE sessions (token uuid PRIMARY KEY, customer_id int NOT NULL, expires_at timestamptz NOT NULL);
INSERT INTO categories SELECT i, nullif(i / 5, 0), 'category ' || i FROM generate_series(1, 100) i;
INSERT INTO customers SELECT i, 'customer' || i || '@example.org', 'Customer ' || i * 7919 % 20000,
    (ARRAY['DE','FR','US','JP','BR'])[1 + i % 5], i % 10 <> 0, i * 37 % 10000, '2024-01-01'::timestamptz + i * interval '10 minutes'
    FROM generate_series(1, 20000) i;
INSERT INTO products SELECT i, 'SKU-' || lpad(i::text, 6, '0'), 'Product ' || i * 7919 % 5000, i * 13 % 50000 / 100.0, 1 + i % 100,
    i * 31 % 200, NULL FROM generate_series(1, 5000) i;
INSERT INTO orders (customer_id, status, placed_at, total) SELECT 1 + i * 7919 % 20000,
    CASE WHEN i % 1000 = 0 THEN 'failed' WHEN i % 20 = 0 THEN 'open' WHEN i % 7 = 0 THEN 'shipped' ELSE 'done' END,
    '2025-01-01'::timestamptz + i * interval '4 minutes', i * 17 % 100000 / 100.0 FROM generate_series(1, 100000) i;
INSERT INTO order_items SELECT i / 3, 1 + i % 3, 1 + i * 7919 % 5000, 1 + i % 4, i * 13 % 50000 / 100.0
    FROM generate_series(3, 299999) i;
INSERT INTO tags SELECT i, 'tag' || (i * t * 7) % 50 FROM generate_series(1, 5000) i, generate_series(1, 3) t ON CONFLICT DO NOTHING;
INSERT INTO events (customer_id, kind, at, payload) SELECT 1 + i * 104729 % 20000, 'kind' || i % 12,
    '2025-01-01'::timestamptz + i * interval '3 minutes', repeat('x', i % 200) FROM generate_series(1, 100000) i;
INSERT INTO counters SELECT 'counter' || i, 0 FROM generate_series(1, 1000) i;
INSERT INTO sessions SELECT md5(i::text)::uuid, i, '2027-01-01' FROM generate_series(1, 20000) i;
CREATE INDEX ON customers (lower(name));
CREATE INDEX ON customers (country, created_at);
CREATE INDEX ON products (category_id, price);
CREATE INDEX ON orders (customer_id, placed_at);
CREATE INDEX ON orders (placed_at);
CREATE INDEX ON orders (status) WHERE status <> 'done';
CREATE INDEX ON order_items (product_id);
CREATE INDEX ON events (customer_id, at);
CREATE INDEX ON events (kind, at);
VACUUM ANALYZE;

-- by key
\set id random(1, 20000)
SELECT * FROM customers WHERE id = :id;
-- by unique text
\set id random(1, 20000)
SELECT id, name, active FROM customers WHERE email = 'customer' || :id || '@example.org';
-- by uuid
\set id random(1, 20000)
SELECT s.customer_id, c.name FROM sessions s JOIN customers c ON c.id = s.customer_id WHERE s.token = md5(:id::text)::uuid AND s.expires_at > now();
-- by expression
\set id random(1, 20000)
SELECT id FROM customers WHERE lower(name) = lower('Customer ' || :id);
-- ten keys
\set id random(1, 4000)
SELECT * FROM products WHERE id IN (:id, :id + 1, :id + 10, :id + 99, :id + 100, :id + 101, :id + 500, :id + 501, :id + 700, :id + 900);
-- hundred keys
\set id random(1, 100)
SELECT id, title FROM products WHERE id = ANY (ARRAY(SELECT :id + 37 * i FROM generate_series(1, 100) i));
-- exists
\set id random(1, 20000)
SELECT EXISTS (SELECT 1 FROM orders WHERE customer_id = :id AND status = 'open');
-- count by key
\set id random(1, 20000)
SELECT count(*) FROM orders WHERE customer_id = :id;
-- last orders of a customer
\set id random(1, 20000)
SELECT id, status, total FROM orders WHERE customer_id = :id ORDER BY placed_at DESC LIMIT 3;
-- first page
SELECT id, customer_id, total FROM orders ORDER BY placed_at DESC LIMIT 25;
-- page by offset
\set page random(1, 40)
SELECT id, customer_id, total FROM orders ORDER BY placed_at DESC LIMIT 25 OFFSET :page * 25;
-- page by key
\set id random(1, 90000)
SELECT id, customer_id, total FROM orders WHERE id > :id ORDER BY id LIMIT 25;
-- page by two keys
\set id random(1, 90000)
SELECT id, placed_at FROM orders WHERE (placed_at, id) < ('2025-01-01'::timestamptz + :id * interval '4 minutes', :id) ORDER BY placed_at DESC, id DESC LIMIT 25;
-- rare status
SELECT id, customer_id FROM orders WHERE status = 'failed' ORDER BY id DESC LIMIT 25;
-- filter with optional parameters
\set id random(1, 20000)
SELECT id, total FROM orders WHERE (:id::int IS NULL OR customer_id = :id) AND (NULL IS NULL OR status = NULL) ORDER BY id LIMIT 10;
-- search by prefix
\set id random(1, 999)
SELECT id, sku, title FROM products WHERE sku LIKE 'SKU-000' || lpad(:id::text, 3, '0') || '%' ORDER BY sku LIMIT 10;
-- search in text
\set id random(1, 999)
SELECT id, title FROM products WHERE title ILIKE '%' || :id || '%' ORDER BY title LIMIT 20;
-- category with products
\set id random(1, 100)
SELECT p.id, p.title, p.price, c.name FROM products p JOIN categories c ON c.id = p.category_id WHERE c.id = :id ORDER BY p.price LIMIT 20;
-- order with lines
\set id random(1, 90000)
SELECT o.id, o.status, i.line, i.quantity, p.title FROM orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE o.id = :id ORDER BY i.line;
-- four tables
\set id random(1, 20000)
SELECT c.name, o.id, i.quantity, p.title FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE c.id = :id;
-- left join and aggregate
\set id random(1, 19000)
SELECT c.id, c.name, count(o.id), coalesce(sum(o.total), 0) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.id BETWEEN :id AND :id + 20 GROUP BY c.id ORDER BY c.id;
-- scalar sub-selects
\set id random(1, 19000)
SELECT c.id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS orders, (SELECT max(placed_at) FROM orders o WHERE o.customer_id = c.id) AS last FROM customers c WHERE c.id BETWEEN :id AND :id + 20;
-- lateral top n
\set id random(1, 19000)
SELECT c.id, o.id, o.total FROM customers c CROSS JOIN LATERAL (SELECT id, total FROM orders WHERE customer_id = c.id ORDER BY placed_at DESC LIMIT 2) o WHERE c.id BETWEEN :id AND :id + 20;
-- distinct on
\set id random(1, 19000)
SELECT DISTINCT ON (customer_id) customer_id, id, placed_at FROM orders WHERE customer_id BETWEEN :id AND :id + 50 ORDER BY customer_id, placed_at DESC;
-- semi-join
\set id random(1, 4900)
SELECT count(*) FROM orders o WHERE o.id IN (SELECT order_id FROM order_items WHERE product_id BETWEEN :id AND :id + 5);
-- anti-join
\set id random(1, 19000)
SELECT c.id FROM customers c WHERE c.id BETWEEN :id AND :id + 100 AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'open');
-- not in
\set id random(1, 4900)
SELECT id FROM products WHERE category_id = 7 AND id NOT IN (SELECT product_id FROM tags WHERE tag = 'tag7');
-- or over two indexes
\set id random(1, 20000)
SELECT id FROM orders WHERE customer_id = :id OR id = :id;
-- tags of products
\set id random(1, 4900)
SELECT p.id, string_agg(t.tag, ',' ORDER BY t.tag) FROM products p JOIN tags t ON t.product_id = p.id WHERE p.id BETWEEN :id AND :id + 25 GROUP BY p.id;
-- array of a sub-select
\set id random(1, 4900)
SELECT p.id, ARRAY(SELECT tag FROM tags WHERE product_id = p.id ORDER BY tag) FROM products p WHERE p.id BETWEEN :id AND :id + 25;
-- window rank
\set id random(1, 100)
SELECT id, price, rank() OVER (ORDER BY price DESC) FROM products WHERE category_id = :id;
-- running sum
\set id random(1, 20000)
SELECT id, sum(total) OVER (ORDER BY placed_at) FROM orders WHERE customer_id BETWEEN :id AND :id + 10;
-- with clause
\set id random(1, 19000)
WITH o AS (SELECT customer_id, sum(total) AS total FROM orders WHERE customer_id BETWEEN :id AND :id + 30 GROUP BY customer_id) SELECT c.name, o.total FROM o JOIN customers c ON c.id = o.customer_id ORDER BY o.total DESC LIMIT 5;
-- recursive
\set id random(50, 100)
WITH RECURSIVE up AS (SELECT id, parent_id, name FROM categories WHERE id = :id UNION ALL SELECT c.id, c.parent_id, c.name FROM categories c JOIN up ON c.id = up.parent_id) SELECT name FROM up;
-- union of two
\set id random(1, 20000)
SELECT 'order' AS what, placed_at AS at FROM orders WHERE customer_id = :id UNION ALL SELECT kind, at FROM events WHERE customer_id = :id ORDER BY at DESC LIMIT 10;
-- day by day
\set day random(0, 250)
SELECT date_trunc('day', placed_at) AS day, count(*), sum(total) FROM orders WHERE placed_at >= '2025-01-01'::timestamptz + :day * interval '1 day' AND placed_at < '2025-01-08'::timestamptz + :day * interval '1 day' GROUP BY 1 ORDER BY 1;
-- report with filters
\set day random(0, 250)
SELECT status, count(*), count(*) FILTER (WHERE total > 500), avg(total)::numeric(12,2) FROM orders WHERE placed_at >= '2025-01-01'::timestamptz + :day * interval '1 day' AND placed_at < '2025-01-02'::timestamptz + :day * interval '1 day' GROUP BY status;
-- group having
\set id random(1, 4900)
SELECT product_id, sum(quantity) FROM order_items WHERE product_id BETWEEN :id AND :id + 10 GROUP BY product_id HAVING sum(quantity) > 100 ORDER BY 2 DESC;
-- case and coalesce
\set id random(1, 19000)
SELECT id, CASE WHEN balance > 5000 THEN 'gold' WHEN balance > 1000 THEN 'silver' ELSE 'none' END AS class, coalesce(nullif(name, ''), email) FROM customers WHERE id BETWEEN :id AND :id + 50;
-- events of a kind
\set day random(0, 190)
SELECT id, customer_id, at FROM events WHERE kind = 'kind3' AND at >= '2025-01-01'::timestamptz + :day * interval '1 day' ORDER BY at LIMIT 50;
-- count a whole table
SELECT count(*) FROM orders;
-- group a whole table
SELECT status, count(*) FROM orders GROUP BY status;
-- best sellers
SELECT p.id, p.title, sum(i.quantity) FROM order_items i JOIN products p ON p.id = i.product_id GROUP BY p.id ORDER BY 3 DESC, 1 LIMIT 10;
-- insert one
\set id random(1, 20000)
INSERT INTO events (customer_id, kind, at, payload) VALUES (:id, 'kind1', now(), 'x');
-- insert returning
\set id random(1, 20000)
INSERT INTO orders (customer_id, status, placed_at, total) VALUES (:id, 'open', now(), 12.5) RETURNING id;
-- insert ten
\set id random(1, 20000)
INSERT INTO events (customer_id, kind, at) VALUES (:id, 'a', now()), (:id, 'b', now()), (:id, 'c', now()), (:id, 'd', now()), (:id, 'e', now()), (:id, 'f', now()), (:id, 'g', now()), (:id, 'h', now()), (:id, 'i', now()), (:id, 'j', now());
-- insert hundred of a select
\set id random(1, 19000)
INSERT INTO events (customer_id, kind, at) SELECT id, 'mail', now() FROM customers WHERE id BETWEEN :id AND :id + 99;
-- upsert of what is there
\set id random(1, 1000)
INSERT INTO counters VALUES ('counter' || :id, 1) ON CONFLICT (name) DO UPDATE SET n = counters.n + excluded.n;
-- upsert of what may be new
\set id random(1, 1000000)
INSERT INTO counters VALUES ('other' || :id, 1) ON CONFLICT (name) DO UPDATE SET n = counters.n + excluded.n RETURNING n;
-- insert or nothing
\set id random(1, 1000000)
INSERT INTO tags VALUES (:id, 'new') ON CONFLICT DO NOTHING;
-- update by key
\set id random(1, 20000)
UPDATE customers SET balance = balance + 1 WHERE id = :id;
-- update by key returning
\set id random(1, 5000)
UPDATE products SET stock = stock - 1, updated_at = now() WHERE id = :id AND stock > -1000000 RETURNING stock;
-- update an indexed column
\set id random(1, 5000)
UPDATE products SET price = price + 0.01 WHERE id = :id;
-- update some
\set id random(1, 4900)
UPDATE products SET stock = stock + 1 WHERE id BETWEEN :id AND :id + 20;
-- update from a join
\set id random(1, 90000)
UPDATE products p SET stock = stock - i.quantity FROM order_items i WHERE i.order_id = :id AND p.id = i.product_id;
-- update where in
\set id random(1, 20000)
UPDATE orders SET note = 'seen' WHERE id IN (SELECT id FROM orders WHERE customer_id = :id AND status = 'open');
-- take one job
UPDATE orders SET status = 'done' WHERE id = (SELECT id FROM orders WHERE status = 'open' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id;
-- delete and insert
\set id random(1, 20000)
BEGIN;
DELETE FROM sessions WHERE customer_id = :id AND token = md5(:id::text)::uuid;
INSERT INTO sessions VALUES (md5(:id::text)::uuid, :id, '2027-01-01') ON CONFLICT DO NOTHING;
COMMIT;
-- lock and change
\set id random(1, 20000)
BEGIN;
SELECT balance FROM customers WHERE id = :id FOR UPDATE;
UPDATE customers SET balance = balance - 5 WHERE id = :id;
COMMIT;
-- an order is placed
\set id random(1, 20000)
\set product random(1, 4990)
BEGIN;
INSERT INTO orders (id, customer_id, status, placed_at) VALUES (nextval('orders_id_seq'), :id, 'open', now());
INSERT INTO order_items SELECT currval('orders_id_seq'), n, :product + n, 1, 9.99 FROM generate_series(1, 3) n;
UPDATE products SET stock = stock - 1 WHERE id IN (:product + 1, :product + 2, :product + 3);
UPDATE orders SET total = (SELECT sum(price * quantity) FROM order_items WHERE order_id = currval('orders_id_seq')) WHERE id = currval('orders_id_seq');
COMMIT;
