# Calls that are felt: how many there are, and in which order
a> CREATE TEMP SEQUENCE s
a> SELECT nextval('s'), generate_series(1, 3)
a> SELECT last_value FROM s
a> SELECT generate_series(1, 3), nextval('s')
a> SELECT last_value FROM s
# Once more where the sets are found to have ended, for each row that they are of.
a> SELECT nextval('s'), x, generate_series(1, x) FROM (VALUES (2), (0), (1)) v(x)
a> SELECT last_value FROM s
a> SELECT nextval('s'), generate_series(1, 3), generate_series(1, 2)
a> SELECT last_value FROM s
# But not where nobody looks for the end.
a> SELECT nextval('s'), generate_series(1, 3) LIMIT 3
a> SELECT last_value FROM s
a> SELECT nextval('s'), generate_series(1, 3) LIMIT 2
a> SELECT last_value FROM s
a> SELECT x FROM (SELECT nextval('s') AS x, generate_series(1, 3) AS y) t WHERE y = 2
a> SELECT last_value FROM s
a> SELECT EXISTS (SELECT nextval('s'), generate_series(1, 3))
a> SELECT last_value FROM s
# Arguments of sets are computed for their first rows, in the order of the targets.
a> SELECT setval('s', 1, false)
a> SELECT nextval('s'), generate_series(1, nextval('s')), nextval('s')
a> SELECT last_value FROM s
a> SELECT generate_series(1, nextval('s') - 6), nextval('s')
a> SELECT last_value FROM s
a> SELECT generate_series(1, generate_series(1, 3)), nextval('s')
a> SELECT last_value FROM s
a> SELECT unnest(ARRAY[nextval('s'), nextval('s')]), currval('s')
a> SELECT nextval('s') + generate_series(1, 2), nextval('s')
a> SELECT CASE WHEN g > 1 THEN nextval('s') END, g FROM (SELECT generate_series(1, 3) AS g) t
# Rows one after the other, their targets in their order.
a> SELECT setval('s', 1, false)
a> SELECT nextval('s'), nextval('s'), x FROM generate_series(1, 3) x
a> SELECT nextval('s'), currval('s'), lastval(), x FROM generate_series(1, 3) x
a> SELECT currval('s'), nextval('s'), x FROM generate_series(1, 3) x
a> SELECT nextval('s') || '-' || nextval('s') FROM generate_series(1, 3) x
a> SELECT nextval('s'), x FROM generate_series(1, 6) x WHERE nextval('s') % 3 = 0
a> SELECT nextval('s'), x FROM generate_series(1, 6) x WHERE nextval('s') % 2 = 0 LIMIT 2
a> SELECT last_value FROM s
a> SELECT x FROM generate_series(1, 6) x WHERE nextval('s') % 2 = 0 AND nextval('s') % 3 = 0
a> SELECT last_value FROM s
a> SELECT setval('s', x * 10), currval('s') FROM generate_series(1, 3) x
a> CREATE TEMP TABLE t (a int DEFAULT nextval('s'), b int DEFAULT nextval('s'), c int)
a> INSERT INTO t (c) SELECT x FROM generate_series(1, 3) x RETURNING *
a> UPDATE t SET a = nextval('s'), b = nextval('s') RETURNING a, b, c
a> DELETE FROM t RETURNING nextval('s'), c, nextval('s')
# Sequences of their own.
a> CREATE TEMP SEQUENCE r
a> SELECT nextval('s'), nextval('r'), x FROM generate_series(1, 3) x
a> SELECT nextval('s'), nextval('r'), generate_series(1, 2), lastval()
# What one call sets the next one sees.
a> SELECT set_config('my.x', x::text, false), current_setting('my.x', true) FROM generate_series(1, 3) x
# EXECUTE gives all rows or none.
a> PREPARE p (int) AS SELECT 10 / (5 - x) FROM generate_series(1, $1) x
a> EXECUTE p(4)
a> EXECUTE p(10)
a> PREPARE i AS INSERT INTO t (c) VALUES (1), (2) RETURNING c, 1 / (2 - c)
a> EXECUTE i
a> SELECT count(*) FROM t
