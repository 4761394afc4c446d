-- information_schema.tables of a schema, as many tools ask it.
SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables
WHERE table_schema = 'app' ORDER BY table_name;
