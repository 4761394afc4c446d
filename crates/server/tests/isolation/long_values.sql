# Rows longer than a page: compressed, out of line, in keys, changed, taken back, seen by old snapshots.
a> create table docs (id int primary key, doc text, data bytea, n int)
a> insert into docs select i, (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 320) j), decode(repeat('ff', i * 300), 'hex'), i from generate_series(1, 40) i
a> insert into docs values (41, repeat('abc', 1000000), '\xff00', 0), (42, '', '', null), (43, null, '\xff', 1)
a> select count(*), sum(length(doc)), sum(length(data)), sum(n) from docs
a> select id from docs where doc <> (select string_agg(md5((id)::text || ',' || j::text), '') from generate_series(1, 320) j) order by id
a> select id, length(doc), md5(doc), length(data), encode(substr(data, 1, 3), 'hex') from docs where id in (1, 17, 41, 42, 43) order by id
a> select id, substr(doc, 9990, 40) from docs where doc like '%' || substr((select string_agg(md5((33)::text || ',' || j::text), '') from generate_series(1, 320) j), 5000, 50) || '%'
# Values that are neither of these: other columns of their row keep theirs.
a> update docs set n = n + 100 where id <= 20
a> select count(*), sum(n) from docs where doc = (select string_agg(md5((id)::text || ',' || j::text), '') from generate_series(1, 320) j)
a> update docs set doc = upper(doc) where id % 4 = 0
a> update docs set doc = null where id % 5 = 0
a> select count(*), sum(length(doc)), sum(length(data)) from docs
# What an old snapshot sees.
b> begin isolation level repeatable read
b> select count(*), md5(string_agg(doc, ',' order by id)) from docs
a> update docs set doc = (select string_agg(md5((id + 1000)::text || ',' || j::text), '') from generate_series(1, 400) j) where id <= 10
a> delete from docs where id between 11 and 15
a> vacuum docs
a> insert into docs select i, (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 200) j), '', i from generate_series(100, 140) i
b> select count(*), md5(string_agg(doc, ',' order by id)) from docs
b> commit
b> select count(*), md5(string_agg(doc, ',' order by id)) from docs
# What is taken back.
a> begin
a> update docs set doc = 'short' where id < 30
a> savepoint s
a> delete from docs
a> select count(*) from docs
a> rollback to s
a> select count(*), count(*) filter (where doc = 'short'), sum(length(doc)) from docs
a> rollback
a> select count(*), md5(string_agg(doc, ',' order by id)) from docs
# Two who change the same row.
a> begin
a> update docs set doc = doc || 'a' where id = 1
b> update docs set doc = doc || 'b' where id = 1
a> commit
b> select length(doc), right(doc, 2) from docs where id = 1
# Upserts.
a> insert into docs values (1, (select string_agg(md5((5)::text || ',' || j::text), '') from generate_series(1, 300) j), 'x', 1), (200, (select string_agg(md5((6)::text || ',' || j::text), '') from generate_series(1, 300) j), 'y', 2) on conflict (id) do update set doc = docs.doc || excluded.doc
a> insert into docs values (1, (select string_agg(md5((5)::text || ',' || j::text), '') from generate_series(1, 300) j), 'x', 1) on conflict do nothing
a> select id, length(doc), md5(doc) from docs where id in (1, 200) order by id
# Keys that are out of line.
a> create table keys (k text primary key, n int unique)
a> insert into keys select (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 70) j), i from generate_series(1, 30) i
a> insert into keys select (select string_agg(md5((7)::text || ',' || j::text), '') from generate_series(1, 70) j), 31
a> insert into keys select (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 70) j), i from generate_series(25, 35) i on conflict do nothing
a> select n from keys where k = (select string_agg(md5((12)::text || ',' || j::text), '') from generate_series(1, 70) j)
a> select n from keys where k between (select string_agg(md5((3)::text || ',' || j::text), '') from generate_series(1, 70) j) and (select string_agg(md5((3)::text || ',' || j::text), '') from generate_series(1, 70) j) || 'x'
a> select count(*) from keys a join keys b using (k)
a> update keys set k = (select string_agg(md5((n + 100)::text || ',' || j::text), '') from generate_series(1, 70) j) where n % 3 = 0
a> select count(*) from keys where k = (select string_agg(md5((n + 100)::text || ',' || j::text), '') from generate_series(1, 70) j)
a> select count(*) from keys where k = (select string_agg(md5((n)::text || ',' || j::text), '') from generate_series(1, 70) j)
a> update keys set k = (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 70) j) where n = 2
a> delete from keys where k = (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 70) j)
a> update keys set k = (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 70) j) where n = 2
a> select n from keys where k = (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 70) j)
a> create index on docs (md5(doc))
a> set enable_seqscan = off
a> select id from docs where md5(doc) = md5((select string_agg(md5((22)::text || ',' || j::text), '') from generate_series(1, 320) j))
a> reset enable_seqscan
# Values that begin with the byte that marks stored ones.
a> create table marked (id int, b bytea, m numeric)
a> insert into marked values (1, '\xff', 'NaN'), (2, '\x00ff', 1.5), (3, null, null), (4, '\xff01', 'Infinity'), (5, '\xffffffff', '-Infinity'), (6, '\xff00', -1)
a> create index on marked (b)
a> create index on marked (m)
a> select id, encode(b, 'hex'), m from marked order by b, id
a> select id, encode(b, 'hex'), m from marked order by m, id
a> set enable_seqscan = off
a> select id, encode(b, 'hex'), m from marked where b >= '\xff' order by b
a> select id, encode(b, 'hex'), m from marked where m >= 1 order by m desc
a> update marked set b = b || '\xff', m = case when m = 'NaN' then 2 else 'NaN' end where id <> 3
a> select id, encode(b, 'hex'), m from marked where b >= '\xff' order by b
a> select id, encode(b, 'hex'), m from marked where m = 'NaN' order by id
a> select id, m from marked where b = '\xff01ff'
a> reset enable_seqscan
# Arrays, json, numeric, composite.
a> create table others (id int, a text[], j json, m numeric, c varchar(20000))
a> insert into others select i, array_fill((select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 40) j), array[10]), json_build_object('key', (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 500) j)), (repeat('1234567890', 900) || '.5')::numeric * i, (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 312) j) from generate_series(1, 5) i
a> select id, cardinality(a), md5(a[7]), md5(j ->> 'key'), md5(m::text), md5(c) from others order by id
a> select o.id, length((o).c) from others o where row(o.c) = row((select string_agg(md5((3)::text || ',' || j::text), '') from generate_series(1, 312) j))
a> select count(distinct a), count(distinct m), max(length(c)), min(c) = (select string_agg(md5((2)::text || ',' || j::text), '') from generate_series(1, 312) j) from others
a> alter table others alter id type bigint, add column d text default repeat('d', 5000)
a> select id, length(d), md5(j ->> 'key') from others order by id
# Storage.
a> alter table others alter c set storage external
a> alter table others alter m set storage plain
a> alter table others alter id set storage external
a> alter table others alter id set compression lz4
a> alter table others alter c set storage nonsense
a> alter table others alter d set compression zip
a> alter table others alter d set compression lz4
a> select attname, attstorage, attcompression from pg_attribute where attrelid = 'others'::regclass and attnum > 0 order by attnum
a> create table like_others (like others including storage including compression)
a> select attname, attstorage, attcompression from pg_attribute where attrelid = 'like_others'::regclass and attnum > 0 order by attnum
a> create table more (a text storage main, b text storage external compression lz4, c int storage plain, d bytea storage default)
a> select attname, attstorage, attcompression from pg_attribute where attrelid = 'more'::regclass and attnum > 0 order by attnum
a> insert into more values ((select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 200) j), (select string_agg(md5((2)::text || ',' || j::text), '') from generate_series(1, 200) j), 3, decode((select string_agg(md5((3)::text || ',' || j::text), '') from generate_series(1, 200) j), 'hex'))
a> select md5(a), md5(b), c, md5(d) from more
a> alter table more alter a set storage plain, alter d set storage plain
a> update more set c = 4
a> select md5(a), md5(b), c, md5(d) from more
a> truncate docs
a> select count(*) from docs
a> drop table docs, keys, others, like_others, more, marked
# Unique keys that are computed of values which begin with the marking byte, and of rows that are gone.
a> create table computed (b bytea, t text)
a> create unique index on computed (md5(b))
a> create unique index on computed (md5(t))
a> insert into computed values ('\xff00aa', 'a'), ('\xff', 'b'), ('\xff41', 'c'), ('\xff0141', 'd')
a> insert into computed values ('\xff00aa', 'e')
a> insert into computed values ('\xff', 'e')
a> insert into computed values ('\xff41', 'e') on conflict do nothing
a> insert into computed values (null, (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 80) j))
a> delete from computed where b is null
a> insert into computed select null, (select string_agg(md5((i)::text || ',' || j::text), '') from generate_series(1, 80) j) from generate_series(2, 20) i
a> insert into computed values (null, (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 80) j))
a> insert into computed values (null, (select string_agg(md5((1)::text || ',' || j::text), '') from generate_series(1, 80) j))
a> update computed set t = (select string_agg(md5((100)::text || ',' || j::text), '') from generate_series(1, 80) j) where b = '\xff'
a> update computed set t = (select string_agg(md5((100)::text || ',' || j::text), '') from generate_series(1, 80) j) where b = '\xff41'
a> select count(*), sum(length(t)), count(distinct md5(t)) from computed
a> analyze computed
a> select n_distinct, null_frac > 0 from pg_stats where tablename = 'computed' and attname = 't'
a> drop table computed
