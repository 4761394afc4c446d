# A row that had a key once, and is changed by somebody now, is in nobody's way who takes the key
s> CREATE TABLE k(a int PRIMARY KEY, b int, v text UNIQUE)
s> INSERT INTO k SELECT g, g, 'v' || g FROM generate_series(1, 9) g
s> UPDATE k SET a = 100 WHERE a = 1
a> BEGIN
a> UPDATE k SET b = 9 WHERE a = 100
b> INSERT INTO k VALUES (1, 1, 'b')
b> DELETE FROM k WHERE a = 1
b> INSERT INTO k VALUES (1, 1, 'c') ON CONFLICT DO NOTHING
b> DELETE FROM k WHERE a = 1
b> INSERT INTO k VALUES (1, 1, 'd') ON CONFLICT (a) DO UPDATE SET b = 5
b> DELETE FROM k WHERE a = 1
b> UPDATE k SET a = 1 WHERE a = 2
a> COMMIT
s> SELECT * FROM k ORDER BY a
# It has the key now, had it before, or has had it in between, and may go back there.
a> BEGIN
a> UPDATE k SET a = 40 WHERE a = 4
b> INSERT INTO k VALUES (4, 0, 'e')
a> ROLLBACK
a> BEGIN
a> UPDATE k SET a = 40 WHERE a = 4
b> INSERT INTO k VALUES (4, 0, 'e')
a> COMMIT
b> INSERT INTO k VALUES (40, 0, 'f')
a> BEGIN
a> UPDATE k SET a = 50 WHERE a = 5
a> SAVEPOINT s
a> UPDATE k SET a = 51 WHERE a = 50
b> INSERT INTO k VALUES (50, 0, 'g')
a> ROLLBACK TO s
a> COMMIT
a> BEGIN
a> DELETE FROM k WHERE v = 'v6'
b> INSERT INTO k VALUES (60, 0, 'v6')
a> COMMIT
# A slot that was used again.
s> DELETE FROM k WHERE a = 9
s> VACUUM k
a> BEGIN
a> INSERT INTO k VALUES (90, 1, 'h')
b> INSERT INTO k VALUES (9, 1, 'i')
a> COMMIT
s> SELECT * FROM k ORDER BY a
s> DROP TABLE k
