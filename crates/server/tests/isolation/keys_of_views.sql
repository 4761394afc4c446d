# Views whose GROUP BY needs a primary key
a> create table articles(id int constraint articles_pk primary key, keywords text, title text unique not null, body text)
a> create view by_key as select id, keywords, title, body from articles group by id
a> alter table articles drop constraint articles_pk
a> alter table articles drop constraint articles_pk restrict
a> create view by_all as select id, title from articles group by id, title
a> create view in_query as select * from (select title from articles group by id) s
a> create view over_view as select title from by_key
a> create view by_join as select a.id, a.title, count(*) from articles a join articles b on a.id <= b.id group by a.id
a> create view by_having as select id from articles group by id having body is null
a> alter table articles drop constraint articles_pk
a> select ev_class::regclass::text, deptype from pg_depend, pg_rewrite r where refclassid = 'pg_constraint'::regclass and objid = r.oid and refobjid = (select oid from pg_constraint where conname = 'articles_pk') order by 1
a> begin
a> alter table articles drop constraint articles_pk cascade
a> select relname from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace order by 1
a> rollback
a> select relname from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace order by 1
a> drop view by_key cascade
a> drop view in_query, by_join
a> alter table articles drop constraint articles_pk
a> drop view by_having
a> alter table articles drop constraint articles_pk
a> select * from by_all
a> alter table articles add constraint articles_pk primary key (id)
a> create view again as select id, title from articles group by id
a> alter table articles drop column id
a> drop table articles
a> drop table articles cascade
# restrict_nonsystem_relation_kind
a> create table r(x int)
a> insert into r values (1)
a> create view v as select x from r
a> create view vv as select x from v
a> set restrict_nonsystem_relation_kind = 'view'
a> select * from v
a> select * from vv
a> select * from r
a> select 1 from pg_views limit 1
a> insert into v values (2)
a> update v set x = 2
a> delete from v
a> merge into v using r on v.x = r.x when matched then delete
a> select (select max(x) from v)
a> with w as (select * from v) select 1
a> create view vvv as select x from v
a> create table copied as select x from v
a> explain (costs off) select * from v
a> copy (select * from v) to stdout
a> set restrict_nonsystem_relation_kind = 'foreign-table'
a> select * from v
a> set restrict_nonsystem_relation_kind = 'view, foreign-table'
a> select * from v
a> reset restrict_nonsystem_relation_kind
a> select * from v
