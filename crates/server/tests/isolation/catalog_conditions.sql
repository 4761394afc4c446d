# Conditions on the catalogs' rows: those that are asked before anything is made of the rows, and those that are not.
a> create table conditions_a (id int primary key, b text default 'x', c numeric)
a> create table conditions_b (id bigint, b varchar(10))
a> create view conditions_v as select id from conditions_a
a> select attname, attnum from pg_attribute where attrelid = 'conditions_a'::regclass and attnum > 0 order by attnum
a> select attname, attnum from pg_attribute where attrelid = 'conditions_a'::regclass and 0 > attnum order by attnum
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum between 1 and 2 order by 1
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum >= 100000 order by 1
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum < 100000::bigint and attnum > -1::bigint order by 1
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum = any ('{1,3,65537,null}') order by 1
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum = any (null::int[]) order by 1
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum <> all ('{1,3}') and attnum > 0 order by 1
a> select attname from pg_attribute where attrelid = 'conditions_a'::regclass and attnum > null
a> select relname, relkind from pg_class where relname >= 'conditions_a' and relname < 'conditions_w' order by 1
a> select relname from pg_class where relname like 'conditions\_%' and relkind in ('r', 'v') order by 1
a> select relname from pg_class where relkind = any (array['v', 'm']) and relname ~ '^(conditions.*)$' order by 1
a> select relname from pg_class where relkind in ('r', 'v') and relname > 'conditions_a'::text and relname <= 'conditions_v'::text order by 1
a> select relname from pg_class where 'conditions_b' < relname and relname < 'conditions_z' and relkind <> 'i' order by 1
a> select proname, oid from pg_proc where proname ~ '^(array_le.*)$' order by 1, 2
a> select typname from pg_type where typname >= 'int2' and typname < 'int5' and typtype = 'b' order by typname desc
a> select typname from pg_type where typname in ('int4', 'text', 'conditions_a', 'none') and typtype in ('b', 'c') order by 1
a> select typname from pg_type where typisdefined and not typbyval and typname = any ('{int4,text,name}') order by 1
a> select typname from pg_type where typbyval = true and typlen > 2 and typlen <= 4 and typname < 'c' order by 1
a> select count(*) from pg_attribute where attrelid = 'conditions_a'::regclass and 1 / attnum > 0 and attnum > 0
a> select count(*) from pg_attribute where attrelid = 'conditions_a'::regclass and 1 / (attnum - 1) > 0 and attnum > 1
a> select count(*) from pg_attribute where attrelid = 'conditions_a'::regclass and attnum > 1 and 1 / (attnum - 1) > 0
a> select count(*) from pg_class c, pg_attribute a where a.attrelid = c.oid and c.relname like 'conditions%' and a.attnum > 0 and not a.attisdropped
a> select c.relname, a.attname from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 1 where c.relname in ('conditions_a', 'conditions_v') order by 1, 2
a> prepare p (text, text) as select relname from pg_class where relname >= $1 and relname < $2 and relkind in ('r', 'v') order by 1
a> execute p ('conditions', 'conditionsz')
a> execute p ('conditions_b', 'conditionsz')
a> execute p (null, 'conditionsz')
a> execute p ('conditions', 'conditions_b')
a> execute p ('conditions', 'conditions_c')
a> execute p ('conditions_v', 'conditionsz')
a> execute p ('conditions', 'conditionsz')
a> alter table conditions_a drop column c
a> select attname, attisdropped from pg_attribute where attrelid = 'conditions_a'::regclass and attnum > 2 order by attnum
a> select description is null from pg_description where objoid = 'conditions_a'::regclass and objsubid >= 0
a> comment on column conditions_a.b is 'what'
a> select objsubid, description from pg_description where objoid = 'conditions_a'::regclass and objsubid >= 1
a> select conname, contype from pg_constraint where conname >= 'conditions' and conname < 'conditionsz' and contype in ('p', 'n') order by 1
a> select (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0) from pg_class c where relname in ('conditions_a', 'conditions_b') order by relname
a> set enable_seqscan = off
a> select relname from pg_class where relname >= 'conditions_a' and relname < 'conditions_w' order by relname
a> select attname from pg_attribute where attrelid = 'conditions_b'::regclass and attnum > 0 order by attnum desc
a> create table range_abcdefgh1 (a int primary key)
a> create table range_abcdefgh2 ()
a> create table range_b (a int default 3)
a> create table "Range" ()
a> create view range_of as select a from range_b
a> select relname from pg_class where relname like 'range\_abcdefgh%' order by 1
a> select relname from pg_class where relname > 'range_abcdefgh1' and relname <= 'range_b' and relname ~ 'range' order by 1
a> select relname from pg_class where relname > 'range_b' and relname < 'range_b' order by 1
a> select relname from pg_class where relname < 'a' and relname >= 'R' order by 1
a> select relname from pg_class where relname between 'range_' and 'range_zzzzzzzzzz' order by 1
a> select relname from pg_class where relname > 'range_abcdefgh2' and relname > 'range_abcdefgh1' and relname ~ 'range' order by 1
a> alter table range_b rename to range_abcdefgh3
a> select relname from pg_class where relname like 'range\_abcdefgh%' order by 1
a> select typname from pg_type where typname >= '_int8' and typname < '_int9' order by 1
a> select classid::regclass, deptype from pg_depend where refobjid = 'range_abcdefgh3'::regclass order by 1, 2
a> select refclassid::regclass, deptype from pg_depend where objid = 'range_abcdefgh3'::regclass order by 1, 2
a> select count(*) from pg_depend where refobjid = 'range_abcdefgh3'::regclass and refclassid = 'pg_type'::regclass
a> select r.relname, d.deptype from pg_class r join pg_depend d on d.refobjid = r.oid and d.classid = 'pg_rewrite'::regclass where relname like 'range%' order by 1, 2
a> drop table range_abcdefgh3 cascade
a> select relname from pg_class where relname like 'range\_abcdefgh%' order by 1
