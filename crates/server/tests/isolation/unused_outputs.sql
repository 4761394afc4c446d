# Columns of a subquery that nobody asks for are not computed, unless that would be felt
a> create table t(id int, d text[])
a> insert into t values (1, '{{a},{b}}'), (2, '{c}')
a> create sequence s
a> select id from (select id, array_append(d, 'q') x from t offset 0) q order by 1
a> select count(*) from (select 1 / (id - 1) from t offset 0) q
a> select id from (select id, 1 / (id - 1) y from t offset 0) q where y is null
a> select id from (select id, 1 / (id - 1) y, id + 1 z from t offset 0) q where z > 2
a> select id from (select id, nextval('s') n from t offset 0) q order by 1
a> select last_value from s
a> select id from (select id, (select nextval('s')) n from t offset 0) q order by 1
a> select last_value from s
a> select id from (select id, generate_series(1, 3) g from t offset 0) q order by 1
a> select id from (select distinct id, 1 / (id - 1) from t) q
a> select id from (select distinct on (id) id, 1 / (id - 1) from t) q order by 1
a> select q from (select id, 1 / (id - 1) y from t offset 0) q
a> select id from (select id, 1 / (id - 1) y from t order by y) q
a> select id from (select id, 1 / (id - 1) y from t limit 5) q order by 1
a> select x.id from (select id, d from t offset 0) x join (select id, d || 'z' e, 1 / (id - 1) f from t offset 0) y using (id) order by 1
a> select x.id, l.a from t x, lateral (select x.id + 1 a, 1 / (x.id - 1) b offset 0) l order by 1
a> select x.id, z.c from t x, lateral (select x.id + 1 a, x.d b offset 0) l, lateral (select l.a * 2 c offset 0) z order by 1
a> select id from (select id, row_number() over (order by id) n, 5 k from t) q order by 1
a> select k from (select count(*) c, 5 k from t offset 0) q
a> select 1 from (select id, 1 / (id - 1) y from t offset 0) q
a> with q as (select id, d || d[1] e from t) select id from q order by 1
a> select id from (select id, y from (select id, 1 / (id - 1) y from t offset 0) p offset 0) q order by 1
a> insert into t select id + 10, null from (select id, 1 / (id - 1) y from t offset 0) q
a> update t set d = null from (select id, 1 / (id - 1) y from t offset 0) q where q.id = t.id
a> select * from t order by 1
a> create view v as select id, 1 / (id - 1) y from t offset 0
a> select id from v order by 1
a> drop table t cascade
