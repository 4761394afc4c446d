# Views with security_barrier: no condition that could tell of a hidden row is asked of it
a> create table people(id int primary key, name text, secret int, n numeric)
a> create index on people(name)
a> create index on people(secret)
a> create index on people(n)
a> insert into people select i, 'p' || i, case when i % 2 = 1 then 0 else i end, i from generate_series(1, 8) i
a> create view plain as select * from people where (id + 1) % 2 = 1
a> create view barred with (security_barrier) as select * from people where (id + 1) % 2 = 1
a> select id from plain where 10 / secret > 0 order by id
a> select id from barred where 10 / secret > 0 order by id
a> select id from barred where secret <> 0 and 10 / secret > 0 order by id
a> select b.id, p.id from barred b, people p where 10 / b.secret > 3 and p.id = b.id order by 1
a> select b.id from barred b left join people p on p.id = 8 / b.secret order by 1
a> select count(*) from (select * from barred) b where 10 / secret > 0
a> with b as (select * from barred) select count(*) from b where 10 / secret > 0
a> select count(*) from barred where exists (select from people p where p.id = 10 / barred.secret)
a> select id from barred where 10 / secret > 0 or id = 3 order by id
a> set enable_seqscan = off
a> set enable_bitmapscan = off
a> explain (costs off) select * from barred where id = 2
a> explain (costs off) select * from barred where id in (2, 4)
a> explain (costs off) select * from barred where name = 'p2'
a> explain (costs off) select * from barred where n = 2
a> explain (costs off) select * from barred where secret = 2 and 10 / secret > 1
a> explain (costs off) select * from barred where id::text = '2'
a> explain (costs off) select * from barred where name ~ '^p2'
a> explain (costs off) select * from plain where n = 2
a> explain (costs off) select * from barred where coalesce(secret, 1) > 0 and name is not null
a> set enable_hashjoin = off
a> set enable_mergejoin = off
a> explain (costs off) select * from people p, barred b where p.id = 3 and b.id = p.id
a> explain (costs off) select * from people p, barred b where p.n = 3 and b.n = p.n
a> set enable_material = off
a> explain (costs off) select * from people p, lateral (select * from barred where barred.id = p.secret) b
a> explain (costs off) update barred set name = 'x' where id = 2
a> explain (costs off) update barred set name = 'x' where n = 2
a> explain (costs off) update barred set name = 'x' where secret = 2 and 10 / secret > 1
a> explain (costs off) delete from barred where 10 / secret > 1 and name = 'p2'
a> explain (costs off) update barred set name = p.name from people p where p.id = barred.secret and p.n = 2
a> explain (costs off) update barred set name = p.name from people p where p.n = barred.n and p.id = 2
a> reset all
a> update barred set name = 'changed' where 10 / secret > 4 returning id, name
a> update plain set name = 'again' where 10 / secret > 4
a> delete from barred where 10 / secret > 4 returning id
a> insert into barred values (9, 'nine', 9, 9) returning id
a> insert into barred values (9, 'nine', 9, 9) on conflict (id) do update set name = 'not nine' returning name
a> create view twice with (security_barrier) as select id, name, secret from barred where 8 / secret > 1
a> select * from twice where 4 / (secret - 8) < 0 order by 1
a> update twice set name = 'twice' where 4 / (secret - 8) < 0 returning id
a> set enable_seqscan = off
a> set enable_bitmapscan = off
a> explain (costs off) update twice set name = 'twice' where 4 / (secret - 8) < 0
a> explain (costs off) update twice set name = 'twice' where secret = 4
a> explain (costs off) select * from twice where secret = 4
a> explain (costs off) select id from twice where 4 / (secret - 8) < 0
a> reset all
a> create view over as select * from twice where name <> 'x'
a> select id from over where 4 / (secret - 8) < 0 order by 1
a> update over set name = 'over' where 4 / (secret - 8) < 0 returning id
a> explain (costs off) update over set name = 'over' where 4 / (secret - 8) < 0
a> alter view barred reset (security_barrier)
a> select id from barred where 10 / secret > 0 order by id
a> alter view barred set (security_barrier = yes)
a> select id from barred where 10 / secret > 0 order by id
a> merge into barred b using (values (4)) v(x) on b.id = v.x when matched and 10 / secret > 0 then update set name = 'merged' returning b.id
a> select id from barred where 10 / secret > 0 order by id for update
a> create view asks with (security_barrier) as select * from barred where exists (select from people p where p.id = barred.id + 1)
a> select id, name from asks where 10 / secret > 0 order by id
a> update asks set name = 'asked' where secret > 4 returning id
a> create view constant with (security_barrier) as select * from barred where exists (select 1)
a> update constant set name = 'constant' where id = 4 returning id, name
a> drop table people cascade
