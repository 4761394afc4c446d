a> create role iso_mem_a createrole
a> create role iso_mem_b
a> create role iso_mem_c noinherit
a> create role iso_mem_d
a> grant iso_mem_a to iso_mem_a
a> grant iso_mem_b to iso_mem_c
a> grant iso_mem_b to iso_mem_c
a> grant iso_mem_c to iso_mem_b
a> grant iso_mem_b to iso_mem_a with admin option
a> grant iso_mem_b to iso_mem_d with inherit false, set true, admin false
a> select roleid::regrole, member::regrole, grantor::regrole, admin_option, inherit_option, set_option from pg_auth_members where member::regrole::text like 'iso_mem%' order by roleid::regrole::text, member::regrole::text, grantor::regrole::text
a> create table mem_t(a int)
a> grant select on mem_t to iso_mem_b
b> set session authorization iso_mem_a
b> select * from mem_t
b> set role iso_mem_b
b> select * from mem_t
b> reset role
b> grant iso_mem_b to iso_mem_d
b> grant iso_mem_b to iso_mem_d with admin option
b> grant iso_mem_c to iso_mem_d
b> grant iso_mem_b to iso_mem_d granted by iso_mem_c
b> revoke iso_mem_b from iso_mem_c
b> create role iso_mem_e
b> create role iso_mem_f in role iso_mem_b role iso_mem_d admin iso_mem_c
b> select roleid::regrole, member::regrole, grantor::regrole, admin_option, inherit_option, set_option from pg_auth_members where member::regrole::text like 'iso_mem%' and roleid > 16000 order by roleid::regrole::text, member::regrole::text, grantor::regrole::text
c> set session authorization iso_mem_d
c> select * from mem_t
c> set role iso_mem_b
c> set role iso_mem_c
c> reset role
c> grant iso_mem_b to iso_mem_c
c> grant iso_mem_b to iso_mem_a with admin option
a> reset role
a> revoke admin option for iso_mem_b from iso_mem_a
a> revoke admin option for iso_mem_b from iso_mem_a cascade
a> revoke inherit option for iso_mem_b from iso_mem_c
a> revoke iso_mem_b from iso_mem_nosuch
a> revoke iso_mem_b from iso_mem_e
a> grant iso_mem_b to public
a> grant iso_mem_b (x) to iso_mem_a
a> grant iso_mem_b to iso_mem_a with nosuch true
a> grant iso_mem_b to iso_mem_a with admin maybe
a> select roleid::regrole, member::regrole, grantor::regrole, admin_option, inherit_option, set_option from pg_auth_members where member::regrole::text like 'iso_mem%' and roleid > 16000 order by roleid::regrole::text, member::regrole::text, grantor::regrole::text
a> grant pg_database_owner to iso_mem_a
a> grant iso_mem_b to pg_database_owner
a> select pg_has_role('iso_mem_c', 'iso_mem_b', 'usage'), pg_has_role('iso_mem_c', 'iso_mem_b', 'member'), pg_has_role('iso_mem_c', 'iso_mem_b', 'set'), pg_has_role('iso_mem_a', 'iso_mem_b', 'member with admin option')
a> grant pg_read_all_data to iso_mem_c with inherit true
b> reset session authorization
b> set role iso_mem_c
b> select * from mem_t
b> insert into mem_t values (1)
b> select count(*) > 0 from pg_authid
b> reset role
c> reset session authorization
a> drop role iso_mem_a
a> alter group iso_mem_e add user iso_mem_d
a> alter group iso_mem_e drop user iso_mem_d
a> drop table mem_t
a> drop role iso_mem_f, iso_mem_e, iso_mem_b, iso_mem_a, iso_mem_c, iso_mem_d
