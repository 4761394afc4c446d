//! Roles, and what is set for their sessions.

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RoleDef {
    pub oid: u32,
    pub name: String,
    pub superuser: bool,
    pub inherit: bool,
    pub create_role: bool,
    pub create_db: bool,
    pub login: bool,
    pub replication: bool,
    pub bypass_rls: bool,
    /// Sessions at once; `None` for any number.
    pub connection_limit: Option<u32>,
    /// The password's verifier ([`auth::password`]).
    pub password: Option<String>,
    /// Until when the password is good, in microseconds since 1970.
    pub valid_until: Option<i64>,
    /// The OID of the role that made it, which may change and drop it; `None` if a superuser made it.
    pub made_by: Option<u32>,
    #[serde(default)]
    pub comment: Option<String>,
}

impl std::fmt::Debug for RoleDef {
    /// Without the password: this may get into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RoleDef").field("oid", &self.oid).field("name", &self.name).finish_non_exhaustive()
    }
}

impl RoleDef {
    /// As CREATE ROLE makes one that says nothing more.
    pub fn new(oid: u32, name: &str) -> RoleDef {
        RoleDef {
            oid,
            name: name.into(),
            superuser: false,
            inherit: true,
            create_role: false,
            create_db: false,
            login: false,
            replication: false,
            bypass_rls: false,
            connection_limit: None,
            password: None,
            valid_until: None,
            made_by: None,
            comment: None,
        }
    }

    /// Who may everything.
    pub(super) fn almighty(oid: u32, name: &str) -> RoleDef {
        let all = RoleDef { superuser: true, create_role: true, create_db: true, ..RoleDef::new(oid, name) };
        RoleDef { login: true, replication: true, bypass_rls: true, ..all }
    }

    /// Is the password still good?
    pub fn is_valid(&self, now: std::time::SystemTime) -> bool {
        let now = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_micros() as i64;
        self.valid_until.is_none_or(|until| now <= until)
    }
}

/// What is set for sessions when they begin: those of a role (0: of any) in a database (0: in any).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleSettings {
    pub database: u32,
    pub role: u32,
    /// In the order in which they were set.
    pub settings: Vec<(String, String)>,
}
