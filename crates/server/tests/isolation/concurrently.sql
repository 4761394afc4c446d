# CREATE INDEX, REINDEX and DROP INDEX CONCURRENTLY beside transactions that wrote before
s> CREATE TABLE ic(id int, v text)
s> INSERT INTO ic VALUES (1, 'a'), (2, 'b'), (3, 'c')
a> BEGIN
a> INSERT INTO ic VALUES (4, 'd')
b> CREATE UNIQUE INDEX CONCURRENTLY ic_id ON ic (id)
c> INSERT INTO ic VALUES (5, 'e')
c> SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'ic'::regclass
a> UPDATE ic SET id = 20 WHERE id = 2
a> COMMIT
c> SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'ic'::regclass
c> INSERT INTO ic VALUES (4, 'again')
c> INSERT INTO ic VALUES (20, 'again')
c> INSERT INTO ic VALUES (2, 'b')
c> INSERT INTO ic VALUES (5, 'x') ON CONFLICT (id) DO UPDATE SET v = excluded.v
c> SELECT * FROM ic ORDER BY id
# Names and options.
b> CREATE INDEX CONCURRENTLY ON ic (v)
b> CREATE INDEX CONCURRENTLY IF NOT EXISTS ic_id ON ic (v)
b> CREATE INDEX CONCURRENTLY ic_id ON ic (v)
b> BEGIN
b> CREATE INDEX CONCURRENTLY ON ic (v)
b> ROLLBACK
b> BEGIN
b> REINDEX INDEX CONCURRENTLY ic_id
b> ROLLBACK
b> BEGIN
b> DROP INDEX CONCURRENTLY ic_id
b> ROLLBACK
b> SELECT relname FROM pg_class WHERE relname LIKE 'ic%' ORDER BY 1
# Whoever writes is waited for, and goes on himself.
a> BEGIN
a> UPDATE ic SET v = 'f' WHERE id = 1
b> REINDEX TABLE CONCURRENTLY ic
a> INSERT INTO ic VALUES (6, 'g')
c> INSERT INTO ic VALUES (7, 'h')
a> COMMIT
c> INSERT INTO ic VALUES (6, 'twice')
c> SET enable_seqscan = off
c> SELECT * FROM ic WHERE id >= 4 ORDER BY id
c> SELECT relname FROM pg_class WHERE relname LIKE 'ic%' ORDER BY 1
# Whoever looks into an index is waited for before its files go.
a> BEGIN
a> SELECT v FROM ic WHERE id = 7
b> DROP INDEX CONCURRENTLY ic_id
c> INSERT INTO ic VALUES (7, 'i')
a> SELECT v FROM ic WHERE id = 6
a> COMMIT
c> INSERT INTO ic VALUES (7, 'j')
b> DROP INDEX CONCURRENTLY ic_v_idx, ic_id
b> DROP INDEX CONCURRENTLY ic_v_idx CASCADE
b> DROP INDEX CONCURRENTLY nope
b> DROP INDEX CONCURRENTLY IF EXISTS nope
b> DROP INDEX CONCURRENTLY ic_v_idx
c> CREATE UNIQUE INDEX CONCURRENTLY ic_id ON ic (nope)
c> DELETE FROM ic WHERE v IN ('i', 'j')
b> ALTER TABLE ic ADD PRIMARY KEY (id)
b> DROP INDEX CONCURRENTLY ic_pkey
b> REINDEX INDEX CONCURRENTLY ic_pkey
b> SELECT c.relname, i.indisprimary, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'ic'::regclass
b> SELECT conname, contype FROM pg_constraint WHERE conrelid = 'ic'::regclass AND contype = 'p'
c> INSERT INTO ic VALUES (7, 'k')
s> DROP TABLE ic
