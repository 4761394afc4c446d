# Functions in FROM, names as OIDs, key words, quoting, hashes
a> select current_schema from current_schema()
a> select * from lower('A') l
a> select * from lower('A') as l(c)
a> select * from upper('x'), lower('A')
a> select lower.* from lower('A')
a> select * from current_setting('work_mem')
a> select * from current_setting('work_mem') as s(v) where v like '4%'
a> select x is not null from now() as x
a> select count(*), min(word), max(word) from pg_get_keywords()
a> select * from pg_get_keywords() k where k.word in ('select','all','abs','zone') order by 1
a> select to_regclass('pg_class'), to_regclass('nope'), to_regtype('int4'), to_regtype('nope'), to_regtype('character varying(10)'), to_regnamespace('public'), to_regrole('postgres'), to_regrole('nope')
a> select typname, oid, typarray from pg_type t where t.oid = to_regtype('int4') order by t.oid
a> select typname from pg_type t where t.oid = to_regtype('hstore')
a> select 'public'::regnamespace, 'postgres'::regrole, 'public'::regnamespace::oid, 11::regnamespace, 10::regrole
a> select relname from pg_class where relnamespace in ('public'::regnamespace) and relname = 'nosuchtable'
a> select relname from pg_class where relnamespace = 'public'::regnamespace and relname = 'nosuchtable'
a> select 'nope'::regnamespace
a> select 'nope'::regrole
a> select quote_literal('a''b\'), quote_literal(null), quote_nullable(null), quote_literal(42), quote_nullable('x')
a> select hashtext('foo'), hashtextextended('foo', 42), hashtext(null)
a> select pg_encoding_to_char(6), pg_encoding_to_char(0), pg_client_encoding(), getdatabaseencoding(), pg_char_to_encoding('UTF8'), pg_char_to_encoding('nope')
a> select pg_my_temp_schema(), pg_is_other_temp_schema(1)
a> select pg_advisory_xact_lock(hashtext('foo'))
a> select to_regclass(null), to_regtype('23')
a> select nosuchfunction from nosuchfunction()
# Series of times to the end of what there is
a> select * from generate_series('294247-01-10 02:00'::timestamp, '294247-01-10 04:00:00', '1 hour')
a> select * from generate_series('294247-01-10 02:00'::timestamp, '294247-01-10 04:00:00', '1 day')
a> select * from generate_series('294247-01-08 02:00'::timestamp, '294247-01-10 04:00:00', '1 month')
a> select * from generate_series('294247-01-08 02:00'::timestamp, '294247-01-10 04:00:00', '100 years')
a> select x at time zone 'UTC' from generate_series('294247-01-08 02:00+00'::timestamptz, '294247-01-10 04:00:00+00', '1 day') x
a> select * from generate_series('4713-11-24 02:00 BC'::timestamp, '4713-11-24 00:00 BC', '-1 hour')
a> select * from generate_series('4713-11-24 02:00 BC'::timestamp, '-infinity', '-1 hour')
a> select generate_series('4713-11-24 02:00 BC'::timestamp, '4713-11-24 00:30 BC', '-1 hour')
a> select generate_series('4713-11-24 02:00 BC'::timestamp, '4713-11-24 01:00 BC', '-1 month')
