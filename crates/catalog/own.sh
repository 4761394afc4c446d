#!/bin/sh
# Records the rows of own.sql's functions into src/builtin/own/*.tsv, as record.sh does PostgreSQL's.
#
#   own.sh 'host=… port=… user=… dbname=…'
#
# The database is a fresh one (create database … template template0) of a PostgreSQL 18 server, and is left as it was.
set -eu
cd "$(dirname "$0")"
server=$1
out=src/builtin/own
mkdir -p "$out"
{
    echo "begin;"
    echo "set allow_system_table_mods = on;"
    echo "set search_path = pg_catalog, pg_temp;"
    cat own.sql
    echo "update pg_proc set prosrc = proname where oid >= 16384 and pronamespace = 11;"
    echo "\\set catalog pg_proc"
    echo "\\set key oid"
    echo "\\set condition 'oid >= 16384 and pronamespace = 11'"
    echo "\\o $out/pg_proc.tsv"
    cat record.sql
    echo "rollback;"
} | psql -XAtq -v ON_ERROR_STOP=1 -d "$server"

# They are numbered anew from 15000 on, in the order in which they were made: PostgreSQL has nothing there.
tail -n +2 "$out/pg_proc.tsv" | cut -f1 | sort -n |
    awk '{ printf "s/\\b%d\\b/%d/g\n", $1, 14999 + NR }' >"$out/numbers.sed"
sed -i -f "$out/numbers.sed" "$out"/*.tsv
rm "$out/numbers.sed"
