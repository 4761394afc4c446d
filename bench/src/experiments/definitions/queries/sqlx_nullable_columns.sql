-- sqlx, sqlx-postgres/src/connection/describe.rs, get_nullable_for_columns.
SELECT attnotnull FROM (VALUES (1::int4, 'app.t1'::regclass::int4, 1::int2), (2, 'app.t1'::regclass::int4, 2)) AS col(idx, table_id, col_idx)
 LEFT JOIN pg_catalog.pg_attribute ON table_id IS NOT NULL AND attrelid = table_id AND attnum = col_idx ORDER BY col.idx;
