# Aggregates of subqueries that look rows up by what they take from a row are made for many rows at once.
s> create table customer (id int primary key, name text, factor numeric(6,2), place int)
s> insert into customer select id, 'c' || id, id * 0.75, case when id % 5 > 0 then id % 5 end from generate_series(1, 60) id
s> create table sale (customer int, item text, amount numeric(8,2), n int, day date)
s> insert into sale select id % 37 + 1, 'i' || id % 7, id * 1.25, nullif(id % 11, 3), date '2026-01-01' + id % 90 from generate_series(1, 700) id
s> create index on sale (customer)
s> create index on sale (customer, n)
s> vacuum analyze customer, sale
s> set enable_seqscan = off
s> set enable_bitmapscan = off
s> select id, (select count(*) from sale s where s.customer = c.id) from customer c where id between 30 and 45 order by id
s> select id, (select sum(amount) from sale s where s.customer = c.id), (select avg(n) from sale s where s.customer = c.id) from customer c where id between 33 and 40 order by id
# What the subquery takes is in its arguments, conditions, FILTER and targets.
s> select id, (select sum(s.amount * c.factor) + c.id from sale s where s.customer = c.id and s.n > c.place) from customer c where id < 45 order by id
s> select id, (select count(*) filter (where s.n > c.place) from sale s where s.customer = c.id) from customer c where id between 20 and 40 order by id
s> select id, (select coalesce(max(n), -c.id) from sale s where s.customer = c.id and s.n < 5) from customer c where id between 30 and 42 order by id
# NULL finds nothing, which is counted.
s> select id, place, (select count(*) from sale s where s.customer = c.place) from customer c where id < 12 order by id
s> select id, (select count(n) + sum(n) from sale s where s.customer = c.id and c.id % 2 = 0) from customer c where id < 12 order by id
# In the order of the index, and in one of their own.
s> select id, (select string_agg(n::text, ',') from (select n from sale s where s.customer = c.id order by n) o) from customer c where id < 6 order by id
s> select id, (select string_agg(item, ',' order by item desc) from sale s where s.customer = c.id), (select count(distinct item) from sale s where s.customer = c.id) from customer c where id < 6 order by id
s> select id, (select array_agg(day order by day) from sale s where s.customer = c.id and n = 4) from customer c where id < 8 order by id
# HAVING, GROUP BY and two rows.
s> select id, (select count(*) from sale s where s.customer = c.id having count(*) > 18) from customer c where id < 8 or id > 35 order by id
s> select id, (select count(*) from sale s where s.customer = c.id group by item) from customer c where id < 3 order by id
s> select id, (select count(*) from sale s where s.customer = c.id group by customer) from customer c where id between 35 and 40 order by id
# A failure is that of the row that is asked for first; where no row is asked for there is none.
s> select id, (select sum(1 / (s.n - c.place)) from sale s where s.customer = c.id) from customer c where id between 1 and 9 order by id
s> select id, (select sum(1 / (s.n - c.place)) from sale s where s.customer = c.id) from customer c where id between 1 and 9 order by id limit 0
s> select id from customer c where (select count(*) from sale s where s.customer = c.id) = 19 order by id
s> select id from customer c order by (select count(*) from sale s where s.customer = c.id) desc, id limit 5
s> prepare p(int, int) as select id, (select count(*) from sale s where s.customer = c.id and s.n >= $2) from customer c where id between $1 and $1 + 6 order by id
s> execute p(1, 0)
s> execute p(33, 7)
s> execute p(50, 1)
s> execute p(1, 5)
s> update customer set factor = (select count(*) from sale s where s.customer = customer.id) where id > 30 returning id, factor
# Rows that are looked at again, and what the transaction itself has changed.
s> begin
s> delete from sale where customer = 3
s> select id, (select count(*) from sale s where s.customer = c.id) from customer c where id < 5 order by id
s> rollback
s> select id, (select count(*) from sale s where s.customer = c.id) from customer c where id < 5 order by id
