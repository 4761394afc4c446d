-- Rails 8, PostgreSQL::SchemaStatements#data_source_sql.
SELECT c.relname FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p');
