# Settings: their ranges, units, contexts, spellings and errors, made-up ones, and what transactions do to them;
# SET ROLE, DISCARD and what connection pools say.
a> set work_mem='1kB'
a> set statement_timeout=-1
a> set seq_page_cost='x'
a> set seq_page_cost=-1
a> set vacuum_cost_delay='200s'
a> set vacuum_cost_delay='0.5ms'
a> show vacuum_cost_delay
a> set vacuum_cost_delay='50us'
a> show vacuum_cost_delay
a> set geqo = maybe
a> set geqo_threshold = 2.7
a> show geqo_threshold
a> set geqo_threshold = '0x10'
a> show geqo_threshold
a> set geqo_threshold = '010'
a> show geqo_threshold
a> set geqo_threshold = '12MB'
a> set work_mem = '12 xB'
a> set work_mem = '99999999999999999999'
a> set work_mem = '1e3'
a> show work_mem
a> set work_mem = '1.5MB'
a> show work_mem
a> set geqo = on, off
a> set enable_seqscan to default
a> set foo.bar = 1
a> show foo.bar
a> reset foo.bar
a> show foo.bar
a> select current_setting('foo.baz')
a> select current_setting('foo.baz', true)
a> select current_setting('foo.baz', false)
a> select current_setting(null, false)
a> select current_setting('foo.baz', null)
a> set foo."1x" = 1
a> set "foo bar" = 1
a> set foo = 1
a> set "foo.b a" = 1
a> select set_config('foo..bar','1',false)
a> select set_config('a.b.c','1',false)
a> show a.b.c
a> show A.b.C
a> reset qqq.x
a> show qqq.x
a> select set_config('nosuch','1',false)
a> set port=1
a> set autovacuum=on
a> set block_size=1
a> set log_checkpoints=on
a> set log_connections=on
a> set superuser_reserved_connections=1
a> reset transaction_isolation
a> reset port
a> reset log_connections
a> reset autovacuum
a> reset block_size
a> set search_path = a, "B c", 'd e'
a> show search_path
a> set search_path = 'a, b'
a> show search_path
a> set search_path = ''
a> show search_path
a> select set_config('search_path','a, "',false)
a> reset search_path
a> alter system set nosuch=1
a> alter system reset foo.bar
a> alter system set block_size=1
a> alter system set work_mem='x'
a> set local foo.bar=1
a> set backslash_quote=on
a> show backslash_quote
a> set client_min_messages=debug
a> show client_min_messages
a> set client_min_messages=fatal
a> reset client_min_messages
a> set log_min_messages=info
a> show log_min_messages
a> set default_tablespace='nope'
a> set default_table_access_method='nope'
a> set default_table_access_method='btree'
a> set temp_tablespaces='nope'
a> set default_text_search_config='nope'
a> set restrict_nonsystem_relation_kind='view,x'
a> set restrict_nonsystem_relation_kind='view, foreign-table'
a> show restrict_nonsystem_relation_kind
a> set createrole_self_grant='x'
a> set wal_consistency_checking='x'
a> set role='nope'
a> set role=none
a> show role
a> set session_authorization='nope'
a> set seed=2
a> show is_superuser
a> show session_authorization
a> set application_name='aé'
a> show application_name
a> set log_destination='x'
a> set application_name = FooBar
a> show application_name
a> set application_name = "FooBar"
a> show application_name
a> begin
a> set foo.r = 5
a> set local foo.l = 6
a> show foo.l
a> set local work_mem='5MB'
a> commit
a> show foo.r
a> show foo.l
a> show work_mem
a> begin
a> set foo.n = 5
a> rollback
a> show foo.n
a> begin
a> savepoint a
a> set foo.s = 5
a> rollback to a
a> show foo.s
a> commit
a> begin
a> reset all
a> rollback
a> show work_mem
a> reset all
a> show work_mem
a> show foo.r
a> show application_name
a> begin
a> set transaction isolation level repeatable read
a> reset all
a> show transaction_isolation
a> commit
a> set role postgres
a> select current_user, session_user
a> show role
a> reset role
a> set role none
a> set session authorization postgres
a> set session authorization default
a> reset session authorization
a> set role "none"
a> set local role postgres
a> begin
a> set local role postgres
a> show role
a> commit
a> show role
a> discard plans
a> discard sequences
a> discard temp
a> discard temporary
a> begin
a> discard plans
a> discard all
a> rollback
a> discard all
a> close all
a> unlisten *
a> deallocate all
a> set synchronize_seqscans to off
a> set row_security=off
a> set restrict_nonsystem_relation_kind to 'view, foreign-table'
a> set transaction_timeout = 0
a> set xmloption = content
a> set check_function_bodies=false
a> set client_min_messages = warning
a> set default_table_access_method = heap
a> set default_tablespace = ''
a> select name, unit, vartype, context, min_val, max_val, category from pg_settings where name in ('vacuum_cost_delay','log_rotation_age','recursive_worktable_factor','jit_above_cost','ssl_max_protocol_version','geqo_seed') order by 1
a> set sort_mem = '2MB'
a> show sort_mem
a> show work_mem
a> show log_file_mode
a> show unix_socket_permissions
a> set wal_compression=on
a> show wal_compression
a> set constraint_exclusion=TRUE
a> show constraint_exclusion
a> set constraint_exclusion=yes
a> set synchronous_commit=t
a> set synchronous_commit = 1
a> show synchronous_commit
a> set synchronous_commit=remote_apply
a> set names 'utf8'
a> set bytea_output=ESCAPE
a> show bytea_output
a> set geqo = 1
a> show geqo
a> set geqo = 'of'
a> show geqo
a> set geqo='o'
a> set geqo=''
a> set extra_float_digits = '  2 '
a> show extra_float_digits
a> set extra_float_digits = 4
a> set a.b = 1, 2
a> set a.b to 'x', 'y'
a> show role
a> set session_authorization to default
a> select current_setting('work_mem'), current_setting('WORK_MEM')
a> show SEARCH_path
a> show "Search_Path"
