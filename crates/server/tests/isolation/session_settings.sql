# temp_file_limit: what a session has on disk at once
a> set work_mem = '64kB'
a> set temp_file_limit = 0
a> select count(*) from (select repeat(md5(g::text), 20) as b from generate_series(1, 150000) g order by 1 offset 0) s
a> select count(*) from (select distinct repeat(md5(g::text), 20) as b from generate_series(1, 150000) g) s
a> select count(*) from (select g from generate_series(1, 10) g order by 1 offset 0) s
a> begin
a> declare c cursor with hold for select repeat(md5(g::text), 20) from generate_series(1, 150000) g
a> commit
a> fetch 1 from c
a> set temp_file_limit = '150MB'
a> select count(*) from (select repeat(md5(g::text), 20) as b from generate_series(1, 100000) g order by 1 offset 0) s
a> select count(*) from (select repeat(md5(g::text), 20) as b from generate_series(1, 100000) g order by 1 offset 0) s
a> declare c cursor with hold for select repeat(md5(g::text), 20) from generate_series(1, 150000) g
a> set temp_file_limit = '10MB'
a> select count(*) from (select repeat(md5(g::text), 20) as b from generate_series(1, 150000) g order by 1 offset 0) s
a> reset temp_file_limit
a> close c
a> select count(*) from (select repeat(md5(g::text), 20) as b from generate_series(1, 150000) g order by 1 offset 0) s
# compute_query_id
a> select query_id is null from pg_stat_activity where pid = pg_backend_pid()
a> set compute_query_id = on
a> select query_id is null from pg_stat_activity where pid = pg_backend_pid()
a> set compute_query_id = regress
a> select query_id is null from pg_stat_activity where pid = pg_backend_pid()
a> set compute_query_id = off
a> select query_id is null from pg_stat_activity where pid = pg_backend_pid()
a> reset compute_query_id
# VACUUM of parts
a> create table vt(a int primary key, t text)
a> alter table vt alter t set storage external
a> insert into vt select g, repeat('x', 5000) from generate_series(1, 20) g
a> vacuum (process_main false) vt
a> vacuum (process_main false, process_toast false) vt
a> vacuum (process_main false, full) vt
a> vacuum (process_main false, full, process_toast false) vt
a> select pg_stat_get_vacuum_count('vt'::regclass), pg_stat_get_analyze_count('vt'::regclass)
a> vacuum (process_main false, analyze) vt
a> select pg_stat_get_vacuum_count('vt'::regclass), pg_stat_get_analyze_count('vt'::regclass)
a> vacuum (process_toast false) vt
a> vacuum vt
a> select pg_stat_get_vacuum_count('vt'::regclass), pg_stat_get_analyze_count('vt'::regclass), count(*), sum(length(t)) from vt
