# Statements that come again with the same constants, and with others in between.
a> create table constants (id int primary key, v float8, name text)
a> insert into constants select i, i, 'n' || i % 7 from generate_series(1, 100) i
a> select id from constants where name = 'n3' and id < 20 order by id
a> select id from constants where name = 'n3' and id < 20 order by id
a> select id from constants where name = 'n3' and id < 20 order by id
a> select id from constants where name = 'n4' and id < 20 order by id
a> insert into constants values (0, 0, 'n3')
a> select id from constants where name = 'n3' and id < 20 order by id
a> select 1 / v, id from constants where id = 1 and v > '0'::float8
a> select '0'::float8 * v, id from constants where id = 1
a> select '-0'::float8 * v, id from constants where id = 1
a> select '0'::float8 * v, id from constants where id = 1
a> select '-0'::float8 * v, id from constants where id = 1
a> select '-0'::float8 * v, id from constants where id = 1
a> select count(*) from constants where id < any ('{5,10}') and v <> 3
a> select count(*) from constants where id < any ('{5,10}') and v <> 3
a> select count(*) from constants where id < any ('{5,20}') and v <> 3
a> select count(*) from constants where id < any ('{5,10}') and v <> 3
a> select count(*) from constants where id < any ('{5,10}') and v <> 3
a> create index on constants (name, id)
a> select id from constants where name = 'n3' and id < 20 order by id
a> select id from constants where name = 'n3' and id < 20 order by id
b> insert into constants select i, i, 'n3' from generate_series(1001, 6000) i
a> select count(*), max(id) from constants where name = 'n3' and id > 20
a> select count(*), max(id) from constants where name = 'n3' and id > 20
b> delete from constants where id > 1000
a> select count(*), max(id) from constants where name = 'n3' and id > 20
a> alter table constants rename column name to other
a> select count(*), max(id) from constants where name = 'n3' and id > 20
a> alter table constants rename column other to name
a> select count(*), max(id) from constants where name = 'n3' and id > 20
a> select relname from pg_class where oid = 'constants'::regclass and relkind in ('r', 'v')
a> select relname from pg_class where oid = 'constants'::regclass and relkind in ('r', 'v')
a> alter table constants rename to renamed
a> select relname from pg_class where oid = 'constants'::regclass and relkind in ('r', 'v')
a> create table constants (x int)
a> select relname from pg_class where oid = 'constants'::regclass and relkind in ('r', 'v')
a> select relname from pg_class where oid = 'constants'::regclass and relkind in ('r', 'v')
a> select E'a\tb' || E'\\' || id from renamed where id = 1
a> select E'a\tb' || E'\\' || id from renamed where id = 2
a> select E'a\tb' || E'\\' || id from renamed where id = 1
a> select E'it\'s' || id from renamed where id = 1
a> select E'it\'s' || id from renamed where id = 2
a> select E'a''b\n' || id from renamed where id = 2
a> select E'a''b\n' || id from renamed where id = 1
