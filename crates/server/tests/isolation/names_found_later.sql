# The temporary schema is made where search_path begins with it
a> set search_path to pg_temp
a> select current_schema() ~ '^pg_temp_\d+$', current_schemas(false)::text ~ '^{pg_temp_\d+}$', current_schemas(true)::text ~ '^{pg_catalog,pg_temp_\d+}$'
a> select pg_my_temp_schema() <> 0
b> set search_path to nosuch, pg_temp, public
b> begin
b> select current_schemas(true)::text ~ '^{pg_catalog,pg_temp_\d+,public}$'
b> select pg_my_temp_schema() <> 0
b> rollback
b> select pg_my_temp_schema() <> 0
b> create table t(a int)
b> select relnamespace = pg_my_temp_schema(), relpersistence from pg_class where relname = 't'
c> set search_path to public, pg_temp
c> select current_schema(), pg_my_temp_schema() <> 0
# A window that is written twice is one
a> set search_path to public
a> create table w(a int, b text)
a> insert into w values (1, 'x'), (2, 'y'), (2, 'z'), (3, 'x')
a> select distinct on (rank() over (order by a)) rank() over (order by a) as r, a from w order by rank() over (order by a)
a> select distinct on (rank() over (order by a)) a from w order by rank() over ( order by  a ), b
a> select distinct on (rank() over (order by a), sum(a) over (partition by b order by a rows 1 preceding)) b from w order by sum(a) over (partition by b order by a rows 1 preceding), rank() over (order by a)
a> select distinct on (rank() over (order by a)) a from w order by rank() over (order by a desc)
a> select distinct on (rank() over (order by a)) a from w order by rank() over (order by a rows current row)
a> create view ranked as select distinct on (rank() over (order by a)) rank() over (order by a) as r, b from w order by rank() over (order by a)
a> select pg_get_viewdef('ranked'::regclass, true)
a> create view named as select rank() over (order by a) as r, sum(a) over (order  by a) as s, rank() over (order by b) as t, max(a) over (x rows 1 preceding) as m from w window x as (order by a)
a> select pg_get_viewdef('named'::regclass, true)
a> select * from named order by 1, 2, 3, 4
# A join's name for what USING merges
a> create table j(a int, b int)
a> create table k(a int, c int)
a> create view joined as select x.a, b, c, x.a + 1 as d from j join k using (a) as x
a> select pg_get_viewdef('joined'::regclass), pg_get_viewdef('joined'::regclass, true)
a> create view nested as select y.* from (j join k using (a) as x) as y
a> select pg_get_viewdef('nested'::regclass, true)
# What is wrong with an object's name
a> select * from pg_input_error_info('01 01XYZ', 'oidvector')
a> select * from pg_input_error_info('01 XYZ 3', 'oidvector')
a> select * from pg_input_error_info('4294967296 1', 'oidvector')
a> select * from pg_input_error_info('1 2x 3', 'int2vector')
a> select * from pg_input_error_info('70000 3', 'int2vector')
a> select '1 2  -3'::int2vector, '1 2 -3'::oidvector, '1+2'::oidvector, ''::oidvector
a> select '1,2'::oidvector
a> select * from pg_input_error_info('a b c', 'regtype')
a> select * from pg_input_error_info('numeric(1,2,3)', 'regtype')
a> select * from pg_input_error_info('way.too.many.names', 'regtype')
a> select * from pg_input_error_info('nosuch', 'regtype')
a> select * from pg_input_error_info('nos.uch', 'regtype')
a> select * from pg_input_error_info('int4(3)', 'regtype')
a> select * from pg_input_error_info('', 'regtype')
a> select * from pg_input_error_info('{int4,"int4["}', 'regtype[]')
a> select * from pg_input_error_info('a.b.c.d', 'regproc')
a> select * from pg_input_error_info('f(numeric(1,2,3))', 'regprocedure')
a> select * from pg_input_error_info('nosuch', 'regclass')
