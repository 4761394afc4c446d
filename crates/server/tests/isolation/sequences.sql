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
