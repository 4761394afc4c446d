# Windows, the order of subqueries' rows, volatile functions
a> create table t(id int primary key, g int, v int, s text)
a> insert into t select i, i%3, case when i%4=0 then null else i*10 end, chr(96+i) from generate_series(1,10) i
a> create sequence s
a> select id, sum(v) over (partition by g order by id) from t order by id
a> select id, sum(v) over w, avg(v) over w, count(*) over w from t window w as (partition by g order by id) order by id
a> select id, sum(v) over (w rows between 1 preceding and current row) from t window w as (partition by g order by id) order by id
a> select id, rank() over (w), dense_rank() over w, percent_rank() over w, cume_dist() over w from t window w as (order by g) order by id
a> select id, first_value(v) over w, last_value(v) over w, nth_value(v,2) over w from t window w as (partition by g order by id) order by id
a> select id, lag(v) over w, lag(v,2) over w, lag(v,2,0) over w, lead(v,1,99) over w from t window w as (order by id) order by id
a> select id, lag(v, 1, null) over w from t window w as (order by id) order by id
a> select id, lead(s, 1, 'zz') over (order by id) from t order by id
a> select id, lead(v, 1, 5000000000) over (order by id) from t order by id
a> select id, lag(v, -1) over (order by id) from t order by id
a> select id, sum(v) over (order by g range between unbounded preceding and current row) from t order by id
a> select id, sum(v) over (order by id range between 2 preceding and 1 following) from t order by id
a> select id, sum(v) over (order by g groups between current row and 1 following) from t order by id
a> select id, sum(v) over (order by id rows between unbounded preceding and unbounded following) from t order by id
a> select id, count(*) filter (where v > 20) over (order by id) from t order by id
a> select g, sum(sum(v)) over (order by g) from t group by g order by g
a> select g, rank() over (order by count(*) desc, g) from t group by g order by g
a> select id, row_number() over (order by v nulls first, id) from t order by id
a> select id, row_number() over (order by v desc, id) from t order by id
a> select id, ntile(3) over (order by id) from t order by id
a> select ntile(-1) over (order by id) from t
a> select nth_value(v, -1) over (order by id) from t
a> select array_agg(v) over (partition by g order by id) from t order by id
a> select string_agg(s, ',') over (order by id) from t order by id
a> select id, max(v) over (order by id rows 2 preceding) from t order by id
a> select id, sum(v) over w1, sum(v) over w2 from t window w1 as (order by id), w2 as (w1) order by id
a> select id, sum(v) over w from t window w as (order by id), w as (order by g)
a> select sum(v) over (nope) from t
a> select sum(v) over w from t window w as (nope order by id)
a> select distinct g, count(*) over (partition by g) from t order by g
a> select id from t order by row_number() over (order by id desc)
a> select id, sum(v) over (partition by g) + 1 as z from t order by z, id
a> select * from (select id, row_number() over (partition by g order by id desc) rn from t) q where rn = 1 order by id
a> select count(*) over (partition by g order by id rows between current row and 1 following) from t order by id
a> select id, sum(v) over (order by id rows between 1 following and 2 following) from t order by id
a> select id, sum(v) over (order by id rows between 2 preceding and 1 preceding) from t order by id
a> select array_agg(id) from (select id from t order by g, id desc) q
a> select g, array_agg(id) from (select * from t order by id desc) q group by g order by g
a> select string_agg(s, '' ) from (select s from t order by v desc nulls last, id) q
a> select array(select id from t order by v desc, id)
a> select array(select id from t where id > 100)
a> select g, array(select v from t t2 where t2.g = t1.g order by id desc) from t t1 where id <= 3 order by id
a> select id, row_number() over () from (select id from t order by v, id) q
a> select * from (select id from t order by v, id) q limit 3
a> select * from (select id from t order by v, id) q where id > 2
a> select * from (select id from t order by v, id limit 5) q
a> select id from (select id, v from t order by v desc, id) q offset 2 limit 2
a> select first_value(id) over () from (select id from t order by v desc, id) q limit 1
a> with q as (select id from t order by v desc nulls last, id) select array_agg(id) from q
a> with q as (select id from t order by v desc nulls last, id limit 4) select string_agg(id::text, '-') from q
a> select array_agg(id) from (select id from (select id from t order by id desc) p) q
a> select array_agg(id) filter (where id > 3) from (select id from t order by id desc) q
a> select array_agg(x) from (select id + 1 as x from t order by s desc) q
a> select array_agg(id order by id) from (select id from t order by id desc) q
a> select array_agg(distinct g) from (select g from t order by g desc) q
a> select json from (select s as json from t order by id desc) q
a> (select id from t where id < 3 order by id desc) union all (select id from t where id > 8 order by id desc)
a> select id from t where id < 3 union all select id from t where id > 8
a> select array_agg(id) from (select id from t where id < 3 union all select id from t where id > 8) q
a> with r as (select random() x) select r1.x = r2.x from r r1, r r2
a> with r as (select random() x) select count(*) from r r1 join r r2 using (x)
a> with r as (select id, random() x from t) select count(*) from r r1 join r r2 on r1.id=r2.id and r1.x=r2.x
a> with r as (select nextval('s') x from t), q as (select * from r) select (select max(x) from q) - (select max(x) from r)
a> with r as materialized (select id from t) select count(*) from r, r r2
a> with r as not materialized (select id from t) select count(*) from r, r r2
a> with r as (select nextval('s') x) select 1
a> with r as (select nextval('s') x) select x, x from r
a> select x + x = 2 * x from (select nextval('s') x) q
a> select x, x from (select nextval('s') x from t where id < 4) q
a> select count(*) from (select nextval('s') x from t) q
a> select * from (select id, nextval('s') x from t) q where id = 3
a> select * from (select id, nextval('s') x from t) q where x > 0 and id < 3
a> select id, nextval('s') from t order by id desc limit 3
a> select id, nextval('s') from t order by v, id offset 2 limit 2
a> select nextval('s'), id + 1 as q from t order by q desc limit 2
a> select nextval('s') from t order by id desc
a> select distinct nextval('s') > 0 from t
a> select nextval('s') + id from t order by id limit 2
a> select id from t where nextval('s') > 0 limit 1
a> select coalesce(null, nextval('s')) - nextval('s')
a> select setval('s', 1)
a> select nullif(nextval('s'), 2)
a> select nullif(nextval('s'), 2)
a> select coalesce(nextval('s'), 0)
a> select nextval('s')::numeric in (1, 2, 5.0), nextval('s') in (6, 7)
a> select nextval('s')::numeric not in (1, 2, null)
a> select case nextval('s') when 8 then 'no' when 9 then 'nine' when 10 then 'ten' else 'other' end
a> select greatest(nextval('s'), 3), least(nextval('s'), 3)
a> select random() between 0 and 1
a> select nextval('s') between 1 and 100
