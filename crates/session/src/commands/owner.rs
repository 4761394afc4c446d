//! ALTER … OWNER TO.

use std::sync::Arc;

use engine::{EngineError, Result, SequenceDef, Table, TableDef};
use error::sqlstate;
use syntax::nodes::{AlterOwnerStmt, Node, ObjectType, RoleSpec};
use types::Oid;

use crate::commands::{schema, sequence, tablespace, user};
use crate::session::{Reply, Session, done};

/// The role that something is to belong to, as [`new_owner`]; no session drops it until the transaction ends.
pub async fn lock_new_owner(session: &mut Session, role: Option<&RoleSpec>, before: Oid) -> Result<Oid> {
    let name = new_owner(session, role, before)?;
    user::hold(session, &name).await?;
    user::oid_of(session, &name)
}

/// The role that something is to belong to, which whoever asks must be able to become.
fn new_owner(session: &Session, role: Option<&RoleSpec>, before: Oid) -> Result<String> {
    let Some(role) = role else { return Err(EngineError::unsupported("this form of OWNER TO")) };
    let name = user::named(session, role)?;
    let oid = user::oid_of(session, &name)?;
    let own = user::current(&session.shared)?;
    if oid != before && oid != own.oid && !own.rolsuper {
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("must be able to SET ROLE \"{name}\"")));
    }
    Ok(name)
}

/// ALTER … OWNER TO of what is no relation.
pub async fn run(session: &mut Session, alter: &AlterOwnerStmt) -> Result<Reply> {
    match (alter.object_type, &alter.object) {
        (ObjectType::OBJECT_SCHEMA, Some(Node::String(name))) => {
            session.require_writable("ALTER SCHEMA")?;
            schema::change_owner(session, name, alter.newowner.as_deref()).await?;
            Ok(done("ALTER SCHEMA"))
        }
        (ObjectType::OBJECT_TABLESPACE, Some(Node::String(name))) => {
            session.require_writable("ALTER TABLESPACE")?;
            tablespace::change_owner(session, name, alter.newowner.as_deref()).await?;
            Ok(done("ALTER TABLESPACE"))
        }
        _ => Err(EngineError::unsupported("this form of ALTER … OWNER TO")),
    }
}

/// Gives a table, and the sequences that are part of it, to a role.
pub async fn change_table(session: &mut Session, table: &Arc<Table>, role: Option<&RoleSpec>) -> Result<()> {
    let owner = lock_new_owner(session, role, table.def.owner).await?;
    for found in sequence::lock_of_table(session, table.def.oid, None).await? {
        sequence::put(session, SequenceDef { owner, ..SequenceDef::clone(&found) });
    }
    session.put_table(&table.def, TableDef { owner, ..TableDef::clone(&table.def) });
    Ok(())
}

/// Gives a sequence that is locked to a role.
pub async fn change_sequence(session: &mut Session, found: &SequenceDef, role: Option<&RoleSpec>) -> Result<()> {
    let owner = lock_new_owner(session, role, found.owner).await?;
    if let Some((table, _)) = sequence::owner_table(session, found).filter(|_| owner != found.owner) {
        let table = &table.name;
        let detail = format!("Sequence \"{}\" is linked to table \"{table}\".", found.name);
        let message = format!("cannot change owner of sequence \"{}\"", found.name);
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(detail));
    }
    sequence::put(session, SequenceDef { owner, ..SequenceDef::clone(found) });
    Ok(())
}
