a> create role iso_set
b> set role iso_set
b> set track_io_timing = on
b> set log_statement = 'all'
b> set session_preload_libraries = 'x'
b> reset track_io_timing
b> set local track_io_timing = on
b> select set_config('track_io_timing', 'off', false)
b> alter role iso_set set track_io_timing = off
b> alter role iso_set set log_statement = 'all'
b> alter role iso_set reset log_statement
b> alter role iso_set reset all
b> set track_io_timing to default
b> reset all
b> set log_connections = on
b> set wal_level = 'x'
b> set max_connections = 'x'
b> set nosuch = 1
b> set foo.bar = 1
b> set work_mem = 'nosuch'
b> set log_min_duration_statement = 1
a> grant set on parameter track_io_timing, log_duration to iso_set
b> set track_io_timing = on
b> reset track_io_timing
b> alter role iso_set set track_io_timing = on
b> alter role iso_set set log_statement = 'all'
b> select unnest(setconfig) from pg_db_role_setting where setrole = 'iso_set'::regrole
a> revoke set on parameter track_io_timing, log_duration from iso_set
b> alter role iso_set reset track_io_timing
b> alter role iso_set set work_mem = '5MB'
b> alter role iso_set reset all
b> select unnest(setconfig) from pg_db_role_setting where setrole = 'iso_set'::regrole
b> select context from pg_settings where name = 'track_io_timing'
b> reset role
a> drop role iso_set
