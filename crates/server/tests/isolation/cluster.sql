# CLUSTER
s> CREATE TABLE cl(id int PRIMARY KEY, k int, t text)
s> INSERT INTO cl SELECT i, i * 7 % 10, chr(96 + i * 3 % 10) FROM generate_series(1, 9) i
s> CREATE INDEX cl_k ON cl (k DESC NULLS LAST, id)
s> CREATE INDEX cl_e ON cl ((k + id), lower(t))
s> CREATE INDEX cl_p ON cl (k) WHERE k > 3
s> CREATE TABLE other(id int PRIMARY KEY)
s> CLUSTER cl
s> CLUSTER cl USING nope
s> CLUSTER cl USING other_pkey
s> CLUSTER cl USING cl_p
s> CLUSTER nope USING cl_k
s> CLUSTER cl_k
s> CLUSTER (nope) cl
s> CLUSTER cl USING cl_k
s> SELECT id, k FROM cl ORDER BY ctid
s> SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'cl'::regclass AND indisclustered
s> INSERT INTO cl VALUES (10, 5, 'z'), (11, NULL, 'a')
s> CLUSTER cl
s> SELECT id, k FROM cl ORDER BY ctid
s> ALTER TABLE cl CLUSTER ON cl_e
s> ALTER TABLE cl CLUSTER ON nope
s> CLUSTER
s> SELECT id, k + id, t FROM cl ORDER BY ctid
s> ALTER TABLE cl SET WITHOUT CLUSTER
s> CLUSTER cl
s> BEGIN
s> CLUSTER
s> ROLLBACK
# In a transaction, which may be taken back; others wait.
a> BEGIN
a> CLUSTER cl USING cl_pkey
b> SELECT count(*) FROM cl
a> SELECT id FROM cl ORDER BY ctid LIMIT 3
a> ROLLBACK
s> SELECT id FROM cl ORDER BY ctid LIMIT 3
b> BEGIN
b> SELECT count(*) FROM cl
a> CLUSTER cl USING cl_pkey
b> INSERT INTO cl VALUES (0, 0, '-')
b> COMMIT
s> SELECT id FROM cl ORDER BY ctid LIMIT 3
s> SELECT * FROM cl WHERE id = 10
s> INSERT INTO cl VALUES (3, 3, 'twice')
s> DROP TABLE cl, other
