"""Records what PostgreSQL makes of queries.sql: `queries.py 'host=… port=… user=… dbname=…'` (a database of one's own, and
psycopg). A line of queries.out is JSON: names and types of the columns, and the parameters' types; or SQLSTATE, message,
detail, hint and position of the error. tables.tsv gets the rows of the tables' catalogs."""

import json
import pathlib
import subprocess
import sys

import psycopg

here = pathlib.Path(__file__).parent
catalogs = {
    "pg_attribute": ("attrelid, attnum", "attrelid >= 16384"),
    "pg_class": ("oid", "relnamespace::regnamespace::text = ''q''"),
    "pg_constraint": ("oid", "connamespace::regnamespace::text = ''q''"),
    "pg_index": ("indexrelid", "indexrelid >= 16384 and indexrelid::regclass::text not like ''pg_toast%''"),
    "pg_namespace": ("oid", "nspname = ''q''"),
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


server = sys.argv[1]
record_tables(server)
with psycopg.connect(server, autocommit=True) as connection:
    connection.execute("set search_path = q")
    lines = (here / "queries.sql").read_text().splitlines()
    (here / "queries.out").write_text("".join(json.dumps(answer(connection, line)) + "\n" for line in lines))
