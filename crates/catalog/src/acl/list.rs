//! What GRANT, REVOKE and OWNER TO make of a list of rights (`aclupdate`, `aclnewowner`).

use error::sqlstate;
use types::acl::{AclItem, AclMode, grant_options, mode::ALL_GRANT_OPTIONS, of_grant_options};
use types::{Error, Oid, Result, oid};

use super::membership::Recursion;
use super::{How, Roles};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Grant,
    Revoke,
}

/// What becomes of rights that depend on one that is revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    Restrict,
    Cascade,
}

/// As which role a role grants, and which grant options that one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grantor {
    pub role: Oid,
    pub options: AclMode,
}

impl Roles<'_> {
    /// What of a mask a list gives to a role: itself, by PUBLIC and by memberships (`aclmask`). An owner has all grant options.
    pub fn mask_of_list(self, acl: &[AclItem], (role, owner): (Oid, Oid), mask: AclMode, how: How) -> AclMode {
        let is_enough = |found: AclMode| match how {
            How::All => found == mask,
            How::Any => found != 0,
        };
        let mut found = 0;
        if mask & ALL_GRANT_OPTIONS != 0 && self.has_privileges_of(role, owner) {
            found = mask & ALL_GRANT_OPTIONS;
        }
        let is_direct = |item: &&AclItem| item.grantee == oid::INVALID || item.grantee == role;
        found |= acl.iter().filter(is_direct).fold(0, |found, item| found | item.privs & mask);
        for item in acl.iter().filter(|item| !is_direct(item)) {
            if is_enough(found) || found == mask {
                break;
            }
            if item.privs & mask & !found != 0 && self.has_privileges_of(role, item.grantee) {
                found |= item.privs & mask;
            }
        }
        found
    }

    /// As which role one grants or revokes privileges (`select_best_grantor`): the owner, or the first of the roles whose
    /// privileges it has that has all grant options, or most.
    pub fn best_grantor(self, role: Oid, privileges: AclMode, acl: &[AclItem], owner: Oid) -> Grantor {
        let needed = grant_options(privileges);
        if role == owner || self.is_superuser(role) {
            return Grantor { role: owner, options: needed };
        }
        let mut best = Grantor { role, options: 0 };
        for &other in &*self.member_of(role, Recursion::Privileges) {
            let own = acl.iter().filter(|item| item.grantee == other);
            let options = if other == owner { needed } else { own.fold(0, |all, item| all | item.privs & needed) };
            if options.count_ones() > best.options.count_ones() {
                best = Grantor { role: other, options };
            }
            if options == needed {
                break;
            }
        }
        best
    }

    /// A list with more, or less, for a grantee by a grantor. What depends on grant options that are revoked goes too.
    pub fn update(
        self,
        acl: &[AclItem],
        item: AclItem,
        change: Change,
        owner: Oid,
        behavior: Behavior,
    ) -> Result<Vec<AclItem>> {
        if change == Change::Grant && item.grantable() != 0 {
            self.check_circularity(acl, &item, owner)?;
        }
        let mut list = acl.to_vec();
        let at = list.iter().position(|known| known.is_between_those_of(&item)).unwrap_or_else(|| {
            list.push(AclItem { privs: 0, ..item });
            list.len() - 1
        });
        let before = list[at];
        let privs = match change {
            Change::Grant => before.privs | item.privs,
            Change::Revoke => before.privs & !item.privs,
        };
        list[at].privs = privs;
        let lost = before.grantable() & !of_grant_options(privs);
        if privs == 0 {
            list.remove(at);
        }
        if lost == 0 {
            return Ok(list);
        }
        assert_ne!(item.grantee, oid::INVALID, "PUBLIC has no grant options");
        self.revoke_dependent(list, item.grantee, lost, owner, behavior)
    }

    /// Fails where a grantor would have its grant option from the grantee alone.
    fn check_circularity(self, acl: &[AclItem], item: &AclItem, owner: Oid) -> Result<()> {
        assert_ne!(item.grantee, oid::INVALID, "PUBLIC has no grant options");
        if item.grantor == owner {
            return Ok(());
        }
        // Without all that the grantee could grant, the grantor has to be able to.
        let mut rest = acl.to_vec();
        let grants = |rest: &[AclItem]| {
            rest.iter().find(|known| known.grantee == item.grantee && known.grantable() != 0).copied()
        };
        while let Some(known) = grants(&rest) {
            rest = self.update(&rest, known, Change::Revoke, owner, Behavior::Cascade)?;
        }
        let wanted = grant_options(item.grantable());
        let own = self.mask_of_list(&rest, (item.grantor, owner), wanted, How::All);
        match wanted & !own {
            0 => Ok(()),
            _ => {
                let message = "grant options cannot be granted back to your own grantor";
                Err(Error::new(sqlstate::INVALID_GRANT_OPERATION, message))
            }
        }
    }

    /// Revokes what a role that has lost grant options has granted by them (`recursive_revoke`).
    fn revoke_dependent(
        self,
        mut list: Vec<AclItem>,
        grantor: Oid,
        lost: AclMode,
        owner: Oid,
        behavior: Behavior,
    ) -> Result<Vec<AclItem>> {
        if grantor == owner {
            return Ok(list);
        }
        // It may have some of them by another role still.
        let kept = self.mask_of_list(&list, (grantor, owner), grant_options(lost), How::All);
        let lost = lost & !of_grant_options(kept);
        let dependent = |list: &[AclItem]| {
            list.iter().find(|item| item.grantor == grantor && item.privileges() & lost != 0).map(|item| item.grantee)
        };
        while let Some(grantee) = dependent(&list) {
            if behavior == Behavior::Restrict {
                return Err(Error::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, "dependent privileges exist")
                    .hint("Use CASCADE to revoke them too."));
            }
            let item = AclItem { grantee, grantor, privs: lost | grant_options(lost) };
            list = self.update(&list, item, Change::Revoke, owner, behavior)?;
        }
        Ok(list)
    }
}

/// A list with a new owner in place of the old one (`aclnewowner`).
pub fn new_owner(acl: &[AclItem], old: Oid, new: Oid) -> Vec<AclItem> {
    let of = |role: Oid| if role == old { new } else { role };
    let mut list: Vec<AclItem> = Vec::with_capacity(acl.len());
    for item in acl {
        let item = AclItem { grantee: of(item.grantee), grantor: of(item.grantor), ..*item };
        match list.iter_mut().find(|known| known.is_between_those_of(&item)) {
            Some(known) => known.privs |= item.privs,
            None => list.push(item),
        }
    }
    list
}

/// The roles that a list names, in the order of their oids; PUBLIC is none (`aclmembers`).
pub fn members(acl: &[AclItem]) -> Vec<Oid> {
    let mut roles: Vec<Oid> = acl.iter().flat_map(|item| [item.grantee, item.grantor]).collect();
    roles.retain(|role| *role != oid::INVALID);
    roles.sort_unstable();
    roles.dedup();
    roles
}

#[cfg(test)]
mod tests {
    use types::acl::mode::*;

    use super::super::membership::tests::{objects, with};
    use super::*;
    use crate::syscache::Objects;

    const OWNER: Oid = 1;

    fn item(grantee: Oid, grantor: Oid, privileges: AclMode, options: AclMode) -> AclItem {
        AclItem { grantee, grantor, privs: privileges | grant_options(options) }
    }

    fn change(
        objects: &Objects,
        acl: &[AclItem],
        how: Change,
        of: AclItem,
        behavior: Behavior,
    ) -> Result<Vec<AclItem>> {
        with(objects, |roles| roles.update(acl, of, how, OWNER, behavior))
    }

    fn chain() -> Vec<AclItem> {
        vec![item(2, OWNER, SELECT, SELECT), item(3, 2, SELECT, SELECT), item(4, 3, SELECT, 0)]
    }

    #[test]
    fn items_are_merged_and_go_when_they_are_empty() {
        let none = objects(&[]);
        let given = change(&none, &[], Change::Grant, item(2, OWNER, SELECT, 0), Behavior::Restrict).unwrap();
        let more = change(&none, &given, Change::Grant, item(2, OWNER, INSERT, 0), Behavior::Restrict).unwrap();
        assert_eq!(more, [item(2, OWNER, SELECT | INSERT, 0)]);
        let all = item(2, OWNER, SELECT | INSERT, SELECT | INSERT);
        assert_eq!(change(&none, &more, Change::Revoke, all, Behavior::Restrict).unwrap(), []);
    }

    #[test]
    fn revoking_a_grant_option_cascades_or_fails() {
        let none = objects(&[]);
        let option = item(2, OWNER, 0, SELECT);
        let error = change(&none, &chain(), Change::Revoke, option, Behavior::Restrict).unwrap_err();
        assert_eq!(
            (error.0.message.as_str(), error.0.code),
            ("dependent privileges exist", sqlstate::DEPENDENT_OBJECTS_STILL_EXIST)
        );
        let rest = change(&none, &chain(), Change::Revoke, option, Behavior::Cascade).unwrap();
        assert_eq!(rest, [item(2, OWNER, SELECT, 0)]);
        // By another grantor it may still grant.
        let twice = [chain(), vec![item(2, 5, SELECT, SELECT)]].concat();
        assert_eq!(change(&none, &twice, Change::Revoke, option, Behavior::Restrict).unwrap().len(), 4);
    }

    #[test]
    fn options_are_not_granted_in_circles() {
        let none = objects(&[]);
        let back = change(&none, &chain(), Change::Grant, item(2, 3, SELECT, SELECT), Behavior::Restrict);
        assert_eq!(back.unwrap_err().0.code, sqlstate::INVALID_GRANT_OPERATION);
        assert!(change(&none, &chain(), Change::Grant, item(2, OWNER, INSERT, INSERT), Behavior::Restrict).is_ok());
    }

    #[test]
    fn a_role_grants_as_the_best_that_it_has() {
        let in_two = objects(&[(2, 6, [false, true, true]), (3, 6, [false, true, true])]);
        let acl = [item(2, OWNER, SELECT, SELECT), item(3, OWNER, SELECT | INSERT, SELECT | INSERT)];
        with(&in_two, |roles| {
            let best = |role, privileges| roles.best_grantor(role, privileges, &acl, OWNER);
            assert_eq!(best(OWNER, DELETE), Grantor { role: OWNER, options: grant_options(DELETE) });
            assert_eq!(best(10, DELETE).role, OWNER);
            assert_eq!(best(6, SELECT).role, 2);
            assert_eq!(best(6, SELECT | INSERT), Grantor { role: 3, options: grant_options(SELECT | INSERT) });
            assert_eq!(best(6, SELECT | DELETE), Grantor { role: 2, options: grant_options(SELECT) });
            assert_eq!(best(4, SELECT), Grantor { role: 4, options: 0 });
        });
    }

    #[test]
    fn lists_give_by_public_and_by_membership() {
        let member = objects(&[(2, 6, [false, true, true])]);
        let acl = [item(0, OWNER, SELECT, 0), item(2, OWNER, INSERT, 0), item(3, OWNER, DELETE, 0)];
        with(&member, |roles| {
            let mask = |role, wanted, how| roles.mask_of_list(&acl, (role, OWNER), wanted, how);
            assert_eq!(mask(6, SELECT | INSERT | DELETE, How::All), SELECT | INSERT);
            assert_eq!(mask(6, INSERT | DELETE, How::Any), INSERT);
            assert_eq!(mask(4, SELECT | INSERT, How::All), SELECT);
            assert_eq!(mask(OWNER, grant_options(DELETE), How::All), grant_options(DELETE));
            assert_eq!(mask(OWNER, DELETE, How::All), 0, "an owner that revoked its own right has none");
        });
    }

    #[test]
    fn a_new_owner_takes_over() {
        let acl = [item(1, 1, SELECT | INSERT, 0), item(2, 1, DELETE, 0), item(3, 2, SELECT, 0)];
        assert_eq!(new_owner(&acl, 1, 2), [item(2, 2, SELECT | INSERT | DELETE, 0), item(3, 2, SELECT, 0)]);
        assert_eq!(members(&[item(0, 5, SELECT, 0), item(3, 5, SELECT, 0)]), [3, 5]);
    }

    /// Whatever is granted and revoked: no empty item, no two between the same roles, and every grantor has its options.
    #[test]
    fn lists_stay_lists() {
        let none = objects(&[]);
        proptest::proptest!(|(steps: Vec<(bool, u32, u32, u64, bool, bool)>)| {
            let mut acl = Vec::new();
            for (grants, grantee, grantor, privileges, with_option, cascades) in steps {
                let (grantee, grantor, privileges) = (grantee % 4 + 2, grantor % 5 + 1, privileges & 7);
                let how = if grants { Change::Grant } else { Change::Revoke };
                let behavior = if cascades { Behavior::Cascade } else { Behavior::Restrict };
                let may = with(&none, |roles| roles.mask_of_list(&acl, (grantor, OWNER), grant_options(privileges), How::All));
                let privileges = of_grant_options(may);
                let option = if with_option || !grants { privileges } else { 0 };
                if let Ok(next) = change(&none, &acl, how, item(grantee, grantor, privileges, option), behavior) {
                    acl = next;
                }
                for (at, one) in acl.iter().enumerate() {
                    assert_ne!(one.privs, 0);
                    assert!(acl[..at].iter().all(|other| !other.is_between_those_of(one)));
                    let had = with(&none, |roles| roles.mask_of_list(&acl, (one.grantor, OWNER), grant_options(one.privileges()), How::All));
                    assert_eq!(of_grant_options(had), one.privileges(), "{acl:?}");
                }
            }
        });
    }
}
