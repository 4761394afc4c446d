# Several moves at once, and locks that nobody waits for.
a> set allow_in_place_tablespaces = on
a> create tablespace tm1 location ''
a> create tablespace tm2 location ''
a> create table t (id int primary key)
a> create table u (id int)
a> alter table t set tablespace tm1, set tablespace tm2
a> alter index t_pkey set tablespace tm1, set tablespace tm2
a> select reltablespace from pg_class where relname in ('t', 't_pkey')
b> begin
b> select * from u
a> alter table all in tablespace pg_default set tablespace tm1 nowait
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('t', 'u') order by 1
b> commit
a> alter table all in tablespace pg_default set tablespace tm1 nowait
a> select relname, spcname from pg_class c left join pg_tablespace s on s.oid = reltablespace where relname in ('t', 'u') order by 1
a> drop table t, u
a> drop tablespace tm2
