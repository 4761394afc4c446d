//! Schemas, views and what is temporary, made in engine's catalog and seen by statements. The answers are PostgreSQL's for the
//! same objects.

mod support;

use catalog::acl::BOOTSTRAP_SUPERUSER;
use catalog::catalogs::{PgDescription, PgNamespace};
use commands::stored;
use config::Source;
use engine::{ColumnDef, ColumnType, TableDef, Transaction, ViewColumn, ViewDef};
use session::Environment;
use support::Server;
use types::names::{PG_CLASS, PG_NAMESPACE};
use types::{Context, oid};

const INT4: ColumnType = ColumnType::of(oid::INT4);

fn table(server: &Server, schema: &str, name: &str, columns: &[(&str, ColumnType)]) {
    let columns = columns.iter().map(|&(name, ty)| ColumnDef::new(name, ty)).collect();
    let oid = || server.db.new_oid();
    let (row_type, array_type) = (oid(), oid());
    server.create_table(TableDef {
        row_type,
        array_type,
        ..TableDef::new(oid(), (server.namespace(schema), name), 10, columns)
    });
}

fn environment(server: &Server) -> Environment {
    let mut settings = server.db.settings();
    settings.set("session_authorization", "postgres", Source::Client).unwrap();
    let catalog = server.db.catalog();
    let committed = catalog.clone();
    Environment::new((5, "postgres".into()), (catalog, committed), &settings, (BOOTSTRAP_SUPERUSER, ""), None)
}

/// CREATE VIEW, as far as the catalog goes.
fn view(server: &Server, (schema, name): (&str, &str), query: &str) {
    let environment = environment(server);
    let (catalog, context) = (environment.catalog(), Context::default());
    let relations = environment.relations();
    let raw = syntax::parse(query).unwrap().remove(0);
    let parameters = analyze::Parameters::fixed(&[]);
    let statement = analyze::Statement::new(catalog, &relations, &context, "postgres", parameters);
    let query = analyze::analyze(&statement, &raw).unwrap().into_query();
    let column = |target: &analyze::query::TargetEntry| ViewColumn {
        name: target.name.clone(),
        ty: ColumnType::built_in(target.expr.ty().oid, target.expr.ty().typmod),
        default: None,
        default_oid: 0,
        collation: None,
    };
    let columns: Vec<ViewColumn> = query.targets.iter().filter(|target| !target.junk).map(column).collect();
    let oid = || server.db.new_oid();
    let view = ViewDef {
        oid: oid(),
        rule: oid(),
        row_type: oid(),
        array_type: oid(),
        namespace: server.namespace(schema),
        schema: schema.into(),
        temporary: false,
        name: name.into(),
        owner: 10,
        columns,
        query: stored::query(catalog, &query).unwrap(),
        options: vec![],
    };
    let comment = comment((PG_CLASS, view.oid), &format!("the view {name}"));
    server.change(|transaction| {
        transaction.alter_view(5, None, view);
        transaction.put(5, comment);
    });
}

fn comment((classoid, objoid): (u32, u32), text: &str) -> PgDescription {
    PgDescription { objoid, classoid, objsubid: 0, description: text.to_string().into() }
}

fn check(server: &mut Server, answers: &[(&str, &str)]) {
    for (statement, answer) in answers {
        let ours = server.run(statement).unwrap_or_else(|error| format!("{}: {error}", error.code));
        assert_eq!(ours, *answer, "{statement}");
    }
}

#[test]
fn schemas_and_views_are_kept() {
    let mut server = Server::new();
    let oid = server.db.new_oid();
    let namespace = PgNamespace { oid, nspname: "reports".into(), nspowner: 10, nspacl: None };
    server.change(|transaction| {
        transaction.put(5, namespace.clone());
        transaction.put(5, comment((PG_NAMESPACE, oid), "what is looked at"));
    });
    let text = ColumnType::of(oid::TEXT);
    let amount = ColumnType::built_in(oid::NUMERIC, 4 + (10 << 16 | 2));
    table(&server, "public", "customers", &[("id", INT4), ("name", text), ("city", text)]);
    table(&server, "reports", "orders", &[("id", INT4), ("customer", INT4), ("amount", amount)]);
    let rows = "insert into customers values (1, 'Ada', 'London'), (2, 'Bob', 'Paris'), (3, 'Cleo', 'London');
        insert into reports.orders values (10, 1, 100.5), (11, 1, 20), (12, 2, 300.25), (13, 3, null)";
    server.run(rows).unwrap();
    let spent = "select c.name, sum(o.amount) as spent
                   from customers c join reports.orders o on o.customer = c.id group by c.name";
    view(&server, ("reports", "spent"), spent);
    view(&server, ("public", "londoners"), "select id, name, city from customers where city = 'London'");
    view(&server, ("public", "twice"), "select s.name, s.spent * 2 as twice from reports.spent s");
    let of_views = "select c.relname, d.refobjid::regclass, d.refobjsubid, d.deptype
                      from pg_depend d join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
                           join pg_class c on c.oid = r.ev_class where c.oid >= 16384
                     order by c.relname, d.refobjid::regclass::text, d.refobjsubid";
    check(
        &mut server,
        &[
            ("select * from reports.spent order by name", "Ada|120.50\nBob|300.25\nCleo|\n"),
            ("select * from twice where twice > 100 order by 1", "Ada|241.00\nBob|600.50\n"),
            ("update londoners set name = upper(name) where id = 3 returning *", "3|CLEO|London\n"),
            ("set search_path = reports, public", ""),
            ("select spent from spent where name = 'Bob'", "300.25\n"),
            ("select current_schemas(true)", "{pg_catalog,reports,public}\n"),
            ("reset search_path", ""),
            (
                "select c.relname, c.relkind, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                  where c.relkind = 'v' and c.oid >= 16384 order by 1",
                "londoners|v|public\nspent|v|reports\ntwice|v|public\n",
            ),
            (
                "select attname, atttypid::regtype from pg_attribute where attrelid = 'reports.spent'::regclass order by attnum",
                "name|text\nspent|numeric\n",
            ),
            (
                "select obj_description('reports'::regnamespace, 'pg_namespace'), obj_description('twice'::regclass, 'pg_class')",
                "what is looked at|the view twice\n",
            ),
            (
                "select pg_get_viewdef('twice'::regclass, true)",
                " SELECT name,\n    spent * 2::numeric AS twice\n   FROM reports.spent s;\n",
            ),
            (
                of_views,
                "londoners|customers|1|n\nlondoners|customers|2|n\nlondoners|customers|3|n\nlondoners|londoners|0|i\n\
                 spent|customers|1|n\nspent|customers|2|n\nspent|reports.orders|2|n\nspent|reports.orders|3|n\n\
                 spent|reports.spent|0|i\ntwice|reports.spent|1|n\ntwice|reports.spent|2|n\ntwice|twice|0|i\n",
            ),
            (
                "select objid::regclass from pg_depend where refobjid = 'reports'::regnamespace order by objid::regclass::text",
                "reports.orders\nreports.spent\n",
            ),
        ],
    );
    // ALTER SCHEMA … RENAME: views go on to refer to what is in it.
    server.change(|transaction| transaction.put(5, PgNamespace { nspname: "old".into(), ..namespace }));
    check(
        &mut server,
        &[
            ("select count(*) from old.spent", "3\n"),
            ("select twice from twice where name = 'Bob'", "600.50\n"),
            (
                "select pg_get_viewdef('twice'::regclass, true)",
                " SELECT name,\n    spent * 2::numeric AS twice\n   FROM old.spent s;\n",
            ),
            ("select 1 from reports.spent", "42P01: relation \"reports.spent\" does not exist"),
        ],
    );
}

#[test]
fn a_session_finds_what_is_temporary_first() {
    let mut server = Server::new();
    table(&server, "public", "t", &[("a", INT4)]);
    let schema = {
        let mut transaction = Transaction::new(&server.db, &server.session.shared.backend);
        let schema = transaction.temporary_schema();
        aio::block_on(server.db.engine(), transaction.commit(engine::Durability::Asynchronous)).unwrap();
        schema
    };
    table(&server, &schema, "t", &[("b", INT4)]);
    server.run("insert into t (b) values (1), (2); insert into public.t values (7)").unwrap();
    check(
        &mut server,
        &[
            ("select count(b) from t", "2\n"),
            ("select * from pg_temp.t order by 1", "1\n2\n"),
            ("select a from public.t", "7\n"),
            ("select relpersistence from pg_class where relname = 't' order by 1", "p\nt\n"),
            ("select relname from pg_class where relnamespace = pg_my_temp_schema()", "t\n"),
            ("select 'pg_temp'::regnamespace", "3F000: schema \"pg_temp\" does not exist"),
        ],
    );
    aio::block_on(server.db.engine(), server.session.abandon());
    check(
        &mut server,
        &[("select * from t", "7\n"), ("select * from pg_temp.t", "42P01: relation \"pg_temp.t\" does not exist")],
    );
}

#[test]
fn constraints_are_rows() {
    let mut server = Server::new();
    server.run("create table nn (a int primary key, b int not null, \"C d\" text not null)").unwrap();
    check(
        &mut server,
        &[
            (
                "select conname, contype, conkey, connoinherit, pg_get_constraintdef(oid) from pg_constraint
                  where conrelid = 'nn'::regclass order by 1",
                "nn_C d_not_null|n|{3}|f|NOT NULL \"C d\"\nnn_a_not_null|n|{1}|f|NOT NULL a\n\
                 nn_b_not_null|n|{2}|f|NOT NULL b\nnn_pkey|p|{1}|t|PRIMARY KEY (a)\n",
            ),
            (
                "select c.conname, d.refobjsubid, d.deptype
                   from pg_depend d join pg_constraint c on c.oid = d.objid and d.classid = 'pg_constraint'::regclass
                  where c.conrelid = 'nn'::regclass order by 1, 2",
                "nn_C d_not_null|3|a\nnn_a_not_null|1|a\nnn_b_not_null|2|a\nnn_pkey|1|a\n",
            ),
        ],
    );
}

#[test]
fn the_servers_own_first_statement_finds_the_catalogs() {
    let server = Server::new();
    let found =
        aio::block_on(server.db.engine(), session::first_statement::run(&server.db, &commands::Commands)).unwrap();
    assert_eq!(found, 1, "pg_catalog alone has relations that begin so");
    assert_eq!(server.db.activity().count(aio::BackendKind::Startup), 0, "it is gone");
}
