//! CREATE and ALTER EXTENSION: PostgreSQL's `extension.c`. Which extensions there are is built in; their functions are always
//! there, in `pg_catalog`, and an extension that is made has its views.

use catalog::catalogs::{PgDepend, PgExtension};
use catalog::facts::Name;
use catalog::object::address::ObjectName;
use catalog::{Catalog, CatalogKey, Keyed, quote_identifier};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::stat::extensions::{AVAILABLE, Available};
use session::{ParsedStatement, Reply, Session, def_elem, done};
use syntax::nodes::{AlterExtensionContentsStmt, AlterExtensionStmt, CreateExtensionStmt, Node};
use txn::{LockMode, LockTag};
use types::Oid;
use types::names::{PG_CLASS, PG_EXTENSION, PG_NAMESPACE};

use crate::object::{alter, comment, namespace, object_address, set_schema};
use crate::role::user;
use crate::view;

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

fn depend(session: &mut Session, object: ObjectAddress, (class, oid): (Oid, Oid), deptype: u8) {
    let referenced = ObjectAddress { class, oid, column: 0 };
    let database = session.shared.database.0;
    session.transaction().put(database, PgDepend::new(object, referenced, deptype));
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

/// The extension of this name, whichever role owns it.
pub fn find(session: &Session, name: &str) -> Option<PgExtension> {
    let catalog = session.shared.catalog();
    catalog.database_by_oid(session.shared.database.0)?.extension(name).cloned()
}

/// The extension of a name, which the session's role owns.
fn find_owned(session: &mut Session, name: &str) -> Result<ObjectAddress> {
    let name = ObjectName { names: vec![name.into()], ..ObjectName::default() };
    let object = object_address::find(session, ObjectKind::Extension, &name)?;
    ownership::require_owner_of(session, ObjectKind::Extension, &name, object)?;
    Ok(object)
}

/// ALTER EXTENSION … UPDATE (`ExecAlterExtensionStmt`): each extension has one version.
pub async fn update(session: &mut Session, alter: &AlterExtensionStmt) -> Result<Reply> {
    session.require_writable("ALTER EXTENSION")?;
    let name = alter.extname.as_deref().unwrap_or_default();
    let extension = find_owned(session, name)?;
    let wanted = Options::read(&alter.options)?.version;
    let environment = session.environment();
    let installed = environment.catalog().extension(extension.oid).map_or("", |row| &*row.extversion);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != installed) {
        let message =
            format!("extension \"{name}\" has no update path from version \"{installed}\" to version \"{wanted}\"");
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    }
    let message = format!("version \"{installed}\" of extension \"{name}\" is already installed");
    session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    Ok(done("ALTER EXTENSION"))
}

/// ALTER EXTENSION … ADD and DROP (`ExecAlterExtensionContentsStmt`).
pub async fn alter_contents(
    session: &mut Session,
    statement: &ParsedStatement,
    alter: &AlterExtensionContentsStmt,
) -> Result<Reply> {
    session.require_writable("ALTER EXTENSION")?;
    let extension = find_owned(session, alter.extname.as_deref().unwrap_or_default())?;
    let kind = object_address::kind(alter.objtype)?;
    let Some(node) = &alter.object else { return Err(EngineError::unsupported("this form of ALTER EXTENSION")) };
    let name = object_address::name(session, statement, kind, node)?;
    let find = |session: &mut Session| {
        let object = object_address::find(session, kind, &name)?;
        ownership::require_owner_of(session, kind, &name, object)?;
        Ok::<_, EngineError>(object)
    };
    let object = object_address::lock(session, LockMode::ShareUpdateExclusive, find).await?;
    match alter.action > 0 {
        true => add_member(session, extension, object)?,
        false => drop_member(session, extension, object)?,
    }
    Ok(done("ALTER EXTENSION"))
}

/// The row that says of which extension an object is a member (`getExtensionOfObject`).
fn membership(catalog: Catalog<'_>, object: ObjectAddress) -> Option<&PgDepend> {
    catalog.depends_on((object.class, object.oid)).find(|row| row.deptype == b'e' && row.refclassid == PG_EXTENSION)
}

fn add_member(session: &mut Session, extension: ObjectAddress, object: ObjectAddress) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let refused = |message| Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
    let name = |extension: Oid| catalog.extension(extension).map_or("", |row| &*row.extname);
    if let Some(row) = membership(catalog, object) {
        let object = catalog.describe(object)?.unwrap_or_default();
        return refused(format!("{object} is already a member of extension \"{}\"", name(row.refobjid)));
    }
    let schema = catalog.extension(extension.oid).map(|row| row.extnamespace);
    if object.class == PG_NAMESPACE && schema == Some(object.oid) {
        let schema = catalog.namespace(object.oid).map_or("", |row| &*row.nspname);
        let extension = name(extension.oid);
        return refused(format!(
            "cannot add schema \"{schema}\" to extension \"{extension}\" because the schema contains the extension"
        ));
    }
    depend(session, object, (PG_EXTENSION, extension.oid), b'e');
    Ok(())
}

fn drop_member(session: &mut Session, extension: ObjectAddress, object: ObjectAddress) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = membership(catalog, object).filter(|row| row.refobjid == extension.oid) else {
        let object = catalog.describe(object)?.unwrap_or_default();
        let extension = catalog.extension(extension.oid).map_or("", |row| &*row.extname);
        let message = format!("{object} is not a member of extension \"{extension}\"");
        return Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
    };
    let (database, key) = (session.shared.database.0, CatalogKey::PgDepend(row.key()));
    session.transaction().delete(database, key);
    session.show_changes();
    Ok(())
}

/// ALTER EXTENSION … SET SCHEMA, with the members of an extension that is locked (`AlterExtensionNamespace`).
pub async fn set_schema(session: &mut Session, extension: ObjectAddress, schema: &str) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = catalog.extension(extension.oid) else { return Ok(()) };
    let (from, members) = (session.schema_name(row.extnamespace), catalog.dependents((PG_EXTENSION, extension.oid)));
    let members: Vec<ObjectAddress> = members
        .filter(|row| row.deptype == b'e')
        .map(|row| ObjectAddress { class: row.classid, oid: row.objid, column: 0 })
        .collect();
    let namespace = set_schema::lock_target(session, &from, schema).await?;
    if members.iter().any(|member| (member.class, member.oid) == (PG_NAMESPACE, namespace)) {
        let message = format!(
            "cannot move extension \"{}\" into schema \"{schema}\" because the extension contains the schema",
            row.extname
        );
        return Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
    }
    if namespace == row.extnamespace {
        return Ok(());
    }
    for &member in &members {
        let found = catalog.object(member).and_then(|object| object.namespace);
        if found.is_some_and(|found| found != row.extnamespace) {
            let object = catalog.describe(member)?.unwrap_or_default();
            let message = format!("extension \"{}\" does not support SET SCHEMA", row.extname);
            let detail = format!("{object} is not in the extension's schema \"{from}\"");
            return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(detail));
        }
        if member.class == PG_CLASS {
            let tag = LockTag::Relation { database: session.shared.database.0, oid: member.oid };
            session.lock(tag, LockMode::AccessExclusive).await?;
            set_schema::move_relation(session, member.oid, schema).await?;
        }
    }
    let database = session.shared.database.0;
    session.transaction().put(database, PgExtension { extnamespace: namespace, ..row.clone() });
    alter::change_namespace(session, extension, namespace);
    Ok(())
}
