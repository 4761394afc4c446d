a> create table strings (v int)
a> select 1; vacuum
a> vacuum; select 1
a> select 1; commit; vacuum
a> select 1; create database strings_db
a> select 1; discard all
a> insert into strings values (1); commit; insert into strings values (2); select 1/0
a> select * from strings order by v
a> insert into strings values (3); rollback; insert into strings values (4)
a> select * from strings order by v
a> set local work_mem = '2MB'; show work_mem
a> begin; insert into strings values (5); commit; insert into strings values (6); select 1/0
a> select * from strings order by v
a> insert into strings values (7); begin; insert into strings values (8)
a> rollback
a> select * from strings order by v
a> select 1; savepoint s
a> commit
a> begin
a> savepoint x
a> set transaction read only
a> release x
a> show transaction_read_only
a> insert into strings values (9)
a> savepoint y
a> set transaction read only
a> savepoint z
a> release z
a> show transaction_read_only
a> rollback to y
a> show transaction_read_only
a> set transaction read only
a> release y
a> insert into strings values (10)
a> commit
a> vacuum strings
a> drop table strings
