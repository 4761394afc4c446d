# Indexes with COLLATE
a> create table t(a text, b text collate "C", c text collate "POSIX", i int, v varchar(5))
a> create index on t(a collate "C")
a> create index on t(b collate "C")
a> create index on t(b collate "POSIX")
a> create index on t((a || 'x') collate "C")
a> create index on t(((a || 'x') collate "C"))
a> create index on t((a || b))
a> create index on t((b || c))
a> create index on t((b || c) collate "C")
a> create index on t(i collate "C")
a> create index on t((a collate "C"))
a> create index on t((a collate "C") collate "POSIX")
a> create index on t((i + 1) collate "C")
a> create index on t(a collate nosuch)
a> create index on t(a) include (b collate "C")
a> create index on t(a collate "C" desc, i) where b collate "C" > 'a'
a> create unique index on t((v::text collate "C"))
a> create index on t(upper(a collate "C"))
a> create index on t(a collate "default")
a> create index on t(b collate "default")
a> create index on t(a collate "C" text_pattern_ops)
a> select pg_get_indexdef(indexrelid), indcollation, pg_get_indexdef(indexrelid, 1, true) from pg_index where indrelid = 't'::regclass order by indexrelid
a> select attname, attcollation from pg_attribute a join pg_index on indexrelid = attrelid where indrelid = 't'::regclass order by attrelid, attnum
a> insert into t select chr(97 + g % 7) || g, chr(97 + g % 5) || g, 'c', g, g from generate_series(1, 500) g
a> analyze t
a> set enable_seqscan = off
a> select i from t where a collate "C" = 'b1'
a> select a from t where a > 'g4' order by a limit 3
a> select a from t order by a collate "C" desc limit 3
a> select i from t where (a || 'x') collate "C" = 'b1x'
a> select i from t where v::text collate "C" = '7'
a> reset enable_seqscan
a> create table keys(a text, b text)
a> create unique index on keys(a collate "C")
a> insert into keys values ('x') on conflict (a collate "C") do nothing
a> insert into keys values ('x') on conflict (a collate "POSIX") do nothing
a> insert into keys values ('x') on conflict (a) do nothing
a> insert into keys values ('x') on conflict (a collate "default") do nothing
a> insert into keys values ('x') on conflict ((a collate "C")) do nothing
a> insert into keys values ('x', 'y') on conflict (a collate "C") do update set b = 'z' returning b
a> create unique index on keys((b || '1') collate "POSIX")
a> insert into keys values ('y', 'z') on conflict ((b || '1') collate "POSIX") do nothing
a> insert into keys values ('y', 'z') on conflict ((b || '1')) do nothing
a> insert into keys values ('y', 'z') on conflict ((b || '1') collate "C") do nothing
a> insert into keys values ('x', 'q')
a> create table alike (like t including indexes)
a> select pg_get_indexdef(indexrelid), indcollation from pg_index where indrelid = 'alike'::regclass order by indexrelid limit 5
a> alter table keys alter a type varchar(9)
a> select pg_get_indexdef(indexrelid), indcollation from pg_index where indrelid = 'keys'::regclass order by indexrelid::regclass::text
a> alter table keys alter a type int using 1
a> alter table t alter b type text collate "POSIX"
a> select pg_get_indexdef(indexrelid), indcollation from pg_index where indrelid = 't'::regclass and pg_get_indexdef(indexrelid) like '%(b%' order by indexrelid::regclass::text
