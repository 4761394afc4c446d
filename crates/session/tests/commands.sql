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
