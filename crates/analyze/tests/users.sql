-- The objects of users.rs.
create schema one;
create schema two;
create type one.mood as enum ('sad', 'ok');
create type two.mood as enum ('x');
create domain one.posint as int4 check (value > 0);
create domain one.smallposint as one.posint;
create domain one.short as varchar(10);
create domain one.ints as int4[];
create type one.pair as (a int4, b text);
create domain one.pairs as one.pair;
create table one.t (a int4, b text);
create type one.floats as range (subtype = float8);
create domain one.somefloats as one.floats;

-- Schemas hide one another.
create function one.f(int4) returns int4 language sql as 'select 1';
create function one.f(text) returns text language sql as 'select null::text';
create function two.f(int4) returns text language sql as 'select null::text';
create function two.f(int8) returns int8 language sql as 'select 1::int8';
create function one.lower(int4) returns int4 language sql as 'select 1';
create function two.lower(text) returns int4 language sql as 'select 1';
create function one.length(one.short) returns bool language sql as 'select true';
create function one.abs(one.posint) returns bool language sql as 'select true';
-- Defaults, variadic arguments and names that cannot be told apart.
create function one.g(int4) returns int4 language sql as 'select 1';
create function one.g(int4, int4 default 2) returns int8 language sql as 'select 1::int8';
create function two.g(int4, text default 'x', int8 default 3) returns text language sql as 'select null::text';
create function one.v(numeric) returns int4 language sql as 'select 1';
create function one.v(variadic numeric[]) returns int8 language sql as 'select 1::int8';
create function one.w(int4, variadic int4[]) returns int4 language sql as 'select 1';
create function one.w(variadic int4[]) returns int8 language sql as 'select 1::int8';
create function two.w(variadic text[]) returns text language sql as 'select null::text';
create function two.w(variadic "any") returns text language internal as 'text_concat_ws';
-- Polymorphic ones.
create function one.element(anyelement, anyelement) returns anyarray language sql as 'select null';
create function one.in_array(anyarray, anyelement) returns anyelement language sql as 'select null';
create function one.of_enum(anyenum) returns anyenum language sql as 'select null';
create function one.two_enums(anyenum, anyelement) returns anyarray language sql as 'select null';
create function one.no_array(anynonarray) returns anyelement language sql as 'select null';
create function one.in_range(anyrange, anyelement) returns anymultirange language sql as 'select null';
create function one.in_multirange(anymultirange, anyrange) returns anyelement language sql as 'select null';
create function one.compatible(anycompatible, anycompatible) returns anycompatiblearray language sql as 'select null';
create function one.compatible_array(anycompatiblearray, anycompatible) returns anycompatible language sql as 'select null';
create function one.compatible_range(anycompatiblerange, anycompatible) returns anycompatiblemultirange language sql as 'select null';
create function one.compatible_multirange(anycompatiblemultirange, anycompatiblerange) returns anycompatible language sql as 'select null';
create function one.compatible_nonarray(anycompatiblenonarray, anycompatible) returns anycompatible language sql as 'select null';
create function two.compatible(anycompatible, variadic anycompatiblearray) returns anycompatiblearray language sql as 'select null';
create function two.element(variadic anyarray) returns anyelement language sql as 'select null';
-- Rows, domains, enums.
create function one.takes(one.posint) returns int4 language sql as 'select 1';
create function one.takes(one.mood) returns int4 language sql as 'select 1';
create function one.takes(one.pair) returns int4 language sql as 'select 1';
create function two.takes(two.mood) returns int4 language sql as 'select 1';
create procedure one.p(int4) language sql as 'select 1';
create aggregate one.agg(int4) (sfunc = int4pl, stype = int4);
create aggregate two.agg(variadic numeric[]) (sfunc = array_larger, stype = numeric[]);
-- Operators and casts.
create function one.pair_plus(one.pair, one.pair) returns one.pair language sql as 'select $1';
create function one.int_text(int4, text) returns bool language sql as 'select true';
create function two.int_int(int4, int4) returns text language sql as 'select null::text';
create operator one.+ (leftarg = one.pair, rightarg = one.pair, function = one.pair_plus);
create operator one.=== (leftarg = int4, rightarg = text, function = one.int_text);
create operator two.=== (leftarg = int4, rightarg = int4, function = two.int_int);
create operator two.+ (leftarg = int4, rightarg = int4, function = two.int_int);
create operator two.+ (leftarg = int4, rightarg = text, function = one.int_text);
create function one.pair_text(one.pair) returns text language sql as 'select null::text';
create cast (one.pair as text) with function one.pair_text(one.pair) as implicit;
create cast (one.mood as int4) with inout as assignment;
create cast (text as one.mood) with inout as implicit;
create cast (two.mood as text) with inout;
