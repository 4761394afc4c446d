# What identifies objects of every kind, and the object that has an identity
a> select pg_describe_object('pg_class'::regclass, o, 0) d, i.* from unnest(array[1233,2328,2609,2652,2665,2678,2691,2753,3118,3429,3574,3606,6100,6238]::oid[]) o, pg_identify_object('pg_class'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_class'::regclass, o, 0) from unnest(array[1233,2328,2609,2652,2665,2678,2691,2753,3118,3429,3574,3606,6100,6238]::oid[]) o, pg_identify_object_as_address('pg_class'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 2
a> select pg_describe_object('pg_proc'::regclass, o, 0) d, i.* from unnest(array[2803,2147,870,1299,3163,323,1278,1622,1949,2265,2578,2963,3283,3616,3948,4295,6120,6421]::oid[]) o, pg_identify_object('pg_proc'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_proc'::regclass, o, 0) from unnest(array[2803,2147,870,1299,3163,323,1278,1622,1949,2265,2578,2963,3283,3616,3948,4295,6120,6421]::oid[]) o, pg_identify_object_as_address('pg_proc'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_type'::regclass, o, 0) d, i.* from unnest(array[23,25,1007,1043,1560,1042,26,30,16,2249,2276,1184,1083,18,19,29,270,700,1003,1018,2209,2842,3615,3905,4089,4600,6153]::oid[]) o, pg_identify_object('pg_type'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_type'::regclass, o, 0) from unnest(array[23,25,1007,1043,1560,1042,26,30,16,2249,2276,1184,1083,18,19,29,270,700,1003,1018,2209,2842,3615,3905,4089,4600,6153]::oid[]) o, pg_identify_object_as_address('pg_type'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_operator'::regclass, o, 0) d, i.* from unnest(array[558,96,484,488,547,647,792,1038,1206,1513,1629,1878,2363,2861,3248,3762,5075]::oid[]) o, pg_identify_object('pg_operator'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_operator'::regclass, o, 0) from unnest(array[96,488,547,647,792,1038,1206,1513,1629,1878,2363,2861,3248,3762,5075]::oid[]) o, pg_identify_object_as_address('pg_operator'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_cast'::regclass, o, 0) d, i.* from (select oid o from pg_cast where castsource in (20, 23, 25, 1043, 1082) and casttarget in (16, 20, 21, 23, 25, 701, 1042, 1114, 1184)) x, pg_identify_object('pg_cast'::regclass, o, 0) i order by 1
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_cast'::regclass, o, 0) from (select oid o from pg_cast where castsource in (20, 23, 25, 1043, 1082) and casttarget in (16, 20, 21, 23, 25, 701, 1042, 1114, 1184)) x, pg_identify_object_as_address('pg_cast'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_opclass'::regclass, o, 0) d, i.* from unnest(array[1978,1979,1981,3122,3123,3124,3125,3126,3127,3128,4217,4218,4219]::oid[]) o, pg_identify_object('pg_opclass'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_opclass'::regclass, o, 0) from unnest(array[1978,1979,1981,3122,3123,3124,3125,3126,3127,3128,4217,4218,4219]::oid[]) o, pg_identify_object_as_address('pg_opclass'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_opfamily'::regclass, o, 0) d, i.* from unnest(array[435,1983,1996,2099,2594,3371,3702,4036,4068,4081,4574,4584,4605,4615]::oid[]) o, pg_identify_object('pg_opfamily'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_opfamily'::regclass, o, 0) from unnest(array[435,1983,1996,2099,2594,3371,3702,4036,4068,4081,4574,4584,4605,4615]::oid[]) o, pg_identify_object_as_address('pg_opfamily'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_amop'::regclass, o, 0) d, i.* from (select oid o from pg_amop where amopfamily in (1976, 1977, 1994)) x, pg_identify_object('pg_amop'::regclass, o, 0) i order by 1
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_amop'::regclass, o, 0) from (select oid o from pg_amop where amopfamily in (1976, 1977, 1994)) x, pg_identify_object_as_address('pg_amop'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_amproc'::regclass, o, 0) d, i.* from (select oid o from pg_amproc where amprocfamily in (1976, 1994) and amprocnum = 1) x, pg_identify_object('pg_amproc'::regclass, o, 0) i order by 1
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_amproc'::regclass, o, 0) from (select oid o from pg_amproc where amprocfamily in (1976, 1994) and amprocnum = 1) x, pg_identify_object_as_address('pg_amproc'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_collation'::regclass, o, 0) d, i.* from unnest(array[950,100,811,951,962,963]::oid[]) o, pg_identify_object('pg_collation'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_collation'::regclass, o, 0) from unnest(array[950,100,811,951,962,963]::oid[]) o, pg_identify_object_as_address('pg_collation'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_language'::regclass, o, 0) d, i.* from unnest(array[12,13,14]::oid[]) o, pg_identify_object('pg_language'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_language'::regclass, o, 0) from unnest(array[12,13,14]::oid[]) o, pg_identify_object_as_address('pg_language'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_namespace'::regclass, o, 0) d, i.* from unnest(array[11,99,2200]::oid[]) o, pg_identify_object('pg_namespace'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_namespace'::regclass, o, 0) from unnest(array[11,99,2200]::oid[]) o, pg_identify_object_as_address('pg_namespace'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_am'::regclass, o, 0) d, i.* from unnest(array[2,403,405,783,2742,3580,4000]::oid[]) o, pg_identify_object('pg_am'::regclass, o, 0) i order by o
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_am'::regclass, o, 0) from unnest(array[2,403,405,783,2742,3580,4000]::oid[]) o, pg_identify_object_as_address('pg_am'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_rewrite'::regclass, o, 0) d, i.* from (select oid o from pg_rewrite where ev_class in ('pg_stats'::regclass,'pg_views'::regclass,'information_schema.tables'::regclass)) x, pg_identify_object('pg_rewrite'::regclass, o, 0) i order by 1
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_rewrite'::regclass, o, 0) from (select oid o from pg_rewrite where ev_class in ('pg_stats'::regclass,'pg_views'::regclass,'information_schema.tables'::regclass)) x, pg_identify_object_as_address('pg_rewrite'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
a> select pg_describe_object('pg_constraint'::regclass, o, 0) d, i.* from (select oid o from pg_constraint where contypid in ('information_schema.yes_or_no'::regtype,'information_schema.cardinal_number'::regtype) or conrelid='pg_am'::regclass) x, pg_identify_object('pg_constraint'::regclass, o, 0) i order by 1
a> select i.*, (g.classid, g.objid, g.objsubid) = ('pg_constraint'::regclass, o, 0) from (select oid o from pg_constraint where contypid in ('information_schema.yes_or_no'::regtype,'information_schema.cardinal_number'::regtype) or conrelid='pg_am'::regclass) x, pg_identify_object_as_address('pg_constraint'::regclass, o, 0) i, pg_get_object_address(i.type, i.object_names, i.object_args) g order by 1, 2, 3
# Of what does not exist
a> select c, i.*, pg_describe_object(c, 1, 0) from unnest(array[2601,2602,2603,2604,2605,2606,2607,2612,2613,2615,2616,2617,2618,2620,2753,3079,3256,3381,3456,3466,3576,3600,3601,3602,3764,1213,1247,1255,1259,1260,1261,826,6243,2328,1417,1418,6104,6106,6237,6100]::oid[]) c, pg_identify_object(c, 1, 0) i order by c
a> select c, j.* from unnest(array[2601,2602,2603,2604,2605,2606,2607,2612,2613,2615,2616,2617,2618,2620,2753,3079,3256,3381,3456,3466,3576,3600,3601,3602,3764,1213,1247,1255,1259,1260,1261,826,6243,2328,1417,1418,6104,6106,6237,6100]::oid[]) c, pg_identify_object_as_address(c, 1, 0) j order by c
a> select * from pg_identify_object(0, 0, 0)
a> select * from pg_identify_object(1, 2, 0)
a> select * from pg_identify_object_as_address('pg_statistic'::regclass, 2, 0)
a> select * from pg_identify_object(NULL, 2, 0)
a> select * from pg_identify_object('pg_class'::regclass, 'pg_class'::regclass, 99)
a> select * from pg_identify_object('pg_class'::regclass, 'pg_class'::regclass, 1)
a> select * from pg_identify_object('pg_class'::regclass, 'pg_class'::regclass, -1)
a> select * from pg_identify_object('pg_class'::regclass, 'pg_stats'::regclass, 2)
a> select * from pg_identify_object('pg_type'::regclass, 23, 5)
# Of a user's objects
a> create schema q
a> create table "T 1" (a int primary key default 7, "B b" text check ("B b" <> ''))
a> create view q.v as select a from "T 1"
a> create sequence s
a> select i.*, j.* from unnest(array['"T 1"', 'q.v', 's', '"T 1_pkey"']::regclass[]) c, pg_identify_object('pg_class'::regclass, c, 0) i, pg_identify_object_as_address('pg_class'::regclass, c, 0) j
a> select i.*, j.* from generate_series(0, 3) c, pg_identify_object('pg_class'::regclass, '"T 1"'::regclass, c) i, pg_identify_object_as_address('pg_class'::regclass, '"T 1"'::regclass, c) j
a> select i.*, j.* from pg_constraint, pg_identify_object('pg_constraint'::regclass, oid, 0) i, pg_identify_object_as_address('pg_constraint'::regclass, oid, 0) j where conrelid = '"T 1"'::regclass order by conname
a> select i.*, j.* from pg_attrdef, pg_identify_object('pg_attrdef'::regclass, oid, 0) i, pg_identify_object_as_address('pg_attrdef'::regclass, oid, 0) j where adrelid = '"T 1"'::regclass
a> select i.*, j.* from pg_rewrite, pg_identify_object('pg_rewrite'::regclass, oid, 0) i, pg_identify_object_as_address('pg_rewrite'::regclass, oid, 0) j where ev_class = 'q.v'::regclass
a> select i.* from pg_class, pg_identify_object('pg_type'::regclass, reltype, 0) i where oid in ('"T 1"'::regclass, 'q.v'::regclass) order by relname
a> select (g.objid = '"T 1"'::regclass), g.objsubid from pg_get_object_address('table column', array['T 1', 'B b'], '{}') g
# Errors
a> select * from pg_get_object_address('toast table', '{a}', '{}')
a> select * from pg_get_object_address('index column', '{a}', '{}')
a> select * from pg_get_object_address('stone', '{a}', '{}')
a> select * from pg_get_object_address('routine', '{a}', '{}')
a> select * from pg_get_object_address('table', '{}', '{}')
a> select * from pg_get_object_address('table', '{NULL}', '{}')
a> select * from pg_get_object_address('table', '{a,b,c,d}', '{}')
a> select * from pg_get_object_address('table', '{a,b,c}', '{}')
a> select * from pg_get_object_address('table', '{a,b}', '{}')
a> select * from pg_get_object_address('table', '{nosuch}', '{}')
a> select * from pg_get_object_address('view', '{pg_class}', '{}')
a> select * from pg_get_object_address('index', '{pg_class}', '{}')
a> select * from pg_get_object_address('table column', '{pg_class}', '{}')
a> select * from pg_get_object_address('table column', '{pg_class,nosuch}', '{}')
a> select * from pg_get_object_address('table column', '{pg_class,oid}', '{}')
a> select * from pg_get_object_address('default value', '{pg_class,oid}', '{}')
a> select * from pg_get_object_address('default value', '{pg_class}', '{}')
a> select * from pg_get_object_address('trigger', '{pg_class}', '{}')
a> select * from pg_get_object_address('trigger', '{pg_class,a}', '{}')
a> select * from pg_get_object_address('policy', '{pg_class,a}', '{}')
a> select * from pg_get_object_address('rule', '{pg_stats,a}', '{}')
a> select * from pg_get_object_address('table constraint', '{pg_class_oid_index,a}', '{}')
a> select * from pg_get_object_address('table constraint', '{pg_class,a}', '{}')
a> select * from pg_get_object_address('domain constraint', '{information_schema.yes_or_no}', '{a}')
a> select * from pg_get_object_address('domain constraint', '{int4}', '{a}')
a> select * from pg_get_object_address('domain constraint', '{int4}', '{}')
a> select * from pg_get_object_address('type', '{nosuch}', '{}')
a> select * from pg_get_object_address('type', '{nosuch.bar}', '{}')
a> select * from pg_get_object_address('type', '{setof int}', '{}')
a> select * from pg_get_object_address('type', '{int4,int8}', '{}')
a> select * from pg_get_object_address('function', '{lower}', '{text}')
a> select * from pg_get_object_address('function', '{lower}', '{nosuch}')
a> select * from pg_get_object_address('function', '{nosuch,lower}', '{text}')
a> select * from pg_get_object_address('function', '{pg_catalog,aa}', '{int4}')
a> select * from pg_get_object_address('function', '{count}', '{"\"any\""}')
a> select * from pg_get_object_address('aggregate', '{lower}', '{text}')
a> select * from pg_get_object_address('aggregate', '{foo}', '{}')
a> select * from pg_get_object_address('aggregate', '{count}', '{}')
a> select * from pg_get_object_address('procedure', '{lower}', '{text}')
a> select * from pg_get_object_address('operator', '{*}', '{int4,foo}')
a> select * from pg_get_object_address('operator', '{nosuch,*}', '{int4,int4}')
a> select * from pg_get_object_address('operator', '{**}', '{int4,int4}')
a> select * from pg_get_object_address('operator', '{*}', '{int4}')
a> select * from pg_get_object_address('cast', '{int4}', '{circle}')
a> select * from pg_get_object_address('cast', '{int4}', '{}')
a> select * from pg_get_object_address('cast', '{int4,int8}', '{int4}')
a> select * from pg_get_object_address('collation', '{a,b}', '{}')
a> select * from pg_get_object_address('collation', '{nosuch}', '{}')
a> select * from pg_get_object_address('conversion', '{nosuch}', '{}')
a> select * from pg_get_object_address('statistics object', '{nosuch}', '{}')
a> select * from pg_get_object_address('text search parser', '{nosuch}', '{}')
a> select * from pg_get_object_address('text search dictionary', '{nosuch,x}', '{}')
a> select * from pg_get_object_address('operator class', '{btree}', '{}')
a> select * from pg_get_object_address('operator class', '{btreee,aa}', '{}')
a> select * from pg_get_object_address('operator class', '{btree,aa}', '{}')
a> select * from pg_get_object_address('operator family', '{btree,aa,bb}', '{}')
a> select * from pg_get_object_address('operator of access method', '{btree,1}', '{int4,int4}')
a> select * from pg_get_object_address('operator of access method', '{btree,integer_ops,99}', '{int4,text}')
a> select * from pg_get_object_address('operator of access method', '{btree,integer_ops,1}', '{int4}')
a> select * from pg_get_object_address('function of access method', '{btree,integer_ops,x}', '{int4,int4}')
a> select * from pg_get_object_address('function of access method', '{btree,aa,x}', '{int4,int4}')
a> select * from pg_get_object_address('role', '{nosuch}', '{}')
a> select * from pg_get_object_address('role', '{a,b}', '{}')
a> select * from pg_get_object_address('database', '{nosuch}', '{}')
a> select * from pg_get_object_address('tablespace', '{nosuch}', '{}')
a> select * from pg_get_object_address('schema', '{nosuch}', '{}')
a> select * from pg_get_object_address('language', '{nosuch}', '{}')
a> select * from pg_get_object_address('access method', '{nosuch}', '{}')
a> select * from pg_get_object_address('extension', '{nosuch}', '{}')
a> select * from pg_get_object_address('event trigger', '{nosuch}', '{}')
a> select * from pg_get_object_address('parameter ACL', '{nosuch}', '{}')
a> select * from pg_get_object_address('publication', '{nosuch}', '{}')
a> select * from pg_get_object_address('subscription', '{nosuch}', '{}')
a> select * from pg_get_object_address('foreign-data wrapper', '{nosuch}', '{}')
a> select * from pg_get_object_address('server', '{nosuch}', '{}')
a> select * from pg_get_object_address('user mapping', '{nosuch}', '{s}')
a> select * from pg_get_object_address('user mapping', '{public}', '{s}')
a> select * from pg_get_object_address('publication relation', '{pg_class}', '{p}')
a> select * from pg_get_object_address('publication relation', '{nosuch}', '{p}')
a> select * from pg_get_object_address('publication namespace', '{public}', '{p}')
a> select * from pg_get_object_address('publication namespace', '{nosuch}', '{p}')
a> select * from pg_get_object_address('default acl', '{a}', '{r}')
a> select * from pg_get_object_address('default acl', '{a,b}', '{S}')
a> select * from pg_get_object_address('default acl', '{a}', '{x}')
a> select * from pg_get_object_address('transform', '{int4}', '{sql}')
a> select * from pg_get_object_address('transform', '{int4}', '{nosuch}')
a> select * from pg_get_object_address('large object', '{5}', '{}')
a> select * from pg_get_object_address('large object', '{a}', '{}')
a> select * from pg_get_object_address('large object', '{NULL}', '{}')
a> select * from pg_get_object_address('table', NULL, '{}')
a> drop schema q cascade
a> drop table "T 1"
a> drop sequence s
