# What transactions are like, and how that is said
a> create table t (id int primary key, n int)
a> insert into t values (1, 10), (2, 20)
# AND CHAIN
a> begin isolation level repeatable read, read only, deferrable
a> commit and chain
a> show transaction_isolation
a> show transaction_read_only
a> show transaction_deferrable
a> rollback and chain
a> show transaction_isolation
a> select 1/0
a> commit and chain
a> show transaction_isolation
a> show transaction_read_only
a> show transaction_deferrable
a> insert into t values (3, 30)
a> commit
a> begin
a> insert into t values (4, 40)
a> select 1/0
a> commit and chain
a> insert into t values (5, 50)
a> rollback
a> select * from t order by id
a> begin isolation level repeatable read
a> savepoint s
a> set transaction read only
a> select 1/0
a> commit and chain
a> show transaction_isolation
a> show transaction_read_only
a> savepoint s
a> set transaction read only
a> rollback and chain
a> show transaction_read_only
a> savepoint s
a> set transaction read only
a> commit and chain
a> show transaction_read_only
a> rollback
a> show transaction_read_only
a> commit and chain
a> rollback and chain
a> begin isolation level repeatable read, read only
a> select 1/0
a> rollback and chain
a> show transaction_isolation
a> set transaction read only
a> select 1/0
a> commit and chain
a> show transaction_read_only
a> commit
# The default is every transaction's
a> set default_transaction_isolation = 'repeatable read'
a> show transaction_isolation
b> begin
b> update t set n = n + 1 where id = 1
a> update t set n = n + 100 where id = 1
b> commit
a> select * from t where id = 1
b> begin
b> update t set n = n + 1 where id = 2
a> select n from t where id = 2; select n from t where id = 2 for update; select 1
b> rollback
b> begin
b> update t set n = n + 1 where id = 2
a> select n from t where id = 2; select n from t where id = 2 for update; select 1
b> commit
a> begin
a> set default_transaction_isolation = 'read committed'
a> show transaction_isolation
a> rollback
a> show transaction_isolation
a> vacuum t
a> create index concurrently t_n on t (n)
a> reindex table concurrently t
a> set default_transaction_isolation = 'read committed'
a> show transaction_isolation
b> begin
b> update t set n = n + 1 where id = 2
a> update t set n = n + 100 where id = 2
b> commit
a> select n from t where id = 2
# An implicit block
a> set transaction isolation level repeatable read; show transaction_isolation; select 1
a> show transaction_isolation
b> begin
b> update t set n = n + 1 where id = 2
a> set transaction isolation level repeatable read; select n from t where id = 2; update t set n = 0 where id = 2
b> commit
a> select n from t where id = 2
b> begin
b> update t set n = n + 1 where id = 2
a> select n from t where id = 2; update t set n = n + 100 where id = 2; select n from t where id = 2
b> commit
a> set transaction read only; insert into t values (7, 7)
a> select 1; set transaction isolation level repeatable read
a> select 1; set transaction read only; set transaction read write
a> begin; set transaction isolation level repeatable read; commit; show transaction_isolation
a> set transaction isolation level repeatable read; begin; show transaction_isolation; commit; show transaction_isolation
a> set transaction isolation level repeatable read; begin isolation level read committed; show transaction_isolation; commit
a> set transaction read only; begin; show transaction_read_only; commit; show transaction_read_only
a> select 1; begin isolation level repeatable read
a> show transaction_isolation
a> rollback
a> select 1; begin deferrable
a> select 1; begin read only; show transaction_read_only
a> insert into t values (8, 80)
a> rollback
a> select 1; begin isolation level read committed
a> rollback
a> set default_transaction_read_only = on; show transaction_read_only
a> show transaction_read_only
a> set default_transaction_read_only = off
a> show transaction_read_only
# BEGIN in a block
a> begin
a> begin isolation level repeatable read
a> show transaction_isolation
a> start transaction read only
a> show transaction_read_only
a> begin read write, deferrable
a> show transaction_read_only
a> show transaction_deferrable
a> begin
a> show transaction_isolation
a> commit
a> begin
a> select 1
a> begin read only
a> insert into t values (9, 90)
a> rollback
a> begin
a> select 1
a> start transaction isolation level repeatable read
a> commit
a> begin
a> select 1
a> begin read only
a> begin read write
a> commit
a> begin
a> savepoint s
a> begin read only
a> release s
a> show transaction_read_only
a> savepoint s
a> begin isolation level repeatable read
a> rollback
a> begin
a> select 1/0
a> begin isolation level repeatable read
a> rollback
# In a subtransaction
a> begin read only
a> savepoint s
a> set transaction read only
a> set transaction read write
a> rollback to s
a> set transaction_read_only = off
a> rollback to s
a> set local transaction_read_only = off
a> rollback to s
a> select set_config('transaction_read_only', 'off', true)
a> rollback to s
a> set transaction isolation level read committed, read write
a> rollback to s
a> select 1
a> set transaction read write
a> rollback
a> begin read only
a> set transaction read write
a> show transaction_read_only
a> rollback
a> begin
a> savepoint s
a> set transaction isolation level read committed
a> set transaction isolation level repeatable read
a> rollback to s
a> set transaction deferrable
a> rollback to s
a> set transaction not deferrable
a> rollback to s
a> set transaction read only
a> savepoint s2
a> set transaction read write
a> rollback to s
a> release s
a> set transaction isolation level repeatable read
a> show transaction_isolation
a> savepoint s
a> select 1
a> set transaction isolation level read committed
a> rollback to s
a> set transaction deferrable
a> rollback
a> begin
a> select 1
a> set transaction isolation level read committed
a> set transaction read only
a> set transaction read write
a> rollback
a> begin
a> select 1
a> set transaction not deferrable
a> rollback
a> begin
a> savepoint s
a> set session characteristics as transaction isolation level repeatable read
a> show default_transaction_isolation
a> show transaction_isolation
a> rollback
a> show transaction_isolation
a> drop table t
