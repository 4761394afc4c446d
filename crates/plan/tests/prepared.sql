select 1
select a from t where a = 1
select * from (select a, b from t where a > 1) s where b = 'x'
select s.c from (select a + 1 as c from (select a from t) x) s join u on u.a = s.c
select t.a from t where exists (select from u where u.a = t.a and u.z = 1)
select t.a from t where not exists (select 1 from u where u.a = t.a)
select t.a from t where a in (select a from u where z = 2)
select t.a from t where a in (select max(a) from u group by z)
select t.a from t, u where t.a = u.a and t.a in (select t_a from v) and exists (select 1 from v where v.id = u.z)
select t.a from t left join u on t.a = u.a where u.z = 1
select t.a from t left join u on t.a = u.a where u.a is null
select t.a, u.x from t left join u on t.a = u.a where u.a is null
select t.a from t right join u on t.a = u.a
select t.a, s.one from t left join (select a, 1 as one from u) s on t.a = s.a
select t.a, s.a from t left join (select a, 1 as one from u) s on t.a = s.a
select t.a, s.y from t left join (select a, a + 1 as y from u where z = 3) s on t.a = s.a
select a, x from t full join u using (a)
select a from t full join u using (a) where t.b = 'x'
select a from t full join u using (a) where t.b = 'x' and u.x = 'y'
select t.a from t where (t.a = 1 and t.b = 'x') or (t.a = 1 and t.b = 'y')
select t.a from t where t.a = 1 or (t.a = 1 and t.b = 'y')
select count(*) from t group by b having b > 'x' and count(*) > 1
select count(*) from t having 1 > 2
select s from (select a, b from t) s
select t.a, l.m from t, lateral (select u.z + t.a as m from u where u.a = t.a) l
select t.a, l.m from t left join lateral (select u.z + t.a as m from u where u.a = t.a) l on true
with w as (select a from t) select * from w where a = 1
with w as (select a from t), x as (select a + 1 as b from w) select * from x join u on u.a = x.b
select * from (values (1, 2)) v(a, b)
select v.a from t join (values (1), (2)) v(a) on t.a = v.a
select t.a from t where a in (select u.a from u where u.z = t.a)
select t.a from t join (select 1 as one) s on t.a = s.one
select t.a from t left join (select 1 as one) s on t.a = s.one
select t.a from t left join v on t.a = v.t_a and exists (select from u where u.a = v.id)
select 1 from w
select row_number() over (order by a), sum(a) over (order by a) from t window unused as (order by b)
update t set b = u.x from u where u.a = t.a
delete from t using u where u.a = t.a returning u.x
select t.a from (t join u on t.a = u.a) join (select id, name from v) s on s.id = u.z
select u.x from u left join t on t.a = u.a
select u.x from u left join t on t.a = u.a and t.b = 'x'
select u.x, t.b from u left join t on t.a = u.a
select v.name from v left join u on u.a = v.id
select v.name from v left join u on u.a = v.t_a and u.z = v.id::int2
select v.name from v left join t on t.a = v.t_a left join u on u.a = t.a and u.z = 1
select v.name from v left join (t left join u on u.a = t.a and u.z = 1) on t.a = v.t_a
select t.a from t where t.f < (select avg(v.amount) from v where v.t_a = t.a)
select t.a from t, v where t.a = v.t_a and t.f < (select 0.5 * sum(w.amount) from v w where w.t_a = t.a and w.name = t.b and w.id > 3)
select t.a from t where a in (values (1), (2))
select t.a from t where g in (values (1), (2))
