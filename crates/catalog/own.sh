#!/bin/sh
# Records the rows of own.sql's functions and views into src/builtin/own/*.tsv, as record.sh does PostgreSQL's.
#
#   own.sh 'host=… port=… user=… dbname=…'
#
# The database is a fresh one (create database … template template0) of a PostgreSQL 18 server, and is left as it was.
set -eu
cd "$(dirname "$0")"
server=$1
out=src/builtin/own
mkdir -p "$out"

# A catalog, the order of its rows, and which of them.
facts() {
    echo "\\set catalog $1"
    echo "\\set key $2"
    echo "\\set condition '$3'"
    echo "\\o $out/$1.tsv"
    echo "select pg_temp.facts(:'catalog', :'key', :'condition');"
}

{
    echo "begin;"
    echo "set allow_system_table_mods = on;"
    echo "set search_path = pg_catalog, pg_temp;"
    cat own.sql
    echo "update pg_proc set prosrc = proname where oid >= 16384 and pronamespace = 11;"
    # Dumps leave out what is allowed from the beginning.
    echo "insert into pg_init_privs select oid, 'pg_proc'::regclass, 0, 'i', proacl from pg_proc"
    echo "    where oid >= 16384 and pronamespace = 11 and proacl is not null;"
    echo "insert into pg_init_privs select oid, 'pg_class'::regclass, 0, 'i', relacl from pg_class"
    echo "    where oid >= 16384 and relacl is not null;"
    # Its functions, without recording anything yet.
    sed '/^select pg_temp/d' record.sql
    facts pg_proc oid 'oid >= 16384 and pronamespace = 11'
    facts pg_class oid 'oid >= 16384'
    facts pg_attribute attrelid,attnum 'attrelid >= 16384'
    facts pg_type oid 'oid >= 16384'
    facts pg_rewrite oid 'oid >= 16384'
    facts pg_init_privs objoid,classoid 'objoid >= 16384'
    echo "rollback;"
} | psql -XAtq -v ON_ERROR_STOP=1 -d "$server"

# They are numbered anew from 15000 on, in the order in which they were made: PostgreSQL has nothing there.
for catalog in pg_proc pg_class pg_type pg_rewrite; do
    tail -n +2 "$out/$catalog.tsv" | cut -f1
done | sort -n | awk '{ printf "s/\\b%d\\b/%d/g\n", $1, 14999 + NR }' >"$out/numbers.sed"
sed -i -f "$out/numbers.sed" "$out"/*.tsv
rm "$out/numbers.sed"
