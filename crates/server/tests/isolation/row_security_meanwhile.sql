# Plans that are kept: policies, roles, memberships and settings change meanwhile
a> create role iso_rm_a
a> create role iso_rm_b
a> create role iso_rm_g
a> create table rm(id int primary key, owner text, n int)
a> insert into rm select i, case when i % 2 = 0 then 'iso_rm_a' else 'iso_rm_b' end, i from generate_series(1, 10) i
a> grant select, insert, update, delete on rm to iso_rm_a, iso_rm_b
b> set role iso_rm_a
b> prepare s as select id from rm order by id
b> prepare u as update rm set n = n + 1 where id <= 4 returning id
b> prepare i(int, text) as insert into rm values ($1, $2, 0)
b> prepare d(int) as delete from rm where id = $1
b> execute s
a> alter table rm enable row level security
b> execute s
b> execute u
b> execute i(20, 'iso_rm_a')
b> execute d(1)
a> create policy own on rm using (owner = current_user)
b> execute s
b> execute u
b> execute i(21, 'iso_rm_a')
b> execute i(22, 'iso_rm_b')
b> execute d(1)
b> execute d(2)
b> set role iso_rm_b
b> execute s
b> execute i(22, 'iso_rm_b')
b> execute d(1)
b> reset role
b> execute s
b> set session authorization iso_rm_a
b> execute s
b> set row_security = off
b> execute s
b> execute i(23, 'iso_rm_a')
b> reset row_security
b> execute s
b> set local row_security = off
b> begin
b> set local row_security = off
b> execute s
b> rollback
b> execute s
a> alter policy own on rm using (owner = current_user and id > 5)
b> execute s
a> alter policy own on rm to iso_rm_g
b> execute s
a> grant iso_rm_g to iso_rm_a
b> execute s
a> revoke inherit option for iso_rm_g from iso_rm_a
b> execute s
a> grant iso_rm_g to iso_rm_a with inherit true
b> execute s
a> alter role iso_rm_a bypassrls
b> execute s
a> alter role iso_rm_a nobypassrls
b> execute s
a> alter role iso_rm_a superuser
b> execute s
a> alter role iso_rm_a nosuperuser
b> execute s
a> alter table rm owner to iso_rm_a
b> execute s
a> alter table rm force row level security
b> execute s
a> alter table rm no force row level security
b> execute s
a> alter table rm owner to postgres
a> grant select, insert, update, delete on rm to iso_rm_a
b> execute s
b> begin
b> declare c cursor for select id from rm order by id
b> fetch 1 from c
a> drop policy own on rm
b> commit
b> execute s
a> create policy own on rm using (owner = current_user)
b> begin
b> declare c cursor for select id from rm order by id
b> fetch 1 from c
b> rollback
b> reset session authorization
b> set role iso_rm_a
b> begin
b> declare c scroll cursor with hold for select id from rm order by id
b> set row_security = off
b> commit
b> reset row_security
b> fetch all from c
b> close c
b> begin isolation level repeatable read
b> select count(*) from rm
a> alter policy own on rm using (id = 3)
b> execute s
b> commit
b> begin
b> update rm set n = 0 where id = 3
a> update rm set owner = 'someone' where id = 3
b> commit
b> select * from rm
a> alter policy own on rm using (owner = current_user)
a> begin
a> update rm set owner = 'iso_rm_b' where id = 6
b> update rm set n = 100
a> commit
b> select id, n from rm order by id
a> begin
a> update rm set owner = 'iso_rm_a' where id = 6
b> delete from rm where id = 6
a> commit
b> select count(*) from rm where id = 6
a> begin
a> update rm set owner = 'iso_rm_b' where id = 8
b> select id from rm where id = 8 for update
a> commit
a> begin
a> alter table rm disable row level security
b> execute s
a> commit
b> execute s
a> begin
a> alter table rm enable row level security
b> select count(*) from rm
a> rollback
a> drop table rm
b> execute s
b> reset role
a> drop role iso_rm_a, iso_rm_b, iso_rm_g
