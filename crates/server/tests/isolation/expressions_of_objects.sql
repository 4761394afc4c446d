# pg_get_expr and its like name objects as the search path finds them
s> CREATE TABLE e(a serial, n name, b bool, v varchar(5), d int DEFAULT (1 + 2) * 3)
s> CREATE SCHEMA other
s> CREATE TABLE other.o(a serial, b bool)
s> CREATE INDEX oi ON other.o(b) WHERE b IS NOT FALSE AND a > 3
s> CREATE INDEX ei ON e((d + 1), lower(v))
a> SET search_path = ''
a> SELECT pg_get_expr(adbin, adrelid), pg_get_expr(adbin, adrelid, true) FROM pg_attrdef ORDER BY 1
a> SELECT column_default FROM information_schema.columns WHERE table_name IN ('e', 'o') AND column_default IS NOT NULL ORDER BY 1
a> SET search_path = other
a> SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef ORDER BY 1
a> SELECT pg_get_expr(indpred, indrelid), pg_get_expr(indpred, indrelid, true) FROM pg_index WHERE indpred IS NOT NULL
a> SELECT pg_get_expr(indexprs, indrelid), pg_get_expr(indexprs, indrelid, true) FROM pg_index WHERE indexprs IS NOT NULL AND indrelid > 16000
a> SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'public.e'::regclass AND attnum > 0 ORDER BY attnum
a> SELECT ordinal_position || '', concat(ordinal_position, 'x'), format('%s', ordinal_position) FROM information_schema.columns WHERE table_name = 'o' ORDER BY 1
a> SELECT '(' || character_maximum_length || ')' FROM information_schema.columns WHERE table_name = 'e' AND column_name = 'v'
a> COMMENT ON TABLE o IS 'hi'
a> SELECT obj_description('o'::regclass), obj_description('o'::regclass, 'pg_class'), obj_description('oi'::regclass)
a> SELECT obj_description(403), obj_description(12)
s> DROP SCHEMA other CASCADE
s> DROP TABLE e
