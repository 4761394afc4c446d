select 1
select id, name from customer where id = 7
select * from customer where id = 7 and name = 'x'
select * from customer where id in (1, 2, 3)
select * from customer where id > 1990
select * from customer where id between 10 and 20
select * from customer where region = 3
select count(*) from customer
select count(*) from customer where id < 100
select region, count(*) from customer group by region
select region, count(*) from customer group by region order by region
select region, sum(balance) from customer group by region having sum(balance) > 10
select distinct region from customer
select distinct on (region) region, name from customer order by region, id
select * from customer order by id
select * from customer order by id limit 10
select * from customer order by id desc limit 10
select * from customer order by name limit 5
select * from customer order by region, id
select name from customer order by id offset 5 limit 5
select * from orders where customer_id = 5 order by placed
select * from orders order by placed desc limit 3
select * from orders order by placed limit 3
select max(id) from orders
select min(placed) from orders
select c.name, o.total from customer c join orders o on o.customer_id = c.id where c.id = 5
select c.name, o.total from customer c join orders o on o.customer_id = c.id where o.id = 5
select c.name, o.total from customer c join orders o on o.customer_id = c.id
select c.name, o.total from customer c left join orders o on o.customer_id = c.id where c.id = 5
select c.name, o.total from customer c left join orders o on o.customer_id = c.id
select * from customer c left join orders o on o.customer_id = c.id and o.total > 100 where c.region = 1
select * from customer c full join small s on s.id = c.id
select * from customer c right join small s on s.id = c.id
select * from customer c, small s where s.id = c.id
select * from customer c cross join small s where c.id = 1
select * from orders o join item i on i.order_id = o.id where o.customer_id = 17
select p.name, sum(i.quantity) from item i join product p on p.id = i.product_id group by p.name
select c.name from customer c join orders o on o.customer_id = c.id join item i on i.order_id = o.id where c.id = 3
select c.name from customer c join orders o on o.customer_id = c.id join item i on i.order_id = o.id join product p on p.id = i.product_id where p.id = 9
select * from item where (order_id, line) = (5, 1)
select * from item where order_id = 5
select * from item where order_id = 5 and line > 1
select * from item where (order_id, line) > (19999, 1)
select * from item where (order_id, line) > (19999, 1) order by order_id, line limit 5
select product_id, quantity from item where product_id = 5
select product_id from item where product_id < 3
select * from event where b = 5 and c = 105
select * from event where b = 5 and c between 100 and 300
select * from event where b in (5, 6) and c = 105
select * from event where t like 't12%'
select * from event where t like 't1234'
select * from event where t ~ '^t4999'
select * from event where a = 100 and flag
select count(*) from event where flag and a < 1000
select * from event where a + b = 500
select * from customer where lower(name) = 'name77'
select * from event where a is null
select * from event where a = 5 or a = 7
select * from event where a < 3 order by a
select * from event where a > 29990 order by a desc
select * from customer where id = any(array[1,2,3])
select * from customer where id = 5::int8
select * from orders where id = 5
select * from customer where exists (select from orders o where o.customer_id = customer.id and o.total > 700)
select * from customer where not exists (select from orders o where o.customer_id = customer.id)
select * from customer where id in (select customer_id from orders where total = 5)
select * from customer where id not in (select customer_id from orders)
select * from customer where balance > (select avg(balance) from customer)
select name, (select count(*) from orders o where o.customer_id = c.id) from customer c where c.id < 5
select * from (select region, count(*) as n from customer group by region) s where n > 10
select * from (select * from customer where region = 2) s where id = 5
select * from (select id from customer union all select id from product) s where id = 3
select id from customer union select id from product
select id from customer union all select id from product
select id from customer intersect select id from product
select id from customer except select id from product
select id from small union all select id from product order by id limit 3
with s as (select * from customer where region = 2) select * from s where id = 5
with s as materialized (select * from customer where region = 2) select * from s where id = 5
with recursive r(n) as (select 1 union all select n + 1 from r where n < 10) select * from r
select * from generate_series(1, 10) g
select * from generate_series(1, 10) g join customer c on c.id = g
select * from (values (1, 'a'), (2, 'b')) v(a, b)
select * from customer c join (values (1), (2)) v(a) on v.a = c.id
values (1), (2), (3)
select generate_series(1, 3)
select id, generate_series(1, 3) from small
select region, rank() over (partition by region order by balance) from customer
select row_number() over (order by id) from customer
select sum(balance) over () from customer
select rank() over (order by id), rank() over (order by region) from customer
select * from customer c, lateral (select * from orders o where o.customer_id = c.id order by placed desc limit 1) l where c.region = 1
select * from customer c left join lateral (select sum(total) as s from orders o where o.customer_id = c.id) l on true where c.id = 4
insert into small values (11, 11)
insert into small values (11, 11), (12, 12)
insert into small select id, region from customer where id > 1000
insert into small values (1, 1) on conflict (id) do update set v = excluded.v
insert into small values (1, 1) on conflict do nothing returning id
update customer set balance = balance + 1 where id = 5
update customer set balance = balance + 1
update customer set balance = o.total from orders o where o.customer_id = customer.id and o.id = 7
update customer set balance = 0 where id = 5 returning name
delete from item where order_id = 5 and line = 1
delete from item using orders o where o.id = item.order_id and o.customer_id = 3
select * from customer where id = 5 for update
select * from customer c join orders o on o.customer_id = c.id where c.id = 5 for update of c
select * from customer where region = 1 and id < 100 for update skip locked
select count(*), sum(quantity) from item where order_id between 100 and 120
select avg(price) from item i join orders o on o.id = i.order_id where o.customer_id between 5 and 9
select o.status, count(distinct o.customer_id) from orders o group by o.status
select * from customer where false
select * from customer where id = 1 and false
select * from customer where name is not null and id = 3
select * from customer c1 join customer c2 on c1.id = c2.id where c1.id = 9
select * from customer c1 join customer c2 on c1.region = c2.region where c1.id = 9
select * from small s1, small s2, small s3 where s1.id = s2.id and s2.id = s3.id
select * from small s1 left join small s2 on s1.id = s2.v left join small s3 on s2.id = s3.v
select region, active, count(*) from customer group by grouping sets ((region), (active), ())
select case when id = 1 then 'one' else name end from customer where id = 1
select * from customer where active and id < 50
select * from customer order by balance desc nulls last limit 2
select count(*) from customer c join orders o on o.customer_id = c.id where c.region = 3
select o.id from orders o where o.customer_id in (select id from customer where region = 3) order by o.id limit 10
select * from item where (order_id, line) in ((5, 1), (5, 3))
select * from item where (order_id, line) in ((5, 1), (6, 3))
select * from event where b = 5 and (c = 105 or c = 205)
select * from event where b = 5 and ((c = 105 and a < 200) or (c = 205 and a > 300))
select * from small s join item i on i.line = s.v
select * from customer c, orders o where c.id = o.customer_id and ((c.region = 3 and o.status = 'new') or (c.region = 7 and o.status = 'paid'))
select * from customer c, orders o where c.id = o.customer_id and ((c.region = 3 and o.total < 5) or (o.status = 'paid' and o.total < 9))
select * from product p join item i on i.product_id = p.id where p.name like '%99%'
select * from product where name not like '%9%'
select * from item a where a.product_id = 9 and exists (select from item b where b.order_id = a.order_id and b.line <> a.line) and not exists (select from item c where c.order_id = a.order_id and c.line <> a.line and c.quantity > 8)
select id, (select max(a) from event e where e.b = c.region) from customer c where id < 10
select id, (select max(c) - min(c) from event where b = small.v) from small
select s.id, m.x from small s, lateral (select max(c) x from event where b = s.v) m
select * from event where (b, c) in ((5, 105), (5, 205), (5, 305))
select * from event where (b, c) in ((5, 105), (5, 205), (5, 305)) and a in (105, 205, 405, 1005)
select order_id, sum(quantity) from item where (order_id, line) in ((5, 1), (6, 1), (7, 1), (8, 1)) group by order_id
