# ALTER SEQUENCE, sequences as tables, ids of transactions
a> CREATE SEQUENCE s INCREMENT BY 5 MINVALUE 10 MAXVALUE 20 CYCLE
a> SELECT nextval('s'), nextval('s'), nextval('s'), nextval('s')
a> SELECT last_value, is_called FROM s
a> ALTER SEQUENCE s RESTART
a> SELECT last_value, is_called FROM s
a> SELECT nextval('s')
a> ALTER SEQUENCE s RESTART WITH 15 INCREMENT 1 NO CYCLE
a> SELECT nextval('s'), nextval('s')
a> ALTER SEQUENCE s MAXVALUE 15
a> ALTER SEQUENCE s RESTART 5
a> ALTER SEQUENCE s RESTART WITH
a> ALTER SEQUENCE s
a> ALTER SEQUENCE s NONSENSE
a> ALTER SEQUENCE IF EXISTS nope RESTART
a> ALTER SEQUENCE nope RESTART
a> ALTER SEQUENCE IF EXISTS s MINVALUE -5 RESTART WITH -3
a> SELECT nextval('s'), currval('s')
a> ALTER SEQUENCE s START 12 NO MAXVALUE
a> SELECT nextval('s')
a> ALTER SEQUENCE s RESTART
a> SELECT nextval('s')
a> BEGIN
a> ALTER SEQUENCE s RESTART WITH 100
a> SELECT nextval('s')
b> SELECT nextval('s')
a> ROLLBACK
a> SELECT nextval('s')
a> CREATE TABLE t(id serial, n int)
a> INSERT INTO t(n) VALUES (1), (2)
a> ALTER SEQUENCE t_id_seq RESTART WITH 50
a> INSERT INTO t(n) VALUES (3) RETURNING id
a> SELECT last_value FROM t_id_seq
a> ALTER SEQUENCE s OWNED BY t.n
a> DROP TABLE t
a> SELECT nextval('s')
a> SELECT * FROM s
a> SELECT txid_current_if_assigned() IS NULL, pg_current_xact_id_if_assigned() IS NULL
a> BEGIN
a> SELECT pg_current_xact_id_if_assigned() IS NULL
a> SELECT txid_current() > 0
a> SELECT txid_current() = txid_current_if_assigned()
a> COMMIT
a> START TRANSACTION
a> COMMIT
# What the log is ahead, and what sessions keep.
a> CREATE SEQUENCE ahead
a> SELECT last_value, is_called FROM ahead
a> SELECT nextval('ahead')
b> SELECT last_value, is_called FROM ahead
b> SELECT nextval('ahead'), nextval('ahead')
a> SELECT last_value, is_called FROM ahead
a> SELECT setval('ahead', 100)
b> SELECT last_value, is_called FROM ahead
b> SELECT nextval('ahead')
a> SELECT setval('ahead', 100, false)
a> SELECT last_value, is_called FROM ahead
b> SELECT nextval('ahead')
a> SELECT count(nextval('ahead')) FROM generate_series(1, 40)
b> SELECT last_value, is_called FROM ahead
a> CREATE SEQUENCE down INCREMENT -3 MINVALUE -20 MAXVALUE 5 START 5
a> SELECT nextval('down') FROM generate_series(1, 3)
b> SELECT last_value, is_called FROM down
b> SELECT nextval('down') FROM generate_series(1, 6)
a> SELECT last_value, is_called FROM down
a> SELECT nextval('down')
a> ALTER SEQUENCE down CYCLE
b> SELECT nextval('down') FROM generate_series(1, 4)
a> SELECT last_value, is_called FROM down
a> CREATE SEQUENCE wide INCREMENT 5000000000000000000 MINVALUE -9000000000000000000 START -9000000000000000000
b> SELECT nextval('wide') FROM generate_series(1, 4)
b> SELECT last_value, is_called FROM wide
b> SELECT nextval('wide')
a> CREATE SEQUENCE kept CACHE 10
a> SELECT nextval('kept')
b> SELECT nextval('kept')
a> SELECT last_value, is_called FROM kept
a> SELECT nextval('kept'), currval('kept'), lastval()
b> SELECT nextval('kept'), currval('kept')
a> BEGIN
a> SELECT nextval('kept')
a> ROLLBACK
a> SELECT nextval('kept')
a> SELECT count(nextval('kept')), max(currval('kept')) FROM generate_series(1, 8)
b> SELECT last_value, is_called FROM kept
b> SELECT setval('kept', 50)
b> SELECT nextval('kept')
a> SELECT nextval('kept')
a> ALTER SEQUENCE kept INCREMENT 2
a> SELECT nextval('kept')
b> SELECT nextval('kept')
b> DISCARD SEQUENCES
b> SELECT nextval('kept')
b> SELECT last_value, is_called FROM kept
a> CREATE SEQUENCE few CACHE 10 MAXVALUE 13
a> SELECT nextval('few') FROM generate_series(1, 11)
b> SELECT last_value, is_called FROM few
b> SELECT nextval('few')
a> SELECT nextval('few'), nextval('few')
a> SELECT nextval('few')
b> SELECT nextval('few')
a> DROP SEQUENCE ahead, down, wide, kept, few
