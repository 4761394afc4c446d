-- Without tables.
select 1;
select 1/0;
values (1, 'x'), (2, 'y');
-- One table.
select * from customers order by id;
select name from customers where city = 'London' order by name desc;
select id, note, amount from orders where amount > 20 order by id;
select count(*), count(amount), sum(amount), avg(amount), min(placed), max(note) from orders;
select city, count(*) from customers group by city order by city nulls first;
select city, count(*) from customers group by city having count(*) > 1;
select distinct city from customers order by 1;
select distinct on (customer) customer, id from orders order by customer, amount desc nulls last;
select id from orders order by amount desc nulls last, id limit 2 offset 1;
select id from orders where id = 12;
select id from orders where id in (10, 12, 99) order by id;
select id from orders where id between 11 and 13 order by id desc;
select id from orders where customer is null;
select id, line from items where (order_id, line) > (10, 1) and order_id < 13 order by order_id, line;
select order_id, line from items where (order_id, line) in ((10, 2), (13, 1)) order by 1;
select order_id, quantity from items where product = 'pen' order by quantity desc;
select order_id from items where product = 'pen' and quantity > 1 order by order_id;
select max(id), min(id) from orders;
select id from orders where customer = 1 or id = 15 order by id;
select ctid is not null, tableoid::regclass is not null from customers where id = 1;
-- Joins.
select c.name, o.id from customers c join orders o on o.customer = c.id order by o.id;
select c.name, o.id from customers c left join orders o on o.customer = c.id order by c.id, o.id;
select c.name, o.id from customers c right join orders o on o.customer = c.id order by o.id;
select c.name, o.id from customers c full join orders o on o.customer = c.id order by c.id, o.id;
select c.name, i.product, i.quantity * i.price from customers c join orders o on o.customer = c.id join items i on i.order_id = o.id order by 1, 2, 3;
select a.id, b.id from customers a, customers b where a.id < b.id and a.city = b.city;
select count(*) from customers cross join orders;
select c.name, sum(o.amount) from customers c left join orders o on o.customer = c.id and o.amount > 50 group by c.name order by c.name;
select o.id, x.total from orders o, lateral (select sum(quantity * price) as total from items i where i.order_id = o.id) x order by o.id;
select o.id, l.product from orders o left join lateral (select product from items where order_id = o.id order by line limit 1) l on true order by o.id;
-- Subqueries.
select name from customers where id in (select customer from orders where amount > 50) order by name;
select name from customers where id not in (select customer from orders where customer is not null) order by name;
select name from customers c where exists (select 1 from orders o where o.customer = c.id) order by name;
select name from customers c where not exists (select 1 from orders o where o.customer = c.id) order by name;
select name, (select count(*) from orders o where o.customer = c.id) from customers c order by id;
select name, (select id from orders where customer = 1) from customers;
select id from orders where amount > (select avg(amount) from orders) order by id;
select id from orders where amount = any (select price from items) order by id;
select id from orders where amount > all (select price from items where product = 'pen') order by id;
select array(select id from orders order by id);
select x.city, x.n from (select city, count(*) as n from customers group by city) x where x.n = 1 order by 1;
-- WITH.
with big as (select * from orders where amount >= 20) select count(*), sum(amount) from big;
with big as materialized (select * from orders where amount >= 20) select a.id, b.id from big a join big b on a.customer = b.customer and a.id < b.id;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n;
with recursive n(i) as (select 1 union select (i + 1) % 3 from n) select i from n order by i;
-- Sets.
select id from customers union select customer from orders order by 1;
select id from customers union all select customer from orders order by 1;
select id from customers intersect select customer from orders order by 1;
select id from customers except select customer from orders order by 1;
select city from customers except all select 'London' order by 1;
-- Grouping.
select city, extract(year from since), count(*) from customers group by rollup (city, extract(year from since)) order by 1, 2, 3;
select product, sum(quantity) filter (where quantity > 1), count(distinct price) from items group by product order by product;
select string_agg(name, ',' order by name desc) from customers;
select customer, array_agg(id order by id desc) from orders group by customer order by customer;
-- Windows.
select id, row_number() over (order by amount, id), rank() over (order by amount), sum(amount) over (order by id) from orders order by id;
select order_id, line, sum(quantity) over (partition by order_id order by line rows between 1 preceding and current row) from items order by 1, 2;
select name, lag(name) over w, lead(name, 2, 'none') over w, first_value(name) over w from customers window w as (order by id) order by id;
-- Changes.
insert into customers values (6, 'Fay', 'Oslo', '2024-01-01') returning *;
insert into customers (id, name) select id + 100, name from customers where id < 3 returning id, name, city;
insert into customers values (1, 'dup');
insert into customers (id) values (7);
update orders set amount = amount * 2 where customer = 1 returning id, amount;
update orders o set note = c.city from customers c where c.id = o.customer and c.city = 'Paris' returning o.id, o.note, c.name;
update customers set id = id + 10 where id = 5 returning id;
delete from items where order_id = 10 returning line, product;
delete from orders o using customers c where o.customer = c.id and c.name = 'Ada' returning o.id, c.name;
insert into customers values (1, 'New'), (8, 'Hal') on conflict do nothing returning id;
with gone as (delete from items where order_id = 13 returning product) select product from gone order by 1;
with new as (insert into customers values (9, 'Ida') returning id) select (select count(*) from customers), id from new;
select id from orders where customer = 1 order by id for update;
select o.id from orders o join customers c on c.id = o.customer where c.name = 'Ada' order by o.id for update of o;
-- Sets of rows.
select * from generate_series(1, 5);
select i, i * 2 from generate_series(5, 1, -2) i;
select x, n from unnest(array['a', 'b']) with ordinality as u(x, n);
select a, b from rows from (generate_series(1, 3), unnest(array[10, 20])) as r(a, b);
select generate_series(1, 3), name from customers where id = 1;
select id, generate_series(1, id) from customers where id < 3 order by 1, 2;
select c.id, g from customers c, generate_series(1, c.id) g where c.id < 3 order by 1, 2;
select sum(i) from generate_series(1, 100000) i;
select count(*) from generate_series(1, 100) a, generate_series(1, 100) b where a < b;
select d::date from generate_series(timestamp '2024-01-30', '2024-02-02', '1 day') d;
insert into items select 20, g, 'gen', g, g from generate_series(1, 3) g returning line, price;
-- More of joins and subqueries.
select c.id, (select max(o.amount) from orders o where o.customer = c.id and o.amount < (select avg(x.amount) from orders x)) from customers c order by 1;
select id from customers c where (select count(*) from orders o where o.customer = c.id) = 2;
select id, case when id > 2 then (select name from customers where id = 1) else 'none' end from customers order by id;
select id, coalesce((select o.id from orders o where o.customer = c.id and o.amount = 20), -1) from customers c order by id;
select c.id from customers c where c.id in (select o.customer from orders o where o.id in (select i.order_id from items i where i.product = 'pen')) order by 1;
select c.name, x.id from customers c left join (orders o join items i on i.order_id = o.id) x(id) on x.id = c.id + 9 order by 1, 2 limit 3;
select a.id, b.id, c.id from customers a left join orders b on a.id = b.customer left join items c0 on c0.order_id = b.id left join customers c on c.id = c0.line order by 1, 2, 3;
select * from (values (1, 'a'), (2, 'b'), (null, 'c')) v(k, s) join (values (2), (null), (1)) w(k) using (k) order by 1;
select * from (select distinct product from items) p cross join (select min(id) m from orders) o order by product nulls first;
select count(*) from orders a, orders b, orders c where a.customer = b.customer and b.id < c.id;
select id from orders where amount is distinct from 20 order by id;
select id from orders order by placed desc nulls last, id fetch first 2 rows with ties;
select amount from orders order by amount nulls first fetch first 3 rows with ties;
select amount, count(*) from orders group by amount order by amount desc nulls last;
select avg(amount), sum(amount), stddev(quantity), count(distinct product) from orders join items on order_id = id;
select customer, sum(amount) as total from orders group by customer having sum(amount) > 50 order by total;
select c.city, sum(o.amount) over (partition by c.city), rank() over (order by o.amount desc nulls last, o.id) from customers c join orders o on o.customer = c.id order by o.id;
select city, count(*), sum(count(*)) over (order by city) from customers group by city order by city;
select ntile(2) over (order by id), id from customers order by id;
select id, sum(id) over (order by id range between 1 preceding and 1 following exclude current row) from customers order by id;
select * from (select id, row_number() over (order by id) as n from orders) x where n <= 2;
select distinct customer from orders union select id from customers where id > 3 order by 1 nulls first limit 4;
(select id from customers order by id desc limit 2) union all (select id from orders order by id limit 1);
select city from customers intersect all select city from customers where id > 1 order by 1;
with a as (select id from customers), b as (select id from a where id > 2) select * from b order by 1;
with recursive t(id, depth) as (select id, 1 from customers where id = 1 union all select c.id, t.depth + 1 from customers c join t on c.id = t.id + 1) select * from t order by 1;
with recursive t(n) as (values (1) union all select n + 1 from t where n < 100) select sum(n) from t;
select exists (select 1 from items where quantity > 5), not exists (select 1 from orders where id = 0);
select (1, 2) = (select 1, 2), row(1, 2) < row(1, 3);
select id from orders where (customer, amount) = (select customer, amount from orders where id = 12);
select array(select product from items where product is not null order by product);
select 5 = any (array(select line from items)), 1 = all (select 1), null = any (select 1);
select id in (select customer from orders) from customers order by id;
select id from items i join orders o on o.id = i.order_id where i.price * i.quantity > o.amount order by 1;
select a.id from orders a where not exists (select 1 from orders b where b.amount > a.amount) order by 1;
select min(price), max(price) from items where product = 'pen';
select max(quantity) from items where product = 'none';
select product from items group by product order by max(price) desc limit 2;
select count(*) from items where product = any (array['pen', 'ink', null]);
select order_id from items where product in ('desk', 'lamp') and quantity >= 1 order by order_id;
select id from orders where id = any ('{11,13,11}') order by id desc;
select order_id, line from items order by order_id desc, line desc limit 3;
select id from customers where id > 2 order by id desc;
select id from customers where since between '2020-01-01' and '2021-12-31' order by since;
-- More of changes.
update items set quantity = quantity + 1, price = price - 0.5 where (order_id, line) = (10, 1) returning *;
update orders set (amount, note) = (select sum(price), 'sum' from items where order_id = orders.id) where id in (10, 13) returning id, amount, note;
update customers set city = (select max(product) from items) where id = 1 returning city;
update items set order_id = 99 where product = 'desk' returning order_id, line;
update customers set id = 1 where id = 2;
update customers set name = null where id = 2;
delete from customers c where not exists (select 1 from orders where customer = c.id) returning id;
delete from items returning order_id;
insert into orders (id, amount) values (50, 1.005), (51, 99.994) returning amount;
insert into orders (id, amount) values (52, 123456789.00);
with u as (update orders set amount = 0 where id = 10 returning id), d as (delete from items where order_id = 10 returning line) select (select count(*) from u), (select count(*) from d), (select amount from orders where id = 10);
insert into customers values (3, 'Dup') on conflict (id) do update set name = excluded.name where false returning id;
insert into customers values (30, 'a'), (30, 'b') on conflict (id) do update set name = excluded.name;
select id from orders where id < 12 order by id desc for share;
select id from orders where customer = 1 for update skip locked;
select id from orders limit 1 for no key update nowait;
-- Set operations whose arms have other types than they, sets in groups, and what comes of no columns.
values (1, 2), (3, 4 + 4), (7, 77.7) union all select 2 + 2, 57 union all select 1::int8, 4567890123456789 order by 1, 2;
select 1.1 as two union (select 2 union all select 2) order by 1;
select 1.1 union all (select 2 intersect select 2::bigint) order by 1;
(select 1 except select 2::int8) union all select 1.5 union select 2::float8 order by 1;
select count(*) from (select from generate_series(1, 5) union select from generate_series(1, 3)) t;
select id from customers where id in (select id from customers where id in (select id from customers where id in (select id from customers))) order by id;
select city, count(*), unnest('{1,1,3}'::int[]) u from customers group by city, unnest('{1,1,3}'::int[]) order by 1, 3;
select city, generate_series(1, 2) g, count(*) from customers group by cube (city, g) order by 1, 2, 3;
select distinct on (city) city, id, generate_series(1, 2) g from customers order by city, id desc;
select generate_series(1, generate_series(1, 3)) + 1 y, 5 z;
select city, generate_series(1, 2) + count(*), row_number() over (order by city) from customers group by city order by 1, 2;
select city, name, count(*), grouping(city, name) from customers group by cube (city, name) order by grouping(city, name), 1, 2;
select id, name, grouping(name), grouping(id, name) from customers group by id, name order by grouping(name), id;
-- RETURNING's rows before and after.
insert into customers values (9, 'x') on conflict (name) do nothing;
insert into customers values (1, 'Ada2'), (20, 'New') on conflict (id) do update set name = excluded.name returning old.name, new.name, old.id, new.id, name;
update customers set city = 'Z' where id in (1, 2) returning old.city, new.city, city, old.id, old is null, new.*;
delete from customers where id = 2 returning old.name, new.name, name, new is null, new.tableoid;
insert into customers values (30, 'N') returning old.name, new.name, old.id is null, old is null;
merge into customers c using (values (2, 'B'), (77, 'C')) s(id, n) on c.id = s.id when matched then update set name = s.n when not matched then insert values (s.id, s.n) returning merge_action(), old.name, new.name, old.id, new.id, s.n;
merge into customers c using (values (2, 'B')) s(id, n) on c.id = s.id when matched then delete returning merge_action(), old.name, new.name, name;
-- What LIMIT does not want is not computed.
select 10 / (3 - id) from (values (1), (2), (3)) t(id) limit 2;
select id from (values (1), (2), (3)) t(id) where 10 / (3 - id) > 0 limit 2;
select c.name, o.id from customers c left join orders o on o.customer = c.id for update;
select row(c.*, 1), row(x.*) from customers c join orders o using (id) as x;
select * from (customers c join (select id from orders) o using (id) as x) as xx where x.id = 1;
select count(*) from (select id, (select max(amount) from orders where customer = c.id) as most from customers c) s where not exists (select 1 from items where price > s.most);
select count(*) from customers where id = 1 and id = 4;
select c.id, o.id from customers c join orders o on o.customer = c.id and o.customer = 1 where c.id = 3;
select count(*) from customers c where not exists (select 1 from orders o where o.customer = 1 and o.customer = c.id);
-- Catalogs.
select typname from pg_type where oid = 23;
-- Groups by several columns, rows with NULLs among them.
select * from (values (1, null::int, 2), (1, 2, null), (2, 2, 2)) v(a, b, c) except select 7, 7, 7 order by 1, 2, 3;
select * from (values (1, null::int, 2), (1, 2, null), (2, 2, 2)) v(a, b, c) except all select 2, 2, 2 order by 1, 2, 3;
select * from (values (1, null::int, 2), (1, 2, null), (2, 2, 2)) v(a, b, c) intersect values (1, 2, null), (2, 2, 2), (3, 3, 3) order by 1, 2, 3;
select * from (values (1, null::int, 2), (1, 2, null), (2, 2, 2)) v(a, b, c) union values (1, null, 2), (2, 2, 2), (3, 3, 3) order by 1, 2, 3;
select a, b, c, count(*), min(a + coalesce(b, 10) + coalesce(c, 100)) from (values (1, null::int, 2), (1, 2, null), (2, 2, 2), (1, 2, null)) v(a, b, c) group by 1, 2, 3 order by 1, 2, 3;
select distinct a, b, c from (values (1, null::int, 2), (1, 2, null), (2, 2, 2), (1, null, 2)) v(a, b, c) order by 1, 2, 3;
select a, b, c, d, count(*) from (values (1, null::int, 2, null::int), (1, 2, null, null), (null, null, 1, 2), (null, 1, 2, null), (2, 2, 2, 2)) v(a, b, c, d) group by grouping sets ((a, b, c, d), (a, b, c), (b, c, d), ()) order by 1, 2, 3, 4, 5;
with recursive r(a, b, c) as (values (1, null::int, 2), (1, 2, null), (2, 2, 2) union select a, c, b from r) select * from r order by 1, 2, 3;
select * from (values (1, 2, 2), (2, 2, 2), (3, 2, 2)) o(a, b, c) where exists (select 1 from (values (1, null::int, 2), (1, 2, null), (2, 2, 2), (1, 2, 2)) v(a, b, c) where v.a = o.a and v.b = o.b and v.c = o.c) order by 1;
select count(*), sum(n), sum(first), sum(last), count(distinct (a, b, c)) from (select a, b, c, count(*) n, min(x) first, max(x) last from (select nullif(x % 70, 0) a, nullif(x % 70, 1) b, nullif(x % 11, 0) c, x from generate_series(1, 50000) x) g group by a, b, c) s;
-- Joins over a side that a condition without columns leaves out.
create table p(a int); create table q(a int); insert into p values (1), (2), (3); insert into q values (1), (2), (3); select p.a, q.a from (select * from p where (select count(*) from q) > 5) p full join q on p.a = q.a order by 2;
create table p(a int); create table q(a int); insert into p values (1), (2), (3); insert into q values (1), (2), (3); select p.a, q.a from (select * from p where (select count(*) from q) > 5) p right join q on p.a = q.a order by 2;
create table p(a int); create table q(a int); insert into p values (1), (2), (3); insert into q values (1), (2), (3); select q.a from q where not exists (select 1 from p where (select count(*) from q) > 5 and p.a = q.a) order by 1;
-- One grouping set is a plain GROUP BY.
select a, percentile_disc(0.5) within group (order by b) from (select x % 3 a, x b from generate_series(1, 20000) x) g group by grouping sets ((a)) order by 1;
select a, percentile_disc(0.5) within group (order by b), grouping(a) from (select x % 3 a, x b from generate_series(1, 20000) x) g group by a, grouping sets (()) order by 1;
select a, string_agg(b::text, ',' order by b desc) from (select x % 3 a, x b from generate_series(1, 9) x) g group by grouping sets ((a)) having grouping(a) = 0 order by 1;
select 'k' k, count(*) from generate_series(1, 3) group by grouping sets ((1));
select a, percentile_disc(0.5) within group (order by b) from (select x % 3 a, x b from generate_series(1, 20000) x) g group by grouping sets ((a), (a), ()) order by 1, 2;
select percentile_disc(0.5) within group (order by b) from (select x b from generate_series(1, 20000) x) g group by grouping sets (());
-- What a subquery takes for different may be equal to the join.
create table dv(v varchar); create table db(b bpchar(5)); insert into dv values ('a'), ('a '), ('b'); insert into db values ('a'); select db.b, s.v || '.' from db join (select distinct v from dv) s on s.v::bpchar = db.b order by 2;
create table dv(v varchar); create table db(b bpchar(5)); insert into dv values ('a'), ('a '), ('b'); insert into db values ('a'); select db.b, s.v || '.', n from db left join (select v, count(*) n from dv group by v) s on s.v::bpchar = db.b order by 2;
create table dv(v varchar); create table db(b bpchar(5)); insert into dv values ('a'), ('a '), ('b'); insert into db values ('a'); select db.b, s.v || '.' from db join (select distinct on (v) v from dv order by v) s on s.v::bpchar = db.b order by 2;
create table dv(v varchar); create table db(b bpchar(5)); insert into dv values ('a'), ('a '), ('b'); insert into db values ('a'); select db.b, s.v || '.' from db join (select v from dv union select 'c') s on s.v::bpchar = db.b order by 2;
create table dv(v varchar); create table db(b bpchar(5)); insert into dv values ('a'), ('a '), ('b'); insert into db values ('a'); select db.b from db where b in (select v::bpchar from (select distinct v from dv) s);
-- Conditions that stay above set operations.
create table e1(x numeric); create table e2(x numeric); insert into e1 values (1.00); insert into e2 values (1.0); select * from (select x from e1 except select x from e2) s where scale(x) = 2;
create table e1(x numeric); create table e2(x numeric); insert into e1 values (1.00); insert into e2 values (1.0); select * from (select x from e1 except all select x from e2) s where scale(x) = 2;
create table e1(x numeric); create table e2(x numeric); insert into e1 values (1.00); insert into e2 values (1.0); select * from (select 3.00 union all (select x from e1 except select x from e2)) s(x) where scale(x) = 2;
create table e1(x numeric); create table e2(x numeric); insert into e1 values (1.00); insert into e2 values (1.0); select * from (select x from e1 union select x from e2) s where scale(x) = 2;
create table e1(x numeric); create table e2(x numeric); insert into e1 values (1.00); insert into e2 values (1.0); select * from (select x from e1 intersect select x from e2) s where scale(x) = 2;
create table e1(x numeric); insert into e1 values (1.00), (1.0), (2.0); select * from (select distinct x from e1) s where scale(x) = 2;
create table e1(x numeric); insert into e1 values (1.00), (1.0), (2.0); select * from (select x, count(*) from e1 group by x) s where scale(x) = 2;
-- Orders by a value under another type.
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); select array_agg(x) from (select x from so order by x::oid offset 0) q;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); select array_agg(x) from (select x from so order by v::bpchar, x offset 0) q;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); select distinct on (v::bpchar) x, v || '.' from so order by v::bpchar, x;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); select x, row_number() over (partition by v::bpchar order by x), rank() over (order by x::oid) from so order by x::oid desc;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); select v::bpchar || '.', count(*), array_agg(x order by x::oid) from so group by v::bpchar order by v::bpchar;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); set enable_hashjoin = off; set enable_nestloop = off; select a.x, b.x from so a join so b on a.v::bpchar = b.v::bpchar where a.x < b.x order by 1, 2;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); create index on so (x); set enable_seqscan = off; set enable_sort = off; select x, x::oid from so where x > -10 order by x::oid limit 2;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); create index on so (v); set enable_seqscan = off; select max(x::oid), min(v::bpchar) || '.', max(v) from so;
create table so(x int, v varchar); insert into so values (-1, 'a '), (1, 'a'), (-5, 'a  '), (5, 'b'); create index on so ((x::oid)); set enable_seqscan = off; select x, x::oid from so where x::oid > 2 order by x::oid;
-- Groups that nobody asks for.
create table da(k int, x int); create table dc(k int, y int); insert into da values (1, 5); insert into dc values (1, 10), (9, 0); select * from da where x < (select sum(100 / y) from dc where dc.k = da.k);
create table da(k int, x int); create table dc(k int, y int); insert into da values (1, 5); insert into dc values (1, 10), (9, 0); select * from da where x < (select 100 / min(y) from dc where dc.k = da.k);
create table da(k int, x int); create table dc(k int, y int); insert into da values (1, 5); insert into dc values (1, 10), (9, 0); select * from da where x < (select max(y) from dc where dc.k = da.k and 100 / y > 1);
create table da(k int, x int); create table dc(k int, y int); insert into da values (1, 5); insert into dc values (1, 10), (9, 0); select * from da where x < (select max(y) from dc where dc.k = da.k and y >= 0) and 0.2 * x < (select 0.5 * avg(y) from dc where dc.k = da.k);
-- Rows that come sorted by a part of what is asked for.
create table inc(a int, b int); insert into inc select x / 100, -x from generate_series(1, 20000) x; create index on inc (a); set enable_seqscan = off; set enable_bitmapscan = off; select a, b from inc order by a, b limit 3 offset 98;
create table inc(a int, b int); insert into inc select x / 100, -x from generate_series(1, 20000) x; create index on inc (a); set enable_seqscan = off; set enable_bitmapscan = off; select count(*), sum((a > l or a = l and b < m)::int) from (select a, b, lag(a) over w l, lag(b) over w m from inc window w as (order by a, b)) s;
create table inc(a int, b int); insert into inc select x / 5000, -x from generate_series(1, 60000) x; create index on inc (a); set enable_seqscan = off; set enable_bitmapscan = off; select a, min(b), max(b), count(*) from (select a, b from inc order by a desc, b desc limit 12000 offset 3000) s group by a order by a;
