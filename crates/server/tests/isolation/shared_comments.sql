# Comments on what all databases share
a> create role commented_by_a
a> create role commenting_b login createrole
a> comment on role nosuch is 'x'
a> comment on database nosuch is 'x'
a> comment on database iso_shared_comments is 'a database'
a> comment on role commented_by_a is 'a role'
a> select shobj_description(oid, 'pg_database') from pg_database where datname = 'iso_shared_comments'
a> select shobj_description(oid, 'pg_authid') from pg_authid where rolname = 'commented_by_a'
a> select obj_description(oid, 'pg_authid'), shobj_description(oid, 'pg_class') from pg_authid where rolname = 'commented_by_a'
a> select classoid::regclass, description from pg_shdescription d where objoid in (select oid from pg_authid where rolname = 'commented_by_a' union select oid from pg_database where datname in ('iso_shared_comments', 'template0', 'template1')) order by 1, 2
a> begin
a> comment on role commented_by_a is 'another'
a> comment on database iso_shared_comments is NULL
b> select shobj_description(oid, 'pg_authid') from pg_authid where rolname = 'commented_by_a'
a> select shobj_description(oid, 'pg_authid') from pg_authid where rolname = 'commented_by_a'
a> rollback
a> select shobj_description(oid, 'pg_authid') from pg_authid where rolname = 'commented_by_a'
a> select shobj_description(oid, 'pg_database') from pg_database where datname = 'iso_shared_comments'
a> set role commenting_b
a> comment on role commented_by_a is 'zz'
a> comment on database iso_shared_comments is 'zz'
a> comment on role postgres is 'zz'
a> create role commented_by_b
a> comment on role commented_by_b is 'zz'
a> comment on tablespace pg_default is 'zz'
a> comment on tablespace nosuch is 'zz'
a> reset role
a> alter role commented_by_b rename to commented_by_c
a> select shobj_description(oid, 'pg_authid') from pg_authid where rolname = 'commented_by_c'
a> comment on database iso_shared_comments is ''
a> select shobj_description(oid, 'pg_database') from pg_database where datname = 'iso_shared_comments'
a> begin read only
a> comment on role commented_by_a is 'x'
a> rollback
a> drop role commented_by_a, commented_by_c, commenting_b
a> select count(*) from pg_shdescription where description in ('a role', 'zz')
