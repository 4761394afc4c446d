# Unique keys: waiting for the other to end, keys that come and go
s> CREATE TABLE u(id int PRIMARY KEY, v text UNIQUE)
a> BEGIN
a> INSERT INTO u VALUES (1, 'a')
b> INSERT INTO u VALUES (1, 'b')
a> COMMIT
a> BEGIN
a> INSERT INTO u VALUES (2, 'x')
b> INSERT INTO u VALUES (2, 'y')
a> ROLLBACK
b> SELECT * FROM u ORDER BY id
a> BEGIN
a> DELETE FROM u WHERE id = 1
b> INSERT INTO u VALUES (1, 'again')
a> COMMIT
b> SELECT * FROM u ORDER BY id
a> BEGIN
a> UPDATE u SET id = 10 WHERE id = 1
b> INSERT INTO u VALUES (1, 'back')
a> ROLLBACK
a> INSERT INTO u VALUES (3, NULL), (4, NULL)
a> UPDATE u SET v = 'again' WHERE id = 3
a> UPDATE u SET v = 'v3' WHERE id = 3
a> UPDATE u SET id = id + 100
a> SELECT * FROM u ORDER BY id
a> UPDATE u SET id = 103 WHERE id = 101
a> BEGIN
a> INSERT INTO u VALUES (103, 'q')
a> SELECT 1
a> COMMIT
a> SELECT * FROM u WHERE v = 'v3'
