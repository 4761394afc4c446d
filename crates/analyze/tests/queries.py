"""Records what PostgreSQL makes of queries.sql and rewrite.sql: `queries.py 'host=… port=… user=… dbname=…'` (a database of one's own, and
psycopg). A line of queries.out is JSON: names and types of the columns, and the parameters' types; or SQLSTATE, message,
detail, hint and position of the error. One of rewrite.out is
EXPLAIN's lines, or the error. tables.tsv gets the rows of the tables' catalogs."""

import json
import pathlib
import subprocess
import sys

import psycopg

here = pathlib.Path(__file__).parent
catalogs = {
    "pg_attrdef": ("adrelid, adnum", "adrelid >= 16384"),
    "pg_attribute": ("attrelid, attnum", "attrelid >= 16384"),
    "pg_class": ("oid", "relnamespace::regnamespace::text = ''q''"),
    "pg_constraint": ("oid", "connamespace::regnamespace::text = ''q''"),
    "pg_depend": ("objid, objsubid, refobjid, refobjsubid", "classid = 1259 and refclassid = 1259 and deptype in (''i'', ''a'')"),
    "pg_index": ("indexrelid", "indexrelid >= 16384 and indexrelid::regclass::text not like ''pg_toast%''"),
    "pg_namespace": ("oid", "nspname = ''q''"),
    "pg_rewrite": ("oid", "oid >= 16384 and ev_type = ''1''"),
    "pg_type": ("oid", "typnamespace::regnamespace::text = ''q''"),
}


def record_tables(server):
    script = "set client_min_messages = error; drop schema if exists q cascade;\n" + (here / "tables.sql").read_text()
    script += (here / "../../catalog/record.sql").read_text().rsplit("select pg_temp.facts", 1)[0]
    for catalog, (key, condition) in catalogs.items():
        script += f"select '# {catalog}'; select pg_temp.facts('{catalog}', '{key}', '{condition}');\n"
    psql = ["psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", server]
    (here / "tables.tsv").write_text(subprocess.run(psql, input=script, capture_output=True, text=True, check=True).stdout)


def answer(connection, query):
    pg = connection.pgconn
    for result in (pg.prepare(b"", query.encode()), pg.describe_prepared(b"")):
        if result.status == psycopg.pq.ExecStatus.FATAL_ERROR:
            fields = [psycopg.pq.DiagnosticField(ord(field)) for field in "CMDHP"]
            return {"error": [value and value.decode() for value in map(result.error_field, fields)]}
    types = [(result.ftype(i), result.fmod(i)) for i in range(result.nfields)]
    types += [(result.param_type(i), -1) for i in range(result.nparams)]
    shown = [connection.execute("select format_type(%s, %s)", type).fetchone()[0] for type in types]
    columns = [[result.fname(i).decode(), shown[i]] for i in range(result.nfields)]
    return {"columns": columns, "parameters": shown[result.nfields:]}


def explained(connection, query):
    try:
        return [line for line, in connection.execute("explain (verbose, costs off) " + query)]
    except psycopg.Error as error:
        return {"error": [error.sqlstate, error.diag.message_primary, error.diag.message_detail, error.diag.message_hint]}


def deparsed(connection, expression):
    with connection.transaction(force_rollback=True):
        try:
            connection.execute(f"create temp view deparsed as select {expression} as x from t")
        except psycopg.Error as error:
            return {"error": [error.sqlstate, error.diag.message_primary]}
        query = "select pg_get_viewdef('deparsed'::regclass, pretty) from (values (false), (true)) v(pretty)"
        return [definition for definition, in connection.execute(query)]


server = sys.argv[1]
record_tables(server)
with psycopg.connect(server, autocommit=True) as connection:
    connection.execute("set search_path = q")
    lines = (here / "queries.sql").read_text().splitlines()
    (here / "queries.out").write_text("".join(json.dumps(answer(connection, line)) + "\n" for line in lines))
    lines = (here / "rewrite.sql").read_text().splitlines()
    (here / "rewrite.out").write_text("".join(json.dumps(explained(connection, line)) + "\n" for line in lines))
    lines = (here / "deparse.sql").read_text().splitlines()
    (here / "deparse.out").write_text("".join(json.dumps(deparsed(connection, line)) + "\n" for line in lines))
