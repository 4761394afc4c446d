//! What may be granted on objects of a kind, and what is granted on one by default.

use super::item::{AclItem, AclMode, mode::*};
use crate::names::Securable;
use crate::oid::{self, Oid};

/// All privileges that there are on objects of a kind.
pub const fn all_privileges(kind: Securable) -> AclMode {
    match kind {
        Securable::Table => INSERT | SELECT | UPDATE | DELETE | TRUNCATE | REFERENCES | TRIGGER | MAINTAIN,
        Securable::Column => INSERT | SELECT | UPDATE | REFERENCES,
        Securable::Sequence => USAGE | SELECT | UPDATE,
        Securable::Database => CREATE | TEMPORARY | CONNECT,
        Securable::Function => EXECUTE,
        Securable::Schema => USAGE | CREATE,
        Securable::Tablespace => CREATE,
        Securable::Language | Securable::Type | Securable::ForeignDataWrapper | Securable::ForeignServer => USAGE,
        Securable::LargeObject => SELECT | UPDATE,
        Securable::Parameter => SET | ALTER_SYSTEM,
    }
}

/// What PUBLIC and the owner may do with an object on which nothing was granted (`acldefault`).
pub fn default_acl(kind: Securable, owner: Oid) -> Vec<AclItem> {
    let public = match kind {
        Securable::Database => TEMPORARY | CONNECT,
        Securable::Function => EXECUTE,
        Securable::Language | Securable::Type => USAGE,
        _ => 0,
    };
    let own = if kind == Securable::Column { 0 } else { all_privileges(kind) };
    let items =
        [(oid::INVALID, public), (owner, own)].map(|(grantee, privs)| AclItem { grantee, grantor: owner, privs });
    items.into_iter().filter(|item| item.privs != 0).collect()
}
