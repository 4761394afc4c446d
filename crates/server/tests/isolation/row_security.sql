# Policies as objects: CREATE, ALTER, DROP, RENAME, COMMENT, what they depend on, who may
a> create role iso_rs_o
a> create role iso_rs_a
a> create role iso_rs_b
a> create role iso_rs_g
a> grant iso_rs_g to iso_rs_b
a> create schema rs authorization iso_rs_o
a> grant usage on schema rs to public
b> set role iso_rs_o
c> set role iso_rs_a
b> create table rs.t(id int primary key, owner text, n int)
b> create table rs.other(id int, who text)
b> create view rs.v as select * from rs.t
b> create sequence rs.q
b> create policy p on rs.t
b> create policy p on rs.t
b> create policy p on rs.other using (true)
b> create policy q on rs.t for select using (owner = current_user)
b> create policy r on rs.t as restrictive for update to iso_rs_a, iso_rs_b using (n > 0) with check (n < 100)
b> create policy s on rs.t for insert to public with check (n is not null)
b> create policy w on rs.t for all to iso_rs_a, public, iso_rs_b using (id > 0)
b> create policy x on rs.t as permissive for delete to current_user, session_user using (exists (select from rs.other where other.id = t.id and who = t.owner))
b> create policy bad on rs.t for select with check (true)
b> create policy bad on rs.t for delete using (true) with check (true)
b> create policy bad on rs.t for insert using (true)
b> create policy bad on rs.t for insert using (true) with check (true)
b> create policy bad on rs.t for nothing using (true)
b> create policy bad on rs.t as loose using (true)
b> create policy bad on rs.t using (1)
b> create policy bad on rs.t with check ('x'::text)
b> create policy bad on rs.t using (nosuch > 1)
b> create policy bad on rs.t using (sum(n) > 1)
b> create policy bad on rs.t using (row_number() over () > 1)
b> create policy bad on rs.t using (generate_series(1, n) > 1)
b> create policy bad on rs.t using (n > (select max(id) from rs.nosuch))
b> create policy bad on rs.t to iso_rs_nosuch using (true)
b> create policy bad on rs.t to public, iso_rs_nosuch using (true)
b> create policy bad on rs.t to iso_rs_nosuch, public using (true)
b> create policy bad on rs.v using (true)
b> create policy bad on rs.q using (true)
b> create policy bad on rs.t_pkey using (true)
b> create policy bad on rs.nosuch using (true)
b> create policy bad on nosuch.t using (true)
b> create policy bad on pg_class using (true)
c> create policy bad on rs.t using (true)
c> alter policy p on rs.t using (true)
c> alter policy p on rs.t rename to z
c> drop policy p on rs.t
c> drop policy nosuch on rs.t
c> drop policy if exists nosuch on rs.t
c> comment on policy p on rs.t is 'mine'
c> alter table rs.t enable row level security
c> alter table rs.t force row level security
a> create policy bad on pg_class using (true)
b> select polname, polrelid::regclass, polcmd, polpermissive, polroles::regrole[], pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid) from pg_policy order by 2, 1
b> select * from pg_policies order by 1, 2, 3
b> select pg_get_expr(polqual, polrelid, true) from pg_policy where polname = 'x'
b> select distinct polname, deptype, refclassid::regclass, case refclassid when 'pg_class'::regclass then refobjid::regclass::text end, refobjsubid from pg_depend join pg_policy p on classid = 'pg_policy'::regclass and objid = p.oid order by 1, 2, 4, 5
b> select distinct polname, deptype, refobjid::regrole from pg_shdepend join pg_policy p on classid = 'pg_policy'::regclass and objid = p.oid order by 1, 3
b> select pg_describe_object('pg_policy'::regclass, oid, 0) from pg_policy order by 1
b> select i.* from pg_policy p, pg_identify_object('pg_policy'::regclass, p.oid, 0) i order by 4
b> select i.type, i.object_names, i.object_args from pg_policy p, pg_identify_object_as_address('pg_policy'::regclass, p.oid, 0) i order by 2
b> select classid::regclass, objsubid, (select polname from pg_policy where oid = objid) from pg_get_object_address('policy', '{rs,t,p}', '{}')
b> select pg_get_object_address('policy', '{rs,t,nosuch}', '{}')
b> comment on policy p on rs.t is 'the first'
b> select obj_description(oid, 'pg_policy') from pg_policy where polname = 'p' and polrelid = 'rs.t'::regclass
b> comment on policy nosuch on rs.t is 'no'
b> alter policy p on rs.t rename to q
b> alter policy nosuch on rs.t rename to q
b> alter policy nosuch on rs.t rename to z
b> alter policy p on rs.t rename to z
b> alter policy p on rs.nosuch rename to z
b> alter policy if exists p on rs.nosuch rename to z
b> alter policy if exists p on rs.t rename to z
b> alter policy p on rs.v rename to z
b> alter policy nosuch on rs.t using (true)
b> alter policy q on rs.t with check (true)
b> alter policy s on rs.t using (true)
b> alter policy s on rs.t with check (n > 1) 
b> alter policy q on rs.t using (owner = session_user and n > 0)
b> alter policy r on rs.t to iso_rs_b
b> alter policy r on rs.t to iso_rs_nosuch
b> alter policy x on rs.t to public using (id in (select other.id from rs.other))
b> alter policy z on rs.t to iso_rs_g, iso_rs_g using (n = 1) with check (n = 2)
b> select policyname, permissive, roles, cmd, qual, with_check from pg_policies where tablename = 't' order by 1
b> select distinct polname, deptype, refobjid::regrole from pg_shdepend join pg_policy p on classid = 'pg_policy'::regclass and objid = p.oid order by 1, 3
b> select distinct polname, deptype, case refclassid when 'pg_class'::regclass then refobjid::regclass::text end, refobjsubid from pg_depend join pg_policy p on classid = 'pg_policy'::regclass and objid = p.oid order by 1, 2, 3, 4
b> alter table rs.t rename column n to number
b> alter table rs.other rename to another
b> select policyname, qual, with_check from pg_policies where tablename = 't' order by 1
b> alter table rs.t alter column number type bigint
b> alter table rs.another alter column id type bigint
b> alter table rs.t alter column owner type varchar
b> alter table rs.t drop column number
b> drop table rs.another
b> alter table rs.t add column extra int
b> alter table rs.another drop column who
b> alter table rs.another add column more int
b> select policyname, qual, with_check from pg_policies where tablename = 't' order by 1
b> alter table rs.t drop column number cascade
b> select policyname from pg_policies order by 1
b> drop table rs.another cascade
b> select policyname from pg_policies order by 1
b> create policy g on rs.t to iso_rs_g, iso_rs_a using (id > 1)
b> create policy h on rs.t to iso_rs_g using (id > 2)
a> drop role iso_rs_g
a> drop role iso_rs_a
a> drop owned by iso_rs_g
b> select policyname, roles from pg_policies order by 1
b> select distinct polname, refobjid::regrole from pg_shdepend join pg_policy p on classid = 'pg_policy'::regclass and objid = p.oid order by 1, 2
a> drop role iso_rs_g
a> drop role iso_rs_a
a> reassign owned by iso_rs_a to iso_rs_b
a> drop owned by iso_rs_a
b> select policyname, roles from pg_policies order by 1
b> create policy postgres on rs.t to postgres, pg_monitor using (true)
b> select polname, refobjid::regrole from pg_shdepend join pg_policy p on classid = 'pg_policy'::regclass and objid = p.oid order by 1, 2
b> select relrowsecurity, relforcerowsecurity from pg_class where oid = 'rs.t'::regclass
b> select rowsecurity from pg_tables where tablename = 't' and schemaname = 'rs'
b> alter table rs.t enable row level security
b> alter table rs.t force row level security, add column y int
b> select relrowsecurity, relforcerowsecurity from pg_class where oid = 'rs.t'::regclass
b> select rowsecurity from pg_tables where tablename = 't' and schemaname = 'rs'
b> alter table rs.t alter column y type text, disable row level security
b> truncate rs.t
b> select relrowsecurity, relforcerowsecurity from pg_class where oid = 'rs.t'::regclass
b> alter table rs.t no force row level security
b> select relrowsecurity, relforcerowsecurity from pg_class where oid = 'rs.t'::regclass
b> alter table rs.v enable row level security
b> alter view rs.v enable row level security
b> alter table rs.q force row level security
b> alter table rs.t_pkey no force row level security
b> alter table rs.nosuch enable row level security
b> alter table if exists rs.nosuch enable row level security
b> alter table rs.t rename to renamed
b> drop policy z on rs.t
b> drop policy q on rs.renamed
b> drop policy q on rs.renamed
b> drop policy if exists q on rs.renamed
b> drop policy if exists q on rs.nosuch
b> drop policy if exists q on nosuch.t
b> drop policy g on rs.renamed cascade
b> select policyname from pg_policies order by 1
b> begin
b> create policy inside on rs.renamed using (true)
b> savepoint s
b> drop policy inside on rs.renamed
b> rollback to s
b> select policyname from pg_policies order by 1
b> rollback
b> select policyname from pg_policies order by 1
b> create table rs.like_it(like rs.renamed including all)
b> select count(*) from pg_policy where polrelid = 'rs.like_it'::regclass
b> drop table rs.renamed cascade
b> select policyname from pg_policies order by 1
b> select count(*) from pg_depend where classid = 'pg_policy'::regclass
a> select count(*) from pg_shdepend where classid = 'pg_policy'::regclass and dbid = (select oid from pg_database where datname = current_database())
b> create temp table tt(a int)
b> create policy p on tt using (a = 1)
b> select policyname, qual from pg_policies
b> drop table tt
b> select policyname, qual from pg_policies
a> begin read only
a> create policy p on rs.like_it using (true)
a> rollback
a> begin read only
a> alter policy p on rs.like_it using (true)
a> rollback
b> create policy deep on rs.like_it using (id in (select id from rs.like_it l where exists (select from rs.like_it m where m.id = l.id and m.owner = like_it.owner)))
b> select qual from pg_policies
b> alter table rs.like_it rename id to identity
b> select qual from pg_policies
b> create policy joins on rs.like_it using (exists (select from rs.like_it a join rs.like_it b using (identity) where a.owner = like_it.owner union select 1))
b> create policy ctes on rs.like_it using (identity = any (array(with c as (select like_it.identity as i) select i from c)))
b> create policy rows on rs.like_it using (like_it is not null) with check (like_it.tableoid = 'rs.like_it'::regclass)
b> select policyname, qual, with_check from pg_policies order by 1
b> drop schema rs cascade
b> select policyname from pg_policies
c> reset role
a> drop owned by iso_rs_o
a> drop role iso_rs_o, iso_rs_a, iso_rs_b
