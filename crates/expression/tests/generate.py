#!/usr/bin/env python3
"""Writes expressions.sql: a statement a line, its results over rows with NULLs and edge values. Run it, then record."""
import itertools

lines = []
add = lines.append

# Truth tables, of columns and of constants.
booleans = ["true", "false", "null"]
pairs = ", ".join(f"({a}::bool, {b}::bool)" for a in booleans for b in booleans)
TESTS = ["is true", "is not true", "is false", "is not false", "is unknown", "is not unknown", "is null", "is not null"]
add(f"select a, b, a and b, a or b, not a, not (a and b), not (a or not b) from (values {pairs}) t(a, b)")
add(f"select {', '.join('a ' + test for test in TESTS)} from (values {pairs}) t(a, b)")
add(f"select a = b, a <> b, a < b, a <= b, a > b, a >= b, a is distinct from b, a is not distinct from b, nullif(a, b), coalesce(a, b) from (values {pairs}) t(a, b)")
for a, b in itertools.product(booleans, booleans):
    add(f"select {a}::bool and {b}::bool, {a}::bool or {b}::bool, not {a}::bool, {a}::bool = {b}::bool, {a}::bool is distinct from {b}::bool")
    add(f"select x and {a}::bool, x or {a}::bool, {a}::bool and x, {a}::bool or x, x = {a}::bool, {b}::bool <> x, (x or {a}::bool) and (x is null or {b}::bool) from (values (true), (false), (null)) t(x)")
for test in TESTS:
    add(f"select true {test}, false {test}, null::bool {test}, not (null::bool {test}), (1 = 2) {test}")
add("select a and b and c, a or b or c, (a and b) or c, a and (b or c), not (a or b or c) from (values "
    + ", ".join(f"({a}::bool, {b}::bool, {c}::bool)" for a in booleans for b in booleans for c in booleans) + ") t(a, b, c)")

# Comparisons and arithmetic of numbers: columns with columns, columns with constants.
VALUES = {
    "int2": ["0", "1", "-1", "7", "32767", "-32768"],
    "int4": ["0", "1", "-1", "7", "2147483647", "-2147483648"],
    "int8": ["0", "1", "-1", "7", "9223372036854775807", "-9223372036854775808"],
    "numeric": ["0", "1.0", "-0.5", "7", "1.00", "123.456", "NaN", "Infinity", "99999999999999999999.999"],
    "float4": ["0", "1", "-0.5", "7", "NaN", "Infinity", "-0"],
    "float8": ["0", "1", "-0.5", "7", "NaN", "-Infinity", "1e300"],
    "date": ["2000-01-01", "2024-02-29", "infinity", "0044-03-15 BC"],
    "time": ["00:00", "23:59:59.999999", "12:00"],
    "timetz": ["12:00+00", "13:00+01", "04:05:06-08"],
    "timestamp": ["2000-01-01 00:00", "2024-02-29 12:34:56.789", "-infinity"],
    "timestamptz": ["2000-01-01 00:00+00", "2024-02-29 12:34:56.789+02", "infinity"],
    "interval": ["1 day", "24 hours", "1 mon", "-1 year 2 mons", "00:00:01.5"],
    "text": ["", "a", "b", "abc", "Zürich", "a "],
    "varchar": ["", "a", "abc"],
    "bpchar": ["a", "a  ", "b", ""],
    "bool": ["t", "f"],
    "oid": ["0", "1", "4294967295"],
    "name": ["a", "pg_class"],
}
COMPARE = ["=", "<>", "<", "<=", ">", ">="]

def rows(ty, more=1):
    some = [f"'{value}'::{ty}" for value in VALUES[ty]] + [f"null::{ty}"]
    return ", ".join(f"({value})" for value in some)

def two(a, b):
    x = [f"'{value}'::{a}" for value in VALUES[a]] + [f"null::{a}"]
    y = [f"'{value}'::{b}" for value in VALUES[b]] + [f"null::{b}"]
    return ", ".join(f"({p}, {q})" for p, q in itertools.islice(itertools.product(x, y), 0, 64))

CROSS = [("int2", "int4"), ("int4", "int2"), ("int2", "int8"), ("int8", "int2"), ("int4", "int8"), ("int8", "int4"),
         ("int4", "numeric"), ("numeric", "int8"), ("float4", "float8"), ("float8", "float4"), ("int4", "float8"),
         ("numeric", "float8"), ("date", "timestamp"), ("timestamp", "date"), ("date", "timestamptz"),
         ("timestamp", "timestamptz"), ("timestamptz", "timestamp"), ("text", "varchar"), ("bpchar", "text"),
         ("text", "bpchar"), ("varchar", "bpchar"), ("name", "text")]
for a, b in [(ty, ty) for ty in VALUES] + CROSS:
    columns = ", ".join(f"x {operator} y" for operator in COMPARE)
    add(f"select x, y, {columns}, x is distinct from y, x is not distinct from y from (values {two(a, b)}) t(x, y)")
    constant = f"'{VALUES[b][1]}'::{b}"
    columns = ", ".join(f"x {operator} {constant}" for operator in COMPARE)
    add(f"select {columns}, {constant} < x, not (x = {constant}), not (x < {constant}), not (x >= {constant}) from (values {rows(a)}) t(x)")
    add(f"select nullif(x, y), coalesce(x, y), coalesce(y, x) is null, x is null or y is null from (values {two(a, b)}) t(x, y)")
for ty in VALUES:
    first, second = f"'{VALUES[ty][0]}'::{ty}", f"'{VALUES[ty][1]}'::{ty}"
    add(f"select x, x is null, x is not null, not (x is null), coalesce(x, {second}), nullif(x, {second}), nullif({second}, x), case x when {first} then 1 when {second} then 2 else 3 end from (values {rows(ty)}) t(x)")
    add(f"select x in ({first}, {second}), x not in ({first}, {second}), x in ({first}, null), x not in ({first}, null), x between {first} and {second} from (values {rows(ty)}) t(x)")
    add(f"select {first} = {second}, {first} is null, coalesce(null, {second}), nullif({first}, {first}), nullif({first}, {second}), {first} in ({second}, null), {first} is distinct from null, case {first} when {second} then 1 when {first} then 2 end")
    if ty not in ("bool", "name"):
        add(f"select greatest(x, y), least(x, y), greatest(x, null, y, {second}), least(x, {second}) from (values {two(ty, ty)}) t(x, y)")
        add(f"select greatest({first}, {second}), least({first}, null, {second}), greatest(null::{ty}, null)")
    for text in ("text", "varchar"):
        add(f"select x::{text}, '<' || x::{text} || '>' from (values {rows(ty)}) t(x)")
for ty in ["int2", "int4", "int8", "numeric", "float4", "float8"]:
    columns = ", ".join(f"x {operator} 2::{ty}" for operator in ["+", "-", "*", "/"])
    small = ", ".join(f"('{value}'::{ty})" for value in ["0", "1", "-1", "7", "100"])
    add(f"select {columns}, - x, + x, abs(x), x + x * x - x, (x + 1) * 2, 1 - x from (values {small}, (null)) t(x)")
    for operator in ["+", "-", "*", "/"]:
        for value in VALUES[ty]:
            add(f"select '{value}'::{ty} {operator} '{VALUES[ty][4]}'::{ty}")
        add(f"select x {operator} y from (values {two(ty, ty)}) t(x, y)")
        add(f"select x {operator} y from (values ('7'::{ty}, '2'::{ty}), (null, '0'), ('3', null)) t(x, y)")
    for other in ["int2", "int4", "int8", "numeric", "float4", "float8", "text", "bool"]:
        if other != "bool" or ty == "int4":
            for value in VALUES[ty]:
                add(f"select '{value}'::{ty}::{other}")
            add(f"select x::{other} from (values ('1'::{ty}), (null), ('0')) t(x)")

# Decimals: columns whose digits are known.
digits = "(1.50::numeric(10,2), 2.500::numeric(12,3), 3::int4), (-0.05, 100, -7), (null, 1.125, 0), (99999999.99, -1, null)"
add(f"select a, b, a + b, a - b, a * b, a * a, b - a * b, -a, abs(a), a / b from (values {digits}) t(a, b, c)")
add(f"select a = b, a <> b, a < b, a <= b, a > b, a >= b, a = 1.5, a > 1, 1.50 = a, a < 100000000000000000000000000000.5 from (values {digits}) t(a, b, c)")
add(f"select a + c, a * c, c * a, c - b, a + 1, a + 1.005, 2 * a, a * (1 - b), a * (1 + a) * b from (values {digits}) t(a, b, c)")
add(f"select a::numeric, a::numeric(12,4), a::numeric(12,1), a::text, a::int, a::float8, round(a, 1), a::numeric(4,0) is null from (values (1.50::numeric(10,2)), (-0.05), (null), (99.99)) t(a)")
add(f"select coalesce(a, 0), coalesce(a, b), coalesce(a, 0.00), case when c > 0 then a else b end, case when c > 0 then a else 0.00 end, case when c > 0 then a end, nullif(a, 1.5), greatest(a, b), least(a, 2) from (values {digits}) t(a, b, c)")
add(f"select a in (1.5, 2), a in (1.5, null), a not in (1.5, 2.25), a between 0 and 2, a is distinct from b, a is not distinct from a, a is null, case a when 1.5 then 'x' else 'y' end from (values {digits}) t(a, b, c)")
add("select a * b, a * b * c from (values (12345678901234567.12::numeric(19,2), 12345678901234567.12::numeric(19,2), 1.5::numeric(10,1)), (null, 1, 1)) t(a, b, c)")
add("select a + b, a - b, a = b, a < b from (values (99999999999999999999999999999999999999::numeric(38,0), 1::numeric(38,0)), (-99999999999999999999999999999999999999, 0.5)) t(a, b)")
add("select a::numeric(3,1) from (values (1.25::numeric(10,2)), (99.94)) t(a)")
add("select a::numeric(3,1) from (values (1.25::numeric(10,2)), (99.95)) t(a)")
add("select a::numeric(14,2), a::numeric(10,2), a::numeric(9,2), a::numeric from (values (1.25::numeric(10,2)), (null)) t(a)")

# What is not reached is not evaluated.
xs = "(values (0), (1), (2), (null), (-3)) t(x)"
add(f"select case when x = 0 then 0 else 10 / x end from {xs}")
add(f"select case x when 0 then null else 10 / x end, case when x is null then 'none' when x > 0 then 'plus' when 1 / x < 0 then 'minus' else 'zero' end from (values (1), (2), (null), (-3)) t(x)")
add(f"select x <> 0 and 10 / x > 3, x = 0 or 10 / x > 3, x is null or x = 0 or 10 / x > 0 from {xs}")
add(f"select x from {xs} where x <> 0 and 10 / x > 3")
add(f"select x from {xs} where x > 0 or x is null")
add(f"select x from {xs} where not (x > 0)")
add(f"select x from {xs} where true")
add(f"select x from {xs} where null")
add(f"select x from {xs} where x in (1, 2, null) and x is not null")
add(f"select coalesce(nullif(x, 0), 1 / (x + 1)) from {xs}")
add(f"select coalesce(x, 1 / 0) from (values (1), (2)) t(x)")
add(f"select coalesce(x, 1 / 0) from (values (1), (null)) t(x)")
add(f"select 10 / x from {xs}")
add(f"select 10 / x from {xs} where x > 0")
add(f"select case when x > 0 then case when x > 1 then 'many' else 'one' end when x = 0 then 'none' end, case when x > 0 then x end, case x when x then 1 else 0 end from {xs}")
add(f"select case x + 1 when 1 then case x when 0 then 'a' else 'b' end when 2 then case x + 5 when 6 then 'c' end else 'd' end from {xs}")
add(f"select case when false then 1 / 0 when true then 2 else 1 / 0 end, coalesce(1, 1 / 0), case 1 when 2 then 1 / 0 else 3 end, coalesce(null, 5, 1 / 0), true or 1 / 0 = 1, false and 1 / 0 = 1")
add("select 1 / 0")
add("select false or 1 / 0 = 1")
add("select 1 / 0 = 1 and false")
add("select case when true then 1 / 0 end")
add("select case when x > 5 then 1 / 0 else x end from (values (1), (2)) t(x)")
add("select case when x > 5 then 1 / (x - x) else x end from (values (1), (2)) t(x)")
add("select case when x > 1 then 1 / (x - x) else x end from (values (1), (2)) t(x)")
add("select nullif(1, 1), nullif(1, 2), nullif(null, 1), nullif(1, null), nullif(x, 2), nullif(2, x) from (values (1), (2), (null)) t(x)")
add("select nullif(x, 1 / x) from (values (0), (2)) t(x)")
add("select x in (1 / y, 2) from (values (2, 0)) t(x, y)")
add("select x in (y, 3), x = any (array[y, 3]), x <> all (array[y, 3]), x < any (array[y, 3]), x >= all (array[y, null]) from (values (2, 0), (3, 3), (null, 1), (5, null)) t(x, y)")
add("select greatest(1, 2.5), least(1, 2.5, null), greatest('a', 'b'), greatest(x, y, 3) from (values (1, 2), (null, 4), (null, null)) t(x, y)")
add("select greatest(1, 1 / 0)")
add("select x between 1 and 3, x not between 1 and 3, x between symmetric 3 and 1, x between null and 2 from (values (0), (1), (3), (4), (null)) t(x)")

# Rows.
ab = "(values (1, 2), (1, null), (null, 2), (2, 1), (null, null)) t(a, b)"
for operator in COMPARE:
    add(f"select (a, b) {operator} (1, 2), (a, b) {operator} (b, a), (1, 2) {operator} (1, 3), (a, 'x') {operator} (1, 'y') from {ab}")
add(f"select (a, b) is null, (a, b) is not null, not ((a, b) is null), row(a) is null, row(1, null) is null, row(null, null) is null, row() is null from {ab}")
add(f"select (a, b) in ((1, 2), (2, 1)), (a, b) not in ((1, 2), (3, null)), (a, b) is distinct from (1, 2) from {ab}")
add("select (1, 2) < (1, 3), (1, null) < (2, 1), (1, null) < (1, 2), (null, 1) < (1, 2), (2, 1 / 1) > (1, 0), (1, 2, 3) >= (1, 2, 3), ('a', 2) <= ('b', 1)")
add("select (a, 1 / a) < (1, 2) from (values (2), (0)) t(a)")
add("select (a, 1 / a) < (1, 2) from (values (2), (1)) t(a)")
add("select (b, 1 / a) < (1, 2) from (values (0, 5), (0, 0)) t(a, b)")
add("select (b, 1 / a) < (1, 2) from (values (0, 5), (1, 1)) t(a, b)")

# Casts.
add("select '12'::int, '-5'::int8, ' 7 '::int2, '1.5'::numeric, '1e3'::float8, 't'::bool, 'yes'::bool, '2024-01-01'::date, '12:34'::time, '1 day'::interval")
for bad, ty in [("x", "int"), ("", "int8"), ("1.5", "int2"), ("99999", "int2"), ("abc", "numeric"), ("1e999", "float8"), ("maybe", "bool"), ("2024-13-01", "date"), ("25:00", "time"), ("soon", "interval")]:
    add(f"select '{bad}'::{ty}")
    add(f"select x::{ty} from (values ('{bad}'::text)) t(x)")
    add(f"select case when x <> '{bad}' then x::{ty} end is null from (values ('{bad}'::text)) t(x)")
for ty in ["int2", "int4", "int8", "numeric", "float4", "float8", "bool", "date", "time", "timestamp", "interval", "text", "varchar", "bpchar", "name", "oid", "timestamptz", "timetz"]:
    value = {"bool": "t", "date": "2024-02-29", "time": "12:34:56", "timetz": "12:34:56+02", "timestamp": "2024-02-29 12:00", "timestamptz": "2024-02-29 12:00+01", "interval": "1 day 02:03"}.get(ty, "12")
    add(f"select x::{ty}, x::varchar::{ty}, x::{ty}::text, cast(x as {ty}) is null from (values ('{value}'::text), (null)) t(x)")
add("select 'abcdef'::varchar(3), 'abc'::varchar(3), 'abcdef'::char(3), 'ab'::char(4) || 'x', 'abc   '::varchar(3), x::varchar(2), x::varchar(2)::varchar(5), x::varchar(5)::varchar(2) from (values ('abcdef'::text), ('a'), (null)) t(x)")
add("select 1.239::numeric(10,2), 1.5::numeric(2,0), x::numeric(5,1), x::numeric(5,1)::numeric(7,1) from (values (1.25), (-1.25), (null)) t(x)")
add("select 99.95::numeric(3,1)")
add("select x::numeric(3,1) from (values (99.95)) t(x)")
add("select 1::oid, 1::int4::oid::int4, x::oid, x::oid::int8, (-1)::oid from (values (1), (-1), (null)) t(x)")
add("select '2024-02-29 12:34:56.789'::timestamp(0), '12:34:56.789'::time(1), x::timestamp(1), x::timestamp(2)::timestamp(4) from (values ('2024-02-29 12:34:56.789'::timestamp), (null)) t(x)")
add("select true::int, false::text, 1::bool, 0::bool, x::bool, x::bool::int, x::text::int from (values (1), (0), (-5), (null)) t(x)")

# What the session knows.
add("select current_date = now()::date, current_timestamp = now(), localtimestamp = now()::timestamp, current_time = now()::timetz, localtime = now()::time, current_timestamp(0) = now()::timestamptz(0), current_time(2) = now()::timetz(2)")
add("select current_user = session_user, user = current_user, current_catalog is not null, current_role = user, current_schema is null")

# Deep and wide ones.
add("select " + " + ".join(["x"] * 200) + " from (values (1), (2), (null)) t(x)")
add("select " + " and ".join(f"x <> {n}" for n in range(10, 60)) + " from (values (1), (20), (null)) t(x)")
add("select " + " or ".join(f"x = {n}" for n in range(10, 60)) + " from (values (1), (20), (null)) t(x)")
add("select x in (" + ", ".join(str(n) for n in range(10, 60)) + ") from (values (1), (20), (null)) t(x)")
add("select case " + " ".join(f"when x = {n} then 'v{n}'" for n in range(40)) + " end from (values (1), (20), (50), (null)) t(x)")
many = ", ".join(f"({n % 7}, {n}, {'null' if n % 5 == 0 else n % 11})" for n in range(150))
add(f"select a, case when a = 0 then c when a < 3 then b / a else coalesce(c, b) end, a > 3 and c > 5 or b % 2 = 0, nullif(a, c), (a, c) < (3, 5), greatest(a, c) from (values {many}) t(a, b, c) where a <> 5 and (c > 2 or c is null)")

# Arrays.
add("select array[1, 2, 3], array[1, null], array[[1, 2], [3, 4]], array[]::int[], array['a', 'b c', null], array[1.5, 2], array[x, 2, x + 1], array[[x], [2]], array[array[x, 1], '{2,3}'] from (values (1), (null)) t(x)")
arr = "(values ('{1,2,3}'::int[], 1), ('{}', 2), (null, 1), ('[0:1]={5,6}', 0), ('{{1,2},{3,4}}', 2), ('{1,null}', 2), ('{7}', null)) t(a, i)"
add(f"select a[1], a[i], a[i + 1], a[1:2], a[:2], a[2:], a[:], a[i:3], a[1][2], a[2][1:1], (a[1:2])[1] from {arr}")
add(f"select 1 = any (a), 3 <> all (a), i = any (a), i < all (a), i >= any (a), null = any (a), 5 in (select 5) is null, 2 = all (a) from {arr}".replace(", 5 in (select 5) is null", ""))
add(f"select a = '{{1,2,3}}', a || 4, a is null, coalesce(a, '{{9}}'), case when i > 1 then a else array[i] end, nullif(a, '{{}}'), array_length(a, 1), cardinality(a) from {arr}")
add(f"select a::text, a::text[], a::int8[], a::numeric[], a::float8[], a::varchar(1)[], ('<' || a::text || '>') from {arr}")
add("select x::int[], x::text[] from (values ('{1,2}'::text), ('{}'), (null)) t(x)")
add("select x::int[] from (values ('{1,a}'::text)) t(x)")
add("select '{1,300000}'::int[]::int2[]")
add("select a::int2[] from (values ('{1,2}'::int[]), ('{1,300000}')) t(a)")
add("select '{abc,de}'::text[]::varchar(2)[], '{1.55,2}'::numeric[]::numeric(3,1)[], array[1.55, 2]::numeric(3,1)[]")
for ty in ["int2", "int4", "int8", "numeric", "float8", "text", "bpchar", "date", "timestamptz", "interval", "bool", "oid", "varchar"]:
    some = ", ".join(f'"{value}"' for value in VALUES[ty])
    add(f"select x = any ('{{{some}}}'::{ty}[]), x <> all ('{{{some}}}'::{ty}[]), x = any ('{{{some}, {some}}}'::{ty}[]), x = any ('{{{some}, {some}, null}}'::{ty}[]), x <> all ('{{{some}, {some}, null}}'::{ty}[]), x = any ('{{}}'::{ty}[]), x <> all ('{{}}'::{ty}[]), x = any (null::{ty}[]) from (values {rows(ty)}) t(x)")
    first = f"'{VALUES[ty][0]}'::{ty}"
    add(f"select x < any (array[{first}, y]), x >= all (array[{first}, y]), x = any (array[y, x]), array[x, y] = array[y, x], array[x] < array[y], array[x, null, y] from (values {two(ty, ty)}) t(x, y)")
add("select x in (" + ", ".join(f"'v{n}'" for n in range(30)) + ", null), x not in (" + ", ".join(f"'v{n}'" for n in range(30)) + ") from (values ('v3'), ('w'), (null)) t(x)")
add("select x in (" + ", ".join(str(n) for n in range(30)) + "), x + 0.5 in (1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5) from (values (1::int8), (99), (null)) t(x)")
add("select a in (1.0, 2.50, 3, 4, 5, 6, 7, 8, 9, 10.25) from (values (2.5::numeric(10,2)), (10.25), (11), (null)) t(a)")

# Rows as values.
add("select row(1, 'a'), row(x, null, 'b c'), row(), (x, row(x, 2)) from (values (1), (null)) t(x)")
add("select row(x, 1) is null, row(x, null) is null, row(x, 1) is not null, row(x, null) is not null, row(row(null), x) is null, not (row(x, 1) is null) from (values (1), (null)) t(x)")

# Subqueries in expressions.
s = "(values (1, 'a'), (2, 'b'), (2, 'c'), (null, 'd')) s(k, v)"
one = "(values (1, 'a'), (2, 'b'), (3, null)) s(k, v)"
none = "(values (1, 'a')) s(k, v) where false"
t = "(values (1), (2), (3), (null)) t(x)"
add(f"select exists (select 1 from {s} where k = x), not exists (select 1 from {s} where k = x), exists (select from {none}) from {t}")
add(f"select x in (select k from {s}), x not in (select k from {s}), x in (select k from {one}), x not in (select k from {one}), x in (select k from {none}), x not in (select k from {none}) from {t}")
add(f"select x = any (select k from {s} where v <> 'd'), x < any (select k from {s}), x < all (select k from {s} where k is not null), x >= all (select k from {s}), x <> all (select k from {one}), x > all (select k from {none}), x > any (select k from {none}) from {t}")
add(f"select (select v from {one} where k = x), (select k from {one} where k > 5), (select 'q'), (select x + 1), coalesce((select v from {one} where k = x), 'none') from {t}")
add(f"select (select v from {s} where k = x) from {t}")
add(f"select (select v from {s} where k = x) from {t} where x <> 2")
add(f"select case when x <> 2 then (select v from {s} where k = x) end, x = 2 or (select v from {s} where k = x) = 'a' from {t}")
add(f"select x from {t} where x in (select k from {s}) and exists (select 1 from {one} where k = x)")
add(f"select x from {t} where x not in (select k from {one} where k > x) or x is null")
add(f"select (x, 'a') in (select k, v from {s}), (x, 'a') not in (select k, v from {s}), (x, v2) in (select k, v from {s}) from (values (1, 'a'), (2, 'z'), (null, 'a'), (3, null), (null, null)) t(x, v2)")
add(f"select (x, 'b') < (select k, v from {one} where k = 2), (x, 'b') = (select k, v from {one} where k = 2), (x, 'b') = (select k, v from {none}) from {t}")
add(f"select (x, 'b') = (select k, v from {s}) from {t}")
add(f"select array(select k from {s}), array(select v from {s} where k = x), array(select k from {none}), array(select array[k, x] from {one}) from {t}")
add(f"select x::int8 in (select k from {s}), x::numeric in (select k from {s}), x + 0.0 in (select k from {one}) from {t}")
add(f"select exists (select 1 from {s} where k = x and exists (select 1 from {one.replace('s(', 'u(')} where u.k = s.k and u.k = t.x)) from {t}")
add(f"select (select (select x + k) from {one} where k = 2), (select 1 / (k - x) from {one} where k = 2 and x <> 2) from {t}")
add(f"select 1 / (select 0)")
add(f"select case when x > 5 then 1 / (select x - x) else 0 end, nullif(x, (select 2)), greatest(x, (select 2)), (select x) is null, x between (select 1) and (select 2) from {t}")
add(f"select a in (select b from (values (1.50::numeric(10,2)), (2)) s(b)), a = (select b from (values (1.50::numeric(10,2))) s(b)), (select a from (values (1)) s(b)) from (values (1.5::numeric(12,3)), (null), (7)) t(a)")

# What tests beside a server have found to differ.
add("select greatest(true, false), least(a, b), greatest(a, b, null) from (values (true, false), (null, true), (null, null)) t(a, b)")
add("select regexp_like('a', 'a|b', 'e'), regexp_like('a|b', 'a|b', 'e'), regexp_replace('a+a', 'a+', 'x', 'e'), regexp_count('aab', '(?e)a|b'), regexp_like('a', 'a|b', 'qe'), regexp_like('(a)', '(a)', 'e')")
add("select '[1]'::json #> '{\"0 \"}', '[1]'::json #> array[chr(160) || '0'], '[1]'::json #> '{\" 0\"}', '[1]'::json #> array[E'\\n+0'], '[1]'::json #> array[E'\\x0c-1'], '[1]'::json #> '{\"\"}'")
for json in [" [1] ", " {\"a\": 1 } ", " 5 ", " null ", " true\\n", " \"a\" ", "5"]:
    add(f"select '<' || (x #> '{{}}')::text || '>', '<' || (x #>> '{{}}') || '>', json_extract_path(x, variadic '{{}}')::text, json_extract_path_text(x, variadic '{{}}') from (values (E'{json}'::json)) t(x)")
add("select network_cmp(a, b), network_cmp(b, a), a < b, a = b from (values ('10.0.0.1'::inet, '0.0.0.0/0'::inet), ('10.0.0.1/8', '10.0.0.2/8'), ('10.0.0.1', '10.0.0.7'), ('10.128.0.0/9', '10.0.0.0/9'), ('10.0.0.0/9', '10.0.0.0/10'), ('::1', '1.2.3.4'), ('ffff::/16', '::/16'), ('::5/127', '::4/127'), ('::', '::')) t(a, b)")
for value in ["::c1", "::304", "::0.0.0.5", "::ffff:1.2.3.4", "::1:0", "::1", "::", "::2/64", "1.2.3.4/08"]:
    add(f"select x, host(x), text(x), abbrev(x) from (values ('{value}'::inet)) t(x)")
add("select bpchar('', -2147483648, true), bpchar('a', -5, true), bpchar('ab', 3, true), '<' || bpchar('ab', 8, true)::name || '>'")
for length in [1073741824, 1073741840, 2147483647]:
    add(f"select bpchar('a', {length}, true)")
for pair in ["(x, 1)", "(1, x)"]:
    add(f"select row{pair} = row(1, 1) from (values (1), (2)) t(x)")
rows_of_unknown = "(values (row(1, 'b'), row(1, 'b'))) t(x, y)"
for comparison in ["x = y", "x < y", "x = row(1, 2)", "x is distinct from y"]:
    add(f"select {comparison} from {rows_of_unknown}")
add("select row(1, null) < x from (values (row(1, '1'::json))) t(x)")
for call in ["\"timestamp\"('2020-01-01 00:00:00.1234567'::timestamp, {})", "\"timestamptz\"('2020-01-01 00:00:00.1234567+00'::timestamptz, {})", "\"timestamp\"('infinity'::timestamp, {})", "\"time\"('00:00:00.123456'::time, {})"]:
    for digits in [10, 7, 6, 3, 0, -1, -3, 2147483647, -2147483648]:
        add("select " + call.format(digits))
for call in ["rpad('x', 2147483647, '')", "lpad('xyz', 2147483647, '')", "lpad('xyz', 2, '')", "lpad('x', 2147483647, 'a')", "rpad('x', 268435455, 'a')", "length(lpad('x', 268435450, 'é'))"]:
    add("select " + call)
add("select lpad(x, 7, 'aé'), rpad(x, 7, 'aé'), lpad(x, 6, 'aé'), rpad(x, 2, 'aé'), lpad(x, 8, 'ü'), rpad(x, 0, 'ü'), lpad(x, -1, 'ü'), lpad(x, 5, '') from (values (''), ('é'), ('abc'), (null)) t(x)")
add("select array_fill(7, array[3]), array_fill(null::int, array[11]), array_fill('ab'::text, array[2, 2]), array_fill(null::text, array[3]), array_fill(''::text, array[3]), array_fill(1.5, array[9]), array_fill(true, array[0])")
add("select array_fill(7, array[3])")
add("select array_upper(array_fill(1, array[134217727]), 1)")
add("select array_fill(null::int, array[9]) || 5, array_fill(3, array[9]) || null, array_fill('x'::text, array[9]) || null || array_fill('y'::text, array[2])")

with open(__file__.replace("generate.py", "expressions.sql"), "w") as out:
    out.write("\n".join(lines) + "\n")
print(len(lines), "statements")
