# Volatile functions: as often as PostgreSQL calls them
a> create table t(id int primary key, g int, v int, s text)
a> insert into t select i, i%3, case when i%4=0 then null else i*10 end, chr(96+i) from generate_series(1,10) i
a> create sequence s
a> with r as (select random() x) select r1.x = r2.x from r r1, r r2
a> with r as (select random() x) select count(*) from r r1 join r r2 using (x)
a> with r as (select id, random() x from t) select count(*) from r r1 join r r2 on r1.id=r2.id and r1.x=r2.x
a> with r as (select nextval('s') x from t), q as (select * from r) select (select max(x) from q) - (select max(x) from r)
a> select currval('s')
a> with r as materialized (select id from t) select count(*) from r, r r2
a> with r as not materialized (select id from t) select count(*) from r, r r2
a> with r as (select nextval('s') x) select 1
a> select currval('s')
a> with r as (select nextval('s') x) select x, x from r
a> select x + x = 2 * x from (select nextval('s') x) q
a> select x, x from (select nextval('s') x from t where id < 4) q
a> select count(*) from (select nextval('s') x from t) q
a> select currval('s')
a> select * from (select id, nextval('s') x from t) q where id = 3
a> select currval('s')
a> select * from (select id, nextval('s') x from t) q where x > 0 and id < 3
a> select currval('s')
a> select id, nextval('s') from t order by id desc limit 3
a> select id, nextval('s') from t order by v, id offset 2 limit 2
a> select currval('s')
a> select nextval('s') as n, id from t order by n desc
a> select nextval('s'), id + 1 as q from t order by q desc limit 2
a> select nextval('s') from t order by id desc
a> select distinct nextval('s') > 0 from t
a> select currval('s')
a> select nextval('s') + id from t order by id limit 2
a> insert into t(id, v) select nextval('s') + 1000, id from t order by id desc
a> select id from t where nextval('s') > 0 limit 1
a> select coalesce(null, nextval('s')) - nextval('s')
a> select setval('s', 1)
a> select nullif(nextval('s'), 2)
a> select nullif(nextval('s'), 2)
a> select coalesce(nextval('s'), 0)
a> select nextval('s')::numeric in (1, 2, 5.0), nextval('s') in (6, 7)
a> select nextval('s')::numeric not in (1, 2, null)
a> select currval('s')
a> select case nextval('s') when 8 then 'no' when 9 then 'nine' when 10 then 'ten' else 'other' end
a> select currval('s')
a> select greatest(nextval('s'), 3), least(nextval('s'), 3)
a> select currval('s')
a> select random() between 0 and 1
a> select nextval('s') between 1 and 100
a> select currval('s')
