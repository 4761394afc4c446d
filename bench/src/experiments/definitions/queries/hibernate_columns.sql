-- Hibernate 6, InformationExtractorPostgreSQLImpl.
select table_catalog as TABLE_CAT, table_schema as TABLE_SCHEM, table_name as TABLE_NAME, column_name as COLUMN_NAME,
 data_type as TYPE_NAME, is_nullable as IS_NULLABLE, character_maximum_length, numeric_precision, ordinal_position
from information_schema.columns where table_schema = 'app' and table_name = 't1' order by ordinal_position;
