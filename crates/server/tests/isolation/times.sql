a> set timezone = 'America/New_York'
a> show timezone
a> select timestamptz '2024-07-01 12:00:00', timestamptz '2024-01-01 12:00:00', timestamptz '2024-07-01 12:00+00'
a> select '2024-03-10 02:30'::timestamptz, '2024-11-03 01:30'::timestamptz, '2024-11-03 01:30 EDT'::timestamptz
a> select timestamptz '2024-07-01 12:00'::timestamp, timestamp '2024-07-01 12:00'::timestamptz, timestamptz '2024-07-01 23:00'::date, date '2024-07-01'::timestamptz, timestamptz '2024-07-01 03:00+00'::date
a> select now() = current_timestamp, current_date = now()::date, localtimestamp = now()::timestamp, now()::timestamptz::text = now()::text
a> select extract(hour from timestamptz '2024-07-01 12:00+00'), extract(timezone from timestamptz '2024-07-01 12:00'), extract(timezone_hour from timestamptz '2024-01-01 12:00'), date_part('hour', timestamptz '2024-07-01 12:00+00'), date_part('dow', date '2024-07-01')
a> select date_trunc('day', timestamptz '2024-07-01 03:00+00'), date_trunc('hour', timestamptz '2024-11-03 06:30+00'), date_trunc('month', timestamp '2024-07-15 10:00'), date_trunc('day', timestamptz '2024-07-01 03:00+00', 'Asia/Tokyo'), date_trunc('week', date '2024-07-03'), date_trunc('year', interval '1 year 2 mons 3 days')
a> select timestamptz '2024-07-01 12:00+00' at time zone 'Europe/Paris', timestamp '2024-07-01 12:00' at time zone 'Europe/Paris', timestamptz '2024-07-01 12:00+00' at time zone interval '3 hours', timezone('UTC', timestamp '2024-07-01 12:00'), timestamp '2024-07-01 12:00' at time zone 'PST', timestamp '2024-07-01 12:00' at time zone '+03', timestamp '2024-07-01 12:00' at time zone 'MSK'
a> select timestamp '2024-01-01' at time zone 'nope'
a> select timestamptz '2024-03-09 12:00' + interval '1 day', timestamptz '2024-03-09 12:00' + interval '24 hours', timestamptz '2024-01-31 12:00' + interval '1 month', timestamp '2024-01-31' - interval '1 month', interval '1 hour' + timestamp '2024-01-01', date '2024-01-31' + interval '1 month'
a> select timestamptz '2024-07-01' - timestamptz '2024-01-01', timestamp '2024-07-01 10:00' - timestamp '2024-07-02', date '2024-07-01' - date '2024-01-01', date '2024-07-01' + 3, timestamptz '2024-07-01' - date '2024-06-01'
a> select timestamptz '2024-07-01' = timestamp '2024-07-01', timestamptz '2024-07-01' = date '2024-07-01', timestamp '2024-07-01' = date '2024-07-01', timestamptz '2024-07-01 00:00+00' < date '2024-07-01'
a> select '1800-01-01'::timestamptz, '1883-11-18 12:03:57'::timestamptz, 'infinity'::timestamptz, '-infinity'::date, 'epoch'::timestamptz, 'epoch'::timestamp
a> set time zone 3
a> show timezone
a> select timestamptz '2024-07-01 12:00:00+00'
a> set time zone -7.5
a> select timestamptz '2024-07-01 12:00:00+00'
a> set time zone interval '+02:00' hour to minute
a> show timezone
a> select timestamptz '2024-07-01 12:00:00+00'
a> set time zone '<+03>-3'
a> show timezone
a> select timestamptz '2024-07-01 12:00:00+00'
a> set time zone 'nope/zone'
a> set timezone = 'europe/paris'
a> show timezone
a> select set_config('timezone', 'Asia/Tokyo', false)
a> set time zone local
a> set timezone = 'UTC'
a> select interval '1 day 02:03:04', interval 'P1Y2M3DT4H5M6S', interval '1-2', interval '@ 1 minute ago', interval '-1 +2:03', interval '1.5 hours', interval '1' year, interval '1:30' hour to minute, interval '1.5 months', interval '2.3 years'
a> select interval '1 day 2 hours 3.456789 sec'::interval(2), '1.23456789 sec'::interval, interval(3) '1.2345 s', interval '1.999999 s'::interval(0), interval '1 year 2 months 3 days' year, interval '1 year 2 months 3 days' month, interval '3 days 04:05:06' day to hour, interval '3 4:05:06' day to minute, interval '10' second, interval '1:02' minute to second, interval '1-2' year to month
a> select interval '1 day' = interval '24 hours', interval '1 mon' = interval '30 days', interval '1 day' < interval '25 hours', interval '1 day' in (interval '24 hours'), interval '1 day' between interval '23 hours' and interval '25 hours'
a> select x from (values (interval '1 day'),(interval '23 hours'),(interval '1 mon')) v(x) order by x
a> set intervalstyle = 'postgres_verbose'
a> select interval '1 year 2 mons 3 days 4 hours 5 min 6.7 s', interval '-1 day', interval '0', interval '1 mon -1 s', interval '-1 mon 1 day', interval '1 s', interval '0.5 s'
a> set intervalstyle = 'sql_standard'
a> select interval '1 year 2 mons 3 days 4 hours 5 min 6.7 s', interval '-1 day', interval '0', interval '1 mon -1 s', interval '1 year 2 mons', interval '3 days 4:05', interval '4:05:06.7', interval '-1-2', interval '-1 2:03:04'
a> set intervalstyle = 'iso_8601'
a> select interval '1 year 2 mons 3 days 4 hours 5 min 6.7 s', interval '-1 day', interval '0', interval '1 mon -1 s', interval '-0.5 s', interval '1 year 2 mons'
a> set intervalstyle = postgres
a> select interval '-1 day +2 hours', interval '-1 mon 2 days -3:00', interval '1 year -1 mon'
a> set datestyle = 'sql, dmy'
a> select date '2024-01-02', timestamp '2024-01-02 03:04:05.6', timestamptz '2024-07-02 03:04:05+00', '01/02/2024'::date, '13-02-2024'::date
a> set datestyle = 'postgres'
a> show datestyle
a> select date '2024-01-02', timestamp '2024-01-02 03:04:05.6', timestamptz '2024-07-02 03:04:05+00', '01/02/2024'::date
a> set datestyle = 'german'
a> select date '2024-01-02', timestamp '2024-01-02 03:04:05.6', timestamptz '2024-07-02 03:04:05+00', '01.02.2024'::date
a> set datestyle = 'iso, ymd'
a> select '24-01-02'::date, '99-12-31'::date, '01/02/03'::date
a> set datestyle = 'iso, mdy'
a> select '01/02/03'::date, '1/2/70'::date, '1/2/69'::date, 'Jan 2, 24'::date, '2-Jan-1999'::date, '20240102'::date, '240102'::date
a> select '13/02/2024'::date
a> select '2024-02-30'::date
a> select '2024-01-02 +00'::date, '2024-01-02 10:00+05'::date, '2024-01-02T10:00:00Z'::timestamp
a> select 'now'::timestamptz = now(), 'today'::date = current_date, 'tomorrow'::date - 'yesterday'::date, 'now'::date = current_date
a> select '0044-03-15 BC'::date, '0001-01-01'::date - 1, '5874897-12-31'::date, '4714-11-24 BC'::date
a> select '5874898-01-01'::date
a> select '4714-11-23 BC'::date
a> select '2024-01-02 24:00:00'::timestamp
a> select '2024-01-02 25:00:00'::timestamp
a> select '2024-01-02 10:60:00'::timestamp
a> select 'garbage'::timestamp
a> select '2024-01-02 10:00 nowhere'::timestamptz
a> select '2024-01-02 10:00+16'::timestamptz
a> select ''::date
a> select 'infinity'::timestamp + interval '1 day', 'infinity'::date + 1, 'infinity'::timestamp = 'infinity'::date::timestamp
a> select 'infinity'::date - '2024-01-01'::date
a> select extract(year from date '2024-02-29'), extract(week from date '2021-01-03'), extract(isoyear from date '2021-01-03'), extract(dow from date '2024-07-07'), extract(isodow from date '2024-07-07'), extract(doy from date '2024-12-31'), extract(quarter from date '2024-05-01'), extract(century from date '2000-01-01'), extract(millennium from date '2001-01-01'), extract(decade from date '1999-01-01'), extract(epoch from date '2024-01-01'), extract(julian from date '2024-01-01')
a> select extract(second from timestamp '2024-01-01 10:11:12.345'), extract(milliseconds from timestamp '2024-01-01 10:11:12.345'), extract(microseconds from timestamp '2024-01-01 10:11:12.345'), extract(epoch from timestamp '2024-01-01 10:11:12.345'), extract(minute from timestamp '2024-01-01 10:11:12')
a> select extract(hour from date '2024-01-01')
a> select extract(foo from date '2024-01-01')
a> select extract(timezone from timestamp '2024-01-01')
a> select extract(day from interval '40 days 5 hours'), extract(hour from interval '40 days 25:01'), extract(epoch from interval '1 year 1 mon 1 day 1:00'), extract(month from interval '14 months'), extract(dow from interval '1 day')
a> select date_part('epoch', interval '1 day'), date_part('second', timestamp '2024-01-01 00:00:01.5')
a> select pg_typeof(now() - now()), pg_typeof(current_date - 1), pg_typeof(now() + '1 day'), pg_typeof(date '2024-01-01' + interval '1 h'), pg_typeof(extract(day from now())), pg_typeof(date_part('day', now())), pg_typeof(localtimestamp)
a> select timestamp '2024-01-01' + '1 day', timestamptz '2024-01-01' - '2023-12-31'
a> select (interval '1 day')::text, interval '1 day' || '', date '2024-01-01' || 'x', array[interval '1 day']::text, timestamp '2024-01-01'::text
a> select interval '1 day' + interval '2 hours', interval '1 day' - interval '2 hours', - interval '1 day'
a> select interval '1 day' * 2
a> select interval '1 day 2 hours' / 2
a> select 1.5 * interval '1 hour'
a> select '2024-01-01'::varchar::date, cast('2024-01-01 10:00' as timestamp)::date
a> select date '2024-01-01' = '2024-01-01', timestamp '2024-01-01' > '2023-12-31', date '2024-01-01' < timestamptz '2024-01-02'
a> select timestamp '2024-01-01 12:00' between date '2024-01-01' and date '2024-01-02'
a> create table tt(a timestamptz, b timestamp, c date)
a> insert into tt values ('2024-07-01 12:00', '2024-07-01 12:00', '2024-07-01')
a> set timezone='Asia/Tokyo'
a> insert into tt values ('2024-07-01 12:00', '2024-07-01 12:00', '2024-07-01')
a> insert into tt values (timestamp '2024-07-02 00:00', timestamptz '2024-07-02 00:00+00', timestamptz '2024-07-02 20:00+00')
a> select * from tt order by 1
a> select * from tt where a = '2024-07-01 12:00'
a> select * from tt where a > b
a> update tt set b = a
a> select * from tt order by 1
a> drop table tt
