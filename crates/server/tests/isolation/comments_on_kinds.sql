# COMMENT ON objects of every kind
a> create role comments_by_b login
a> comment on table pg_class is 'said of it'
a> comment on view pg_stats is 'said of it'
a> comment on index pg_class_oid_index is 'said of it'
a> comment on column pg_class.relname is 'said of it'
a> comment on column pg_class_oid_index.oid is 'said of it'
a> comment on column nosuch.a is 'said of it'
a> comment on column a is 'said of it'
a> comment on column pg_class.nosuch is 'said of it'
a> comment on type int4 is 'said of it'
a> comment on type nosuch is 'said of it'
a> comment on type nosuch[] is 'said of it'
a> comment on domain information_schema.yes_or_no is 'said of it'
a> comment on domain int4 is 'said of it'
a> comment on function lower(text) is 'said of it'
a> comment on function lower is 'said of it'
a> comment on function nosuch(int4) is 'said of it'
a> comment on function nosuch is 'said of it'
a> comment on function count("any") is 'said of it'
a> comment on aggregate count(*) is 'said of it'
a> comment on aggregate lower(text) is 'said of it'
a> comment on aggregate nosuch(*) is 'said of it'
a> comment on procedure lower(text) is 'said of it'
a> comment on routine lower(text) is 'said of it'
a> comment on operator + (int4, int4) is 'said of it'
a> comment on operator - (none, int4) is 'said of it'
a> comment on operator ** (int4, int4) is 'said of it'
a> comment on operator nosuch.+ (int4, int4) is 'said of it'
a> comment on cast (int4 as int8) is 'said of it'
a> comment on cast (int4 as circle) is 'said of it'
a> comment on collation "C" is 'said of it'
a> comment on collation nosuch is 'said of it'
a> comment on collation nosuch.c is 'said of it'
a> comment on conversion nosuch is 'said of it'
a> comment on language sql is 'said of it'
a> comment on language nosuch is 'said of it'
a> comment on access method btree is 'said of it'
a> comment on access method nosuch is 'said of it'
a> comment on operator class int4_ops using btree is 'said of it'
a> comment on operator class nosuch using btree is 'said of it'
a> comment on operator class int4_ops using nosuch is 'said of it'
a> comment on operator family integer_ops using btree is 'said of it'
a> comment on operator family nosuch.integer_ops using btree is 'said of it'
a> comment on rule "_RETURN" on pg_stats is 'said of it'
a> comment on rule nosuch on pg_stats is 'said of it'
a> comment on trigger nosuch on pg_class is 'said of it'
a> comment on policy nosuch on pg_class is 'said of it'
a> comment on constraint pg_am_oid_index on pg_am is 'said of it'
a> comment on constraint nosuch on pg_class is 'said of it'
a> comment on constraint yes_or_no_check on domain information_schema.yes_or_no is 'said of it'
a> comment on constraint nosuch on domain information_schema.yes_or_no is 'said of it'
a> comment on constraint nosuch on domain int4 is 'said of it'
a> comment on extension nosuch is 'said of it'
a> comment on event trigger nosuch is 'said of it'
a> comment on foreign data wrapper nosuch is 'said of it'
a> comment on server nosuch is 'said of it'
a> comment on publication nosuch is 'said of it'
a> comment on subscription nosuch is 'said of it'
a> comment on statistics nosuch is 'said of it'
a> comment on text search parser nosuch is 'said of it'
a> comment on text search dictionary nosuch.x is 'said of it'
a> comment on text search configuration nosuch is 'said of it'
a> comment on text search template nosuch is 'said of it'
a> comment on large object 5 is 'said of it'
a> comment on transform for int4 language sql is 'said of it'
a> comment on transform for int4 language nosuch is 'said of it'
a> comment on materialized view pg_class is 'said of it'
a> comment on foreign table pg_class is 'said of it'
a> comment on sequence pg_class is 'said of it'
a> comment on view pg_class is 'said of it'
a> comment on table pg_stats is 'said of it'
a> comment on index nosuch is 'said of it'
a> comment on schema pg_catalog is 'said of it'
a> comment on schema nosuch is 'said of it'
a> select pg_describe_object(classoid, objoid, objsubid), description from pg_description where description = 'said of it' order by 1
a> select obj_description('int4'::regtype, 'pg_type'), col_description('pg_class'::regclass, 2), obj_description('lower(text)'::regprocedure, 'pg_proc'), obj_description('+(int4,int4)'::regoperator, 'pg_operator')
a> begin
a> comment on type int4 is 'another'
b> comment on type int4 is 'b''s'
a> rollback
b> select obj_description('int4'::regtype, 'pg_type')
b> set role comments_by_b
b> comment on table pg_class is 'x'
b> comment on view pg_stats is 'x'
b> comment on index pg_class_oid_index is 'x'
b> comment on column pg_class.relname is 'x'
b> comment on column pg_class_oid_index.oid is 'x'
b> comment on type int4 is 'x'
b> comment on domain information_schema.yes_or_no is 'x'
b> comment on domain int4 is 'x'
b> comment on function lower(text) is 'x'
b> comment on function lower is 'x'
b> comment on function count("any") is 'x'
b> comment on aggregate count(*) is 'x'
b> comment on aggregate lower(text) is 'x'
b> comment on procedure lower(text) is 'x'
b> comment on routine lower(text) is 'x'
b> comment on operator + (int4, int4) is 'x'
b> comment on operator - (none, int4) is 'x'
b> comment on operator ** (int4, int4) is 'x'
b> comment on cast (int4 as int8) is 'x'
b> comment on cast (int4 as circle) is 'x'
b> comment on collation "C" is 'x'
b> comment on language sql is 'x'
b> comment on access method btree is 'x'
b> comment on operator class int4_ops using btree is 'x'
b> comment on operator family integer_ops using btree is 'x'
b> comment on rule "_RETURN" on pg_stats is 'x'
b> comment on constraint pg_am_oid_index on pg_am is 'x'
b> comment on constraint yes_or_no_check on domain information_schema.yes_or_no is 'x'
b> comment on large object 5 is 'x'
b> comment on transform for int4 language sql is 'x'
b> comment on materialized view pg_class is 'x'
b> comment on foreign table pg_class is 'x'
b> comment on sequence pg_class is 'x'
b> comment on view pg_class is 'x'
b> comment on table pg_stats is 'x'
b> reset role
a> comment on table pg_class is null
a> comment on view pg_stats is null
a> comment on index pg_class_oid_index is null
a> comment on column pg_class.relname is null
a> comment on column pg_class_oid_index.oid is null
a> comment on type int4 is null
a> comment on domain information_schema.yes_or_no is null
a> comment on domain int4 is null
a> comment on function lower(text) is null
a> comment on function lower is null
a> comment on function count("any") is null
a> comment on aggregate count(*) is null
a> comment on aggregate lower(text) is null
a> comment on procedure lower(text) is null
a> comment on routine lower(text) is null
a> comment on operator + (int4, int4) is null
a> comment on operator - (none, int4) is null
a> comment on operator ** (int4, int4) is null
a> comment on cast (int4 as int8) is null
a> comment on cast (int4 as circle) is null
a> comment on collation "C" is null
a> comment on language sql is null
a> comment on access method btree is null
a> comment on operator class int4_ops using btree is null
a> comment on operator family integer_ops using btree is null
a> comment on rule "_RETURN" on pg_stats is null
a> comment on constraint pg_am_oid_index on pg_am is null
a> comment on constraint yes_or_no_check on domain information_schema.yes_or_no is null
a> comment on large object 5 is null
a> comment on transform for int4 language sql is null
a> comment on materialized view pg_class is null
a> comment on foreign table pg_class is null
a> comment on sequence pg_class is null
a> comment on view pg_class is null
a> comment on table pg_stats is null
a> comment on schema pg_catalog is null
a> select pg_describe_object(classoid, objoid, objsubid), description from pg_description where description = 'said of it' order by 1
a> drop role comments_by_b
