//! Statements of every kind over small tables, each with three sets of parameters.

/// `p` and `c` are a parent and its children, `e` has no index and the same rows several times, `h` is a tree.
pub const TABLES: &str = "
    create table p(id int primary key, g int, v text, n numeric, d date);
    insert into p select i, nullif(i % 7, 3), 'v' || i * 37 % 60, i * 1.25, date '2024-01-01' + i * 11 % 90
        from generate_series(1, 60) i;
    create index p_g on p(g, n);
    create index p_v on p(v);
    create table c(id int primary key, p_id int, q int, t text);
    insert into c select i, nullif(i * 7 % 70, 5), i % 11, repeat(chr(97 + i % 26), i % 5) from generate_series(1, 200) i;
    create index c_p on c(p_id);
    create table e(a int, b int);
    insert into e select nullif(i % 9, 4), i % 4 from generate_series(1, 40) i;
    create table h(id int primary key, parent int);
    insert into h select i, nullif(i / 3, 0) from generate_series(1, 40) i;
    analyze p; analyze c; analyze e; analyze h";

pub struct Statement {
    /// Each parameter is cast where it stands: a literal in its place means the same.
    pub sql: &'static str,
    pub parameters: [&'static [&'static str]; 3],
}

impl Statement {
    /// The same with literals, for a fresh statement.
    pub fn text(&self, set: usize) -> String {
        let numbered = self.parameters[set].iter().enumerate().rev();
        numbered
            .fold(self.sql.to_string(), |sql, (i, value)| sql.replace(&format!("${}", i + 1), &format!("'{value}'")))
    }

    /// Does it say in which order all of its rows come?
    pub fn is_ordered(&self) -> bool {
        self.sql.rsplit(')').next().is_some_and(|end| end.contains("order by")) || self.sql.contains("order by 1")
    }
}

const fn one(sql: &'static str, parameters: [&'static [&'static str]; 3]) -> Statement {
    Statement { sql, parameters }
}

pub const STATEMENTS: &[Statement] = &[
    // Scans.
    one("select id, v from p where id = $1::int", [&["7"], &["33"], &["999"]]),
    one("select id, g from p where g = $1::int order by id", [&["2"], &["6"], &["3"]]),
    one("select id from p where g = $1::int and n > $2::numeric order by n", [&["1", "10"], &["2", "60"], &["0", "0"]]),
    one(
        "select id, n from p where n between $1::numeric and $2::numeric order by id",
        [&["5", "12"], &["70", "80"], &["9", "1"]],
    ),
    one("select id from p where v like $1::text order by id", [&["v1%"], &["v%9"], &["x%"]]),
    one(
        "select id from p where id in ($1::int, $2::int, 5) order by id desc",
        [&["1", "2"], &["60", "5"], &["-1", "70"]],
    ),
    one("select id from p where id = any($1::int[]) order by id", [&["{3,1,2}"], &["{60,NULL,7}"], &["{}"]]),
    one(
        "select id from p where (g, n) > ($1::int, $2::numeric) order by g, n",
        [&["5", "50"], &["6", "0"], &["9", "9"]],
    ),
    one("select id from p where g is not distinct from nullif($1::int, 3) order by id", [&["3"], &["4"], &["1"]]),
    one("select max(id), min(n), count(g) from p where g <> $1::int", [&["0"], &["6"], &["100"]]),
    one(
        "select id from p where d >= $1::date order by d desc, id limit 6",
        [&["2024-03-01"], &["2024-01-01"], &["2025-01-01"]],
    ),
    // Sorts and limits.
    one("select id, v from p order by v, id limit $1::int", [&["5"], &["1"], &["0"]]),
    one("select id from p order by n desc limit $1::int offset $2::int", [&["4", "3"], &["10", "55"], &["2", "100"]]),
    one("select id from p order by id + $1::int limit 7", [&["3"], &["-3"], &["0"]]),
    one("select id from p order by g nulls first, id offset $1::int", [&["55"], &["58"], &["40"]]),
    one("select g from p order by g desc nulls last fetch first ($1::int) rows with ties", [&["1"], &["9"], &["12"]]),
    one("select distinct on (g) g, id from p where id > $1::int order by g, n desc", [&["10"], &["0"], &["57"]]),
    one("select distinct q from c where id < $1::int order by 1", [&["30"], &["4"], &["1"]]),
    // Joins.
    one(
        "select p.id, c.id from p join c on c.p_id = p.id where p.id = $1::int order by c.id",
        [&["7"], &["14"], &["5"]],
    ),
    one(
        "select p.id, c.q from p join c on c.p_id = p.id where c.q < $1::int order by p.id, c.id",
        [&["2"], &["1"], &["0"]],
    ),
    one(
        "select p.id, c.id from p left join c on c.p_id = p.id and c.q = $1::int where p.id < 12 order by p.id, c.id",
        [&["3"], &["5"], &["99"]],
    ),
    one(
        "select p.id, c.id from c right join p on c.p_id = p.id and c.q > $1::int where p.g = 2 order by p.id, c.id",
        [&["8"], &["5"], &["99"]],
    ),
    one(
        "select x.a, y.b from e x full join e y on x.a = y.b + $1::int where x.b is distinct from 1 order by 1, 2 limit 20",
        [&["0"], &["3"], &["100"]],
    ),
    one(
        "select count(*), sum(x.a * y.b) from e x join e y on x.a = y.a where y.b <> $1::int",
        [&["0"], &["1"], &["9"]],
    ),
    one(
        "select p.id from p where exists (select from c where c.p_id = p.id and c.q = $1::int) order by id",
        [&["1"], &["7"], &["12"]],
    ),
    one(
        "select p.id from p where not exists (select from c where c.p_id = p.id and c.q <> $1::int) order by id",
        [&["1"], &["7"], &["12"]],
    ),
    one("select id from p where id in (select p_id from c where q >= $1::int) order by id", [&["9"], &["10"], &["11"]]),
    one(
        "select id from p where id not in (select p_id from c where p_id is not null and q < $1::int) order by id",
        [&["8"], &["11"], &["0"]],
    ),
    one(
        "select a.id, b.id from p a join p b on a.id + $1::int = b.id where a.g = b.g order by a.id",
        [&["7"], &["14"], &["1"]],
    ),
    one(
        "select a.id, b.id from p a join p b on a.n < b.n and b.n < a.n + $1::numeric where a.id < 5 order by a.id, b.id",
        [&["3"], &["2"], &["1"]],
    ),
    one(
        "select p.id, c.id, e.b from p join c on c.p_id = p.id join e on e.a = c.q where p.g = $1::int and e.b = $2::int order by p.id, c.id",
        [&["1", "2"], &["0", "0"], &["3", "1"]],
    ),
    one(
        "select count(*) from p, c, e where p.id = c.p_id and c.q = e.a and p.id > $1::int",
        [&["50"], &["0"], &["60"]],
    ),
    one(
        "select p.id, w.x from p join (values (1, 'a'), ($1::int, 'b'), (9, $2::text)) w(i, x) on w.i = p.id order by p.id, w.x",
        [&["4", "c"], &["1", "z"], &["77", ""]],
    ),
    // Aggregates.
    one("select g, count(*), sum(n) from p where id < $1::int group by g order by g", [&["20"], &["61"], &["1"]]),
    one("select g, max(v) from p group by g having count(*) > $1::int order by g", [&["8"], &["5"], &["20"]]),
    one(
        "select count(*) filter (where q < $1::int), avg(q)::numeric(6,3) from c where p_id is not null",
        [&["3"], &["10"], &["0"]],
    ),
    one(
        "select string_agg(t, $1::text order by id desc) from c where q = $2::int",
        [&[",", "3"], &["", "4"], &["-", "20"]],
    ),
    one("select array_agg(id order by n desc) from p where g = $1::int", [&["1"], &["5"], &["3"]]),
    one("select q, count(distinct p_id) from c where id > $1::int group by q order by q", [&["100"], &["195"], &["0"]]),
    one(
        "select g, d is null, count(*) from p where id > $1::int group by rollup (g, d is null) order by 1, 2, 3",
        [&["40"], &["58"], &["60"]],
    ),
    one(
        "select bool_and(q > $1::int), bool_or(q > $1::int), sum(q + $2::int) from c",
        [&["3", "1"], &["-1", "0"], &["10", "100"]],
    ),
    // Subqueries.
    one(
        "select id, (select max(q) from c where p_id = p.id and q < $1::int) from p where id < 15 order by id",
        [&["5"], &["9"], &["0"]],
    ),
    one(
        "select id, (select count(*) from c where p_id = p.id) + $1::int from p where g = 4 order by id",
        [&["0"], &["10"], &["-1"]],
    ),
    one("select id from p where n > (select avg(n) + $1::int from p) order by id", [&["0"], &["20"], &["99"]]),
    one(
        "select id, array(select q from c where p_id = p.id and id > $1::int order by q, id) from p where id < 12 order by id",
        [&["100"], &["0"], &["300"]],
    ),
    one(
        "select p.id, l.id, l.t from p, lateral (select * from c where p_id = p.id order by q desc, id limit $1::int) l where p.id < 9 order by p.id, l.id",
        [&["1"], &["2"], &["0"]],
    ),
    one(
        "select p.id, l.s from p left join lateral (select sum(q) s from c where p_id = p.id and q > $1::int) l on true where p.id < 9 order by p.id",
        [&["3"], &["0"], &["50"]],
    ),
    one(
        "select p.id, s.i from p, generate_series(1, p.id % $1::int) s(i) where p.id < 9 order by 1, 2",
        [&["3"], &["2"], &["5"]],
    ),
    one(
        "select id, case when id % $1::int = 0 then (select v from p where id = h.parent) else 'none' end from h where id < 14 order by id",
        [&["2"], &["3"], &["50"]],
    ),
    // Set operations, CTEs, recursion.
    one(
        "select id from p where id < $1::int union all select id from h where id < $2::int",
        [&["4", "3"], &["1", "6"], &["1", "1"]],
    ),
    one(
        "select g from p where id < $1::int union select q from c where id < $2::int order by 1",
        [&["9", "5"], &["60", "1"], &["1", "1"]],
    ),
    one("select g from p intersect all select q from c where id > $1::int order by 1", [&["150"], &["190"], &["200"]]),
    one("select q from c except select a from e where a <> $1::int order by 1", [&["3"], &["8"], &["100"]]),
    one(
        "with x as materialized (select id, g from p where id <= $1::int) select a.id, b.id from x a join x b on a.g = b.g and a.id < b.id order by 1, 2",
        [&["16"], &["9"], &["7"]],
    ),
    one(
        "with x as (select g, sum(n) s from p group by g), y as (select max(s) m from x) select g from x, y where s >= m - $1::int order by g",
        [&["0"], &["40"], &["999"]],
    ),
    one(
        "with recursive r(n, s) as (select $1::int, '' union all select n + 1, s || n from r where n < $2::int) select n, s from r order by n",
        [&["1", "6"], &["3", "3"], &["5", "12"]],
    ),
    one(
        "with recursive r(id) as (select id from h where id = $1::int union all select h.id from h join r on h.parent = r.id) select id from r order by id",
        [&["1"], &["4"], &["77"]],
    ),
    one(
        "with recursive r(a) as (select a from e where a = $1::int union select (r.a * 2 + 1) % 7 from r) select a from r order by a",
        [&["1"], &["8"], &["4"]],
    ),
    // Windows.
    one(
        "select id, row_number() over (order by n desc), sum(n) over (order by id) from p where g = $1::int order by id",
        [&["1"], &["6"], &["3"]],
    ),
    one(
        "select id, rank() over (partition by q order by p_id nulls last), ntile($1::int) over (order by id) from c where id < 20 order by id",
        [&["3"], &["1"], &["30"]],
    ),
    one(
        "select id, lag(v, $1::int, 'no') over (order by id), last_value(v) over (order by id rows between $1::int preceding and $2::int following) from p where id < 9 order by id",
        [&["1", "1"], &["3", "0"], &["0", "9"]],
    ),
    one(
        "select g, sum(count(*)) over (order by g) from p where id <> $1::int group by g order by g",
        [&["1"], &["60"], &["99"]],
    ),
    one(
        "select * from (select id, row_number() over (partition by g order by n) r from p) s where r <= $1::int order by id",
        [&["1"], &["2"], &["0"]],
    ),
    // Functions and values.
    one(
        "select x + $1::int, y || $2::text from (values (1, 'a'), (2, null), (3, 'c')) w(x, y) order by 1",
        [&["0", "-"], &["5", ""], &["-5", "zz"]],
    ),
    one("select i from generate_series($1::int, $2::int, 3) i", [&["1", "20"], &["5", "5"], &["9", "1"]]),
    one("select u, o from unnest($1::text[]) with ordinality w(u, o) order by o", [&["{a,b,c}"], &["{NULL}"], &["{}"]]),
    one(
        "select $1::text || upper($2::text), length($1::text), coalesce(nullif($2::text, ''), 'empty')",
        [&["a", "b"], &["", ""], &["xyz", "q"]],
    ),
    one(
        "select id, date_trunc('month', d + $1::int), to_char(d, $2::text) from p where id < 6 order by id",
        [&["0", "YYYY-MM"], &["40", "DD"], &["-40", "Mon"]],
    ),
];
