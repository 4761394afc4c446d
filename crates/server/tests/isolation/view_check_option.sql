# WITH CHECK OPTION
a> create table t(a int primary key, b int default 5, c text)
a> create view l as select * from t where a > 0 with local check option
a> create view ll as select * from l where a < 100 with local check option
a> create view lc as select * from l where a < 100 with cascaded check option
a> create view n as select * from t where a > 0
a> create view nl as select * from n where a < 100 with local check option
a> create view nc as select * from n where a < 100 with check option
a> create view cn as select * from nc where b < 10
a> create view cnl as select * from cn where b > 0 with local check option
a> create view e as select * from n with cascaded check option
a> create view el as select * from n with local check option
a> create view k as select c, a + 0 as computed, b from t where a % 2 = 0 with check option
a> create view s as select * from t where exists (select from generate_series(1, 3) g where g = t.a) with check option
a> create view bad as select a from t limit 1 with check option
a> create view bad as select distinct a from t with check option
a> create view bad as select count(*) from t with local check option
a> create view bad as select 1 as one with check option
a> create view bad with (check_option = nothing) as select a from t
a> create view bad with (check_option = local) as select a from t with check option
a> create view o with (check_option = local) as select a from t where a > 0
a> select table_name, check_option, is_updatable from information_schema.views where table_schema = 'public' order by 1
a> select relname, reloptions from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace order by 1
a> select pg_get_viewdef('lc'::regclass)
a> insert into l values (1, 1, 'x')
a> insert into l values (-1, 1, 'x')
a> insert into l values (2, 1, 'x'), (-2, 1, 'x'), (3, 1, 'x')
a> insert into ll values (-1), (1)
a> insert into ll values (100)
a> insert into ll values (-1)
a> insert into ll values (11) returning *
a> insert into lc values (100)
a> insert into lc values (-1)
a> insert into lc values (12)
a> insert into nl values (-2)
a> insert into nl values (101)
a> insert into nc values (-3)
a> insert into nc values (102)
a> insert into nc values (13)
a> insert into cn values (-4, 1), (14, 1)
a> insert into cn values (14, 100)
a> insert into cn values (103, 1)
a> insert into cnl values (15, 100)
a> insert into cnl values (16, -1)
a> insert into cnl values (104, 1)
a> insert into e values (-5)
a> insert into e values (17)
a> insert into el values (-6)
a> insert into k(c) values ('x')
a> insert into k(c, b) values ('x', 1)
a> insert into s values (4)
a> insert into s values (3), (2)
a> update l set a = -a
a> update l set a = a + 1000 where a = 17
a> update ll set a = 100 where a = 1
a> update ll set a = -100 where a = 1
a> update lc set a = -100 where a = 1
a> update nc set a = a * 100 where a = 13
a> update cn set b = 1000 where a = 13
a> update cnl set b = -1 where a = 13
a> update cnl set b = 20 where a = 13
a> update s set a = 9 where a = 3
a> update s set b = 9 where a = 3 returning *
a> delete from l where a = 1
a> select * from t order by 1
a> insert into l values (2, 7, 'y') on conflict do nothing
a> insert into l values (-6, 7, 'y') on conflict do nothing
a> insert into l values (-7, 7, 'y') on conflict do nothing
a> insert into l values (2, 7, 'y') on conflict (a) do update set b = 8 returning *
a> insert into l values (2, 7, 'y') on conflict (a) do update set a = -2
a> insert into l values (-6, 7, 'y') on conflict (a) do update set a = 33
a> insert into l values (2, 7, 'y') on conflict (a) do update set a = -2 where false
a> merge into l using (values (2)) v(x) on a = x when matched then update set a = -a
a> merge into l using (values (2), (-40)) v(x) on a = x when matched then update set b = 1 when not matched then insert values (x, 0, 'm')
a> merge into l using (values (2), (40)) v(x) on a = x when matched then update set b = 1 when not matched then insert values (x, 0, 'm') returning merge_action(), a, b
a> create view vb with (security_barrier) as select * from t where a > 0 and c is not null with check option
a> update vb set c = null where a = 40
a> update vb set c = 'z' where a = 40 returning c
a> alter view l reset (check_option)
a> insert into l values (-8)
a> alter view l set (check_option = cascaded)
a> insert into l values (-9)
a> alter view l set (check_option = nonsense)
a> create view two as select t.a from t, t t2
a> alter view two set (check_option = local)
a> prepare p(int) as insert into l values ($1) returning a
a> execute p(50)
a> execute p(-50)
b> alter view l reset (check_option)
a> execute p(-50)
a> create or replace view l as select * from t where a > 10 with local check option
a> execute p(5)
a> execute p(51)
a> with i as (insert into l values (6) returning a) select * from i
a> drop table t cascade
