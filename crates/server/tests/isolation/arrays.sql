a> set timezone = 'UTC'
a> select '{a,b}'::text[]
a> select 'a' = any('{a,b}'::text[])
a> select 'c' = any('{a,b}'), 'a' = any('{a,b}'), 1 = any('{1,2}'), null = any('{1}'::int[]), 1 = any(null::int[])
a> select 1 = any(array[2,null]), 1 = any(array[1,null]), 1 <> all(array[2,null]), 1 <> all(array[1,null]), 1 = all('{}'::int[]), 1 = any('{}'::int[])
a> select 3 > any(array[1,5]), 3 > all(array[1,5]), 3 >= some(array[3]), 2.5 = any(array[1,2.5]), 'b' < all(array['c','d'])
a> select '{1,2,3}'::int[], '{}'::int[], '{ 1 , 2 }'::int4[], '{"a b","c\"d",e\\f,NULL,"NULL",null,""}'::text[]
a> select '{a'::text[]
a> select 'a'::text[]
a> select '{a,}'::text[]
a> select '{1,x}'::int[]
a> select '{a}b'::text[]
a> select '{"a"b}'::text[]
a> select '{{1,2},{3}}'::int[]
a> select '[1:2]={1,2}'::int[]
a> select '[1:3]={1,2}'::int[]
a> select array_remove(array[1,2,1,null], 1), array_remove(array[1,null,2,null], null), array_remove(array['a','b'], 'b')
a> select array_replace(array[1,2,1], 1, 9), array_replace(array[1,null], null, 5), array_replace(array['a'], 'a', null)
a> select array[[1,2],[3,4]], array_dims(array[[1,2],[3,4]]), array_length(array[[1,2],[3,4]],2), array_ndims(array[[1,2],[3,4]]), cardinality(array[[1,2],[3,4]])
a> select (array[[1,2],[3,4]])[2][1], (array[[1,2],[3,4]])[1], (array[[1,2],[3,4]])[3][1], (array[1,2,3])[2], (array[1,2,3])[0], (array[1,2,3])[4], (array[1,2,3])[null]
a> select (array[1,2,3])[2:3], (array[1,2,3])[:2], (array[1,2,3])[2:], (array[1,2,3])[5:6], (array[[1,2],[3,4]])[1:1], (array[[1,2],[3,4]])[:][2:2], (array[1,2,3])[3:2], (array[1,2,3])[0:2]
a> select array[1,2] || array[3], array[1,2] || 3, 0 || array[1,2], array[1,2] || null, null || array[1], array['a'] || 'b'::text, array[1,2] || '{3}', array[]::int[] || 1
a> select array[1,2] || '3'
a> select array[1.5] || 2.25, array[1.5, 2.25], array[1, 2.5], array[1, 2.5::float8], array['a', null], array[null, 1]
a> select array_append(array[1],2), array_prepend(0,array[1]), array_cat(array[1],array[2,3]), array_append(null::int[], 1), array_prepend(1, null::int[]), array_append(array[1], null), array_cat(null::int[], array[1])
a> select array_position(array[1,2,3,2], 2), array_position(array[1,2,3,2], 2, 3), array_position(array[1,null], null), array_position(array[1], 5), array_positions(array[1,2,1], 1), array_positions(array[1,2], 5)
a> select array_upper(array[1,2,3],1), array_lower(array[1,2,3],1), array_length(array[1,2],1), array_length('{}'::int[],1), array_length(array[1],2), array_length(array[1], 0), cardinality('{}'::int[]), array_ndims('{}'::int[]), array_dims('{}'::int[])
a> select array_to_string(array[1,null,3], ','), array_to_string(array[1,null,3], ',', '*'), array_to_string(array[true,false], '|'), array_to_string(array[[1,2],[3,4]], ','), array_to_string('{}'::int[], ','), array_to_string(array['a',''], '-')
a> select string_to_array('a,b,c', ','), string_to_array('a,b,,c', ',', ''), string_to_array('abc', null), string_to_array('abc', ''), string_to_array('', ','), string_to_array(null, ','), string_to_array('a||b','||')
a> select array[1,2,3] @> array[1], array[1] <@ array[1,2], array[1,2] && array[2,3], array[1] && array[5], array[1,2] @> array[null]::int[], array[1,null] @> '{}'::int[], '{1,2}' @> array[1], array[1,1] <@ array[1]
a> select array_agg(x) from (values (1),(null),(3)) v(x)
a> select array_agg(x order by x desc) from (values (1),(null),(3)) v(x)
a> select array_agg(x) from (values (1)) v(x) where false
a> select array_agg(distinct x) from (values (2),(1),(2)) v(x)
a> select * from unnest(array[1,2,null])
a> select * from unnest(array[1,2], array['a','b','c'])
a> select * from unnest(array[[1,2],[3,4]])
a> select * from unnest('{a,b}'::text[]) as u(x)
a> select x from unnest(null::int[]) x
a> select count(*) from unnest('{}'::int[])
a> select array[]::int[], array[]::text[]
a> select array[]
a> select array['1','2']::int[], array[1,2]::text[], '{1.5,2.25}'::numeric[], '{1.25}'::numeric(3,1)[], '{abc,de}'::varchar(2)[], '{t,f}'::bool[], '{2024-01-02}'::date[], '{1 day,2h}'::interval[]
a> select array[1,2]::text, array[1.5,2]::text, array['a b']::text, array[true]::text, ('{1,2}'::int[])::text
a> select array[1,'x']
a> select array[1,true]
a> select array[[1,2],[3]]
a> select 'a' = any(array['a'::varchar]), 1 = any(array[1::int8]), 1::int8 = any('{1}'::int[]), date '2024-01-01' = any('{2024-01-01}')
a> select 1 = any(1)
a> select 'a' = any('a')
a> select 1 = any('{a}')
a> select 5 = any(array[1,2]::text[])
a> select x from (values (1),(2),(3)) v(x) where x = any('{1,3}')
a> select x from (values (1),(2),(null)) v(x) where x <> all('{1}')
a> select x from (values (1),(2),(null)) v(x) where not x = any('{1,null}')
a> select trim_array(array[1,2,3], 1), trim_array(array[1,2,3], 4)
a> select trim_array(array[1,2,3], 2)
a> select array_ndims(1)
a> select coalesce(null, array[1]), case when true then '{1}' else array[2] end
a> select array[interval '1 day'] = array[interval '24 hours'], array[1.0] = array[1.00]
a> select array_position(array[1.0,2.00], 2), 1 = any(array[1.0]), array_remove(array[1.0,2.00], 2)
a> select array['a','b'][1], array['a','b'][1:1]
a> select x from (values (array[2]),(array[1,5]),(array[1])) v(x) order by x
a> select distinct x from (values (array[1]),(array[1]),(array[2])) v(x) order by 1
a> select x, count(*) from (values (array[1]),(array[1]),(null)) v(x) group by x order by 1
a> select array_agg(x) from (values (array[1,2]),(array[3,4])) v(x)
a> select array_to_string(array_agg(x::text), ',') from (values (1.50),(2.5)) v(x)
a> select ('{{1,2},{3,4}}'::int[])[2][2], '{{a,"b c"},{NULL,d}}'::text[][], '{{1,2},{3,4}}'::int[][] = array[[1,2],[3,4]]
a> select array[[1,2],[3,4]] || array[[5,6]], array[[1,2]] || array[3,4], array[1,2] = any(array[[1,2]])
a> select array_cat(array[[1,2]], array[[3,4]]), array_append(array[[1]], 2)
a> select array_remove(array[[1,2]], 1)
a> select array_replace(array[[1,2],[2,3]], 2, 9)
a> select '{1,2}'::int[3], '{{1}}'::int[]
a> select array[1,2]::float8[], array[1.7]::int[], array['x']::int[]
a> select '{}'::text[] = '{}', '{}'::int[] is null
a> select '{1,2,3}'::int[] @> '{1,2}'
a> select array_sort(array[3,1,2]), array_reverse(array[1,2,3])
a> select array[1,2,3][2]
