//! Which roles a role is a member of (`roles_is_member_of`).

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use types::{Oid, oid};

use super::role::PG_DATABASE_OWNER;
use crate::catalogs::PgAuthMembers;
use crate::syscache::Catalog;

/// Which memberships are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recursion {
    /// All.
    Members,
    /// Those that give the role's privileges (INHERIT).
    Privileges,
    /// Those that let a member become the role (SET).
    SetRole,
}

/// The roles that a role is a member of, in one of the senses.
type Known = HashMap<(Oid, Recursion), Arc<[Oid]>>;

/// What was asked of memberships. It belongs to one version of the catalogs, in one database.
#[derive(Debug, Default)]
pub struct Memberships(Mutex<Known>);

/// Roles and rights in a version of the catalogs, as a session in a database sees them.
#[derive(Clone, Copy, Debug)]
pub struct Roles<'a> {
    pub catalog: Catalog<'a>,
    /// The session's, to whose owner `pg_database_owner` belongs.
    pub database: Oid,
    /// Of that catalog and that database.
    pub known: &'a Memberships,
}

/// The role that a session acts as.
#[derive(Debug, Default)]
pub struct Viewer {
    pub role: Oid,
    pub database: Oid,
    pub memberships: Memberships,
}

impl Viewer {
    pub fn roles<'a>(&'a self, catalog: Catalog<'a>) -> Roles<'a> {
        Roles { catalog, database: self.database, known: &self.memberships }
    }
}

impl<'a> Roles<'a> {
    /// A role, and those that it is a member of, directly or not: the nearest first.
    pub fn member_of(self, role: Oid, recursion: Recursion) -> Arc<[Oid]> {
        let known = || self.known.0.lock().expect("no holder panics");
        if let Some(found) = known().get(&(role, recursion)) {
            return found.clone();
        }
        let found: Arc<[Oid]> = self.follow(role, recursion).into();
        known().insert((role, recursion), found.clone());
        found
    }

    fn follow(self, role: Oid, recursion: Recursion) -> Vec<Oid> {
        let owner = self.catalog.database(self.database).map(|row| row.datdba);
        let mut found = vec![role];
        let mut at = 0;
        while let Some(&member) = found.get(at) {
            at += 1;
            let implicit = (owner == Some(member)).then_some(PG_DATABASE_OWNER);
            let followed = self.catalog.memberships_of(member).filter(|row| match recursion {
                Recursion::Members => true,
                Recursion::Privileges => row.inherit_option,
                Recursion::SetRole => row.set_option,
            });
            for next in followed.map(|row| row.roleid).chain(implicit) {
                // There are no circles; rows that say otherwise end, too.
                if next != oid::INVALID && !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        found
    }

    pub fn is_superuser(self, role: Oid) -> bool {
        self.catalog.role(role).is_some_and(|row| row.rolsuper)
    }

    /// May a role do what another one may (`has_privs_of_role`)?
    pub fn has_privileges_of(self, member: Oid, role: Oid) -> bool {
        member == role || self.is_superuser(member) || self.member_of(member, Recursion::Privileges).contains(&role)
    }

    /// `member_can_set_role`.
    pub fn can_set_role(self, member: Oid, role: Oid) -> bool {
        member == role || self.is_superuser(member) || self.member_of(member, Recursion::SetRole).contains(&role)
    }

    /// `is_member_of_role`; a superuser is one of every role.
    pub fn is_member(self, member: Oid, role: Oid) -> bool {
        self.is_superuser(member) || self.is_listed_member(member, role)
    }

    /// The same by memberships alone (`is_member_of_role_nosuper`).
    pub fn is_listed_member(self, member: Oid, role: Oid) -> bool {
        member == role || self.member_of(member, Recursion::Members).contains(&role)
    }

    /// May a role give others a membership in a role (`is_admin_of_role`)? None may in itself.
    pub fn is_admin(self, member: Oid, role: Oid) -> bool {
        self.is_superuser(member) || self.administrator(member, role, Recursion::Members).is_some()
    }

    /// The role with the ADMIN option on another that a member acts as when it gives memberships in it (`select_best_admin`).
    pub fn best_admin(self, member: Oid, role: Oid) -> Option<Oid> {
        self.administrator(member, role, Recursion::Privileges)
    }

    fn administrator(self, member: Oid, role: Oid, recursion: Recursion) -> Option<Oid> {
        let gives = |row: &PgAuthMembers, other: Oid| row.member == other && row.admin_option;
        let administers = |other: &Oid| self.catalog.members_of(role).any(|row| gives(row, *other));
        let acts_as = self.member_of(member, recursion);
        acts_as.iter().copied().find(|other| administers(other)).filter(|_| member != role)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::catalogs::PgAuthid;
    use crate::syscache::Objects;

    pub fn role(oid: Oid, rolsuper: bool) -> PgAuthid {
        PgAuthid {
            oid,
            rolname: format!("r{oid}").into(),
            rolsuper,
            rolinherit: true,
            rolcreaterole: false,
            rolcreatedb: false,
            rolcanlogin: true,
            rolreplication: false,
            rolbypassrls: false,
            rolconnlimit: -1,
            rolpassword: None,
            rolvaliduntil: None,
        }
    }

    /// Memberships with the options ADMIN, INHERIT and SET.
    pub fn objects(members: &[(Oid, Oid, [bool; 3])]) -> Objects {
        let row =
            |&(roleid, member, [admin_option, inherit_option, set_option]): &(Oid, Oid, [bool; 3])| PgAuthMembers {
                oid: roleid + member,
                roleid,
                member,
                grantor: 10,
                admin_option,
                inherit_option,
                set_option,
            };
        let roles = std::iter::once(role(10, true)).chain((1..=6).map(|number| role(number, false)));
        Objects::default().with(roles.collect()).with(members.iter().map(row).collect())
    }

    pub fn with<T>(objects: &Objects, ask: impl FnOnce(Roles<'_>) -> T) -> T {
        let known = Memberships::default();
        let catalog = Catalog { objects: Some(objects), ..Catalog::BUILT_IN };
        ask(Roles { catalog, database: 5, known: &known })
    }

    const ALL: [bool; 3] = [true, true, true];

    #[test]
    fn options_say_what_a_membership_gives() {
        // 1 is in 2, which is in 3 without INHERIT and in 4 without SET.
        let objects = objects(&[(2, 1, ALL), (3, 2, [false, false, true]), (4, 2, [false, true, false])]);
        with(&objects, |roles| {
            assert_eq!(*roles.member_of(1, Recursion::Members), [1, 2, 3, 4]);
            assert!(roles.has_privileges_of(1, 4) && !roles.has_privileges_of(1, 3));
            assert!(roles.can_set_role(1, 3) && !roles.can_set_role(1, 4));
            assert!(roles.is_member(1, 3) && !roles.is_member(3, 1));
            assert!(roles.is_admin(1, 2) && !roles.is_admin(1, 3) && !roles.is_admin(2, 2));
            assert_eq!(roles.best_admin(1, 2), Some(1));
            assert!(roles.is_member(10, 3) && !roles.is_listed_member(10, 3) && roles.is_admin(10, 3));
        });
    }

    #[test]
    fn an_administrator_may_be_a_role_that_a_member_inherits() {
        let objects = objects(&[(2, 1, [false, true, true]), (3, 2, ALL), (4, 1, [false, false, true]), (5, 4, ALL)]);
        with(&objects, |roles| {
            assert_eq!(roles.best_admin(1, 3), Some(2));
            assert_eq!(roles.best_admin(1, 5), None);
            assert!(roles.is_admin(1, 5), "it could become the role");
        });
    }

    #[test]
    fn rows_in_a_circle_end() {
        let objects = objects(&[(1, 2, ALL), (2, 3, ALL), (3, 1, ALL)]);
        with(&objects, |roles| assert_eq!(*roles.member_of(1, Recursion::Privileges), [1, 3, 2]));
    }
}
