# Index-only scans: rows that everybody sees come from the index alone; others are looked at.
a> set enable_seqscan = off
a> set enable_bitmapscan = off
b> set enable_seqscan = off
b> set enable_bitmapscan = off
a> create table t (id int primary key, k int, v text)
a> create index t_k on t (k)
a> create index t_vk on t (v desc nulls last, k)
a> insert into t select i, (i * 37) % 100, case when i % 10 <> 0 then 'v' || i % 7 end from generate_series(1, 100) i
a> vacuum t
a> select k from t where k between 10 and 20
a> select v, k from t where v >= 'v5' order by v desc, k limit 5
a> select v, k from t where v is null order by k desc limit 3
a> select v, k from t order by v, k desc limit 4
a> select id from t where id = 5
a> prepare one as select id from t where id = $1
a> execute one(7)
a> execute one(101)
# An old snapshot sees what it saw; VACUUM cannot take it for everybody's.
b> begin isolation level repeatable read
b> select k from t where k < 5 order by k
a> update t set k = k + 1000 where k < 3
a> delete from t where k = 4
a> insert into t values (201, 2, 'new'), (202, -1, 'new')
b> select k from t where k < 5 order by k
a> select k from t where k < 5 order by k
a> vacuum t
b> select k from t where k < 5 order by k
b> select k from t where k > 900 order by k
a> select k from t where k < 5 order by k
a> select k from t where k > 900 order by k
a> execute one(202)
b> execute one(202)
b> prepare one as select id from t where id = $1
b> execute one(202)
b> commit
b> begin
b> prepare two as select id from t where id = $1
b> execute two(202)
a> vacuum t
a> select k from t where k < 5 order by k
b> select k from t where k < 5 order by k
# What is not committed is seen by who made it alone, and a rollback leaves nothing.
b> delete from t where k = 3
b> update t set v = 'changed', k = 50000 where id = 50
b> insert into t values (300, 60000, 'v1')
b> select k from t where k < 5 or k >= 50000 order by k
a> select k from t where k < 5 order by k
a> select k from t where k >= 50000 order by k
a> select v from t where v = 'changed'
b> select v from t where v = 'changed'
b> rollback
b> select k from t where k >= 50000 order by k
a> select k from t where k < 5 order by k
a> vacuum t
a> select k from t where k >= 50000 order by k
a> select k from t where k < 5 order by k
a> select v, count(*) from t group by v order by v desc nulls first
a> begin
a> savepoint s
a> update t set k = -k
a> select count(k), min(k), max(k) from t
a> rollback to s
a> select count(k), min(k), max(k) from t
a> commit
a> select count(k), min(k), max(k) from t
# Values of all types.
a> create table types (a smallint, b bigint, c bool, d "char", e oid, f date, g time, h timestamp, i timestamptz, j uuid, k varchar(20), l char(5), m bytea, n numeric(12,3), o numeric, p float8, q interval, r timetz, s name, t inet)
a> insert into types values (-32768, -9223372036854775808, true, 'x', 4294967295, '0044-03-15 BC', '23:59:59.999999', '-infinity', '2024-02-29 12:00+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'ab', 'ab', '\x00ff00', -123456789.125, 1.0, '-0', '1 month', '10:00+02', 'name', '192.168.1.5/24')
a> insert into types values (32767, 9223372036854775807, false, '', 0, 'infinity', '00:00', '9999-12-31 23:59:59.999999', 'infinity', '00000000-0000-0000-0000-000000000000', '', '', '\x', 0, 1.000, 0, '30 days', '09:00+01', '', '::1')
a> insert into types values (0, 0, null, null, null, null, null, null, null, null, null, null, '\xff00ff', null, 'NaN', 'NaN', '720 hours', '08:00+00', null, null)
a> insert into types values (1)
a> create index on types (a, b, c, d, e)
a> create index on types (f desc, g, h desc, i)
a> create index on types (j, k desc, l, m desc)
a> create index on types (m, n desc, s, t)
a> create index on types (l desc)
a> create index on types (o)
a> create index on types (p)
a> create index on types (q)
a> create index on types (r)
a> vacuum analyze types
a> select a, b, c, d, e from types where a > -40000::int order by a
a> select f, g, h, i from types order by f, g desc, h, i desc
a> select j, k, l, m from types order by j, k desc, l, m desc
a> select m, n, s, t from types where m >= '\x' order by m, n desc, s, t
a> select l, length(l), octet_length(l) from types order by l
a> select o from types order by o
a> select p from types order by p
a> select q from types where q = '1 month' order by q
a> select count(*), count(distinct q) from types
a> select r from types where r = '10:00+02'
# Partial indexes, expressions and INCLUDE.
a> create table more (id int, m text, p int, n int, v text)
a> insert into more select i, (array['sad', 'ok', 'happy'])[i % 3 + 1], i, i % 5, repeat('x', i % 4) from generate_series(1, 30) i
a> create index more_m on more (m, p)
a> create index more_part on more (n) where id > 20
a> create index more_lower on more (lower(v), n)
a> create unique index more_id on more (id) include (v, n)
a> vacuum analyze more
a> select m, p from more where m = 'ok' order by p limit 3
a> select n from more where id > 20 order by n
a> update more set id = 1000 + id where id = 25
a> update more set id = 15 where id = 1025
a> select n from more where id > 20 order by n
a> vacuum more
a> select n from more where id > 20 order by n
a> select id, v, n from more where id between 3 and 6 order by id
a> update more set v = 'changed', n = 77 where id = 4
a> select id, v, n from more where id between 3 and 6 order by id
a> vacuum more
a> select id, v, n from more where id between 3 and 6 order by id
a> select lower(v), n from more where lower(v) = 'changed'
# Long values do not fit an index; those that do are whole.
a> create table long (v text)
a> create index on long (v)
a> insert into long select repeat(chr(97 + i % 26), 2000) from generate_series(1, 3) i
a> insert into long values ('short')
a> vacuum analyze long
a> select length(v), left(v, 3) from long order by v
a> update long set v = v || 'y' where v < 'd'
a> select length(v), right(v, 3) from long order by v
a> vacuum long
a> select length(v), right(v, 3) from long order by v
a> truncate long
a> select v from long where v > ''
a> insert into long values ('again')
a> select v from long where v > ''
# Rows that move to other pages, and columns that come and go.
a> create table wide (id int, v text)
a> create index wide_id on wide (id)
a> insert into wide select i, 'x' from generate_series(1, 300) i
a> vacuum wide
a> update wide set v = repeat('y', 100) where id % 3 = 0
a> vacuum wide
a> select count(id), sum(id) from wide
a> update wide set id = id + 1000 where id % 7 = 0
a> vacuum wide
a> select count(id), sum(id), min(id), max(id) from wide where id > 0
a> delete from wide where id > 1000
a> vacuum wide
a> select count(id), sum(id), min(id), max(id) from wide where id > 0
a> insert into wide select i, 'z' from generate_series(5000, 5050) i
a> select count(id), sum(id), min(id), max(id) from wide where id > 0
a> alter table wide add column n int default 7
a> alter table wide alter column id type bigint
a> select count(id), sum(id), min(id), max(id) from wide where id > 0
a> reindex table wide
a> vacuum wide
a> select count(id), sum(id), min(id), max(id) from wide where id > 0
# A partial index that says all there is to know: no column is wanted, and some entries lead to rows that have changed.
a> create table jobs (id int primary key, status text, p text)
a> insert into jobs select g, case when g % 10 = 0 then 'new' else 'done' end, repeat('y', 200) from generate_series(1, 2000) g
a> create index jobs_new on jobs (status) where status = 'new'
a> vacuum analyze jobs
a> update jobs set status = 'done' where id % 100 = 0
a> select count(*) from jobs where status = 'new'
a> select 1 from jobs where status = 'new' limit 2
a> update jobs set status = 'new' where id % 200 = 0
a> select count(*) from jobs where status = 'new'
