# Row security in queries: owners, views, subqueries, recursion, rights, errors
a> create role iso_rq_o
a> create role iso_rq_p
a> create role iso_rq_a
a> create role iso_rq_b
a> create role iso_rq_y bypassrls
a> create schema rq authorization iso_rq_o
a> grant all on schema rq to iso_rq_p, iso_rq_a, iso_rq_b, iso_rq_y
b> set role iso_rq_o
c> set role iso_rq_a
d> set role iso_rq_y
e> set role iso_rq_p
b> create table rq.doc(id int primary key, owner name, level int, body text)
b> create table rq.clearance(who name primary key, level int)
b> insert into rq.doc values (1, 'iso_rq_a', 1, 'one'), (2, 'iso_rq_a', 2, 'two'), (3, 'iso_rq_b', 3, 'three'), (4, 'iso_rq_b', 1, 'four'), (5, 'iso_rq_o', 5, 'five')
b> insert into rq.clearance values ('iso_rq_a', 2), ('iso_rq_b', 1), ('iso_rq_p', 5)
b> grant select, insert, update, delete on rq.doc to iso_rq_a, iso_rq_b, iso_rq_y, iso_rq_p
b> alter table rq.doc enable row level security
b> create policy lvl on rq.doc using (level <= (select level from rq.clearance where who = current_user))
c> select * from rq.doc
d> select count(*) from rq.doc
b> select count(*) from rq.doc
a> select count(*) from rq.doc
b> grant select on rq.clearance to iso_rq_a, iso_rq_b, iso_rq_p
c> select * from rq.doc order by id
c> explain (costs off) select * from rq.doc
c> explain (costs off) select * from rq.doc where id = 2 and body like 't%'
c> insert into rq.doc values (6, 'iso_rq_a', 2, 'six')
c> insert into rq.doc values (7, 'iso_rq_a', 3, 'seven')
c> update rq.doc set level = 3 where id = 6
c> update rq.doc set body = upper(body) returning id, body
c> delete from rq.doc where id in (3, 6) returning id
c> select id from rq.doc where exists (select from rq.doc d where d.id = doc.id + 1) order by 1
c> with w as (select * from rq.doc), m as materialized (select * from rq.doc) select count(*), (select count(*) from m) from w
c> select count(*) from (select id from rq.doc union all select id from rq.doc) u
c> select a.id, b.id from rq.doc a full join rq.doc b on a.id = b.level order by 1, 2
c> select id from rq.doc a where level > any (select level from rq.doc where id <> a.id) order by 1
c> values ((select count(*) from rq.doc)), (0)
c> table rq.doc order by id limit 1
c> copy rq.doc to stdout
b> alter table rq.doc force row level security
b> select count(*) from rq.doc
b> set row_security = off
b> select count(*) from rq.doc
b> insert into rq.doc values (9, 'x', 9, 'x')
b> select count(*) from rq.clearance
b> reset row_security
b> alter table rq.doc no force row level security
c> set row_security = off
c> select count(*) from rq.doc
c> update rq.doc set body = 'x'
c> explain select 1 from rq.doc
c> prepare pp as select 1 from rq.doc
c> create table rq.copied as select * from rq.doc
c> create view rq.seen as select id from rq.doc
c> drop view rq.seen
c> select 1 where exists (select from rq.doc)
c> reset row_security
d> set row_security = off
d> select count(*) from rq.doc
d> reset row_security
c> create table rq.copied as select * from rq.doc
c> select count(*) from rq.copied
c> select row_security_active('rq.doc'::regclass), row_security_active('rq.doc'), row_security_active('rq.clearance')
b> select row_security_active('rq.doc')
d> select row_security_active('rq.doc')
a> select row_security_active('rq.doc'), row_security_active('pg_class'), row_security_active(0)
a> select row_security_active('nosuch')
# views
b> create view rq.by_owner as select id, owner, level from rq.doc
b> create view rq.by_invoker with (security_invoker) as select id, owner, level from rq.doc
b> grant all on rq.by_owner, rq.by_invoker to iso_rq_a, iso_rq_p
c> select count(*) from rq.by_owner
c> select count(*) from rq.by_invoker
c> explain (costs off) select * from rq.by_invoker where level > 1
e> create view rq.theirs as select id, level, owner from rq.doc
e> create view rq.theirs_invoker with (security_invoker) as select id, level, owner from rq.doc
e> create view rq.over_invoker as select * from rq.theirs_invoker
e> create view rq.invoker_over with (security_invoker) as select * from rq.theirs
e> grant all on rq.theirs, rq.theirs_invoker, rq.over_invoker, rq.invoker_over to iso_rq_a
c> select count(*) from rq.theirs
c> select count(*) from rq.theirs_invoker
c> select count(*) from rq.over_invoker
c> select count(*) from rq.invoker_over
e> select count(*) from rq.theirs
c> select id from rq.theirs order by id for update
c> select id from rq.theirs_invoker order by id for share
c> insert into rq.theirs values (20, 4, 'x')
c> insert into rq.theirs values (21, 6, 'x')
c> insert into rq.theirs_invoker values (22, 4, 'x')
c> update rq.theirs set level = 6 where id = 20
c> update rq.theirs_invoker set level = 2 where id = 20
c> update rq.theirs set level = level where id = 20 returning id
c> delete from rq.theirs_invoker where id = 20
c> delete from rq.theirs where id = 20
c> insert into rq.by_owner values (30, 'x', 99) returning *
c> delete from rq.by_owner where id = 30
b> alter table rq.doc force row level security
c> select count(*) from rq.by_owner
b> select count(*) from rq.by_owner
b> alter table rq.doc no force row level security
e> create view rq.checked as select id, level, owner from rq.doc where level > 1 with check option
e> grant all on rq.checked to iso_rq_a
c> insert into rq.checked values (40, 6, 'x')
c> insert into rq.checked values (40, 1, 'x')
c> insert into rq.checked values (40, 2, 'x')
c> update rq.checked set level = 1 where id = 40
c> update rq.checked set level = 7 where id = 40
c> merge into rq.checked c using (values (40)) v(x) on c.id = v.x when matched then delete
# recursion
b> create table rq.r1(a int, b int)
b> create table rq.r2(a int, b int)
b> create view rq.r1v as select * from rq.r1
b> create view rq.r2v as select * from rq.r2
b> grant all on rq.r1, rq.r2, rq.r1v, rq.r2v to iso_rq_a
b> alter table rq.r1 enable row level security
b> alter table rq.r2 enable row level security
b> create policy self on rq.r1 using (a = (select max(a) from rq.r1))
c> select * from rq.r1
c> insert into rq.r1 values (1, 1)
c> update rq.r1 set b = 1
c> delete from rq.r1
b> select * from rq.r1
b> drop policy self on rq.r1
b> create policy there on rq.r1 using (a in (select a from rq.r2))
b> create policy back on rq.r2 using (b in (select b from rq.r1))
c> select * from rq.r1
c> select * from rq.r2
c> select * from rq.r1v
b> drop policy back on rq.r2
b> create policy back on rq.r2 using (b > 0)
c> select * from rq.r1
c> insert into rq.r1 values (1, 1)
b> insert into rq.r2 values (1, 1), (2, 0)
c> insert into rq.r1 values (1, 1)
c> insert into rq.r1 values (2, 1)
c> select * from rq.r1
b> drop policy back on rq.r2
b> create policy back on rq.r2 using (b in (select b from rq.r1v))
c> select * from rq.r1
c> select * from rq.r2
b> alter view rq.r1v set (security_invoker)
c> select * from rq.r1
c> select * from rq.r2
b> alter table rq.r1 disable row level security
c> select * from rq.r1
c> select * from rq.r2
# rights of what policies read
b> create table rq.hidden(a int)
b> insert into rq.hidden values (1)
b> create table rq.t(a int, b int, c int)
b> insert into rq.t select i, i, i from generate_series(1, 4) i
b> grant select(a, b), update(b), insert on rq.t to iso_rq_a
b> alter table rq.t enable row level security
b> create policy p on rq.t using (c > 1)
c> select a from rq.t order by 1
c> select c from rq.t
c> select a from rq.t where c > 1
c> update rq.t set b = 0 where a = 2
c> update rq.t set b = 9
c> select count(*) from rq.t
b> create policy q on rq.t as restrictive using (exists (select from rq.hidden where hidden.a <= t.a))
c> select a from rq.t order by 1
c> update rq.t set b = 1
c> insert into rq.t values (5, 5, 5)
b> grant select on rq.hidden to iso_rq_a
c> select a from rq.t order by 1
c> insert into rq.t values (5, 5, 5)
c> insert into rq.t values (0, 5, 5)
c> insert into rq.t values (5, 5, 0)
c> insert into rq.t values (0, 5, 0)
b> revoke select on rq.hidden from iso_rq_a
b> create view rq.shows_hidden as select * from rq.hidden
b> alter policy q on rq.t using (exists (select from rq.shows_hidden s where s.a <= t.a))
c> select a from rq.t order by 1
b> grant select on rq.shows_hidden to iso_rq_a
c> select a from rq.t order by 1
# functions that could tell
b> create table rq.leak(id int primary key, secret int)
b> insert into rq.leak values (1, 0), (2, 5), (3, 0)
b> grant select, update, delete, insert on rq.leak to iso_rq_a
b> alter table rq.leak enable row level security
b> create policy p on rq.leak using (secret > 0)
c> select id from rq.leak where 10 / secret > 0
c> select id from rq.leak where id = 1
c> explain (costs off) select * from rq.leak where 10 / secret > 0 and id = 2
c> update rq.leak set secret = secret where 10 / secret > 0 returning id
c> delete from rq.leak where 10 / secret > 5
c> select l.id from rq.leak l join rq.doc d on 10 / l.secret = d.id
c> insert into rq.leak values (1, 7)
c> insert into rq.leak values (1, 7) on conflict do nothing
c> insert into rq.leak values (1, 7) on conflict (id) do update set secret = 8
c> insert into rq.leak values (2, 7) on conflict (id) do update set secret = 0
c> insert into rq.leak values (2, 7) on conflict (id) do update set secret = 8 returning *
c> copy rq.leak from stdin
d> copy rq.leak (id) from '/nosuch'
c> set row_security = off
c> copy rq.leak from stdin
c> copy rq.leak to stdout
c> reset row_security
c> truncate rq.leak
b> grant truncate on rq.leak to iso_rq_a
c> truncate rq.leak
a> select count(*) from rq.leak
# constants
b> create table rq.k(a int)
b> insert into rq.k values (1), (2)
b> grant all on rq.k to iso_rq_a
b> alter table rq.k enable row level security
c> explain (costs off) select * from rq.k
c> select * from rq.k
c> insert into rq.k values (1)
b> create policy yes on rq.k using (true)
c> explain (costs off) select * from rq.k
c> select * from rq.k order by 1
c> insert into rq.k values (3) returning a
b> create policy no on rq.k as restrictive using (false)
c> explain (costs off) select * from rq.k
c> select * from rq.k
c> insert into rq.k values (4)
b> alter policy no on rq.k using (a = 1 or a = 1)
c> explain (costs off) select * from rq.k
b> create policy more on rq.k using (a > 0)
b> create policy alike on rq.k using (a > 0)
c> explain (costs off) select * from rq.k where a < 5
c> explain (costs off) select * from rq.k k1, rq.k k2 where k1.a = k2.a
c> explain (costs off) update rq.k set a = 3 where a = 2
c> explain (costs off) delete from rq.k
c> explain (costs off) insert into rq.k values (1)
c> explain (costs off) select count(*) from rq.k where a in (select a from rq.k)
c> prepare kp(int) as select * from rq.k where a = $1
c> execute kp(1)
c> execute kp(2)
c> explain (costs off) execute kp(1)
# old and new, defaults, identity
b> create table rq.d(id int generated by default as identity, who name default current_user, n int default 1)
b> grant all on rq.d to iso_rq_a
b> grant usage on all sequences in schema rq to iso_rq_a
b> alter table rq.d enable row level security
b> create policy mine on rq.d using (who = current_user)
c> insert into rq.d default values returning *
c> insert into rq.d(who) values ('iso_rq_b')
c> insert into rq.d(n) select 2 returning old.n, new.n
c> update rq.d set n = n + 1 returning old.n, new.n
c> update rq.d set who = 'iso_rq_b' returning old.who
c> update rq.d set who = 'iso_rq_b'
c> update rq.d set who = 'iso_rq_b' where true
c> delete from rq.d returning old.*, new.*
c> select set_config('rq.x', '1', false)
b> create policy setting on rq.d using (n = current_setting('rq.x', true)::int)
c> select n from rq.d
b> insert into rq.d(n) values (1), (2)
c> select n from rq.d
c> select set_config('rq.x', '2', false)
c> select n from rq.d
c> set role iso_rq_b
c> select n from rq.d
a> grant iso_rq_b to iso_rq_a
c> set role iso_rq_a
c> select n from rq.d
# parts of columns, recursive queries, cursors, plans for many values
b> create table rq.arr(id int, a int[])
b> insert into rq.arr values (1, '{1,2}'), (2, '{3,4}')
b> grant update on rq.arr to iso_rq_a
b> alter table rq.arr enable row level security
b> create policy s on rq.arr for select using (id = 1)
b> create policy u on rq.arr for update using (true)
c> update rq.arr set a[1] = 5
c> update rq.arr set a[1] = id
b> grant select on rq.arr to iso_rq_a
c> update rq.arr set a[1] = a[1] + 1
c> update rq.arr set a[2] = 9
b> select * from rq.arr order by id
b> create table rq.rel(id int primary key, parent int)
b> insert into rq.rel values (1, null), (2, 1), (3, 2), (4, null), (5, 4)
b> grant select on rq.rel to iso_rq_a
b> alter table rq.rel enable row level security
b> create policy p on rq.rel using (id <> 4)
c> with recursive r as (select id from rq.rel where parent is null union all select rel.id from rq.rel join r on rel.parent = r.id) select * from r order by 1
c> select id, (select count(*) from rq.rel c where c.parent = rel.id) from rq.rel order by 1
c> select * from rq.rel a left join rq.rel b on b.id = a.parent order by 1
c> select * from rq.rel, lateral (select count(*) from rq.rel r2 where r2.parent = rel.id) l order by 1
b> create table rq.m(a int, b int default 0)
b> insert into rq.m values (1), (2), (3)
c> merge into rq.m using (select 1) s on true when matched then do nothing
b> grant insert, update, delete on rq.m to iso_rq_a
c> merge into rq.m using (select 1) s on true when matched then do nothing
c> merge into rq.m using (select 1) s on true when matched then delete
c> merge into rq.m using (select 1) s on false when not matched then insert values (5)
b> grant select(b) on rq.m to iso_rq_a
b> alter table rq.m enable row level security
b> create policy s on rq.m for select using (a <> 2)
b> create policy u on rq.m for update using (true)
b> create policy d on rq.m for delete using (true)
b> create policy i on rq.m for insert with check (true)
b> insert into rq.m values (1), (2), (3)
c> merge into rq.m using (select 1) s on true when matched and false then do nothing when matched then update set b = 3
b> select * from rq.m order by a
c> merge into rq.m using (select 1) s on true when matched then update set b = 1
b> select * from rq.m order by a
c> merge into rq.m using (select 1) s on true when matched then do nothing
c> merge into rq.m using (select 1) s on false when not matched then insert values (2)
c> merge into rq.m using (select 1) s on false when not matched then insert values (2) returning 1
c> update rq.m set b = 2
c> update rq.m set a = 2
c> update rq.m set a = 2 where b = 2
b> select * from rq.m order by a
c> merge into rq.m using (select 1) s on true when matched then delete
b> select * from rq.m order by a
c> delete from rq.m
c> select min(id), max(id) from rq.rel where id > 3
c> (select id from rq.rel intersect select parent from rq.rel) order by 1
c> select id, rank() over (order by id) from rq.rel
c> prepare g(int) as select id from rq.rel where id = $1
c> execute g(4)
c> execute g(4)
c> execute g(4)
c> execute g(4)
c> execute g(4)
c> execute g(4)
c> execute g(5)
c> select * from rq.rel where id = any (array[3, 4, 5]) order by 1
c> begin
c> declare k cursor for select id from rq.rel order by id
c> fetch 3 from k
c> fetch 3 from k
c> commit
a> drop schema rq cascade
b> reset role
c> reset role
d> reset role
e> reset role
a> drop role iso_rq_o, iso_rq_p, iso_rq_a, iso_rq_b, iso_rq_y
