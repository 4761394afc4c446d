# Collations: all have the order of bytes; in "C" only ASCII's letters are letters
a> select lower('Ä' collate "C"), upper('ä' collate "C"), initcap('äb ÄB' collate "C"), lower('Ä'), upper('ä'), initcap('äb ÄB'), lower('Ä' collate "default"), lower('Ä' collate "POSIX"), lower('Ä' collate ucs_basic)
a> select casefold('Ä' collate "C"), casefold('Ä')
a> select 'Ä' ilike 'ä', 'Ä' collate "C" ilike 'ä', 'Ä' ilike 'ä' collate "C", 'Ä' collate "C" not ilike 'ä', 'aÄ' collate "C" ilike 'AÄ'
a> select 'Ä' ~ '\w', 'Ä' collate "C" ~ '\w', 'Ä' ~* 'ä', 'Ä' collate "C" ~* 'ä', 'Ä' collate "C" !~* 'ä', 'Ä' ~ '[[:alpha:]]' collate "C", 'Ä' !~ '[[:alpha:]]' collate "C"
a> select regexp_replace('Äa' collate "C", '\w', 'x', 'g'), regexp_replace('Äa', '\w', 'x', 'g'), regexp_count('ÄÖa' collate "C", '\w'), regexp_count('ÄÖa', '\w'), regexp_like('Ä' collate "C", 'ä', 'i'), regexp_like('Ä', 'ä', 'i')
a> select regexp_match('ÄÖ' collate "C", '\w'), regexp_match('ÄÖ', '\w'), regexp_substr('Äa' collate "C", '\w'), regexp_instr('Äa' collate "C", '\w'), substring('Äa' collate "C" from '\w'), regexp_split_to_array('aÄb' collate "C", '\W'), regexp_split_to_array('aÄb', '\W')
a> select 'Äb' collate "C" similar to '[[:alpha:]]b', 'Äb' similar to '[[:alpha:]]b', substring('Äab' collate "C" similar '%#"[[:alpha:]]+#"' escape '#')
a> select 'ÄÄ' ~ '(?i)(ä)\1', 'Ää' collate "C" ~ '(?i)(Ä)\1', 'aA' collate "C" ~ '(?i)(a)\1'
a> select 'a' collate "C" || 'Ä', lower('a' collate "C" || 'Ä'), lower('a' || 'Ä' collate "C"), lower(upper('ä' collate "C") || 'Ä'), lower(coalesce(null, 'Ä' collate "C")), lower(case when true then 'Ä' else 'b' collate "C" end), lower(greatest('Ä', 'B' collate "C"))
a> select lower('Ä'::name), lower('Ä'::text::name::text), 'Ä'::name ~ '\w', 'Ä'::name ~ '\w' collate "default", 'Ä'::name ~* 'ä', 'Ä'::name ilike 'ä', 'Ä'::name ilike 'ä' collate "default"
a> select lower((array['Ä' collate "C"])[1]), lower((select 'Ä' collate "C")), lower(('Ä' collate "C")::varchar(5)), lower(('Ä' collate "C")::char(5)), lower(substr('xÄ' collate "C", 2)), lower(trim('Ä ' collate "C"))
a> create table words(id int primary key, w text, n name)
a> insert into words values (1, 'Äpfel', 'Ä'), (2, 'apfel', 'a'), (3, 'APFEL', 'A')
a> select id, lower(w), lower(w collate "C"), lower(n), lower(n || 'Ö'), lower(w || n) from words order by id
a> select id from words where w collate "C" ilike 'äPFEL' order by id
a> select id from words where w ilike any (array['äPFEL', 'x']) order by id
a> select id from words where w collate "C" ilike any (array['äPFEL', 'x']) order by id
a> select id from words where w collate "C" not ilike all (array['äPFEL', 'x']) order by id
a> select id from words where not (w collate "C" ~* 'äpfel') order by id
a> select lower(c), lower(d) from (select w collate "C" as c, w as d from words) s order by 1, 2
a> with s as (select w collate "C" as c from words) select lower(c) from s order by 1
a> with recursive s(c, k) as (select 'Ä' collate "C", 1 union all select c, k + 1 from s where k < 2) select lower(c) from s
a> select lower(column1) from (values ('Ä' collate "C"), ('Ö')) v order by 1
a> select lower(c) from (select w collate "C" from words union select 'Ö') s(c) order by 1
a> select lower(a.c) from (select w collate "C" as c from words) a join words b on a.c = b.w order by 1
a> select lower(c) from words, lateral (select w collate "C" as c) l order by 1
a> select lower(max(w collate "C")), lower(min(w)), lower(string_agg(w collate "C", ',' order by id)) from words
a> select lower(first_value(w collate "C") over (order by id)) from words order by 1
a> create view apples as select id, w collate "C" as c, lower(w collate "C") as l, w from words
a> select id, lower(c), l, lower(w), c ~* 'ä' from apples order by id
a> select pg_get_viewdef('apples'::regclass)
a> select pg_get_viewdef('apples'::regclass, true)
a> create view of_apples as select lower(c) as a, (c || 'Ä') ~ 'Ä\W*$' as b, 'x' collate "POSIX" as c from apples
a> select pg_get_viewdef('of_apples'::regclass, true)
a> select * from of_apples order by 1
a> create index on words(lower(w collate "C"))
a> create index on words(lower(w))
a> select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'words'::regclass order by 1
a> set enable_seqscan = off
a> select id from words where lower(w) = 'äpfel'
a> select id from words where lower(w collate "C") = 'äpfel'
a> select id from words where lower(w collate "C") = 'Äpfel'
a> reset enable_seqscan
a> select w from words order by w collate "C"
a> select id from words where w = 'apfel' collate "C"
a> select w collate "C", count(*) from words group by w collate "C" order by 1
a> select w, count(*) from words group by w collate "C"
a> select distinct w collate "C" from words order by w
a> insert into words values (1, 'x', 'x') on conflict (id) do update set w = lower(excluded.w collate "C") || lower('Ä' collate "C") returning w
a> select 'a' collate "C" < 'b' collate "POSIX"
a> select lower('a' collate "C" || 'b' collate "POSIX")
a> select lower(a || b) from (select 'x' collate "C", 'y' collate "POSIX") s(a, b)
a> select a || b ilike 'x' from (select 'x' collate "C", 'y' collate "POSIX") s(a, b)
a> select a ~ b from (select 'x' collate "C", 'y' collate "POSIX") s(a, b)
a> select lower(c) from (select a || b as c from (select 'x' collate "C", 'y' collate "POSIX") s(a, b)) t
a> select lower(c || 'Ä'), c ~ 'Ä' collate "C" from (select a || b as c from (select 'x' collate "C", 'y' collate "POSIX") s(a, b)) t
a> select a < b collate "C", lower(a || b collate "C") from (select 'x' collate "C", 'y' collate "POSIX") s(a, b)
a> select 1 collate "C"
a> select 'x' collate nosuch
a> select '2020-01-01' collate "C" < date '2021-01-01'
a> select now() < 'tomorrow' collate "C"
a> prepare p as select $1 collate "C" ~ '\w', lower($1 collate "C")
a> execute p('Ä')
a> select 'x' collate "C" union select 'y' order by 1
a> select 'x' union all select 'y' collate "C"
a> select '1' collate "C" union all select 2
a> select lower(c) from (select 'Ä' union all select 'Ö' collate "C") s(c)
# Columns with a collation of their own
a> create table own(a text collate "C", b varchar(10) collate "POSIX", c text collate "default", d text, e name collate "default")
a> insert into own values ('Ä', 'Ä', 'Ä', 'Ä', 'Ä')
a> select lower(a), lower(b), lower(c), lower(d), lower(e), a || c ~ '\w', d || b ~ '\w' from own
a> select lower(a || b) from own
a> select lower(a || b collate "default") from own
a> select attname, collname from pg_attribute a left join pg_collation c on c.oid = attcollation where attrelid = 'own'::regclass and attnum > 0 order by attnum
a> create table made as select a, d, lower(d collate "C") as l, d collate "C" as m, 1 as n, e from own
a> select attname, collname from pg_attribute a left join pg_collation c on c.oid = attcollation where attrelid = 'made'::regclass and attnum > 0 order by attnum
a> select lower(a), lower(d), lower(l), lower(m), lower(e) from made
a> create table alike (like own including all)
a> select attname, collname from pg_attribute a left join pg_collation c on c.oid = attcollation where attrelid = 'alike'::regclass and attnum > 0 order by attnum
a> alter table own add column f text collate "C" default 'Ä'
a> select lower(f) from own
a> alter table own alter f type varchar(20)
a> select lower(f) from own
a> alter table own alter f type varchar(20) collate "C"
a> select lower(f) from own
a> create table none(a int collate "C")
a> create table none(a text collate nosuch)
a> create index on own(lower(a))
a> create index on own(a)
a> set enable_seqscan = off
a> select count(*) from own where lower(a) = 'Ä'
a> select count(*) from own where a = 'Ä'
a> select count(*) from own where a like 'Ä%'
a> reset enable_seqscan
a> create view of_own as select a, d from own
a> select lower(a), lower(d) from of_own
a> select column_name, collation_name from information_schema.columns where table_name = 'own' order by ordinal_position
