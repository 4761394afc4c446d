a
1
-1
2147483648
-2147483649
1.5
-1.5
1e10
'abc'
'it''s'
'a\b'
null
null::int4
true
false
a + 1
a + g
a + 1.5
g + a * 2
(a + g) * 2
a - (g - 1)
a - g - 1
a * g / 2 % 3
- a
-(-a)
@ a
a = 1 and b = 'x'
a = 1 or b = 'x' and h
(a = 1 or b = 'x') and h
not h
not (a = 1 and h)
not not h
a = 1 and (g = 2 and h)
h and (a > 1 or not h)
h is true
(a = 1) is not false
h is unknown
h is not unknown
h is not true
(a + 1) is null
a is not null
b is distinct from 'x'
b is not distinct from 'x'
a is distinct from null
a in (1, 2, 3)
a not in (1, 2, 3)
b in ('x', 'y')
e in ('x', 'y')
a = any (arr)
a <> all (arr)
a = any (array[1, 2])
b like 'a%'
b not like 'a%'
b ilike 'a%'
e like 'a%'
b ~ 'x'
a between 1 and 10
a not between 1 and 10
a between symmetric 1 and 10
a::int8
a::text
a::numeric(10,2)
g::int4
c::int4
c::numeric(5,1)
b::varchar(5)
b::varchar
'5'::int4
'5'::numeric(4,1)
'abc'::varchar(2)
'abc'::char(5)
'abc'::bpchar
e::text
e || 'x'
b || a
a || b
b || 'y' || b
'1 day'::interval
'1 day'::interval day
'2020-01-01'::date
'2020-01-01 10:00'::timestamp
'2020-01-01 10:00+02'::timestamptz
'10:00'::time
'1.5'::float8
'1.5'::float4
1::int2
1::int8
-1::int8
'NaN'::numeric
d + 1
d - d
d + interval '1 month'
d::timestamp
d::timestamptz
now()
current_date
current_timestamp
current_timestamp(3)
localtime
localtimestamp(0)
current_user
session_user
current_catalog
current_schema
coalesce(b, 'x')
coalesce(a, g)
nullif(a, 1)
nullif(b, 'x')
greatest(a, g, 1)
least(b, 'x')
case when a = 1 then 'one' when a = 2 then 'two' else 'many' end
case a when 1 then 'one' when 2 then 'two' end
case when h then a else g end
case b when 'x' then 1 else 2 end
case e when 'x' then 1 end
case a when 1 then case when h then 2 end else 3 end
abs(a)
abs(a + 1)
length(b)
length(e)
upper(e)
round(c, 1)
round(f)
substring(b from 1 for 2)
substring(b, 1, 2)
substring(b from 2)
substring(b from 'x')
substring(b similar 'x' escape '#')
position('a' in b)
overlay(b placing 'x' from 2)
overlay(b placing 'x' from 2 for 1)
trim(b)
trim(both 'x' from b)
trim(leading from b)
trim(trailing 'x' from b)
extract(year from d)
extract(epoch from now())
date_part('year', d)
now() at time zone 'UTC'
d::timestamp at time zone 'UTC'
now() at local
(d, d) overlaps (d, d)
row(a, b)
row(a)
row(t.*)
(a, b) = (1, 'x')
(a, b) < (1, 'x')
(a, b) <> (1, 'x')
row(a, b) is null
t is null
(t).a
(t.*).b
t = t
array[a, 1]
array[]::int4[]
array[[1, 2], [3, 4]]
array['x', b]
arr[1]
arr[1:2]
arr[:2]
arr[1:]
(array[1, 2])[1]
arr || 1
1 || arr
array_length(arr, 1)
'{1,2}'::int4[]
'{a,"b c"}'::text[]
arr::text[]
arr::int8[]
arr::text
concat(a, b)
concat_ws(',', a, b)
format('%s', a)
concat(variadic array['a', b])
pg_catalog.abs(a)
a operator(pg_catalog.+) 1
to_char(now(), 'YYYY')
make_interval(days => 10)
generate_series(1, a)
b collate "C"
count(*)
count(a)
count(distinct a)
sum(a)
sum(g)
sum(a + 1) filter (where h)
string_agg(b, ',')
string_agg(b, ',' order by b desc)
string_agg(distinct b, ',' order by b)
array_agg(a order by a nulls first, g desc nulls last)
avg(c)
count(*) filter (where a > 1)
percentile_cont(0.5) within group (order by f)
row_number() over ()
rank() over (order by a)
sum(a) over (partition by h order by g desc)
sum(a) over (order by a rows unbounded preceding)
sum(a) over (order by a rows between 1 preceding and 1 following)
sum(a) over (order by a range between unbounded preceding and unbounded following)
sum(a) over (order by a groups between current row and 2 following exclude ties)
lag(a, 1, 0) over (order by a)
count(*) over (partition by a + 1)
first_value(b) over (order by a) || 'x'
