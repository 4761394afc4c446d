//! CREATE and DROP EXTENSION: PostgreSQL's `extension.c`. Which extensions there are is built in; their functions are always
//! there, in `pg_catalog`, and an extension that is made has its views.

use catalog::catalogs::{PgDepend, PgExtension};
use catalog::facts::Name;
use catalog::quote_identifier;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use syntax::nodes::{CreateExtensionStmt, DropStmt, Node};
use types::Oid;
use types::names::{PG_CLASS, PG_EXTENSION, PG_NAMESPACE};

use crate::commands::deletion::{self, Object};
use crate::commands::drop::string;
use crate::commands::{comment, def_elem, user, view};
use crate::namespace;
use crate::session::{Reply, Session, done};

/// An extension that can be made.
pub struct Available {
    pub name: &'static str,
    pub version: &'static str,
    pub comment: &'static str,
    /// Its views, and what they are over.
    views: &'static [(&'static str, &'static str)],
}

pub const AVAILABLE: &[Available] = &[
    Available {
        name: "pg_buffercache",
        version: "1.6",
        comment: "examine the shared buffer cache",
        views: &[("pg_buffercache", "SELECT * FROM pg_catalog.pg_buffercache_pages()")],
    },
    Available { name: "pg_prewarm", version: "1.2", comment: "prewarm relation data", views: &[] },
];

/// What WITH says.
#[derive(Default)]
struct Options {
    schema: Option<String>,
    version: Option<String>,
}

impl Options {
    fn read(nodes: &[Node]) -> Result<Options> {
        let mut options = Options::default();
        for node in nodes {
            let Node::DefElem(option) = node else { continue };
            let place = match def_elem::name(option) {
                "schema" => &mut options.schema,
                "new_version" => &mut options.version,
                // What an extension needs is there.
                "cascade" => continue,
                other => return Err(EngineError::unsupported(format_args!("CREATE EXTENSION with {other}"))),
            };
            if place.replace(def_elem::string(option)?.to_string()).is_some() {
                return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options"));
            }
        }
        Ok(options)
    }
}

pub async fn create(session: &mut Session, create: &CreateExtensionStmt) -> Result<Reply> {
    session.require_writable("CREATE EXTENSION")?;
    let name = create.extname.as_deref().unwrap_or_default();
    if find(session, name).is_some() {
        let message = format!("extension \"{name}\" already exists");
        if create.if_not_exists {
            session.notice("NOTICE", EngineError::new(sqlstate::DUPLICATE_OBJECT, message + ", skipping"));
            return Ok(done("CREATE EXTENSION"));
        }
        return Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, message));
    }
    let options = Options::read(&create.options)?;
    let Some(available) = AVAILABLE.iter().find(|available| available.name == name) else {
        let hint = "pg_available_extensions lists those that are.";
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("extension \"{name}\" is not available"),
        )
        .hint(hint));
    };
    let role = user::current(&session.shared)?;
    if !role.rolsuper {
        let message = format!("permission denied to create extension \"{name}\"");
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message)
            .hint("Must be superuser to create this extension."));
    }
    if let Some(version) = options.version.filter(|version| version != available.version) {
        let message =
            format!("extension \"{name}\" has no installation script nor update path for version \"{version}\"");
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    }
    let parts: Vec<String> = options.schema.into_iter().chain([name.to_string()]).collect();
    let (schema, _) = namespace::creation(session, &namespace::range_var(&parts)).await?;
    let mut views = Vec::with_capacity(available.views.len());
    for (view, query) in available.views {
        views.push(make_view(session, &schema, view, query).await?);
    }
    let namespace = session.schema_oid(&schema)?;
    let oid = session.db().new_oid();
    put(session, (oid, role.oid, namespace), available);
    let extension = ObjectAddress { class: PG_EXTENSION, oid, column: 0 };
    depend(session, extension, (PG_NAMESPACE, namespace), b'n');
    for view in views {
        depend(session, ObjectAddress { class: PG_CLASS, oid: view, column: 0 }, (PG_EXTENSION, oid), b'e');
    }
    comment::set(session, extension, Some(available.comment));
    Ok(done("CREATE EXTENSION"))
}

fn put(session: &mut Session, (oid, extowner, extnamespace): (Oid, Oid, Oid), available: &Available) {
    let database = session.shared.database.0;
    session.transaction().put(
        database,
        PgExtension {
            oid,
            extname: Name::Borrowed(available.name),
            extowner,
            extnamespace,
            extrelocatable: true,
            extversion: Name::Borrowed(available.version),
            extconfig: None,
            extcondition: None,
        },
    );
    session.change_owner((PG_EXTENSION, oid), (None, extowner));
}

fn depend(session: &mut Session, object: ObjectAddress, (refclassid, refobjid): (Oid, Oid), deptype: u8) {
    let database = session.shared.database.0;
    let ObjectAddress { class: classid, oid: objid, column: objsubid } = object;
    let row = PgDepend { classid, objid, objsubid, refclassid, refobjid, refobjsubid: 0, deptype };
    session.transaction().put(database, row);
    session.show_changes();
}

/// Makes a view; gives its oid.
async fn make_view(session: &mut Session, schema: &str, name: &str, query: &str) -> Result<u32> {
    let text = format!("CREATE VIEW {}.{} AS {query}", quote_identifier(schema), quote_identifier(name));
    for statement in session.parse(&text)? {
        if let Node::ViewStmt(create) = statement.node() {
            view::create(session, &statement, create).await?;
        }
    }
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let made = database.and_then(|database| database.view(schema, name));
    made.map(|view| view.oid).ok_or_else(|| EngineError::new(sqlstate::INTERNAL_ERROR, "a view was not made"))
}

/// Somebody's extension of this name.
pub fn find(session: &Session, name: &str) -> Option<PgExtension> {
    let catalog = session.shared.catalog();
    catalog.database_by_oid(session.shared.database.0)?.extension(name).cloned()
}

pub fn missing(name: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("extension \"{name}\" does not exist"))
}

/// An extension of this name, which the session's role may change.
pub fn owned(session: &Session, name: &str) -> Result<PgExtension> {
    let extension = find(session, name).ok_or_else(|| missing(name))?;
    let role = user::current(&session.shared)?;
    match role.rolsuper || role.oid == extension.extowner {
        true => Ok(extension),
        false => Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("must be owner of extension {name}"))),
    }
}

pub async fn drop(session: &mut Session, drop: &DropStmt) -> Result<Reply> {
    session.require_writable("DROP EXTENSION")?;
    let mut objects = Vec::new();
    for name in drop.objects.iter().filter_map(string) {
        match owned(session, &name) {
            Ok(extension) => objects.push(Object::Extension(extension.oid)),
            Err(error) if error.code == sqlstate::UNDEFINED_OBJECT && drop.missing_ok => {
                session
                    .notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
            }
            Err(error) => return Err(error),
        }
    }
    deletion::drop_all(session, &objects, drop.behavior).await?;
    Ok(done("DROP EXTENSION"))
}
