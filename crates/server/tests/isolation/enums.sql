a> create schema enums
a> set search_path to enums
a> create type colour as enum ('red', 'green', 'blue')
a> create type colour as enum ('red')
a> create type twice as enum ('a', 'b', 'a')
a> create type long_label as enum ('a234567890123456789012345678901234567890123456789012345678901234')
a> create type nothing as enum ()
a> select typname, typlen, typbyval, typtype, typcategory, typispreferred, typisdefined, typdelim, typrelid, typsubscript, typelem::regtype, typarray::regtype, typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typalign, typstorage, typnotnull, typbasetype, typtypmod, typndims, typcollation, typdefault, typacl from pg_type where typnamespace = 'enums'::regnamespace order by 1
a> select enumlabel, enumsortorder from pg_enum where enumtypid = 'colour'::regtype order by enumsortorder
a> select pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid), deptype from pg_depend where objid in ('colour'::regtype, 'colour[]'::regtype) order by 1, 2
a> select 'red'::colour, 'violet'::colour
a> select 'red'::colour < 'blue', 'red'::colour = 'red', greatest('red'::colour, 'blue', 'green'), enum_cmp('red'::colour, 'green')
a> select enum_first(null::colour), enum_last(null::colour), enum_range(null::colour), enum_range('green', null::colour), enum_range(null, 'green'::colour), enum_range('green'::colour, 'green'), enum_range('blue'::colour, 'red'), enum_larger('red'::colour, 'blue'), enum_smaller('red'::colour, 'blue')
a> select enum_first(null::nothing)
a> select enum_range(null::nothing)
a> select enum_first(null)
a> select enum_first(1)
a> create table paint (id int primary key, c colour default 'green', cs colour[])
a> insert into paint values (1, 'red', '{red,blue}'), (2, default, null), (3, 'blue', array['green', null]::colour[]), (4, null, '{}')
a> insert into paint values (5, 'violet')
a> insert into paint values (5, 'red'::text)
a> insert into paint values (5, null, '{red,violet}')
a> select * from paint order by c, id
a> select * from paint order by c desc nulls last, id
a> select c, count(*) from paint group by c order by c
a> select min(c), max(c), array_agg(c order by id), count(distinct c) from paint
a> select id from paint where c > 'red' order by id
a> select id from paint where c in ('red', 'blue') order by id
a> select id from paint where 'red' = any (cs) order by id
a> select id, unnest(cs) from paint order by 1, 2
a> select p.id, q.id from paint p join paint q on p.c = q.c order by 1, 2
a> select c::text || '!', c::varchar(2), 'blue'::text::colour from paint where id = 1
a> select c = 'red'::text from paint
a> select c = 1 from paint
a> select c || 'x' from paint
a> select array_position(cs, 'blue'), cs || 'green'::colour, cs @> '{red}', cs[1], array_fill('red'::colour, array[2]) from paint where id = 1
a> select to_json(c), row_to_json(p), p from paint p where id = 1
a> select row(c, 1) < row('blue'::colour, 0), c between 'red' and 'green' from paint where id = 1
a> select case c when 'red' then 'blue' else c end, coalesce(null, c), nullif(c, 'red') from paint order by id
a> select c from paint union select 'blue' order by 1
a> select pg_typeof(c), pg_typeof(cs), format_type('colour'::regtype, null) from paint where id = 1
a> select column_name, data_type, udt_schema, udt_name, column_default from information_schema.columns where table_name = 'paint' order by ordinal_position
a> select attname, atttypid::regtype, attlen, attbyval, attalign, attstorage, attndims, attcollation from pg_attribute where attrelid = 'paint'::regclass and attnum > 0 order by attnum
a> create index paint_c on paint (c)
a> create unique index paint_cs on paint (cs)
a> select pg_get_indexdef('paint_c'::regclass), indclass[0]::regclass is not null from pg_index where indexrelid = 'paint_c'::regclass
a> create index paint_part on paint (id) where c = 'red'
a> select indexdef from pg_indexes where tablename = 'paint' order by 1
a> alter table paint add constraint warm check (c <> 'blue' or id > 2)
a> insert into paint values (0, 'blue')
a> select pg_get_constraintdef(oid) from pg_constraint where conname = 'warm'
a> create view warm as select id, c from paint where c in ('red', 'green')
a> select pg_get_viewdef('warm'::regclass)
a> select * from warm order by id
a> alter type colour add value 'yellow' before 'green'
a> alter type colour add value 'violet' after 'blue'
a> alter type colour add value 'black'
a> alter type colour add value 'white' before 'red'
a> alter type colour add value 'black'
a> alter type colour add value if not exists 'black'
a> alter type colour add value 'grey' after 'pink'
a> alter type colour add value 'grey' before 'pink'
a> select enumlabel, enumsortorder from pg_enum where enumtypid = 'colour'::regtype order by enumsortorder
a> insert into paint values (5, 'white'), (6, 'yellow'), (7, 'black'), (8, 'violet')
a> set enable_seqscan to off
a> select id, c from paint where c >= 'red' order by c
a> select id, c from paint where c < 'green' order by c desc
a> reset enable_seqscan
a> alter type colour rename value 'black' to 'white'
a> alter type colour rename value 'pink' to 'x'
a> alter type colour rename value 'black' to 'dark'
a> select c from paint where id = 7
a> analyze paint
a> select attname, most_common_vals, histogram_bounds from pg_stats where tablename = 'paint' and attname = 'c'
a> explain (costs off) select * from paint where c = 'red'
a> prepare p(colour) as select id from paint where c = $1
a> execute p('red')
a> execute p('nothing')
a> copy paint (id, c) to stdout
a> select c from paint order by c limit 3 for update
a> update paint set c = 'violet' where c = 'red' returning *
a> with gone as (delete from paint where c = 'violet' returning id) select * from gone order by 1
a> create table inherited as select c from paint
a> alter table inherited alter c type text
a> alter table inherited alter c type colour
a> alter table inherited alter c type colour using c::colour
a> begin
a> alter type colour add value 'new'
a> select 'new'::colour
a> rollback
a> begin
a> alter type colour add value 'new'
a> select enum_last(null::colour)
a> rollback
a> begin
a> alter type colour add value 'new'
a> select enum_range(null, 'red'::colour)
a> select enum_range(null::colour)
a> rollback
a> begin
a> create type mood as enum ('sad')
a> alter type mood add value 'happy'
a> select 'happy'::mood, enum_range(null::mood)
a> alter type mood rename value 'happy' to 'glad'
a> select 'glad'::mood
a> commit
a> begin
a> alter type mood rename value 'glad' to 'happy'
a> select 'happy'::mood
a> rollback
b> set search_path to enums
a> begin
a> alter type mood add value 'angry' before 'sad'
b> select enum_range(null::mood)
b> select 'angry'::mood
b> insert into paint values (20, 'red')
a> commit
b> select enum_range(null::mood)
b> select 'angry'::mood < 'sad'
a> begin
a> create table moods (m mood)
b> drop type mood
b> begin
a> commit
b> rollback
b> drop type mood
b> drop type mood cascade
b> select * from moods
b> select count(*) from pg_enum where enumtypid not in (select oid from pg_type)
a> alter type colour rename to color
a> select typname from pg_type where typnamespace = 'enums'::regnamespace and typtype in ('e', 'b') and typname like '%colo%' order by 1
a> create schema enums_other
a> alter type color set schema enums_other
a> select c from paint where id = 20
a> select oid::regtype, typarray::regtype from pg_type where typname = 'color'
a> alter type enums_other.color set schema enums
a> alter type _color rename to x
a> create role enums_owner
a> grant usage on type color to enums_owner
a> revoke usage on type color from public
a> select typacl from pg_type where oid = 'color'::regtype
a> alter type color owner to enums_owner
a> select (select rolname from pg_authid where oid = t.typowner), (select rolname from pg_authid where oid = a.typowner) from pg_type t join pg_type a on a.oid = t.typarray where t.oid = 'color'::regtype
a> drop role enums_owner
a> reassign owned by enums_owner to current_user
a> drop owned by enums_owner
a> drop role enums_owner
a> comment on type color is 'what one sees'
a> select obj_description('color'::regtype, 'pg_type')
a> alter type paint rename to x
a> create type paint as enum ('a')
a> create type _nothing as enum ('a')
a> select typname from pg_type where typname like '%nothing%' and typnamespace = 'enums'::regnamespace order by 1
a> drop type nothing
a> drop type _nothing
a> drop type if exists nothing
a> drop type color
a> alter type int4 add value 'x'
a> alter type nowhere add value 'x'
a> drop type color cascade
a> select * from paint order by 1
a> drop schema enums cascade
a> drop schema enums_other
