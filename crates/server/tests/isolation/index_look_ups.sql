# Nested loops look up what their index conditions say, for many outer rows at once: recorded from PostgreSQL 18.
a> SET client_min_messages = error
a> CREATE TABLE person (id int PRIMARY KEY, since int, big bigint, num numeric, name text, city text)
a> INSERT INTO person SELECT i, i * 7 % 40, i * 3, (i % 9) + 0.5, 'n' || i % 5, CASE WHEN i % 4 > 0 THEN 'c' || i % 3 END FROM generate_series(1, 60) i
a> INSERT INTO person VALUES (61, NULL, NULL, NULL, NULL, NULL), (62, 2000000000, 5000000000, 'NaN', '', '')
a> CREATE TABLE entry (person int, at int, kind text, note text, amount numeric(8,2))
a> INSERT INTO entry SELECT i % 70, i * 13 % 50, CASE WHEN i % 6 > 0 THEN 'n' || i % 5 END, 'c' || i % 4, i % 11 FROM generate_series(1, 1500) i
a> INSERT INTO entry VALUES (NULL, 3, 'n1', 'c1', 1), (5, NULL, 'n1', 'c1', 1), (5, NULL, NULL, NULL, NULL)
a> CREATE INDEX entry_person_at ON entry (person, at DESC)
a> CREATE INDEX entry_kind_note_at ON entry (kind, note, at)
a> CREATE INDEX entry_amount ON entry (amount)
a> VACUUM ANALYZE person
a> VACUUM ANALYZE entry
a> SET enable_hashjoin = off
a> SET enable_mergejoin = off
a> SET enable_seqscan = off
a> SET enable_bitmapscan = off
a> SET enable_memoize = off
a> SET enable_material = off
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at > p.since
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at <= p.big
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = p.big AND e.at >= p.since AND e.at < p.since + 10
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at BETWEEN p.since AND p.id
a> SELECT count(*), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at IS NULL
a> SELECT count(*), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at IS NOT NULL
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at = ANY (ARRAY[3, 7, 7, NULL, p.since, p.since + 1])
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = p.id AND e.at < ANY (ARRAY[p.since - 5, 4])
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person = ANY (ARRAY[p.id, p.id + 3, p.since, NULL])
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.person IN (p.id, p.id, 9) AND e.at > 20
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON (e.person, e.at) > (p.id, p.since) AND e.person < p.id + 4
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON (e.person, e.at) <= (p.id, p.since)
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.kind = p.name AND e.note > p.city
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.kind = p.name AND e.note = p.city AND e.at >= p.since
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.kind = p.name AND e.at = p.since
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.kind IS NULL AND e.note = p.city AND e.at < p.id
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.amount > p.num AND e.amount < p.num + 2
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON e.amount > p.num::float8
a> SELECT count(*), sum(at), sum(p.id) FROM person p JOIN entry e ON (e.person = p.id AND e.at > p.since OR e.person = p.since AND e.at < 10)
a> SELECT count(*), sum(p.id) FROM person p WHERE EXISTS (SELECT FROM entry e WHERE e.person = p.id AND e.at > p.since + 5)
a> SELECT count(*), sum(p.id) FROM person p WHERE NOT EXISTS (SELECT FROM entry e WHERE e.person = p.id AND e.at > p.since + 5)
a> SELECT count(*), sum(p.id) FROM person p WHERE EXISTS (SELECT FROM entry e WHERE e.person = p.id AND e.at = ANY (ARRAY[p.since, 7, 8]))
a> SELECT count(*), sum(p.id) FROM person p WHERE EXISTS (SELECT FROM entry e WHERE (e.person, e.at) > (p.id, p.since) AND e.person = p.id AND e.note <> p.city)
a> SELECT count(*), sum(p.id) FROM person p WHERE EXISTS (SELECT FROM entry e WHERE e.amount > p.num AND e.note <> p.city)
a> SELECT count(*), sum(p.id) FROM person p WHERE EXISTS (SELECT FROM entry e WHERE e.amount > p.num)
a> SELECT count(*), sum(p.id) FROM person p WHERE NOT EXISTS (SELECT FROM entry e WHERE e.person = p.id AND e.at > p.since AND e.kind = p.name)
a> SELECT count(*), sum(p.id) FROM person p WHERE p.id IN (SELECT e.person FROM entry e WHERE e.at < p.since AND e.note = 'c2')
a> SELECT count(*), count(e.at), sum(p.id) FROM person p LEFT JOIN entry e ON e.person = p.id AND e.at > p.since AND e.note = 'c1'
a> SELECT p.id, e.at FROM person p JOIN entry e ON e.person = p.id AND e.at > p.since + 20 ORDER BY p.id, e.at LIMIT 7
a> SELECT p.id, x.at FROM person p, LATERAL (SELECT at FROM entry e WHERE e.person = p.id AND e.at < p.since ORDER BY at DESC LIMIT 2) x WHERE p.id < 8 ORDER BY 1, 2
a> UPDATE entry e SET amount = amount + 1 FROM person p WHERE e.person = p.id AND e.at > p.since + 30
a> DELETE FROM entry e USING person p WHERE e.person = p.id AND e.at BETWEEN p.since AND p.since + 2
a> SELECT count(*), sum(amount), sum(at) FROM entry
