a> create role iso_found_a
a> create role iso_found_b
a> create role iso_found_c
a> grant iso_found_b to iso_found_a
a> create schema found
a> create table found.t(a int primary key, b text)
a> create table found.mine(a int primary key)
a> alter table found.mine owner to iso_found_a
a> create sequence found.q
a> alter sequence found.q owner to iso_found_a
a> create view found.v as select 1 as a
a> alter view found.v owner to iso_found_a
a> create table found_t(a int primary key, b text)
b> set role iso_found_a
b> alter table found.mine add column b int
b> alter table found.mine rename to other
b> alter table found.none add column b int
b> alter sequence found.q restart
b> truncate found.mine
b> reindex table found.mine
b> cluster found.mine using mine_pkey
b> create index on found.mine(a)
b> alter view found.v rename to w
b> create temp table found_like(like found.mine)
b> create temp table found_like(like found_t)
a> grant select(a) on found_t to iso_found_a
b> create temp table found_like(like found_t)
a> grant select on found_t to iso_found_a
b> create temp table found_like(like found_t)
b> drop table found_like
a> set search_path = ''
a> truncate found_t
a> alter table found_t add column c int
a> reset search_path
a> grant usage on schema found to iso_found_a
b> alter table found.mine add column b int
b> reindex database iso_privileges_found_by_generation
b> reindex schema found
b> reindex system iso_privileges_found_by_generation
a> alter schema found owner to iso_found_a
b> reindex schema found
a> alter schema found owner to iso_found_b
b> reassign owned by iso_found_b to iso_found_a
a> grant create on database iso_privileges_found_by_generation to iso_found_a
b> reassign owned by iso_found_b to iso_found_a
a> create role iso_found_d
a> grant iso_found_d to iso_found_a with set false
b> reassign owned by iso_found_a to iso_found_d
a> select relname, relowner::regrole from pg_class where relnamespace = 'found'::regnamespace and relkind <> 'i' order by 1
a> create sequence found_q
a> select nextval('found_q')
b> select pg_sequence_last_value('found_q'), last_value from pg_sequences where sequencename = 'found_q'
b> select * from pg_get_sequence_data('found_q')
a> grant usage on sequence found_q to iso_found_a
b> select pg_sequence_last_value('found_q'), last_value from pg_sequences where sequencename = 'found_q'
b> select * from pg_get_sequence_data('found_q')
a> grant select on sequence found_q to iso_found_a
b> select * from pg_get_sequence_data('found_q')
b> select pg_tablespace_size('pg_default') > 0
b> select pg_tablespace_size('pg_global') > 0
a> revoke connect on database iso_privileges_found_by_generation from public
b> select pg_database_size(current_database()) > 0
a> grant pg_read_all_stats to iso_found_a
b> select pg_database_size(current_database()) > 0
b> select pg_tablespace_size('pg_global') > 0
a> create table found_stats(a int)
b> select pg_clear_relation_stats('public', 'found_stats')
a> grant maintain on found_stats to iso_found_a
b> select pg_clear_relation_stats('public', 'found_stats')
b> reset role
a> drop owned by iso_found_a, iso_found_b, iso_found_c, iso_found_d cascade
a> drop role iso_found_a, iso_found_b, iso_found_c, iso_found_d
a> create role iso_found_e
a> create role iso_found_f
a> create table found_e(a int)
a> grant select on found_e to iso_found_e
b> set role iso_found_f
b> select current_user
a> alter role iso_found_e rename to iso_found_g
a> alter role iso_found_f rename to iso_found_e
a> alter role iso_found_g rename to iso_found_f
b> select current_user
b> select * from found_e
b> create temp table found_own(a int)
b> select relowner::regrole from pg_class where relname = 'found_own'
b> drop table found_own
b> select rolname from pg_roles where rolname = current_user
b> set role iso_found_f
b> select current_user
b> select * from found_e
a> drop owned by iso_found_f
a> drop role iso_found_f
b> select * from found_e
b> select 1
a> create role iso_found_f
a> grant select on found_e to iso_found_f
b> select * from found_e
b> set role iso_found_f
b> select * from found_e
b> reset role
a> drop owned by iso_found_e, iso_found_f
a> drop role iso_found_e, iso_found_f
a> create role iso_found_h
a> create role iso_found_i in role iso_found_h
a> create database iso_found_db owner iso_found_h
a> alter role iso_found_i set log_min_messages = 'error'
a> alter role iso_found_i set work_mem = '1MB'
b> set role iso_found_i
b> alter database iso_found_db set work_mem = '1MB'
b> alter database iso_found_db reset all
b> alter role iso_found_i reset all
b> select setconfig from pg_db_role_setting where setrole = 'iso_found_i'::regrole
b> alter role iso_found_i reset log_min_messages
a> grant set on parameter log_min_messages to iso_found_i
b> alter role iso_found_i reset all
b> select setconfig from pg_db_role_setting where setrole = 'iso_found_i'::regrole
b> alter role iso_found_i reset log_statement
b> drop database iso_found_db
b> reset role
a> drop owned by iso_found_i
a> drop role iso_found_h, iso_found_i
a> create role iso_found_j
a> create schema found_hidden
a> create view found_hidden.v as select 1 as a
a> create view found_view as select 1 as a
a> create sequence found_sequence
b> set role iso_found_j
b> select to_regclass('found_hidden.v')
b> select to_regclass('found_hidden.none')
b> select pg_input_is_valid('found_hidden.v', 'regclass')
b> select 'found_hidden.v'::regclass
b> select to_regclass('found_missing.v'), to_regtype('found_hidden.v')
b> copy found_view to stdout
b> create index on found_view(a)
b> create index on found_sequence(last_value)
a> create index on found_view(a)
a> select has_parameter_privilege('iso_found_j', 'log_statement', 'set'), has_parameter_privilege('LOG_statement', 'set, alter system')
b> select has_parameter_privilege('log_statement', 'set'), has_parameter_privilege('nosuch', 'set')
a> grant set on parameter log_statement to iso_found_j with grant option
b> select has_parameter_privilege('Log_Statement', 'set'), has_parameter_privilege('iso_found_j', 'log_statement', 'alter system')
b> select has_parameter_privilege('public', 'log_statement', 'set'), has_parameter_privilege('iso_found_j'::regrole, 'log_statement', 'set with grant option')
b> select has_parameter_privilege('log_statement', 'select')
b> select has_parameter_privilege('nosuch', 'log_statement', 'set')
b> reset role
a> drop owned by iso_found_j
a> drop role iso_found_j
a> create role iso_found_k
a> create table found_identity(a int generated always as identity, b int)
a> grant insert on found_identity to iso_found_k
b> set role iso_found_k
b> insert into found_identity(b) values (1), (2)
b> select nextval('found_identity_a_seq')
a> create table found_index(a int, b int)
a> alter table found_index owner to iso_found_k
a> revoke create on schema public from public
b> create index on found_index(a)
b> alter table found_index add primary key (a)
a> grant create on schema public to iso_found_k
b> create index on found_index(a)
b> alter table found_index add primary key (a)
b> create temp table found_own(a int primary key)
b> create index on found_own(a)
a> create view found_fails as select 1 / 0 as a
b> select * from found_fails
b> update pg_class set relname = 'x' where oid = 1
b> delete from pg_class
b> insert into pg_namespace (oid) values (1)
b> reset role
a> drop owned by iso_found_k
a> drop role iso_found_k
