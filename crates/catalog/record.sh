#!/bin/sh
# Records the facts about PostgreSQL's built-in objects into src/builtin/*.tsv.
#
#   record.sh 'host=… port=… user=… dbname=…'
#
# The database is a fresh one (create database … template template0) of a PostgreSQL 18 server.
set -eu
cd "$(dirname "$0")"
server=$1

# A catalog, the order of its rows, and which of them: those that are not users'.
facts() {
    psql -XAtq -v ON_ERROR_STOP=1 -v catalog="$1" -v key="$2" -v condition="${3:-${2%%,*} < 16384}" -d "$server" -f record.sql \
        >"src/builtin/$1.tsv"
}

facts pg_aggregate aggfnoid::oid
facts pg_am oid
facts pg_amop oid
facts pg_amproc oid
facts pg_attribute attrelid,attnum
# The other one is whoever made the cluster.
facts pg_authid oid 'oid < 16384 and oid <> 10'
facts pg_auth_members oid
facts pg_cast oid
facts pg_class oid
# The others are the machine's locales.
facts pg_collation oid 'oid < 10000'
facts pg_constraint oid
facts pg_db_role_setting setdatabase,setrole false
facts pg_description classoid,objoid,objsubid 'objoid < 16384'
facts pg_enum oid false
facts pg_index indexrelid
facts pg_init_privs classoid,objoid,objsubid 'objoid < 16384'
facts pg_language oid
facts pg_namespace oid
facts pg_opclass oid
facts pg_operator oid
facts pg_opfamily oid
facts pg_policy oid false
facts pg_proc oid
facts pg_range rngtypid
# Views.
facts pg_rewrite oid "oid < 16384 and ev_type = '1'"
facts pg_shdescription classoid,objoid false
facts pg_tablespace oid
facts pg_type oid

# What a word is to the grammar.
psql -XAtq -v ON_ERROR_STOP=1 -d "$server" -c "
    copy (select 'word', 'catcode=U', 'barelabel=true' union all
          select * from (select word, case catcode when 'U' then '' else catcode::text end,
                                case when barelabel then '' else 'false' end
                           from pg_get_keywords() order by word) k) to stdout" >../types/src/keywords.tsv
