insert into def default values
insert into def (c) values (1)
insert into def values (1)
insert into def values (default, 1, 2)
insert into def (a) values (1)
insert into def (a) overriding system value values (1)
insert into def (a, b) overriding user value values (1, 2)
insert into def (b) values (1)
insert into def (b) overriding user value values (1)
insert into def (a, c) values (default, 1), (default, 2)
insert into def (a, c) values (default, 1), (3, 2)
insert into def (a, c) overriding user value values (default, 1), (3, 2)
insert into def (c, d, h) values (default, 'a', default), (2, default, '2020-01-01'), (default, default, default)
insert into def (g) values (1)
insert into def (g) values (default)
insert into def (g, c) values (default, 1), (default, 2)
insert into def (g, c) values (default, 1), (1, 2)
insert into def (c, d) select a, b from t
insert into def (a) select a from t
insert into def (a) overriding system value select a from t
insert into def (a, c) overriding user value select a, a from t
insert into def (o, n, c) values ('abc', 1.234, 2)
update def set c = default
update def set a = 1
update def set a = default
update def set b = 2, d = default
update def set g = 1
update def set g = default, c = 3
update def set o = default, h = default
update def set (c, d) = (select a, b from t where t.a = def.c)
insert into t values (1)
insert into dv (c) values (1)
insert into dv (c, dd) values (1, 'a')
insert into dv (c, dd) values (1, 'a'), (default, default)
insert into dv (n1) values (1)
insert into dv (c, n1) values (1, default)
insert into dv (b) overriding user value values (5)
insert into dv default values
insert into dvv (c, dd) values (1, default)
insert into dvv values ('a', 2, 'b') returning *
insert into dv (c) values (1) returning c, dd, n1, dv
insert into dv (c) values (1) on conflict (c) where dd is not null do nothing
update dv set c = 1
update dv set c = 1 where n1 > 3
update dv set n1 = 1
update dv set dd = default
update dvv set c = c + 1 where dd = 'b'
update dvv set c = u.a from u where u.x = dd returning dvv.*, u.a
delete from dv where dd = 'a'
delete from dvv where c = 3 returning *
delete from dv using u where u.a = dv.c
insert into agg values (1, 2)
update agg set a = 1
delete from agg
update joined set a = 1
delete from joined
insert into computed values (1)
update computed set c1 = 1
delete from computed
insert into distinct_view values (1)
update limited set a = 1
delete from with_cte
insert into union_view values (1)
update window_view set a = 1
delete from srf
delete from having_view
insert into no_table values (1)
insert into no_columns values ('(0,1)', null)
update no_columns set c = null
insert into of_agg values (1)
select * from dv
select * from dvv
select dv from dv
select count(*) from dvv where c > 3
select * from agg where a = 1
select * from joined
select a, (select count(*) from dv where dv.c = t.a) from t
with x as (select * from dv) select * from x, dvv where x.c = dvv.c
with x as (insert into dv (c) values (1) returning c) select * from x
with x as (update dv set c = 4 where dd = 'a' returning *) insert into t (a, e) select c, dd from x
select * from w for update
select * from dvv for share
insert into def (d) values ('a') on conflict (lower(d)) do nothing
insert into def (c) values (1) on conflict (c) do nothing
insert into def (c) values (1) on conflict (c) where d is not null do update set d = excluded.d
insert into def (c) values (1) on conflict (c) where d is null do nothing
insert into def (d) values ('a') on conflict (upper(d)) do nothing
insert into t (a, e) values (1, 'a') on conflict (a) do update set c = default, b = excluded.b where t.a > 1
insert into t (a, e) values (1, 'a') on conflict (a desc) do nothing
insert into u (a, z) values (1, 2) on conflict (z, a) do update set x = 'y'
insert into u (a, z) values (1, 2) on conflict (a) do nothing
insert into u (a, z) values (1, 2) on conflict on constraint u_pkey do nothing
insert into u (a, z) values (1, 2) on conflict on constraint nope do nothing
insert into w (a, b) values (1, 'x') on conflict (a) do update set b = excluded.b
select ctid from dv
update t set arr[1] = 5, arr[2] = 6
insert into t (a, e, arr[1], arr[2]) values (1, 'e', 5, 6)
merge into def using u on c = u.a when matched then update set c = default when not matched then insert (d) values (u.x)
merge into def using u on c = u.a when not matched then insert (a) values (1)
merge into def using u on c = u.a when not matched then insert (a) overriding system value values (1)
merge into def using u on c = u.a when matched then update set a = 1
merge into dv using u on dv.c = u.a when matched then update set dd = u.x when not matched then insert (c) values (u.a)
merge into dv using u on dv.c = u.a when matched then update set n1 = 1
merge into agg using u on agg.a = u.a when matched then delete
update dv set c = 4 returning old.c, new.n1, old.dd
insert into dv (c) values (1) returning old.n1, new.n1
