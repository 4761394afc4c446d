# Columns that INCLUDE names come from the index alone, as they are; keys are unique without them.
a> set enable_seqscan = off
a> set enable_bitmapscan = off
b> set enable_seqscan = off
b> set enable_bitmapscan = off
a> create table t (id int, k int, n numeric, f float8, v text, c char(5), i interval, a int[], ts timestamptz)
a> create unique index t_id on t (id) include (k, n, f, v, c, i, a, ts)
a> create index t_k on t (k desc, v) include (n, id)
a> insert into t select g, g % 4, (g || '.50')::numeric, '-0'::float8, nullif(repeat('x', g % 3), ''), 'c' || g, make_interval(months => g, days => g * 30), array[g, null], '2020-01-01 00:00+00'::timestamptz + g * interval '1 day' from generate_series(1, 9) g
a> insert into t (id) values (100), (null), (null)
a> vacuum analyze t
a> explain (costs off) select id, k, n, f, v, c, i, a from t where id between 2 and 4
a> select id, k, n, f, v, c, i, a from t where id between 2 and 4
a> select n, v, c || '|', a[1] from t where id = 5
a> select id, n from t where k = 2 order by v, id
a> select n, id from t where k >= 2 order by k desc, v, id
a> select v, i = interval '2 months', f from t where id = 1
a> select id, k, v from t where id is null
a> select count(*), count(n), sum(n), max(c) from t where id > 0
a> select k, count(*), sum(n) from t where k is not null group by k order by k desc
# Changed columns that are included: who looks sees his own version alone.
b> begin isolation level repeatable read
b> select id, k, n from t where id in (1, 2, 3, 4) order by id
a> update t set n = n + 1, v = 'new' where id in (2, 3)
a> update t set a = a || 7 where id = 4
a> select id, k, n, v, a from t where id in (1, 2, 3, 4) order by id
b> select id, k, n, v, a from t where id in (1, 2, 3, 4) order by id
b> select n, id from t where k = 2 order by v, id
a> select n, id from t where k = 2 order by v, id
a> vacuum t
b> select id, k, n, v, a from t where id in (1, 2, 3, 4) order by id
b> update t set n = 0 where id = 2
b> rollback
a> vacuum t
b> select id, k, n, v, a from t where id in (1, 2, 3, 4) order by id
a> begin
a> update t set n = -n where id < 5
a> savepoint s
a> update t set n = 1000000, v = null where id < 3
a> select id, n, v from t where id < 5 order by id
a> rollback to s
a> select id, n, v from t where id < 5 order by id
a> rollback
a> select id, n, v from t where id < 5 order by id
# Keys are unique whatever is included.
a> insert into t (id, k) values (100, 7)
a> insert into t (id, k, v) values (101, 7, 'one'), (101, 8, 'two')
a> update t set id = 1 where id = 2
a> insert into t (id, n) values (1, 5) on conflict do nothing
a> insert into t (id, n) values (1, 5), (201, 6) on conflict (id) do update set n = excluded.n + 10 returning id, n
a> select id, n from t where id in (1, 201) order by id
a> begin
a> update t set v = 'held' where id = 9
b> insert into t (id) values (10)
b> insert into t (id) values (9)
a> rollback
a> begin
a> delete from t where id = 8
b> update t set id = 8 where id = 7
a> commit
b> select id, v from t where id between 7 and 10 order by id
a> begin
a> insert into t (id, v) values (50, 'first')
b> insert into t (id, v) values (50, 'second') on conflict (id) do update set v = t.v || ' and ' || excluded.v
a> commit
b> select id, v from t where id = 50
a> delete from t where id = 50
a> insert into t (id, v) values (50, 'third')
a> select id, v from t where id = 50
a> create unique index t_kv on t (k) include (v)
a> create unique index t_n on t (n) include (v) nulls not distinct
# Long values that are included: looked for by the row.
a> create table long (id int, k int, v text)
a> create unique index long_id on long (id) include (v, k)
a> insert into long values (1, 1, repeat('x', 5000)), (2, 2, repeat('y', 65536)), (3, 3, repeat('z', 70000)), (4, 4, 'short')
a> vacuum long
a> select id, k, length(v), left(v, 3) from long where id between 1 and 4
a> select id, k from long where id between 1 and 4
a> update long set v = repeat('w', 66000) where id in (1, 4)
a> update long set v = 'short now' where id = 2
a> insert into long values (1, 7, repeat('x', 9000)) on conflict (id) do update set v = left(excluded.v, 2) || length(long.v)
a> insert into long values (3, 8, repeat('x', 9000)) on conflict do nothing
a> insert into long values (3, 8, repeat('x', 9000))
a> select id, k, length(v), left(v, 9) from long where id > 0 order by id
a> vacuum long
a> select id, k, length(v), left(v, 9) from long where id > 0 order by id desc
a> drop table long
# The table's own commands.
a> reindex index t_id
a> select id, n, v, a from t where id between 1 and 4 order by id
a> alter table t alter column n type int using n::int
a> select id, n, v from t where id between 1 and 4 order by id
a> alter table t alter column v type varchar(20)
a> update t set v = 'later' where id = 1
a> select id, n, v from t where id between 1 and 4 order by id
a> alter table t add column late text default 'late'
a> create unique index t_late on t (id) include (late, c)
a> vacuum t
a> select id, late, c from t where id < 3 order by id
a> alter table t drop column f
a> select indexrelid::regclass from pg_index where indrelid = 't'::regclass order by 1
a> select id, late, c from t where id < 3 order by id
a> select n, id from t where k = 1 order by v, id
a> truncate t
a> insert into t (id, late, k) select g, repeat('y', g), g from generate_series(1, 3) g
a> select id, late, c from t where id < 3 order by id
a> cluster t using t_late
a> vacuum t
a> select id, late, c from t where id < 3 order by id desc
a> create table p (id int, v int not null, w text, primary key (id) include (v))
a> insert into p values (1, 10, 'a'), (2, 20, 'b')
a> alter table p alter column v drop not null
a> alter table p alter column id drop not null
a> update p set v = null where id = 1
a> vacuum p
a> select v from p where id = 1
a> select id, v from p order by id
a> prepare one as select v from p where id = $1
a> execute one(2)
a> update p set v = 21 where id = 2
a> execute one(2)
a> select w, v from p where id = 2
a> create table parts (id int, kind text, v int, done boolean)
a> create unique index on parts (lower(kind)) include (v, id) where not done
a> insert into parts values (1, 'A', 5, false), (2, 'a', 6, true), (3, 'B', 7, false)
a> insert into parts values (4, 'a', 6, false)
a> vacuum parts
a> select v, id from parts where lower(kind) = 'a' and not done
a> update parts set v = v + 1 where not done
a> select v, id from parts where lower(kind) >= 'a' and not done order by lower(kind)
a> update parts set done = true where id = 1
a> insert into parts values (4, 'a', 60, false)
a> select v, id from parts where lower(kind) >= 'a' and not done order by lower(kind)
# Joins by key.
a> set enable_hashjoin = off
a> set enable_mergejoin = off
a> select g, p.v from generate_series(1, 3) g left join p on p.id = g order by g
a> create table pairs (x int, y int)
a> insert into pairs values (1, 2), (2, 1), (3, 3)
a> analyze pairs
a> select x, p.v from pairs left join p on p.id = pairs.y order by x
a> drop table t, p, parts, pairs
