a> create role iso_fun
a> create role iso_fun_owner
a> grant create on schema public to iso_fun, iso_fun_owner
a> create table t(a int primary key, b text, c numeric)
a> insert into t values (1, 'a', 1), (2, 'b', 2)
a> create table u(a int, b text, c numeric)
a> insert into u select * from t
a> grant all on t, u to iso_fun
a> analyze t, u
a> create table keyed(a int, b text)
a> create index on keyed(lower(b))
a> create table partly(a int, b text)
a> create index on partly(a) where lower(b) = 'x'
a> create table checked(a int, b text check (lower(b) <> 'x'))
a> create table given(a int, b text default lower('X'))
a> grant all on keyed, partly, checked, given to iso_fun
a> create view seen as select lower(b) as b, a from t
a> grant all on seen to iso_fun
a> revoke execute on function lower(text) from public
b> set role iso_fun
b> select lower('A')
b> explain select lower('A')
b> prepare p as select lower('A')
b> execute p
b> prepare q(text) as select $1
b> execute q(lower('A'))
b> create view pg_temp.v as select lower('A') as a
b> select * from pg_temp.v
b> select b from seen
b> select a from seen
b> select count(*) from seen
b> select lower(b) from t
b> select lower(b) from t where false
b> select lower(b) from t limit 0
b> select case when false then lower(b) end from t
b> select case when false then lower('B') end from t
b> select case when a = 7 then lower('B') end from t
b> select 1 from t where false and lower(b) = 'a'
b> select 1 from t where lower('B') = 'a' and false
b> values (lower('A'))
b> create temp table made as select lower('A')
b> create temp table made as select lower(b) from t with no data
b> drop table made
b> declare c cursor with hold for select lower(b) from t
b> copy (select lower(b) from t) to stdout
b> insert into keyed select 1, 'a' where false
b> insert into keyed values (1, 'a')
b> insert into keyed values (1, 'a') on conflict do nothing
b> insert into partly select 1, 'a' where false
b> insert into partly values (1, 'a')
a> insert into keyed values (1, 'A')
a> insert into partly values (1, 'X')
b> update keyed set a = 2
b> update keyed set b = 'x'
b> update keyed set b = 'x' where false
b> select * from keyed
b> delete from keyed
b> insert into checked select 1, 'a' where false
b> insert into checked values (1, 'a')
b> explain (costs off) insert into checked values (1, 'a')
a> insert into checked values (1, 'a')
b> update checked set a = 2
b> update checked set a = 2 where false
b> merge into checked using t on checked.a = t.a when not matched then insert values (1, 'b')
b> insert into given(a) select 1 where false
b> insert into given values (1, 'b')
b> insert into given values (1)
b> update given set b = default
b> update given set b = 'c'
b> copy given(a) from stdin
b> copy checked from stdin where lower(b) = 'x'
b> create table own(a text default lower('A'), b text check (lower(b) = 'x'))
b> create index on own(lower(a))
b> create index on own(a) where lower(b) = 'x'
b> insert into own(a) values ('a')
b> insert into own values (default, null)
b> alter table own drop constraint own_b_check
b> insert into own values ('a', 'x')
b> drop index own_lower_idx
b> insert into own values ('a', 'x')
b> create index on own(lower(a))
b> alter table own add check (lower(b) = 'x')
b> alter table own add c text default lower('A')
b> alter table own alter b type varchar using lower(b)
b> alter table own alter b set default lower('A')
a> create table owned(a int, b text)
a> alter table owned owner to iso_fun_owner
a> grant iso_fun_owner to iso_fun
a> insert into owned values (1, 'A')
b> create index owned_i on owned(lower(b))
a> grant execute on function lower(text) to iso_fun_owner
a> grant iso_fun_owner to iso_fun with inherit true
b> create index owned_i on owned(lower(b))
a> revoke execute on function lower(text) from iso_fun_owner
b> reindex table owned
b> analyze owned
b> cluster owned using owned_i
b> alter table owned alter a type bigint
a> reindex table owned
a> analyze owned
a> grant execute on function lower(text) to public
a> revoke execute on function int4eq(int4, int4), texteq(text, text), numeric_eq(numeric, numeric) from public
b> select * from t where a = 1
b> explain (costs off) select * from t where a = 1
b> select * from t where a in (1, 2)
b> select relname from pg_class where oid = 1259
b> select typname from pg_type where typlen::int4 = 3
b> select 1 = 1
b> select distinct b from t
b> select b from t group by b
b> select b from t union select 'x'
b> select b from t union all select 'x'
b> select b from t intersect select 'x'
b> select b from t except select 'x'
b> select b from t order by b
b> select distinct on (b) b from t order by b
b> select count(distinct b) from t
b> select string_agg(distinct b, 'x') from t
b> select sum(a) over (partition by b) from t
b> select row_number() over (order by b) from t
b> select sum(a) over () from t
b> select * from t order by b fetch first 1 row with ties
b> select * from t join u on t.b = u.b
b> set enable_hashjoin = off
b> set enable_nestloop = off
b> select * from t join u on t.b = u.b
b> set enable_mergejoin = off
b> set enable_nestloop = on
b> select * from t join u on t.b = u.b
b> reset enable_mergejoin
b> reset enable_hashjoin
b> select * from t where b in (select b from u)
b> select * from t where b not in (select b from u)
b> select (select 1 from u where u.b = t.b) from t
b> select * from t where b = any(array['a', 'x'])
b> select * from t where b = any(array['a', 'x', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'])
b> select case b when 'a' then 1 end from t
b> select nullif(b, 'a') from t
b> select b is distinct from 'a' from t
b> select (a, b) = (1, 'a') from t
b> select (a, b) < (1, 'a') from t
b> select array[a] = array[1] from t
b> select row(a, b)::record = row(1, 'a'::text)::record from t
b> select greatest(b, 'a') from t
b> with recursive r as (select b from t union select b from r) select * from r
b> select * from t where b between 'a' and 'b'
b> insert into t values (1, 'a', 1) on conflict do nothing
b> update t set a = 1 where a = 1
b> delete from t where b = 'zz'
b> merge into t using u on t.a = u.a when matched then do nothing
b> select b, count(*) from t group by grouping sets ((b), ())
b> select max(b) from t
a> grant execute on function int4eq(int4, int4), texteq(text, text), numeric_eq(numeric, numeric) to public
a> revoke execute on function sum(int4) from public
b> select sum(a) from t
b> select sum(a) over () from t
b> select sum(a) from t where false
b> select 1 from t having sum(a) > 0
b> select avg(a) from t
a> grant execute on function sum(int4) to public
a> revoke execute on function int4_sum(int8, int4) from public
b> select sum(a) from t
a> grant execute on function int4_sum(int8, int4) to public
a> revoke execute on function row_number(), generate_series(int4, int4) from public
b> select row_number() over () from t
b> select * from generate_series(1, 2)
b> select generate_series(1, 2)
a> grant execute on function row_number(), generate_series(int4, int4) to public
a> create sequence drawn
a> create table numbered(a int generated always as identity, b int)
a> create table serials(a serial, b int)
a> grant all on drawn, numbered, serials, serials_a_seq to iso_fun
a> revoke execute on function nextval(regclass) from public
b> select nextval('drawn')
b> insert into numbered(b) values (1)
b> insert into serials(b) values (1)
b> insert into serials(a) values (1)
a> grant execute on function nextval(regclass) to public
a> revoke execute on function int4(int8), int4in(cstring), int4out(int4) from public
b> select 1::int8::int4
b> select '1'::int4
b> select a::text from t
b> select array[1::int8]::int4[]
b> insert into t(a) select 7::int8 from t where false
b> update t set a = 3 from (select 4::int8 as x) s where false
a> grant execute on function int4(int8), int4in(cstring), int4out(int4) to public
b> reset role
a> drop owned by iso_fun, iso_fun_owner
a> drop role iso_fun, iso_fun_owner
