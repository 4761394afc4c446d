a> select * from (values (1.5),(2.25)) v(x)
a> values (1.5),(2),(3.25)
a> select 1.5 union all select 2.25
a> select round(1e300::numeric, -299), trunc(123456789.987654321, -5), round(0.00000000000000000000000000000000001, 36), round(1.5::numeric, 20), trunc(1e-30::numeric, 31), round(12345.678, -10), round(1e40, 2), ceil(1e40), floor(-1e-40::numeric), mod(1e40, 7), div(1e40, 3)
a> select 'NaN'::numeric, 'infinity'::numeric, '-inf'::numeric, 'NaN'::numeric = 'NaN'::numeric, 'NaN'::numeric > 1e100
a> select 1e15::float8, 1e-5::float8, 123456789012345678::float8, 0.1::float4, 1e20::float4, -0.0::float8, 'NaN'::float8, 1.0::float8
a> select 2147483647 + 1
a> select 9223372036854775807 + 1
a> select abs((-2147483648)::int4)
a> select - (-2147483648)::int4
a> select 32767::int2 + 1::int2
a> select 2147483647 * 2
a> select 1e400::float8
a> select 1e308::float8 * 10
a> select 5 / 2, -5 / 2, 5 % 3, -5 % 3, 5.5 % 2, mod(-5, 3)
a> select round(2.5::float8), round(-2.5), round(2.5), trunc(-2.7), ceil(-2.5), floor(2.5), sign(-3.2), abs(-3.2)
a> select pg_typeof('int4'::regtype), pg_typeof('pg_class'::regclass), pg_typeof(1::oid), pg_typeof('x'::name), pg_typeof('x'::"char"), pg_typeof('x'::char(3)), pg_typeof('x'), pg_typeof(null), pg_typeof(1.5), pg_typeof(1), pg_typeof(3000000000)
a> select 'abc'::"char", 'abc'::char, 'abc'::char(2)
a> set extra_float_digits = 0
a> select 0.1::float8 + 0.2::float8, 1.0/3::float8, 0.1::float4
a> set extra_float_digits = -3
a> select 1.23456789012345::float8, 123456789::float4
a> set extra_float_digits = 1
a> set bytea_output = 'escape'
a> select '\xdeadbeef00'::bytea, 'abc\\'::bytea
a> set bytea_output = 'hex'
a> select '\xdeadbeef00'::bytea
a> set search_path = pg_catalog
a> select current_schema(), current_schemas(false)
a> select count(*) >= 0 from pg_class
a> create table nsp(a int)
a> set search_path = nope
a> select current_schema(), current_schemas(true)
a> create table nsp(a int)
a> select * from nsp
a> create table public.nsp(a int)
a> select * from nsp
a> select * from public.nsp
a> insert into nsp values (1)
a> set search_path = public
a> insert into nsp values (1)
a> select * from nsp
a> drop table nsp
a> reset search_path
