a> set timezone = 'Europe/Moscow'
a> select timestamptz '1991-01-01 00:00 MSK', timestamptz '2012-01-01 00:00 MSK', timestamptz '2024-01-01 00:00 MSK', timestamptz '2005-07-01 00:00 MSK', timestamptz '2005-01-01 00:00 MSD'
a> set timezone = 'UTC'
a> select timestamptz '1991-01-01 00:00 MSK', timestamptz '2012-01-01 00:00 MSK', timestamptz '2024-01-01 00:00 MSK', timestamptz '2005-07-01 00:00 MSK'
a> select timestamptz '2024-01-01 00:00 EST', timestamptz '2024-07-01 00:00 CEST', timestamptz '2024-07-01 00:00 IST'
a> select timestamp '2005-07-01 00:00' at time zone 'MSK', timestamptz '2005-07-01 00:00+00' at time zone 'MSK'
a> set timezone = 'Asia/Kolkata'
a> select timestamptz '2024-07-01 00:00 IST', timestamp '2024-07-01 00:00' at time zone 'IST'
a> set timezone = 'Asia/Jerusalem'
a> select timestamptz '2024-01-01 00:00 IST', timestamptz '2024-07-01 00:00 IST', timestamptz '2024-07-01 00:00 IDT', timestamptz '2024-07-01 00:00 PST'
a> set timezone = 'America/New_York'
a> select timestamptz '2024-07-01 00:00 EST', timestamptz '2024-01-01 00:00 EDT', timestamptz '2024-01-01 00:00 CST'
a> select null union all select null union all select 1
a> select null union select null union select now()::date
a> select * from (select null as x union all select null union all select 1.5) s
a> with c as (select null as x union all select 'a') select x || 'b' from c
a> select null union all select 1 union all select null
a> select 'a' union all select null union all select 'b'
a> create table ai(a int auto_increment)
a> create table ai(a int primary key autoincrement)
a> create table ai(auto_increment int, b int)
a> select auto_increment from ai
a> select 'a  '::bpchar = 'a', length('a  '::bpchar), 'a  '::bpchar || 'b', 'a  '::bpchar = 'a '::text
a> select '[' || x || ']', octet_length(x) from (select 'a  '::bpchar as x) s
a> select 0x_ff, 0x_f_f
a> prepare p1(bpchar) as select $1 = 'a', length($1), pg_typeof($1)
a> execute p1('a  ')
a> prepare p3(oid) as select $1, pg_typeof($1), $1 = 5
a> execute p3(5)
a> prepare p5 as select date_trunc($1, $2)
a> prepare p6 as select date_trunc($1, timestamp '2024-05-06 07:08')
a> execute p6('month')
a> prepare p7 as select case $1 when 'x' then 1 else 2 end
a> execute p7('x')
