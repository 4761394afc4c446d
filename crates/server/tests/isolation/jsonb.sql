a> create table docs (id int primary key, doc jsonb, unique (doc))
a> insert into docs values (1, '{"a": 1, "b": [1, 2]}'), (2, '{"b": [1, 2.0], "a": 1.0, "c": null}'), (3, '[]'), (4, 'null'), (5, '"x"'), (6, '1'), (7, 'true'), (8, '[1, 2]'), (9, '{}'), (10, null)
a> insert into docs values (11, '{"b": [1.0, 2], "a": 1.00}')
a> insert into docs values (12, '{"b": [1.0, 2')
a> insert into docs values (12, '{"a": "\u0000"}')
a> select id, doc from docs order by doc, id
a> select id from docs where doc = '{"b": [1, 2.00], "a": 1}'
a> select id from docs where doc > '1' order by doc
a> select doc ->> 'a' as a, count(*) from docs group by 1 order by 1
a> select distinct doc -> 'b' from docs order by 1
a> select count(*) from docs a join docs b on a.doc = b.doc
a> select count(distinct doc), jsonb_agg(doc order by id desc) from docs
a> select jsonb_object_agg(id, doc -> 'a') filter (where doc ? 'a') from docs
a> analyze docs
a> select null_frac, n_distinct from pg_stats where tablename = 'docs' and attname = 'doc'
a> update docs set doc['a'] = '7', doc['n']['m'][2] = '"deep"' where id = 1
a> update docs set doc[-1] = '3' where id = 8
a> update docs set doc['a']['b'] = '1' where id = 5
a> update docs set doc[-1] = '1' where id = 3
a> update docs set doc['z'] = 'true' where id = 10
a> update docs set doc[null] = 'true' where id = 9
a> select id, doc, doc['a'], doc['n']['m'][-1], doc[0] from docs where id in (1, 3, 5, 8, 10) order by id
a> select ('[1, 2]'::jsonb)[1.5]
a> select ('[1, 2]'::jsonb)[0:1]
a> select ('[1, 2]'::jsonb)[now()]
a> select (array['{"a": 1}', '[2]']::jsonb[])[2][0]
a> create table long_docs as select n as id, jsonb_build_object('n', n, 'text', repeat('long ', 2000), 'last', jsonb_build_array(n, null)) as doc from generate_series(1, 50) n
a> select id, doc -> 'last', length(doc ->> 'text'), doc #>> '{last,0}' from long_docs where doc @> '{"n": 17}'
a> select id from long_docs order by doc -> 'last' desc limit 2
a> select sum((doc -> 'n')::int), sum((doc['n'])::numeric) from long_docs where doc @? '$.n ? (@ > 45)'
a> select jsonb_path_query(doc, '$.last[*] ? (@ > $least)', '{"least": 47}') from long_docs order by 1
a> select key, value from docs, jsonb_each(doc) where jsonb_typeof(doc) = 'object' order by id, key
a> select id, n, element from docs, jsonb_array_elements_text(doc) with ordinality e(element, n) where id = 8
a> select * from json_each_text('{"a": [1, 2], "a": null, "b": "x\ny"}')
a> select jsonb_build_object('a', array[[1, 2], [3, 4]], 'r', row(1, 'x', null), 'd', date '2024-02-29', 'j', '{"x":1}'::json, 'n', 1.50, 'inf', 'infinity'::float8)
a> select jsonb_build_array(variadic array['a', null, 'b']), json_build_object(variadic array['a', '1', 'b', null])
a> select jsonb_object_agg_unique(k, 1) from (values ('a'), ('a')) v(k)
a> select jsonb_object_agg_strict(k, v), jsonb_object_agg_unique_strict(k || v, v) from (values ('a', 'x'), ('b', null)) v(k, v)
a> select to_jsonb(docs) from docs where id = 7
a> select row_to_json(docs) from docs where id = 1
a> create view over_docs as select doc['a'] as a, (doc -> 'n' -> 'm')[0] as m, doc @? '$.a' as found from docs
a> select pg_get_viewdef('over_docs'::regclass)
a> drop view over_docs
a> drop table docs, long_docs
