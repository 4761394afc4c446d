copy t from stdin;
1	one	1.50	2024-02-29	t
2	\N	\N	\N	\N
3	a\tb\\c\n\x41\101	-0.05	1999-12-31	f
\.
select * from t order by id;
copy t to stdout;
copy t (name, id) to stdout with (format csv, header, force_quote (name));
copy t (id, price) to stdout with (delimiter '|', null 'NIL', header);
copy (select id, name, price from t order by id desc) to stdout with (format csv, null 'NIL', quote '''', escape '\');
copy (select '\.'::text) to stdout (format csv);
copy (select '\.'::text, '') to stdout (format csv);
copy (select E'a\bb\fc\rd\ve'::text) to stdout;
copy (values (1, null), (2, 'x,y')) to stdout csv;
copy (delete from t where id = 3 returning id, name) to stdout;
copy (delete from t where id = 3) to stdout;
copy t (id, name, price) from stdin (format csv);
10,"x, ""y""",1e2
11,,  7
12,"",
13,"two
lines",0.999
\.
select id, name, price from t where id >= 10 order by id;
copy t (id, name) from stdin (format csv, header match, null 'nil', force_not_null (name));
id,name
20,nil
21,"nil"
\.
copy t (id, name) from stdin (format csv, force_null (name), null 'nil', header);
what,ever
22,"nil"
23,nil
24,
\.
select id, name from t where id >= 20 order by id;
copy t (id, name) from stdin (default 'D');
30	D
31	DD
\.
copy t (id, name) from stdin (format csv, default 'D');
32,D
33,"D"
\.
select id, name, born from t where id >= 30 order by id;
copy t (id, name) from stdin where id % 2 = 0 and name <> 'no';
40	a
41	b
42	no
44	\N
46	c
\.
select id, name from t where id >= 40 order by id;
copy t (id, name) from stdin;
x	one
\.
copy t (id, name) from stdin;
60	one
61	one	two
\.
copy t (id, name) from stdin;
60	one
61
\.
copy t (id, price) from stdin;
60	1
61	123456789.5
\.
copy t (id, price) from stdin;
60	1
61	0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
\.
copy t (id, price, name) from stdin;
60	1	a
61	-7	b
\.
copy t (id, name, price) from stdin;
60	a	1
\N	b	-7
\.
copy t (id, name) from stdin;
60	a\x00b
\.
copy t (id, name) from stdin;
60	\xff
\.
copy v (id, code) from stdin;
60	abcd
61	abcde
\.
copy v (id, code) from stdin;
60	ab
61	abcd 
\.
select id, code, length(code) from v order by id;
copy t (id, name) from stdin (format csv);
70,"open
71,x
\.
copy t (id, name) from stdin (format csv, header match);
id,nom
70,x
\.
copy t (id, name) from stdin (format csv, header match);
id
70
\.
copy t (id, born) from stdin (on_error ignore);
80	2024-01-01
81	2024-13-01
x	2024-01-01
82	2024-01-02
\.
copy t (id, born) from stdin (on_error ignore, log_verbosity verbose);
83	2024-01-01
84	never
\.
copy t (id, born) from stdin (on_error ignore, log_verbosity silent);
85	2024-01-01
86	never
\.
copy t (id, born) from stdin (on_error ignore, reject_limit 1);
87	2024-01-01
88	never
89	ever
\.
select id, name, born from t where id >= 80 order by id;
copy t (id) from stdin (default 'D');
D
\.
copy t (nothing) from stdin;
\.
copy t (id, id) from stdin;
\.
copy nothing from stdin;
\.
copy none.t from stdin;
\.
copy nothing to stdout;
copy pg_tables to stdout;
copy t from stdin where count(*) > 1;
\.
copy t from stdin where id = (select 1);
\.
copy t from stdin where name;
\.
copy t from stdin where nothing = 1;
\.
copy t from stdin where generate_series(1, 2) = 1;
\.
copy t from stdin (format 'xml');
\.
copy t from stdin (format csv, format csv);
\.
copy t from stdin (nothing);
\.
copy t from stdin (delimiter 'ab');
\.
copy t from stdin (delimiter E'\n');
\.
copy t from stdin (delimiter 'a');
\.
copy t from stdin (format binary, delimiter ',');
\.
copy t from stdin (format binary, header);
\.
copy t from stdin (quote '"');
\.
copy t from stdin (format csv, quote ',');
\.
copy t from stdin (escape '"');
\.
copy t from stdin (format csv, escape 'xx');
\.
copy t from stdin (format csv, force_quote *);
\.
copy t to stdout (format csv, force_not_null *);
copy t to stdout (format csv, force_null (id));
copy t from stdin (force_null *);
\.
copy t from stdin (format csv, force_null (price, nothing));
\.
copy t (id) from stdin (format csv, force_null (price));
\.
copy t (id) to stdout (format csv, force_quote (price));
copy (select 1 as a) to stdout (format csv, force_quote (b));
copy t from stdin (null E'\n');
\.
copy t from stdin (null ',', delimiter ',');
\.
copy t from stdin (format csv, null '"');
\.
copy t from stdin (default '\N');
\.
copy t to stdout (default 'D');
copy t to stdout (freeze);
copy t to stdout (header match);
copy t from stdin (freeze);
\.
copy t from stdin (header 2);
\.
copy t from stdin (header maybe);
\.
copy t from stdin (encoding 'klingon');
\.
copy t to stdout (on_error stop);
copy t from stdin (on_error perhaps);
\.
copy t from stdin (log_verbosity loud);
\.
copy t from stdin (reject_limit 3);
\.
copy t from stdin (on_error ignore, reject_limit 0);
\.
copy t from stdin (format binary, on_error ignore);
\.
copy t from stdin (format csv, force_null 'name');
\.
copy (select 1 into x) to stdout;
copy (select $1) to stdout;
declare c cursor for select 1;
fetch c;
begin;
declare c cursor for select id from n order by id;
fetch c;
fetch 2 from c;
fetch prior from c;
fetch backward 5 from c;
fetch forward all from c;
fetch next from c;
fetch prior from c;
move first in c;
fetch relative 2 from c;
fetch relative 0 from c;
fetch relative -2 from c;
fetch absolute 4 from c;
fetch absolute -2 from c;
fetch absolute 0 from c;
fetch absolute 100 from c;
fetch backward all from c;
fetch 0 from c;
move 3 in c;
move 0 in c;
fetch 0 from c;
move backward all in c;
move all in c;
fetch last from c;
fetch -1 from c;
move absolute 2 in c;
fetch backward -2 from c;
close c;
fetch c;
rollback;
begin;
declare c no scroll cursor for select id from n order by id;
fetch 2 from c;
fetch absolute 4 from c;
fetch absolute 4 from c;
rollback;
begin;
declare c no scroll cursor for select id from n order by id;
move 2 in c;
fetch prior from c;
rollback;
begin;
declare c cursor for select n.id, m.id from n, n m where m.id > n.id order by 1, 2 limit 3;
fetch 2 from c;
fetch backward 1 from c;
rollback;
begin;
declare c cursor for select count(*) from n;
fetch all from c;
fetch prior from c;
rollback;
begin;
declare c scroll cursor for select count(*) from n;
fetch all from c;
fetch prior from c;
declare c cursor for select 1;
rollback;
begin;
declare h scroll cursor with hold for select id from n order by id;
fetch 2 from h;
declare g cursor with hold for select 1;
delete from n where id = 3;
commit;
fetch 2 from h;
fetch absolute 1 from h;
begin;
declare k cursor with hold for select 7;
rollback;
fetch k;
fetch g;
close all;
fetch h;
begin;
declare a cursor for select id from n order by id;
fetch a;
savepoint s;
declare b cursor for select 2;
fetch a;
fetch b;
rollback to s;
fetch a;
fetch b;
rollback;
declare c cursor with hold for select 1 for update;
declare c scroll no scroll cursor with hold for select 1;
declare c scroll cursor with hold for select id from n for share;
declare c insensitive asensitive cursor with hold for select 1;
declare c cursor with hold for with d as (delete from n returning id) select * from d;
close c;
select pg_advisory_lock(1), pg_try_advisory_lock(1), pg_try_advisory_lock_shared(2, 3);
select pg_advisory_unlock(1), pg_advisory_unlock(1), pg_advisory_unlock(1);
select pg_advisory_unlock_shared(2, 3), pg_advisory_unlock_shared(2, 3);
select pg_advisory_lock(id) from n where id < 3;
select pg_advisory_unlock_all();
select pg_advisory_unlock(1);
select pg_advisory_xact_lock(5), pg_try_advisory_xact_lock_shared(6, -6);
select pg_advisory_unlock(5);
unlisten *;
set constraints all deferred;
begin;
set constraints all immediate;
set constraints nothing deferred;
rollback;
begin;
set constraints t_pkey immediate;
set constraints t_pkey deferred;
rollback;
create table lk (id int primary key, k int);
insert into lk select g, g % 3 from generate_series(1, 6) g;
create index lk_k on lk (k);
create sequence lk_s;
create view lk_group as select k, count(*) from lk group by k;
create view lk_distinct as select distinct k from lk;
create view lk_count as select count(*) from lk;
create view lk_having as select 1 as x from lk having count(*) > 0;
create view lk_rank as select id, rank() over (order by id) from lk;
create view lk_union as select id from lk union select k from lk;
create view lk_sets as select generate_series(1, 2) g, id from lk;
create view lk_over as select * from lk_group;
create view lk_limit as select id from lk order by id limit 2;
create view lk_within as select id from (select id, count(*) from lk group by id) s;
create view lk_with as with c as (select k from lk group by k) select * from c order by k;
create view lk_in as select id from lk where id in (select k from lk group by k) order by id;
select * from lk_group for update;
select * from lk_distinct for share;
select * from lk_count for no key update;
select * from lk_having for key share;
select * from lk_rank for update;
select count(*) from (select * from lk_union for update) s;
select * from lk_sets for update;
select * from lk_over for update;
select * from lk_limit for update;
select * from lk_within for update;
select * from lk_with for update;
select * from lk_in for update;
select * from (select k, count(*) from lk group by k) s for update;
select * from (select distinct k from lk) s for update;
select * from (select * from lk_group) s for share;
select * from lk, lk_group g for update of lk limit 0;
select * from lk, lk_group g for update of g;
select * from lk left join lk_group g using (k) for update of g;
select id from lk where id in (select k from lk_group) order by id for update;
explain select * from lk_group for update;
lock table lk;
begin;
lock table lk_over in row share mode;
select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation where l.pid = pg_backend_pid() and l.mode = 'RowShareLock' order by 1;
rollback;
begin;
lock table lk_in, lk_with, lk_union in share row exclusive mode;
select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation where l.pid = pg_backend_pid() and l.mode = 'ShareRowExclusiveLock' order by 1;
rollback;
begin;
lock table pg_class, pg_catalog.pg_tables in share mode;
select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation where l.pid = pg_backend_pid() and l.mode = 'ShareLock' order by 1;
rollback;
begin;
lock table lk_s;
rollback;
begin;
lock table lk_k;
rollback;
begin;
lock table lk_pkey nowait;
rollback;
begin;
lock table pg_class_oid_index;
rollback;
begin;
lock table nosuch;
rollback;
begin;
lock table pg_catalog.nosuch;
rollback;
begin;
lock table nosuch.lk;
rollback;
vacuum (full, parallel 2) lk;
vacuum (full, parallel 2, disable_page_skipping) lk;
vacuum (full, disable_page_skipping, buffer_usage_limit 128) lk;
vacuum (full, disable_page_skipping, process_toast false) lk;
vacuum (only_database_stats, full, parallel 2) lk;
vacuum (full, parallel) lk;
begin;
declare c cursor for select * from lk;
savepoint s;
truncate lk;
rollback to s;
truncate n, lk;
rollback to s;
drop table lk;
rollback to s;
drop table if exists nosuch, lk cascade;
rollback to s;
drop index lk_k;
rollback to s;
alter table lk add z int;
rollback to s;
alter table lk drop nosuch;
rollback to s;
alter table lk set (fillfactor = 70);
rollback to s;
alter table lk rename to lk2;
rollback to s;
alter table lk rename id to id2;
rollback to s;
alter index lk_k set (fillfactor = 70);
rollback to s;
create index lk_2 on lk (nosuch);
rollback to s;
create index if not exists lk_k on lk (k);
rollback to s;
cluster lk using lk_k;
rollback to s;
cluster lk using nosuch;
rollback to s;
reindex index lk_k;
rollback to s;
reindex table lk;
rollback to s;
comment on table lk is 'is no change';
rollback to s;
analyze lk;
rollback to s;
truncate n;
rollback to s;
move all c;
truncate lk;
rollback to s;
close c;
truncate lk;
rollback;
begin;
declare c cursor for select * from lk_over, n;
savepoint s;
truncate lk;
rollback to s;
truncate n;
rollback to s;
alter view lk_over rename to lk_under;
rollback to s;
rollback;
begin;
set local enable_seqscan = off;
set local enable_bitmapscan = off;
declare c cursor for select id, k from lk where k = 1;
savepoint s;
drop index lk_k;
rollback to s;
reindex index lk_k;
rollback to s;
reindex index lk_pkey;
rollback to s;
reindex table lk;
rollback to s;
alter index lk_k set (fillfactor = 70);
rollback to s;
alter index lk_k rename to lk_k2;
rollback to s;
rollback;
begin;
declare c cursor for select * from n where id in (select id from lk);
savepoint s;
truncate lk;
rollback to s;
declare d cursor for select * from lk where false;
close c;
truncate lk;
rollback;
begin;
declare c cursor for select * from n for update;
truncate n;
rollback;
begin;
declare c cursor for select last_value from lk_s;
savepoint s;
drop sequence lk_s;
rollback to s;
alter sequence lk_s owner to current_user;
rollback to s;
alter sequence lk_s rename to lk_s2;
rollback to s;
alter sequence lk_s restart;
rollback;
begin;
declare c cursor for select nextval('lk_s');
drop sequence lk_s;
rollback;
begin;
declare c cursor with hold for select id from n order by id;
savepoint s;
truncate n;
rollback to s;
commit;
begin;
truncate n;
fetch c;
rollback;
close c;
begin;
create temp table lk_t (id int);
declare c cursor for select * from lk_t;
discard temp;
rollback;
begin;
create temp table lk_d (id int) on commit drop;
create temp table lk_r (id int) on commit delete rows;
insert into lk_d values (1);
insert into lk_r values (1);
declare c cursor with hold for select lk_d.id from lk_d, lk_r;
declare d cursor for select lk_d.id from lk_d, lk_r;
commit;
fetch all c;
close c;
select * from lk_r;
drop table lk_r;
drop table lk cascade;
drop sequence lk_s;
create temp table ro_t (id int primary key, n int);
begin read only;
copy ro_t from stdin;
1	10
2	20
\.
copy ro_t to stdout;
copy (with w as (delete from ro_t where id = 2 returning *) select * from w) to stdout;
rollback;
begin read only;
copy (with w as (insert into n values (6) returning *) select * from w) to stdout;
rollback;
begin;
begin;
start transaction isolation level repeatable read, read only;
show transaction_isolation;
show transaction_read_only;
select 1/0;
commit and chain;
show transaction_read_only;
commit and chain;
rollback and chain;
savepoint s;
select 1/0;
commit and chain;
begin read only;
select 1;
begin read write;
commit and chain;
commit;
commit and chain;
commit;
drop table ro_t;
