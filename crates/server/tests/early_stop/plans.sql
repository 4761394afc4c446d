# What is there. A line is a statement; `!` names the settings that hold from there on (others are reset).
create table a(id int primary key, g int, f int, v text)
insert into a select i, (i * 7919) % 20000, (i * 7) % 1000, 'a' || i from generate_series(1, 20000) i
create index a_g on a(g)
create table b(id int primary key, a int, f int, v text)
insert into b select i, (i * 7) % 20000 + 1, (i * 11) % 1000, 'b' || i from generate_series(1, 40000) i
create index b_a on b(a)
create table c(k int, n int, f int)
insert into c select i / 50, i % 50, i % 97 from generate_series(0, 9999) i
create index c_k on c(k)
create table d(k int, n int)
insert into d select i / 4, i % 4 from generate_series(0, 3999) i
create index d_k_n on d(k, n)
create table e(k int, n int)
insert into e select case when i % 2 = 0 then i end, i from generate_series(1, 4000) i
create index e_k on e(k)
create table s(id int, x int)
insert into s select i, (i * 37) % 500 from generate_series(1, 500) i
create table t(id int, x int)
insert into t select i, i % 10 from generate_series(1, 3000) i
create table p1(id int primary key, f int)
insert into p1 select 2 * i, i % 100 from generate_series(1, 5000) i
create table p2(id int primary key, f int)
insert into p2 select 2 * i + 1, i % 100 from generate_series(1, 5000) i
vacuum analyze

# Merge joins, whose sides end early.
! enable_hashjoin=off enable_nestloop=off enable_memoize=off
select a.v, b.v from a join b on b.id = a.g where a.id = 7
select a.v, b.v from a join b on b.id = a.g where a.id in (1, 2, 3)
select a.v, b.v from a join b on b.id = a.id where a.id < 50
select a.v, b.v from a join b on b.id = a.id where b.id < 200
select a.v, b.v from a join b on b.id = a.id where a.id < 300 and b.f < 500
select a.v, b.v from a join b on b.id = a.id where a.id between 5000 and 5010
select a.v, b.v from a join b on b.id = a.id order by a.id limit 10
select a.v, b.v from a join b on b.id = a.id order by a.id desc limit 10
select a.v, b.v from a join b on b.a = a.id order by a.id limit 25
select a.v, b.v from a join b on b.a = a.id where b.f = 5 order by a.id limit 5
select a.v, b.v from a join b on b.a = a.id where a.f = 5 order by a.id limit 5
select a.v, b.v from a left join b on b.a = a.id order by a.id limit 10
select a.v, b.v from a left join b on b.a = a.id where a.id < 20
select a.v, b.v from a left join b on b.a = a.id and b.f < 3 order by a.id limit 7
select a.v from a where exists (select 1 from b where b.a = a.id) order by a.id limit 10
select a.v from a where exists (select 1 from b where b.a = a.id and b.f < 20) order by a.id limit 10
select a.v from a where a.id in (select b.a from b where b.f < 50) order by a.id limit 20
select a.v from a where not exists (select 1 from b where b.a = a.id and b.f < 900) order by a.id limit 10
select a.v from a where not exists (select 1 from b where b.a = a.id) and a.id < 100
select a.id, b.id from a full join b on b.id = a.id where a.id is null or b.id is null limit 5
select a.id, b.id from a full join b on b.id = a.id limit 5
select d.k, c.n from c join d on d.k = c.k order by c.k limit 10
select d.k, c.n from c join d on d.k = c.k and d.n = c.n order by c.k limit 10
select d.k, c.n from c join d on d.k = c.k where d.n = 3 and d.k < 3
select c1.k, c2.n from c c1 join c c2 on c2.k = c1.k order by c1.k limit 10
select e.n, a.v from e join a on a.id = e.k order by e.k limit 10
select e.n, a.v from e left join a on a.id = e.k where e.n < 10
select e1.n, e2.n from e e1 join e e2 on e2.k = e1.k order by e1.k limit 3
select e1.n, e2.n from e e1 join e e2 on e2.k = e1.k order by e1.k desc nulls last limit 3
select p1.id, p2.f from p1 join p2 on p2.id = p1.id + 1 order by p2.id limit 5
select p1.id from p1 join p2 on p2.id = p1.id limit 5
select p1.id from p1 join a on a.id = p1.id join b on b.id = a.id order by p1.id limit 6
select count(*) from a join b on b.id = a.id where a.id < 100
select max(b.f) from a join b on b.id = a.g where a.id < 4
select s.id, a.v from s join a on a.id = s.x where s.id < 4

# LIMIT above scans whose conditions few rows meet.
!
select * from t limit 1
select * from t where x = 3 limit 2
select * from a where f = 7 limit 1
select * from a where f = 7 limit 5
select * from a where v like '%77' limit 3
select * from a where f < 5 order by id limit 20
select * from a where f = 500 order by id desc limit 2
select id from a where f < 100 offset 50 limit 5
select id from a where id > 300 and f = 3 order by id limit 2
select id from a where g > 100 and f < 20 order by g limit 4
select id from b where v > 'b2' and f > 990 order by id limit 3
select k, n from c where n = 7 order by k limit 4
select k from c order by k fetch first 3 rows with ties
select distinct k from c order by k limit 3
select k, count(*) from c group by k order by k limit 3
select k, n from c order by k, n limit 10
select k, n, f from c where f = 3 order by k, n limit 3
select k, n, row_number() over (order by k) from c limit 4
select k, n, rank() over (partition by k order by n) from c limit 4
select * from (select id, f from p1 union all select id, f from p2) u where f = 50 limit 2
select * from (select id, f from p1 where f < 3 union all select id, f from p2) u limit 160
select id, generate_series(1, 3) from a limit 4
select id + 1 from (select id from a where f = 2 offset 0) q limit 2

# min and max.
select min(id) from a where f = 999
select max(id) from a where f = 999
select min(g), max(g) from a where f > 500
select min(k) from c where n = 49
select (select max(b.id) from b where b.a = a.id and b.f < 500) from a where a.id < 20

# EXISTS, IN and ANY that stop at the first row: as init plans, as subplans, and as semijoins.
select exists (select 1 from a where f = 12)
select exists (select 1 from t where x = 11)
select id from s where id < 4 and (exists (select 1 from a where a.f = 7 and a.id > s.id) or id < 0)
select count(*) from s where (exists (select 1 from t where t.x = s.x % 10)) or s.id < 0
select count(*) from s where (exists (select 1 from t where t.id = s.x + 1)) or s.id < 0
select count(*) from s where (not exists (select 1 from t where t.id > s.x)) or s.id < 0
select count(*) from s where (exists (select 1 from b where b.a = s.x and b.f > 500)) or s.id < 0
select id from s where (exists (select 1 from t where t.x = s.x % 10)) or s.id < 0 limit 3
select id, (exists (select 1 from t where t.x = s.x)) from s limit 5
select id from s where x > any (select t.x + s.id - s.id from t) limit 4
select count(*) from s where x > all (select t.x + s.id - s.id from t where t.id < 300) and id < 50
select count(*) from s where x in (select t.id + s.id - s.id from t) and id < 40
select count(*) from s where (exists (select 1 from t where t.x >= s.x % 10 and t.id > s.id)) or s.id < 0
select count(*) from s where (exists (select 1 from b where b.a = s.x and b.f > s.id)) or s.id < 0
select count(*) from s where (exists (select 1 from b where b.a > s.x and b.f > s.id)) or s.id < 0
select count(*) from s where (exists (select 1 from a where a.id between s.x and s.x + 500 and a.f < s.id)) or s.id < 0
select id, (exists (select 1 from t where t.x = s.x % 10 and t.id > s.id)) from s limit 5
select id from s where (exists (select 1 from t where t.x > s.x % 10 and t.id > s.id)) or s.id < 0 limit 3
select count(*) from s where s.id < 30 and not exists (select 1 from a join b on b.a = a.id where a.id > s.x offset 0)
select (select t.id from t where t.x = s.x limit 1) from s limit 8
select (select t.id from t where t.x = s.x % 10 limit 1) from s limit 8
select array(select t.id from t where t.x = s.x limit 2) from s limit 8

! enable_hashjoin=off enable_mergejoin=off
select s.id from s where exists (select 1 from t where t.id > s.x) limit 5
select count(*) from s where exists (select 1 from t where t.id > s.x)
select count(*) from s where not exists (select 1 from t where t.id > s.x and t.x > 1)
select s.id from s where not exists (select 1 from t where t.id > s.x + 2900) limit 2
select a.v from a where exists (select 1 from b where b.a = a.id and b.f > 300) order by a.id limit 5
select a.v from a where a.id in (select b.a from b where b.f < 300) and a.f < 30 order by a.id limit 3
select s.id, t.id from s join t on t.id > s.x limit 5
select s.id, t.id from s join t on t.x + s.x = 7 limit 5
select s.id, t.id from s left join t on t.x = s.x limit 5

# Nested loops and lateral joins.
! enable_hashjoin=off enable_mergejoin=off enable_memoize=off
select s.id, b.v from s join b on b.a = s.x limit 4
select s.id, b.v from s join b on b.a = s.x where b.f < 400 limit 2
select a.id, b.v from a join b on b.a = a.id where a.f = 5 order by a.id limit 4
select a.id, l.id from a, lateral (select id from b where b.a = a.id order by id limit 1) l where a.id < 30
select a.id, l.id from a, lateral (select id from b where b.f = a.f limit 1) l order by a.id limit 6
select s.id, l.* from s left join lateral (select t.id from t where t.x = s.x order by t.id limit 1) l on true limit 10
select s.id, l.n from s cross join lateral (select c.n from c where c.k = s.x and c.f = 9 limit 2) l limit 3
select c.k, b.v from c join b on b.id = c.k + 1 order by c.k limit 5
select a1.id, a2.id, b.id from a a1 join a a2 on a2.id = a1.g join b on b.a = a2.id order by a1.id limit 4

# Hash joins read their inner side, and of the outer one what is wanted; nothing of the inner one if there is no outer row.
! enable_mergejoin=off enable_nestloop=off
select a.id, b.v from a join b on b.id = a.g limit 5
select a.id, s.x from a join s on s.id = a.id where a.f = 3 limit 1
select a.id from a where exists (select 1 from s where s.x = a.f) limit 4
select a.id from a where not exists (select 1 from s where s.x = a.f) limit 4
select s.id, b.v from s join b on b.id = s.x where s.id < 0 limit 1
select s.id, b.v from s left join b on b.id = s.x where s.id < 0 limit 1

# Recursion, WITH and sets.
!
with recursive r(n) as (select id from s where id = 1 union all select r.n + 1 from r where r.n < 100000) select n from r limit 10
with recursive r(id, g) as (select id, g from a where id = 1 union all select a.id, a.g from r join a on a.id = r.g) select id from r limit 8
with recursive r(n) as (select 1 union select (r.n * 7) % 1000 from r) select n from r limit 12
with w as materialized (select id, f from a where f < 50) select * from w limit 3
with w as materialized (select id, f from a) select * from w where f = 8 limit 1
with w as materialized (select id from a) select (select min(id) from w) is not null, id from w limit 2
! enable_hashagg=off enable_indexscan=off enable_indexonlyscan=off enable_bitmapscan=off
select k from d intersect select k from c limit 3
select k from d where k < 3 except select k from c where k > 1
select k from d where k < 0 intersect select k from c
