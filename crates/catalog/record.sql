-- Writes one catalog of a PostgreSQL 18 server as a table of facts; record.sh runs it for each.
--
-- The first line names the columns, each with its most frequent value: `typlen=-1`. A line for each row follows; a cell
-- that is empty stands for that value. Backslash, tab and line ends are written as in COPY, NULL is \N, the empty text \E.
-- An object is given by its oid, also where the catalog's column is a reg* type. What depends on when the server was made
-- or on how it is used (`OVERRIDES`) is given as the value that it starts with.

create function pg_temp.cell(value text) returns text immutable language sql as $$
  select case when value is null then '\N' when value = '' then '\E'
    else replace(replace(replace(replace(value, '\', '\\'), e'\t', '\t'), e'\n', '\n'), e'\r', '\r') end
$$;

-- A column's value as text.
create function pg_temp.expression(relation regclass, attname name, atttypid oid) returns text immutable language sql as $$
  select case
    when relation = 'pg_proc'::regclass and attname = 'proargdefaults' then
      '(select array_agg(pg_get_function_arg_default(t.oid, i) order by i)
          from generate_series(1, coalesce(cardinality(proallargtypes), pronargs)) i
         where pg_get_function_arg_default(t.oid, i) is not null)::text'
    when relation = 'pg_proc'::regclass and attname = 'prosqlbody' then 'pg_get_function_sqlbody(t.oid)'
    when relation = 'pg_index'::regclass and attname in ('indexprs', 'indpred') then
      format('pg_get_expr(%I, indrelid)', attname)
    when relation = 'pg_rewrite'::regclass and attname = 'ev_action' then 'pg_get_viewdef(ev_class)'
    when relation = 'pg_attrdef'::regclass and attname = 'adbin' then 'pg_get_expr(adbin, adrelid)'
    when relation = 'pg_constraint'::regclass and attname = 'conbin' then 'pg_get_expr(conbin, conrelid)'
    when relation = 'pg_class'::regclass and attname in ('relpages', 'relallvisible', 'relallfrozen', 'relfilenode') then '''0'''
    when relation = 'pg_class'::regclass and attname = 'reltuples' then '''-1'''
    when relation = 'pg_class'::regclass and attname in ('relfrozenxid', 'relminmxid') then
      format('case %I::text when ''0'' then ''0'' else ''3'' end', attname)
    when atttypid in ('regproc'::regtype, 'regclass'::regtype, 'regtype'::regtype) then format('%I::oid::text', attname)
    else format('%I::text', attname)
  end
$$;

create function pg_temp.facts(relation regclass, key text, condition text) returns setof text language plpgsql as $$
declare
  attribute record;
  frequent record;
  header text[] := '{}';
  cells text[] := '{}';
  value text;
begin
  for attribute in
    select attname, atttypid from pg_attribute where attrelid = relation and attnum > 0 and not attisdropped order by attnum
  loop
    value := pg_temp.expression(relation, attribute.attname, attribute.atttypid);
    execute format('select pg_temp.cell(%s) as cell, count(*) from %s t where %s group by 1 order by 2 desc, 1 limit 1',
                   value, relation, condition) into frequent;
    if frequent.count > 1 then
      header := header || (attribute.attname || '=' || frequent.cell);
      cells := cells || format('case when pg_temp.cell(%s) = %L then '''' else pg_temp.cell(%1$s) end', value, frequent.cell);
    else
      header := header || attribute.attname::text;
      cells := cells || format('pg_temp.cell(%s)', value);
    end if;
  end loop;
  return next array_to_string(header, e'\t');
  return query execute format('select concat_ws(e''\t'', %s) from %s t where %s order by %s',
                              array_to_string(cells, ', '), relation, condition, key);
end $$;

select pg_temp.facts(:'catalog', :'key', :'condition');
