# Advisory locks: sessions' and transactions', exclusive and shared, one key of 64 bits or two of 32
a> SELECT pg_advisory_lock(1)
a> SELECT pg_advisory_lock(-1)
a> SELECT pg_advisory_lock(1, 2)
a> SELECT pg_advisory_lock_shared(-3, -2)
a> SELECT pg_try_advisory_lock(1), pg_try_advisory_lock_shared(7)
a> SELECT classid, objid, objsubid, mode, granted FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1, 2, 3, 4
b> SELECT pg_try_advisory_lock(1), pg_try_advisory_lock_shared(1), pg_try_advisory_lock(7), pg_try_advisory_lock_shared(7)
b> SELECT pg_try_advisory_lock(1, 2), pg_try_advisory_lock(1, 3), pg_try_advisory_lock(4294967298)
b> SELECT pg_advisory_lock(1)
a> SELECT pg_advisory_unlock(1)
a> SELECT pg_advisory_unlock(1)
a> SELECT pg_advisory_unlock(1)
b> SELECT pg_advisory_unlock(1), pg_advisory_unlock_shared(1)
a> SELECT pg_advisory_unlock(1, 2), pg_advisory_unlock_shared(-3, -2), pg_advisory_unlock_shared(-3, -2)
a> BEGIN
a> SELECT pg_advisory_xact_lock(20)
a> SELECT pg_advisory_lock(21)
a> SAVEPOINT s
a> SELECT pg_advisory_xact_lock(22)
a> SELECT pg_advisory_lock(23)
a> SELECT pg_advisory_unlock(20)
a> ROLLBACK TO s
b> SELECT pg_try_advisory_lock(20), pg_try_advisory_lock(21), pg_try_advisory_lock(22), pg_try_advisory_lock(23)
a> ROLLBACK
b> SELECT pg_try_advisory_lock(20), pg_try_advisory_lock(21), pg_try_advisory_lock(22), pg_try_advisory_lock(23)
b> SELECT pg_advisory_unlock_all()
a> BEGIN
a> SELECT pg_advisory_xact_lock_shared(30)
b> SELECT pg_try_advisory_xact_lock_shared(30), pg_try_advisory_xact_lock(30)
b> SELECT pg_advisory_xact_lock(30)
a> COMMIT
a> SELECT pg_try_advisory_lock(30)
a> SELECT pg_advisory_unlock(30)
# a deadlock; the one who closes the circle looks for it first
a> SET deadlock_timeout = '10ms'
b> SET deadlock_timeout = '100s'
a> SELECT pg_advisory_lock(40)
b> SELECT pg_advisory_lock(41)
b> SELECT pg_advisory_lock(40)
a> SELECT pg_advisory_lock(41)
a> SELECT pg_advisory_unlock_all()
b> SELECT pg_advisory_unlock_all()
# timeouts
a> SELECT pg_advisory_lock(50)
b> SET lock_timeout = '50ms'
b> SELECT pg_advisory_lock(50)
b> SET lock_timeout = 0
b> SET statement_timeout = '50ms'
b> SELECT pg_advisory_lock(50)
b> RESET statement_timeout
a> SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
# NULL locks nothing, wrong types are errors
a> SELECT pg_advisory_lock(NULL), pg_advisory_unlock(NULL), pg_try_advisory_lock(1, NULL)
a> SELECT pg_advisory_lock(1.5)
a> SELECT pg_advisory_lock('60')
a> SELECT pg_advisory_lock('x')
a> SELECT pg_advisory_lock(1, 2, 3)
a> SELECT pg_advisory_lock(1, 2147483648)
a> SELECT pg_advisory_lock(i) FROM generate_series(61, 63) i
a> SELECT objid FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1
a> SELECT 1 WHERE pg_try_advisory_lock(64)
a> SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
a> PREPARE p(bigint) AS SELECT pg_try_advisory_lock($1)
a> EXECUTE p(65)
a> BEGIN
a> SELECT pg_advisory_unlock_all()
a> ROLLBACK
a> SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
a> SELECT pg_advisory_lock(66)
a> DISCARD ALL
a> SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
a> SELECT pg_typeof(pg_advisory_unlock_all())
a> SELECT pg_advisory_lock(67), pg_advisory_lock(67)
a> SELECT pg_advisory_unlock(67), pg_advisory_unlock(67), pg_advisory_unlock(67)
a> SELECT * FROM pg_try_advisory_lock(68)
a> SELECT pg_advisory_unlock(68) AS unlocked
