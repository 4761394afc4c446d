# Rows compared with rows; joins that merge columns, stars, counted rows
a> create table t(id int primary key, a int, b text, n numeric(10,2), f float8)
a> insert into t values (1,10,'x',1.10,1.5),(2,20,'y',2.25,2.5),(3,null,'z',null,null),(4,10,null,4.00,-1)
a> create table u(id int, x int, c varchar(10), d char(4))
a> insert into u values (1,100,'aa','ab'),(2,200,'bb','cd'),(2,201,'cc','ef'),(5,null,null,null)
a> create table w(x int, y int, id int)
a> insert into w values (100,1,1),(201,2,2),(null,3,9)
a> select 1+count(*) from pg_trigger
a> select coalesce(max(oid),0) from pg_trigger
a> select count(*) from pg_catalog.pg_trigger
a> select (1,2)=(1,2)
a> select (1,null)=(1,null), (1,null)=(2,null), (1,2)<(1,3), (1,2)<(null,3), (2,1)>(1,null), (1,2)<=(1,2)
a> select id from t where (a,id)>(null,5)
a> select id from t where (a,id)>(10,1) order by id
a> select id from t where (a,id) in ((10,1),(20,3)) order by id
a> select id from t where (a,id) not in ((10,1),(20,3)) order by id
a> select id from t where (id,a) in (select id,x/10 from u) order by id
a> select id from t where (id,a) not in (select id,x/10 from u) order by id
a> select row(1,null) is null, row(null,null) is null, row(1,2) is not null, row(1,null) is not null
a> select (1,2) is distinct from (1,null), (1,null) is not distinct from (1,null)
a> select (1,2)=(1,2,3)
a> select sum(a) over w from t window w as (order by id)
a> select id, row_number() over (w order by id desc) from t window w as (partition by a) order by id
a> select id, sum(id) over (w2) from t window w as (partition by a), w2 as (w order by id) order by id
a> select sum(id) over (w partition by b) from t window w as (partition by a)
a> select sum(id) over (w order by b) from t window w as (order by a)
a> select sum(id) over (w) from t window w as (order by a rows unbounded preceding)
a> select sum(id) over w3 from t window w as (order by a)
a> select id, lead(a,1,-1.4) over (order by id), lag(a,1,-1) over (order by id), lag(b,2,'none') over (order by id) from t order by id
a> select nth_value(id,0) over () from t
a> select ntile(0) over () from t
a> select ntile(3) over (order by id), nth_value(id,2) over (order by id) from t order by id
a> select id, sum(id) over (order by a groups between 1 preceding and current row) from t order by id
a> select count(*) over (), id from t order by id
a> select count(u.*) from t left join u on t.id=u.id
a> select count(u) from t left join u on t.id=u.id
a> select t.id, count(u.*) from t left join u on t.id=u.id group by t.id order by t.id
a> select * from t join u using (id) order by id, x
a> select * from u join w using (x, id)
a> select * from u natural join w
a> select * from u full join w using (x) order by 1,2
a> select x from u full join w using (x) order by 1
a> select * from u left join w using (id) order by 1,2
a> select * from u right join w using (id) order by 1,2
a> select id, t.* from t order by id
a> select *, id from t order by id
a> select *, * from w order by id
a> select t.id, u.id from t left join u join w on u.x=w.x on t.id=u.id order by 1,2
a> select * from t a(p,q) order by p
a> select j.x from (u join w using (x)) as j
a> select u.* from t, u where t.id=u.id order by x
a> select array_agg(id) from (select id from t order by id desc) q
a> select string_agg(b, ',') from (select b from t order by id desc) q
a> select id, row_number() over () from (select id from t order by id desc) q
a> select * from (select id from t order by id desc) q limit 2
a> select * from (select id from t order by id desc) q
a> with c as (select id from t order by id desc) select array_agg(id) from c
a> select 'abc' similar to 'a%', 'abc' similar to '(b|c)%', 'abc' similar to '%(b|d)%', 'a.c' similar to 'a.c', 'abc' similar to 'a.c', 'abc' similar to 'a_c', 'a%' similar to 'a\%', 'ab' not similar to 'a_'
a> select 'a_c' like 'a#_c' escape '#', 'abc' like 'a#_c' escape '#', 'a\b' like 'a\\b', 'aB' ilike 'Ab'
a> select a, count(*) from t group by rollup(a) order by a
a> select a as q, count(*) from t group by rollup(q) order by q
a> select a, b, count(*), grouping(a,b) from t group by cube(a,b) order by 1,2,4
a> select * from t where 1/0=1
a> select 1 where false and 1/0=1
a> select case when true then 1 else 1/0 end
a> select coalesce(1,1/0)
a> select 1/0 from t where false
a> select c from u union all select d from u order by 1
a> select c from u union select d from u order by 1
a> select '1' union all select 2
a> select 1 union all select 2.5 order by 1
a> select 1 as a union select 'x' as b
a> select 1.5 union all select 2.25 union all select 3
a> select null union all select 1
a> select 1 as one union all select 2 as two order by one desc
a> (select id from t order by id desc limit 1) union all (select id from t order by id limit 1)
a> values (1.5),(2.25),(3)
a> select * from (values (1.5),(2.25),(3)) v(x) order by x desc
a> select array[1.5,2], array[1.5,2.25,3]
a> select case when id=1 then 1.5 else 2 end from t order by id
a> select coalesce(n, 1) from t order by id
a> insert into w values (3,(select max(y) from w),(select 7))
a> insert into t(id) values ((select null::int))
a> insert into t(id) select null
a> update t set id = (select null::int) where id=1
a> insert into t(id,a) values (10,(select 1)),(11,default),(12,(select x from u where false))
a> select * from t where id>=10 order by id
a> insert into w(x) select '5'
a> insert into w(x,y) select c::int, 1 from (values ('1')) v(c)
a> select * from w order by 1,2,3
a> create table a(id int primary key, x int, s text, n numeric(10,2))
a> insert into a values (1,10,'p',1.5),(2,20,'q',2.25),(3,null,'r',null),(4,10,null,3)
a> create table b(id int, y int, s text, a_id int not null)
a> insert into b values (1,100,'p',1),(2,200,'z',2),(3,300,null,2),(4,null,'q',9)
a> create table c(id int, z int)
a> insert into c values (1,7),(2,8),(5,9)
a> create table e(id int, v text)
a> create sequence s
a> select * from a natural join b order by 1
a> select * from a natural left join b order by 1
a> select * from a join b using (id) order by id
a> select * from a join b using (s, id) order by id
a> select a.*, b.* from a join b using (id) order by a.id
a> select b.*, y from a join b using (id) order by b.y
a> select id from a full join b using (id) full join c using (id) order by id
a> select * from a full join b using (id) full join c using (id) order by id
a> select count(*), id from a full join c using (id) group by id order by id
a> select id, a.id, c.id from a full join c using (id) where id > 2 order by id
a> select id from a right join c using (id) where id = 5
a> select id, (select max(y) from b where b.a_id = id) from a join c using (id) order by id
a> select id, (select count(*) from b where b.id = a.id) from a left join c using (id) order by id
a> select * from a join b on a.id = b.a_id left join c on c.id = b.id order by 1,5
a> select * from (a join c using (id)) order by id
a> select * from (a join c using (id)) j order by id
a> select j.id, j.z from (a join c using (id)) as j(id, x) order by 1
a> select j.* from (a cross join c) j(p,q) order by 1,2,3
a> select * from a x join a y using (id) order by id
a> select x.id from a x, a y where x.id = y.x / 10 order by 1
a> select * from a a1(i) order by 1
a> select * from (values (1,2),(3,4)) v(p) order by 1
a> select * from (select 1, 2) v(p)
a> select * from (select 1 as a, 2 as a) v
a> select * from a t(a,b,c,d,e)
a> select id from a join b using (id) join c using (id) where id in (select id from c)
a> select sum(id) over (order by id), id from a join c using (id) order by id
a> select a.id from a join b join c on b.id = c.id on a.id = b.a_id order by 1
a> select a.id, b.id, c.id from a left join (b join c on b.id = c.id) on a.id = b.a_id order by 1,2
a> select a.id from a join b on a.id=b.id, c order by 1
a> select * from c cross join c c2 order by 1,2,3,4
a> select * from c natural join c c2 order by 1
a> select * from a natural join e
a> select c.id, e.id from c left join e using (id) order by 1
a> select count(e.*), count(c.*), count(*) from c left join e using (id)
a> select count(c) from c
a> select count(a.*) filter (where a.id>1) from a
a> select b.id, count(b.*) over () from a left join b on a.id=b.id order by 1
a> select * from a where (id, x) = (1, 10)
a> select * from a where (id, x) <> (1, 10) order by id
a> select id from a where (x, id) < (20, 0) order by id
a> select id from a where (x, id) >= (10, 4) order by id
a> select id from a where row(x, s) is distinct from row(10, 'p') order by id
a> select id from a where (x, s) is not distinct from (null, 'r') order by id
a> select id from a where row(x,s) is null order by id
a> select id from a where row(x,s) is not null order by id
a> select id from a where not (row(x,s) is null) order by id
a> select id from a where (id, x) in (select a_id, y/10 from b) order by id
a> select id from a where (id, x) not in (select a_id, y/10 from b) order by id
a> select id from a where not (id, x) in (select a_id, y/10 from b where y is not null) order by id
a> select id from a where (id, x) = any (select a_id, y/10 from b) order by id
a> select id from a where (id, x) <> all (select a_id, y/10 from b where y is not null) order by id
a> select id from a where case when (id,x) in (select a_id, y/10 from b) then true else false end order by id
a> select id from a where (id,x) in ((1,10),(2,null),(3,null)) order by id
a> select id from a where (id,x) not in ((1,10),(2,null)) order by id
a> select (1,2,3) < (1,2,4), (1,null,3) < (2,1,1), (1,null,3) < (1,2,3), (null,1) = (null,1), (1,null) <> (2,null), (1,null) <> (1,null)
a> select ('a','b') < ('a','c'), (1,'a') = (1,'a'), (1.5, 2) > (1, 3), ('2020-01-01'::date, 1) > ('2019-01-01'::date, 2)
a> select row(1) = row(1), row(1,2) = (1,2)
a> select ((1,2),3) = ((1,2),3)
a> select row() = row()
a> select (1,2) in ((1,2),(3,4)), (1,2) in ((1,2,3))
a> update a set x = x where (id, x) = (1, 10)
a> delete from b where (id, y) in (select id, z from c)
a> select id from a order by (x, id)
a> select id from a order by (x, id) desc
a> select x, count(*) from a group by (x) order by x
a> select x, s, count(*) from a group by (x, s) order by 1,2
a> select a.id, b.id from a join b on (a.id, a.s) = (b.id, b.s)
a> select a.id, b.id from a left join b on (a.id, a.s) = (b.id, b.s) order by 1
