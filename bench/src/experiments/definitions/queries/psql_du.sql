-- psql 18, \du.
SELECT r.rolname, r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolconnlimit, r.rolvaliduntil,
 r.rolreplication, r.rolbypassrls
FROM pg_catalog.pg_roles r WHERE r.rolname !~ '^pg_' ORDER BY 1;
