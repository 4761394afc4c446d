# Long values pass sorts, joins and limits as pointers: they come back whole wherever somebody looks at them
a> create table docs(id int, author int, title text, doc text, raw bytea, tags text[], code char(6))
a> insert into docs select g, g % 5, 'title ' || g, (select string_agg(md5((g * 1000 + i)::text), '') from generate_series(1, 90) i), decode('ff' || md5(g::text), 'hex'), array['t' || g % 3, repeat('x', g)], 'c' || g from generate_series(1, 40) g
a> insert into docs values (41, 1, 'short', 'not long', '\x', '{}', 'a'), (42, 2, null, null, null, null, null), (43, 3, 'packed', repeat('abc', 20000), decode(repeat('ff02', 3000), 'hex'), array[repeat('y', 9000)], 'b')
a> insert into docs select 44, 4, (select string_agg(md5((i)::text), '') from generate_series(1, 100) i), 'title is long', (select decode('ff00' || string_agg(md5((i)::text), ''), 'hex') from generate_series(1, 200) i), array[(select string_agg(md5((i)::text), '') from generate_series(1, 100) i)], 'd'
a> create table authors(id int, name text, life text)
a> insert into authors select g, 'author ' || g, (select string_agg(md5((g * 77 + i)::text), '') from generate_series(1, 150) i) from generate_series(0, 6) g
a> analyze docs
a> analyze authors
a> select id, length(doc), md5(doc), md5(raw), length(raw) from (select * from docs order by title desc nulls last limit 4) s order by id
a> select id, length(doc), md5(doc), md5(raw), tags[1], length(tags[2]), code from (select * from docs order by id desc limit 6) s
a> select id, left(doc, 40), code from docs order by id limit 2 offset 41
a> select id, doc from docs where id in (41, 42, 1) order by id
a> select doc from docs order by id limit 1
a> select raw from docs where id < 3 order by id desc
a> select tags from docs where id in (3, 42, 41) order by id desc
a> select title, doc from docs order by length(title) desc nulls last, id limit 1
a> select s.id, md5(s.doc), md5(s.life) from (select d.id, d.doc, a.life from docs d join authors a on a.id = d.author where a.name = 'author 3' offset 0) s order by 1
a> select s.id, md5(s.doc), md5(s.life) from (select a.id, d.doc, a.life from docs d right join authors a on a.id = d.author and d.id < 4 offset 0) s order by 1, 2
a> select s.id, md5(s.doc), md5(s.life) from (select a.id, d.doc, a.life from (select * from docs where id in (2, 3, 42)) d full join authors a on a.id = d.author offset 0) s order by 1, 2
a> select d.id, a.name, md5(a.life) from docs d, authors a where a.id = d.author and d.doc = 'not long'
a> select d.id from docs d join docs e on d.doc = e.doc and d.id < 4 order by 1
a> select s.author, s.id, md5(s.doc) from (select distinct on (author) author, id, doc from docs order by author, id desc) s
a> select s.id, md5(s.doc), r from (select d.*, row_number() over (partition by author order by id desc) r from docs d) s where r = 1 order by author
a> select s.id, md5(s.doc), l from (select id, doc, lag(doc) over (order by id) = doc l from docs offset 0) s order by id limit 3
a> select id, length(doc), length(max) from (select id, doc, max(doc) over (partition by author order by id rows between 1 preceding and current row) max from docs where id < 9 limit 5) s order by id
a> select id, md5(doc) from (select id, doc from docs order by author fetch first 2 rows with ties) s order by 1
a> select count(*), count(doc), sum(length(doc)), md5(string_agg(doc, ',' order by id desc)) from (select * from docs order by id limit 20) s
a> select md5(max(doc)), md5(min(doc)) from docs
a> select id, md5(doc) from (select id, doc from docs union all select id, life from authors) s order by id desc, 2 limit 5
a> select count(*) from (select doc from docs union select doc from docs) s
a> select count(*) from (select doc from docs where id < 20 except select doc from docs where id > 10) s
a> with x as materialized (select * from docs order by id desc limit 3) select id, length(doc), md5(doc) from x order by id
a> select id, (select md5(d.doc) from authors a where a.id = d.author limit 1) from docs d order by id limit 3
a> select id, length((select doc from docs e where e.author = a.id order by e.id limit 1)) from authors a order by id
a> select a.id, md5(l.doc) from authors a cross join lateral (select doc from docs d where d.author = a.id order by id desc limit 1) l order by 1
a> select d from (select id, title, code from docs order by id limit 2) d
a> select length(d::text) from (select * from docs order by id limit 2) d
a> select id, length(doc) from docs where id < 4 order by doc
a> select id, doc is null, length(doc) > 5 from docs order by id desc limit 3
a> select id, title from docs order by doc limit 2
a> select md5(doc), md5(doc || 'x') from docs order by id limit 1
a> select length(s.one), s.one = s.two from (select doc one, doc two from docs order by id limit 2) s
a> select count(*), count(distinct s.doc), md5(string_agg(s.doc, '' order by s.n, s.id)) from (select d.id, d.doc, n from docs d join generate_series(1, 3) n on d.id % 4 <> n offset 0) s
a> select count(*), md5(string_agg(md5(s.doc), '' order by s.id, s.n)) from (select d.id, d.doc, a.id n from docs d join authors a on a.id <> d.author offset 0) s
a> select id, md5(doc) from (select id, doc from docs where 100 / (id - 30) <> 7 order by id limit 2) s
a> select exists (select from docs where 100 / (id - 44) <> 7 and doc like '%a%')
a> select id, length(doc) from docs where author = 4 limit 2
a> create index docs_author on docs(author, id)
a> set enable_seqscan = off
a> set enable_sort = off
a> select id, md5(doc) from (select * from docs where author = 2 order by author, id desc limit 2) s
a> select id, md5(doc) from (select * from docs where author in (2, 3) order by author, id offset 14 limit 3) s
a> create index authors_id on authors(id)
a> set enable_hashjoin = off
a> set enable_mergejoin = off
a> select s.id, md5(s.doc), md5(s.life) from (select d.id, d.doc, a.life from authors a join docs d on d.author = a.id where a.name > 'author 2' order by d.id desc limit 3) s
a> select s.id, md5(s.doc), md5(s.life) from (select d.id, d.doc, a.life from docs d left join authors a on a.id = d.author + 3 where d.id < 12 order by d.id offset 0) s
a> select s.id, md5(s.doc) from (select d.id, d.doc from docs d where exists (select from authors a where a.id = d.author and a.life like 'a%') order by d.id limit 3) s
a> select s.id, md5(s.life) from (select d.id, a.life from docs d join authors a on a.id = d.author and length(a.life) > d.id where d.id in (1, 41) order by d.id) s
a> set enable_indexscan = off
a> select id, md5(doc) from (select * from docs where author = 1 and id > 20 order by id limit 3) s
a> reset all
a> select id, md5(doc) from (select * from docs where author = 1 order by id limit 1 for update) s
a> begin
a> declare c cursor for select id, doc from docs where id in (1, 2, 41) order by id desc
a> fetch 1 from c
a> update docs set doc = 'changed' where id in (1, 2)
b> update docs set doc = 'b changed' where id = 5
b> vacuum docs
a> fetch 1 from c
a> savepoint s
a> delete from docs where id < 10
a> rollback to s
a> move backward all in c
a> fetch forward all from c
a> rollback
a> select id, left(doc, 20) from docs where id in (1, 2, 5) order by id
a> insert into authors select id + 100, title, doc from docs order by id desc limit 3
a> update authors set life = s.doc from (select author, doc from docs order by id limit 2) s where s.author = authors.id
a> select id, length(life), md5(life) from authors order by id
a> prepare p(int) as select id, doc from docs order by id desc limit $1
a> create table copied as select * from docs order by title limit 3
a> select id, md5(doc) from copied order by 1
a> execute p(0)
a> select id, md5(doc) from (select id, doc from docs order by id desc limit all) s order by id limit 2
a> delete from docs where id <> 41
a> execute p(2)
a> drop table docs, authors, copied
