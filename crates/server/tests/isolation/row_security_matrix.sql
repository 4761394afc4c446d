# Policies of each kind and each command: which rows a role sees, changes and makes (generated: every policy set with every statement)
a> create role iso_rx_o
a> create role iso_rx_a
a> create role iso_rx_g
a> grant iso_rx_g to iso_rx_a
a> create table rx(id int primary key, grp text, n int unique)
a> create table rx_s(id int, n int)
a> insert into rx values (1, 'red', 1), (2, 'red', 2), (3, 'blue', 3), (4, 'blue', 4), (5, 'green', 5)
a> insert into rx_s values (1, 10), (3, 30), (5, 50), (7, 70)
a> grant all on rx, rx_s to iso_rx_a
a> alter table rx enable row level security
b> set role iso_rx_a
# no policy
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
# p on rx using (grp = 'red')
a> create policy p on rx using (grp = 'red')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
# p on rx using (grp = 'red') with check (n < 100)
a> create policy p on rx using (grp = 'red') with check (n < 100)
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
# p on rx for select using (grp <> 'green')
a> create policy p on rx for select using (grp <> 'green')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
# p on rx for select using (true); u on rx for update using (grp = 'red') with check (grp in ('red', 'blue'))
a> create policy p on rx for select using (true)
a> create policy u on rx for update using (grp = 'red') with check (grp in ('red', 'blue'))
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy u on rx
# p on rx for select using (grp <> 'green'); i on rx for insert with check (grp <> 'blue'); u on rx for update using (grp <> 'blue'); d on rx for delete using (id > 2)
a> create policy p on rx for select using (grp <> 'green')
a> create policy i on rx for insert with check (grp <> 'blue')
a> create policy u on rx for update using (grp <> 'blue')
a> create policy d on rx for delete using (id > 2)
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy i on rx
a> drop policy u on rx
a> drop policy d on rx
# i on rx for insert with check (grp = 'red')
a> create policy i on rx for insert with check (grp = 'red')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy i on rx
# d on rx for delete using (grp = 'blue')
a> create policy d on rx for delete using (grp = 'blue')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy d on rx
# u on rx for update using (grp = 'blue')
a> create policy u on rx for update using (grp = 'blue')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy u on rx
# p on rx using (true); r on rx as restrictive using (grp <> 'blue')
a> create policy p on rx using (true)
a> create policy r on rx as restrictive using (grp <> 'blue')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy r on rx
# r on rx as restrictive using (grp <> 'blue')
a> create policy r on rx as restrictive using (grp <> 'blue')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy r on rx
# p on rx using (true); r2 on rx as restrictive for update using (n > 1) with check (n <> 22); r1 on rx as restrictive for insert with check (n > 6); r3 on rx as restrictive for select using (n <> 66)
a> create policy p on rx using (true)
a> create policy r2 on rx as restrictive for update using (n > 1) with check (n <> 22)
a> create policy r1 on rx as restrictive for insert with check (n > 6)
a> create policy r3 on rx as restrictive for select using (n <> 66)
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy r2 on rx
a> drop policy r1 on rx
a> drop policy r3 on rx
# p on rx to iso_rx_g using (grp = 'red'); q on rx to iso_rx_o using (true); s on rx to public using (grp = 'green')
a> create policy p on rx to iso_rx_g using (grp = 'red')
a> create policy q on rx to iso_rx_o using (true)
a> create policy s on rx to public using (grp = 'green')
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy q on rx
a> drop policy s on rx
# p on rx using (id in (select id from rx_s)); r on rx as restrictive for delete using (exists (select from rx_s s where s.id = rx.id and s.n > 20))
a> create policy p on rx using (id in (select id from rx_s))
a> create policy r on rx as restrictive for delete using (exists (select from rx_s s where s.id = rx.id and s.n > 20))
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy r on rx
# p on rx using (null); q on rx for insert with check (null)
a> create policy p on rx using (null)
a> create policy q on rx for insert with check (null)
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy q on rx
# p on rx for update using (true) with check (grp = 'red'); q on rx for select using (grp = 'red'); i on rx for insert with check (true); d on rx for delete using (true)
a> create policy p on rx for update using (true) with check (grp = 'red')
a> create policy q on rx for select using (grp = 'red')
a> create policy i on rx for insert with check (true)
a> create policy d on rx for delete using (true)
b> select * from rx order by id
b> select count(*) from rx
b> begin
b> select id from rx order by id for update
b> rollback
b> begin
b> select id from rx where n > 1 order by id for key share
b> rollback
b> select s.id, rx.grp from rx_s s left join rx using (id) order by 1
b> begin
b> insert into rx values (6, 'red', 6)
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7)
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) returning *
b> rollback
b> begin
b> insert into rx values (7, 'blue', 7) returning id
b> rollback
b> begin
b> insert into rx values (6, 'green', 66) returning 1
b> rollback
b> begin
b> insert into rx select id + 10, 'red', n from rx_s
b> rollback
b> begin
b> update rx set n = n + 10
b> rollback
b> begin
b> update rx set n = n + 10 returning id
b> rollback
b> begin
b> update rx set grp = 'blue'
b> rollback
b> begin
b> update rx set grp = 'red' where id = 3
b> rollback
b> begin
b> update rx set n = 22 where id = 2
b> rollback
b> begin
b> update rx set n = 66 where grp = 'red' and id = 1
b> rollback
b> begin
b> update rx set n = rx_s.n from rx_s where rx.id = rx_s.id returning rx.id, rx.n
b> rollback
b> begin
b> update rx set (grp, n) = (select 'green', 99) where id = 1
b> rollback
b> begin
b> delete from rx
b> rollback
b> begin
b> delete from rx where id = 3
b> rollback
b> begin
b> delete from rx returning id
b> rollback
b> begin
b> delete from rx using rx_s where rx.id = rx_s.id
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do nothing
b> rollback
b> begin
b> insert into rx values (3, 'blue', 100) on conflict do nothing
b> rollback
b> begin
b> insert into rx values (6, 'red', 6) on conflict (id) do update set n = 100
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set n = excluded.n
b> rollback
b> begin
b> insert into rx values (3, 'red', 100) on conflict (id) do update set n = excluded.n returning id, grp
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict (id) do update set grp = 'blue'
b> rollback
b> begin
b> insert into rx values (5, 'red', 100) on conflict (id) do update set n = 1000 where rx.id = 4
b> rollback
b> begin
b> insert into rx values (1, 'red', 100) on conflict on constraint rx_pkey do update set n = 66
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then update set n = s.n
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then delete
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched then do nothing when not matched then insert values (s.id, 'red', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when matched and s.id = 3 then delete when matched then update set grp = 'red' when not matched then insert values (s.id, 'blue', s.n)
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched then insert values (s.id, 'green', s.n) when matched then do nothing returning merge_action(), rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on rx.id = s.id when not matched by source then delete returning rx.id
b> rollback
b> begin
b> merge into rx using rx_s s on true when matched and rx.id = s.id then update set n = 66
b> rollback
b> begin
b> with x as (update rx set n = n + 100 returning id) select id from x order by 1
b> rollback
b> select exists (select from rx where id = 4), (select max(n) from rx)
b> explain (costs off) select * from rx where n > 0
b> explain (costs off) update rx set n = 0 where grp = 'red'
a> drop policy p on rx
a> drop policy q on rx
a> drop policy i on rx
a> drop policy d on rx
b> reset role
a> drop table rx, rx_s
a> drop role iso_rx_o, iso_rx_a, iso_rx_g
