a> create role iso_mx_o
a> create role iso_mx_d
a> create role iso_mx_m
a> create role iso_mx_n
a> create role iso_mx_g
a> grant iso_mx_g to iso_mx_m
a> create schema mx authorization iso_mx_o
a> grant usage on schema mx to public
b> set role iso_mx_o
c> set role iso_mx_d
d> set role iso_mx_m
e> set role iso_mx_n
b> create table mx.t(a int, b int)
b> create view mx.v as select a, b from mx.t
b> create view mx.w with (security_invoker) as select a, b from mx.t
b> create sequence mx.q
b> insert into mx.t values (1, 1)
b> grant select on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke select on mx.t from iso_mx_d
b> grant select on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke select on mx.t from iso_mx_g
b> grant select on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke select on mx.t from public
b> grant insert on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke insert on mx.t from iso_mx_d
b> grant insert on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke insert on mx.t from iso_mx_g
b> grant insert on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke insert on mx.t from public
b> grant update on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke update on mx.t from iso_mx_d
b> grant update on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke update on mx.t from iso_mx_g
b> grant update on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke update on mx.t from public
b> grant delete on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke delete on mx.t from iso_mx_d
b> grant delete on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke delete on mx.t from iso_mx_g
b> grant delete on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke delete on mx.t from public
b> grant truncate on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke truncate on mx.t from iso_mx_d
b> grant truncate on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke truncate on mx.t from iso_mx_g
b> grant truncate on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke truncate on mx.t from public
b> grant references on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke references on mx.t from iso_mx_d
b> grant references on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke references on mx.t from iso_mx_g
b> grant references on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke references on mx.t from public
b> grant trigger on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke trigger on mx.t from iso_mx_d
b> grant trigger on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke trigger on mx.t from iso_mx_g
b> grant trigger on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke trigger on mx.t from public
b> grant maintain on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke maintain on mx.t from iso_mx_d
b> grant maintain on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke maintain on mx.t from iso_mx_g
b> grant maintain on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke maintain on mx.t from public
b> grant select (a) on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke select (a) on mx.t from iso_mx_d
b> grant select (a) on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke select (a) on mx.t from iso_mx_g
b> grant select (a) on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke select (a) on mx.t from public
b> grant insert (a) on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke insert (a) on mx.t from iso_mx_d
b> grant insert (a) on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke insert (a) on mx.t from iso_mx_g
b> grant insert (a) on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke insert (a) on mx.t from public
b> grant update (a) on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke update (a) on mx.t from iso_mx_d
b> grant update (a) on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke update (a) on mx.t from iso_mx_g
b> grant update (a) on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke update (a) on mx.t from public
b> grant select, delete on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke select, delete on mx.t from iso_mx_d
b> grant select, delete on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke select, delete on mx.t from iso_mx_g
b> grant select, delete on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke select, delete on mx.t from public
b> grant all on mx.t to iso_mx_d
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select a from mx.t
d> select a from mx.t
e> select a from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t values (2, 2)
d> insert into mx.t values (2, 2)
e> insert into mx.t values (2, 2)
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set a = 5
d> update mx.t set a = 5
e> update mx.t set a = 5
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> delete from mx.t where a = 7
d> delete from mx.t where a = 7
e> delete from mx.t where a = 7
c> delete from mx.t
d> delete from mx.t
e> delete from mx.t
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
c> insert into mx.v values (4, 4)
d> insert into mx.v values (4, 4)
e> insert into mx.v values (4, 4)
c> insert into mx.w values (4, 4)
d> insert into mx.w values (4, 4)
e> insert into mx.w values (4, 4)
c> update mx.w set b = 3
d> update mx.w set b = 3
e> update mx.w set b = 3
c> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
d> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
e> merge into mx.t using (values (1)) s(i) on a = i when matched then delete
b> revoke all on mx.t from iso_mx_d
b> grant all on mx.t to iso_mx_g
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke all on mx.t from iso_mx_g
b> grant all on mx.t to public
c> select * from mx.t
d> select * from mx.t
e> select * from mx.t
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> insert into mx.t(a) values (3)
d> insert into mx.t(a) values (3)
e> insert into mx.t(a) values (3)
c> update mx.t set b = a
d> update mx.t set b = a
e> update mx.t set b = a
c> truncate mx.t
d> truncate mx.t
e> truncate mx.t
c> select a from mx.v
d> select a from mx.v
e> select a from mx.v
c> select a from mx.w
d> select a from mx.w
e> select a from mx.w
b> revoke all on mx.t from public
b> grant select on mx.v to iso_mx_d
c> select a from mx.v
d> select a from mx.v
c> select b from mx.v
d> select b from mx.v
c> insert into mx.v values (1, 1)
d> insert into mx.v values (1, 1)
c> update mx.v set a = 2
d> update mx.v set a = 2
b> revoke select on mx.v from iso_mx_d
b> grant insert on mx.v to iso_mx_d
c> select a from mx.v
d> select a from mx.v
c> select b from mx.v
d> select b from mx.v
c> insert into mx.v values (1, 1)
d> insert into mx.v values (1, 1)
c> update mx.v set a = 2
d> update mx.v set a = 2
b> revoke insert on mx.v from iso_mx_d
b> grant update on mx.v to iso_mx_d
c> select a from mx.v
d> select a from mx.v
c> select b from mx.v
d> select b from mx.v
c> insert into mx.v values (1, 1)
d> insert into mx.v values (1, 1)
c> update mx.v set a = 2
d> update mx.v set a = 2
b> revoke update on mx.v from iso_mx_d
b> grant select (a) on mx.v to iso_mx_d
c> select a from mx.v
d> select a from mx.v
c> select b from mx.v
d> select b from mx.v
c> insert into mx.v values (1, 1)
d> insert into mx.v values (1, 1)
c> update mx.v set a = 2
d> update mx.v set a = 2
b> revoke select (a) on mx.v from iso_mx_d
b> grant select on mx.w to iso_mx_d
c> select a from mx.w
d> select a from mx.w
c> select b from mx.w
d> select b from mx.w
c> insert into mx.w values (1, 1)
d> insert into mx.w values (1, 1)
c> update mx.w set a = 2
d> update mx.w set a = 2
b> revoke select on mx.w from iso_mx_d
b> grant insert on mx.w to iso_mx_d
c> select a from mx.w
d> select a from mx.w
c> select b from mx.w
d> select b from mx.w
c> insert into mx.w values (1, 1)
d> insert into mx.w values (1, 1)
c> update mx.w set a = 2
d> update mx.w set a = 2
b> revoke insert on mx.w from iso_mx_d
b> grant update on mx.w to iso_mx_d
c> select a from mx.w
d> select a from mx.w
c> select b from mx.w
d> select b from mx.w
c> insert into mx.w values (1, 1)
d> insert into mx.w values (1, 1)
c> update mx.w set a = 2
d> update mx.w set a = 2
b> revoke update on mx.w from iso_mx_d
b> grant select (a) on mx.w to iso_mx_d
c> select a from mx.w
d> select a from mx.w
c> select b from mx.w
d> select b from mx.w
c> insert into mx.w values (1, 1)
d> insert into mx.w values (1, 1)
c> update mx.w set a = 2
d> update mx.w set a = 2
b> revoke select (a) on mx.w from iso_mx_d
b> select nextval('mx.q')
c> create temp sequence mx_own
d> create temp sequence mx_own
e> create temp sequence mx_own
c> select nextval('mx_own')
d> select nextval('mx_own')
e> select nextval('mx_own')
b> grant usage on sequence mx.q to iso_mx_d
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke usage on sequence mx.q from iso_mx_d
b> grant usage on sequence mx.q to iso_mx_g
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke usage on sequence mx.q from iso_mx_g
b> grant usage on sequence mx.q to public
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke usage on sequence mx.q from public
b> grant select on sequence mx.q to iso_mx_d
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke select on sequence mx.q from iso_mx_d
b> grant select on sequence mx.q to iso_mx_g
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke select on sequence mx.q from iso_mx_g
b> grant select on sequence mx.q to public
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke select on sequence mx.q from public
b> grant update on sequence mx.q to iso_mx_d
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke update on sequence mx.q from iso_mx_d
b> grant update on sequence mx.q to iso_mx_g
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke update on sequence mx.q from iso_mx_g
b> grant update on sequence mx.q to public
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke update on sequence mx.q from public
b> grant all on sequence mx.q to iso_mx_d
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke all on sequence mx.q from iso_mx_d
b> grant all on sequence mx.q to iso_mx_g
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke all on sequence mx.q from iso_mx_g
b> grant all on sequence mx.q to public
c> select nextval('mx.q') is null
d> select nextval('mx.q') is null
e> select nextval('mx.q') is null
c> select currval('mx.q') is null
d> select currval('mx.q') is null
e> select currval('mx.q') is null
c> select setval('mx.q', 5)
d> select setval('mx.q', 5)
e> select setval('mx.q', 5)
c> select is_called from mx.q
d> select is_called from mx.q
e> select is_called from mx.q
c> select lastval() is null
d> select lastval() is null
e> select lastval() is null
b> revoke all on sequence mx.q from public
b> grant select on mx.t to iso_mx_d
c> begin
c> lock mx.t in access share mode
c> rollback
c> begin
c> lock mx.t in row share mode
c> rollback
c> begin
c> lock mx.t in row exclusive mode
c> rollback
c> begin
c> lock mx.t in share mode
c> rollback
c> begin
c> lock mx.t in access exclusive mode
c> rollback
b> revoke select on mx.t from iso_mx_d
b> grant insert on mx.t to iso_mx_d
c> begin
c> lock mx.t in access share mode
c> rollback
c> begin
c> lock mx.t in row share mode
c> rollback
c> begin
c> lock mx.t in row exclusive mode
c> rollback
c> begin
c> lock mx.t in share mode
c> rollback
c> begin
c> lock mx.t in access exclusive mode
c> rollback
b> revoke insert on mx.t from iso_mx_d
b> grant update on mx.t to iso_mx_d
c> begin
c> lock mx.t in access share mode
c> rollback
c> begin
c> lock mx.t in row share mode
c> rollback
c> begin
c> lock mx.t in row exclusive mode
c> rollback
c> begin
c> lock mx.t in share mode
c> rollback
c> begin
c> lock mx.t in access exclusive mode
c> rollback
b> revoke update on mx.t from iso_mx_d
b> grant delete on mx.t to iso_mx_d
c> begin
c> lock mx.t in access share mode
c> rollback
c> begin
c> lock mx.t in row share mode
c> rollback
c> begin
c> lock mx.t in row exclusive mode
c> rollback
c> begin
c> lock mx.t in share mode
c> rollback
c> begin
c> lock mx.t in access exclusive mode
c> rollback
b> revoke delete on mx.t from iso_mx_d
b> grant truncate on mx.t to iso_mx_d
c> begin
c> lock mx.t in access share mode
c> rollback
c> begin
c> lock mx.t in row share mode
c> rollback
c> begin
c> lock mx.t in row exclusive mode
c> rollback
c> begin
c> lock mx.t in share mode
c> rollback
c> begin
c> lock mx.t in access exclusive mode
c> rollback
b> revoke truncate on mx.t from iso_mx_d
b> grant maintain on mx.t to iso_mx_d
c> begin
c> lock mx.t in access share mode
c> rollback
c> begin
c> lock mx.t in row share mode
c> rollback
c> begin
c> lock mx.t in row exclusive mode
c> rollback
c> begin
c> lock mx.t in share mode
c> rollback
c> begin
c> lock mx.t in access exclusive mode
c> rollback
b> revoke maintain on mx.t from iso_mx_d
b> revoke usage on schema mx from public
b> grant usage on schema mx to iso_mx_d
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke usage on schema mx from iso_mx_d
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant usage on schema mx to iso_mx_g
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke usage on schema mx from iso_mx_g
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant usage on schema mx to public
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke usage on schema mx from public
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant create on schema mx to iso_mx_d
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke create on schema mx from iso_mx_d
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant create on schema mx to iso_mx_g
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke create on schema mx from iso_mx_g
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant create on schema mx to public
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke create on schema mx from public
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant all on schema mx to iso_mx_d
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke all on schema mx from iso_mx_d
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant all on schema mx to iso_mx_g
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke all on schema mx from iso_mx_g
b> grant usage on schema mx to public
b> revoke usage on schema mx from public
b> grant all on schema mx to public
c> select count(*) from mx.t
d> select count(*) from mx.t
e> select count(*) from mx.t
c> create table mx.new(i int)
d> create table mx.new(i int)
e> create table mx.new(i int)
c> drop table mx.new
d> drop table mx.new
e> drop table mx.new
c> select 'mx.t'::regclass is null
d> select 'mx.t'::regclass is null
e> select 'mx.t'::regclass is null
b> revoke all on schema mx from public
b> grant usage on schema mx to public
b> grant select on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'select'), has_table_privilege('iso_mx_d', 'mx.t', 'select with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'select'), has_table_privilege('iso_mx_m', 'mx.t', 'select with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'select'), has_table_privilege('iso_mx_g', 'mx.t', 'select with grant option')
a> select has_table_privilege('public', 'mx.t', 'select'), has_table_privilege('public', 'mx.t', 'select with grant option')
d> grant select on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke select on mx.t from iso_mx_g
b> revoke grant option for select on mx.t from iso_mx_g cascade
b> revoke select on mx.t from iso_mx_g cascade
b> grant insert on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'insert'), has_table_privilege('iso_mx_d', 'mx.t', 'insert with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'insert'), has_table_privilege('iso_mx_m', 'mx.t', 'insert with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'insert'), has_table_privilege('iso_mx_g', 'mx.t', 'insert with grant option')
a> select has_table_privilege('public', 'mx.t', 'insert'), has_table_privilege('public', 'mx.t', 'insert with grant option')
d> grant insert on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke insert on mx.t from iso_mx_g
b> revoke grant option for insert on mx.t from iso_mx_g cascade
b> revoke insert on mx.t from iso_mx_g cascade
b> grant update on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'update'), has_table_privilege('iso_mx_d', 'mx.t', 'update with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'update'), has_table_privilege('iso_mx_m', 'mx.t', 'update with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'update'), has_table_privilege('iso_mx_g', 'mx.t', 'update with grant option')
a> select has_table_privilege('public', 'mx.t', 'update'), has_table_privilege('public', 'mx.t', 'update with grant option')
d> grant update on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke update on mx.t from iso_mx_g
b> revoke grant option for update on mx.t from iso_mx_g cascade
b> revoke update on mx.t from iso_mx_g cascade
b> grant delete on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'delete'), has_table_privilege('iso_mx_d', 'mx.t', 'delete with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'delete'), has_table_privilege('iso_mx_m', 'mx.t', 'delete with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'delete'), has_table_privilege('iso_mx_g', 'mx.t', 'delete with grant option')
a> select has_table_privilege('public', 'mx.t', 'delete'), has_table_privilege('public', 'mx.t', 'delete with grant option')
d> grant delete on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke delete on mx.t from iso_mx_g
b> revoke grant option for delete on mx.t from iso_mx_g cascade
b> revoke delete on mx.t from iso_mx_g cascade
b> grant truncate on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'truncate'), has_table_privilege('iso_mx_d', 'mx.t', 'truncate with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'truncate'), has_table_privilege('iso_mx_m', 'mx.t', 'truncate with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'truncate'), has_table_privilege('iso_mx_g', 'mx.t', 'truncate with grant option')
a> select has_table_privilege('public', 'mx.t', 'truncate'), has_table_privilege('public', 'mx.t', 'truncate with grant option')
d> grant truncate on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke truncate on mx.t from iso_mx_g
b> revoke grant option for truncate on mx.t from iso_mx_g cascade
b> revoke truncate on mx.t from iso_mx_g cascade
b> grant references on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'references'), has_table_privilege('iso_mx_d', 'mx.t', 'references with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'references'), has_table_privilege('iso_mx_m', 'mx.t', 'references with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'references'), has_table_privilege('iso_mx_g', 'mx.t', 'references with grant option')
a> select has_table_privilege('public', 'mx.t', 'references'), has_table_privilege('public', 'mx.t', 'references with grant option')
d> grant references on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke references on mx.t from iso_mx_g
b> revoke grant option for references on mx.t from iso_mx_g cascade
b> revoke references on mx.t from iso_mx_g cascade
b> grant trigger on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'trigger'), has_table_privilege('iso_mx_d', 'mx.t', 'trigger with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'trigger'), has_table_privilege('iso_mx_m', 'mx.t', 'trigger with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'trigger'), has_table_privilege('iso_mx_g', 'mx.t', 'trigger with grant option')
a> select has_table_privilege('public', 'mx.t', 'trigger'), has_table_privilege('public', 'mx.t', 'trigger with grant option')
d> grant trigger on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke trigger on mx.t from iso_mx_g
b> revoke grant option for trigger on mx.t from iso_mx_g cascade
b> revoke trigger on mx.t from iso_mx_g cascade
b> grant maintain on mx.t to iso_mx_g with grant option
a> select has_table_privilege('iso_mx_d', 'mx.t', 'maintain'), has_table_privilege('iso_mx_d', 'mx.t', 'maintain with grant option')
a> select has_table_privilege('iso_mx_m', 'mx.t', 'maintain'), has_table_privilege('iso_mx_m', 'mx.t', 'maintain with grant option')
a> select has_table_privilege('iso_mx_g', 'mx.t', 'maintain'), has_table_privilege('iso_mx_g', 'mx.t', 'maintain with grant option')
a> select has_table_privilege('public', 'mx.t', 'maintain'), has_table_privilege('public', 'mx.t', 'maintain with grant option')
d> grant maintain on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke maintain on mx.t from iso_mx_g
b> revoke grant option for maintain on mx.t from iso_mx_g cascade
b> revoke maintain on mx.t from iso_mx_g cascade
b> grant select (a) on mx.t to iso_mx_g with grant option
a> select has_any_column_privilege('iso_mx_d', 'mx.t', 'select')
a> select has_any_column_privilege('iso_mx_m', 'mx.t', 'select')
a> select has_any_column_privilege('iso_mx_g', 'mx.t', 'select')
a> select has_any_column_privilege('public', 'mx.t', 'select')
d> grant select (a) on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke select (a) on mx.t from iso_mx_g
b> revoke grant option for select (a) on mx.t from iso_mx_g cascade
b> revoke select (a) on mx.t from iso_mx_g cascade
b> grant insert (a) on mx.t to iso_mx_g with grant option
a> select has_any_column_privilege('iso_mx_d', 'mx.t', 'insert')
a> select has_any_column_privilege('iso_mx_m', 'mx.t', 'insert')
a> select has_any_column_privilege('iso_mx_g', 'mx.t', 'insert')
a> select has_any_column_privilege('public', 'mx.t', 'insert')
d> grant insert (a) on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke insert (a) on mx.t from iso_mx_g
b> revoke grant option for insert (a) on mx.t from iso_mx_g cascade
b> revoke insert (a) on mx.t from iso_mx_g cascade
b> grant update (a) on mx.t to iso_mx_g with grant option
a> select has_any_column_privilege('iso_mx_d', 'mx.t', 'update')
a> select has_any_column_privilege('iso_mx_m', 'mx.t', 'update')
a> select has_any_column_privilege('iso_mx_g', 'mx.t', 'update')
a> select has_any_column_privilege('public', 'mx.t', 'update')
d> grant update (a) on mx.t to iso_mx_n
a> select relacl from pg_class where oid = 'mx.t'::regclass
a> select attname, attacl from pg_attribute where attrelid = 'mx.t'::regclass and attacl is not null
b> revoke update (a) on mx.t from iso_mx_g
b> revoke grant option for update (a) on mx.t from iso_mx_g cascade
b> revoke update (a) on mx.t from iso_mx_g cascade
c> drop sequence mx_own
d> drop sequence mx_own
e> drop sequence mx_own
b> reset role
c> reset role
d> reset role
e> reset role
a> drop schema mx cascade
a> drop role iso_mx_m, iso_mx_g, iso_mx_d, iso_mx_n, iso_mx_o
