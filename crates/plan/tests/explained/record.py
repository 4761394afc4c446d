"""Records what PostgreSQL says of queries.sql over tables.sql: `record.py 'host=… port=… user=… dbname=…'` (a database of
one's own, and psycopg). plans.out has EXPLAIN (COSTS OFF) of each; tables.tsv the rows of the tables' catalogs;
statistics.json pg_class's and pg_stats's numbers."""

import json
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
catalogs = {
    "pg_attribute": ("attrelid, attnum", "attrelid >= 16384"),
    "pg_class": ("oid", "relnamespace::regnamespace::text = ''x''"),
    "pg_constraint": ("oid", "connamespace::regnamespace::text = ''x''"),
    "pg_index": ("indexrelid", "indexrelid >= 16384 and indexrelid::regclass::text not like ''pg_toast%''"),
    "pg_namespace": ("oid", "nspname = ''x''"),
    "pg_type": ("oid", "typnamespace::regnamespace::text = ''x''"),
}
settings = "set enable_memoize = off; set max_parallel_workers_per_gather = 0; set jit = off;"


def psql(script, *options):
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", sys.argv[1], *options]
    return subprocess.run(command, input=script, capture_output=True, text=True, check=True).stdout


psql("set client_min_messages = error; drop schema if exists x cascade;\n" + (here / "tables.sql").read_text())
script = (here / "../../../catalog/record.sql").read_text().rsplit("select pg_temp.facts", 1)[0]
for catalog, (key, condition) in catalogs.items():
    script += f"select '# {catalog}'; select pg_temp.facts('{catalog}', '{key}', '{condition}');\n"
(here / "tables.tsv").write_text(psql(script, "-F", "\t"))
statistics = """set search_path = x;
select json_build_object('relation', c.oid, 'pages', relpages, 'rows', reltuples, 'visible', relallvisible)
  from pg_class c where relnamespace = 'x'::regnamespace and relkind in ('r', 'i') order by c.oid;
select json_build_object('relation', c.oid, 'attribute', a.attnum, 'type', atttypid, 'nulls', null_frac, 'width', avg_width,
    'distinct', n_distinct, 'common', most_common_vals::text::text[], 'frequencies', most_common_freqs,
    'histogram', histogram_bounds::text::text[], 'correlation', correlation)
  from pg_stats s join pg_class c on c.relname = s.tablename and c.relnamespace = 'x'::regnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = s.attname where schemaname = 'x' order by c.oid, a.attnum;
"""
(here / "statistics.jsonl").write_text(psql(statistics))
out = []
for query in (here / "queries.sql").read_text().splitlines():
    out.append(json.dumps(psql(f"set search_path = x; {settings} explain (costs off) {query};").splitlines()))
(here / "plans.out").write_text("".join(line + "\n" for line in out))
