//! What goes with objects that are dropped, and what keeps them from being dropped: PostgreSQL's `dependency.c`. It is asked of
//! `pg_depend` alone, whatever kinds the objects are of; their locks and their deletion are the caller's.
//!
//! # Invariants
//! * An object is behind all that depend on it ([`Dependents::objects`] is the order of deletion), and is in it once.
//! * The search ends whatever `pg_depend` has, cycles too: an object that is being visited is not visited again.

use std::collections::{HashMap, HashSet};

use error::sqlstate;
use types::names::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_DATABASE, PG_NAMESPACE, PG_POLICY, PG_REWRITE, PG_TYPE};
use types::{Error, Oid, Result, oid};

use super::ObjectAddress;
use crate::catalogs::PgDepend;
use crate::syscache::{Catalog, FIRST_NORMAL_OBJECT_ID, PUBLIC};

/// How many objects a message names.
const MAX_REPORTED: usize = 100;

/// In which ways a drop comes to an object (`DEPFLAG_…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ways(u16);

impl Ways {
    const NONE: Ways = Ways(0);
    /// It is what is to be dropped.
    const ORIGINAL: Ways = Ways(1);
    const NORMAL: Ways = Ways(2);
    const AUTO: Ways = Ways(4);
    const INTERNAL: Ways = Ways(8);
    const PARTITION: Ways = Ways(16);
    const EXTENSION: Ways = Ways(32);
    /// Because a part of it goes.
    const REVERSE: Ways = Ways(64);
    /// It is a part of a partitioned object.
    const IS_PART: Ways = Ways(128);
    /// It is a part of an object that goes, which stands for it in messages.
    const SUBOBJECT: Ways = Ways(256);

    /// The ways in which RESTRICT has nothing against it.
    const SILENT: Ways = Ways(4 | 8 | 16 | 32);

    /// That of a row of `pg_depend`.
    fn of(deptype: u8) -> Ways {
        match deptype {
            b'a' | b'x' => Ways::AUTO,
            b'i' => Ways::INTERNAL,
            b'P' | b'S' => Ways::PARTITION,
            b'e' => Ways::EXTENSION,
            _ => Ways::NORMAL,
        }
    }

    fn and(self, other: Ways) -> Ways {
        Ways(self.0 | other.0)
    }

    fn has_any(self, other: Ways) -> bool {
        self.0 & other.0 != 0
    }
}

/// An object that goes.
#[derive(Clone, Copy, Debug)]
struct Going {
    object: ObjectAddress,
    ways: Ways,
    /// What it goes with, as messages say it; `None`: it is what is to be dropped.
    dependee: Option<ObjectAddress>,
}

/// Objects that were reached, found by what they are (`ObjectAddresses`).
#[derive(Debug, Default)]
struct Reached {
    all: Vec<Going>,
    places: HashMap<(Oid, Oid), Vec<usize>>,
}

impl Reached {
    fn push(&mut self, going: Going) {
        self.places.entry((going.object.class, going.object.oid)).or_default().push(self.all.len());
        self.all.push(going);
    }

    fn pop(&mut self) -> Option<Going> {
        let going = self.all.pop()?;
        if let Some(places) = self.places.get_mut(&(going.object.class, going.object.oid)) {
            places.pop();
        }
        Some(going)
    }

    /// Was an object reached, itself or all that it is a column of? Notes that it was so in these ways, too
    /// (`object_address_present_add_flags`).
    fn mark(&mut self, object: ObjectAddress, ways: Ways) -> bool {
        let Some(places) = self.places.get(&(object.class, object.oid)) else { return false };
        let mut found = false;
        for &place in places {
            let known = &mut self.all[place];
            if known.object.column == object.column {
                known.ways = known.ways.and(ways);
                found = true;
            } else if known.object.column == 0 {
                found = true;
            } else if object.column == 0 && ways != Ways::NONE {
                known.ways = known.ways.and(ways).and(Ways::SUBOBJECT);
            }
        }
        found
    }
}

/// What is left to be done, the last first.
enum Step {
    Visit(ObjectAddress, Ways),
    /// All that depends on the innermost object of the path has been visited.
    Leave,
    /// What an object is a part of was visited in its place, and with it the object.
    Replaced(ObjectAddress, Ways),
}

struct Search<'a> {
    catalog: Catalog<'a>,
    /// All that is to be dropped.
    pending: HashSet<ObjectAddress>,
    /// From what is to be dropped to what is being visited (`ObjectAddressStack`).
    path: Reached,
    done: Reached,
    steps: Vec<Step>,
    /// In whose places others are being visited.
    replaced: HashSet<ObjectAddress>,
}

/// Objects that are to be dropped, with all that depends on them.
#[derive(Debug)]
pub struct Dependents {
    going: Vec<Going>,
}

/// What the system needs (`IsPinnedObject`). PostgreSQL's own objects that it does without (the information schema) have no rows
/// in `pg_depend` here, so that they stay, too.
pub fn is_pinned(object: ObjectAddress) -> bool {
    let is_public = (object.class, object.oid) == (PG_NAMESPACE, PUBLIC);
    object.oid < FIRST_NORMAL_OBJECT_ID && object.class != PG_DATABASE && !is_public
}

/// An object is a part of another one, with which it goes.
fn required(catalog: Catalog<'_>, part: ObjectAddress, whole: ObjectAddress) -> Result<Error> {
    let (part, whole) = (description(catalog, part)?, description(catalog, whole)?);
    let message = format!("cannot drop {part} because {whole} requires it");
    let error = Error::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message);
    Ok(error.hint(format!("You can drop {whole} instead.")))
}

fn description(catalog: Catalog<'_>, object: ObjectAddress) -> Result<String> {
    Ok(catalog.describe(object)?.unwrap_or_default())
}

/// Is the row that of a part of an object, which says that it belongs to the object?
fn is_within(object: ObjectAddress, class: Oid, oid: Oid) -> bool {
    (object.class, object.oid, object.column) == (class, oid, 0)
}

impl Catalog<'_> {
    /// The relation whose definition an object is a part of: a column, an index, a constraint, a policy, the type of its rows. With
    /// the relation they go.
    pub fn containing_relation(self, object: ObjectAddress) -> Option<Oid> {
        let ObjectAddress { class, oid, column } = object;
        let found = match class {
            PG_CLASS if column != 0 => Some(oid),
            PG_CLASS => {
                let of_long_values =
                    || self.relation(oid).filter(|row| row.relkind == b't').and(self.internal_to(object));
                self.index(oid).map(|row| row.indrelid).or_else(of_long_values)
            }
            PG_TYPE => self.pg_type(oid).and_then(|row| match row.typrelid {
                oid::INVALID => {
                    self.element_type(oid).and_then(|element| self.pg_type(element)).map(|row| row.typrelid)
                }
                relation => Some(relation),
            }),
            PG_ATTRDEF => self.attribute_default(oid).map(|row| row.adrelid),
            PG_CONSTRAINT => self.constraint(oid).map(|row| row.conrelid),
            PG_REWRITE => self.rule(oid).map(|row| row.ev_class),
            PG_POLICY => self.policy(oid).map(|row| row.polrelid),
            _ => None,
        };
        found.filter(|relation| *relation != oid::INVALID)
    }

    fn internal_to(self, object: ObjectAddress) -> Option<Oid> {
        let mut rows = self.depends_on((object.class, object.oid));
        rows.find(|row| row.deptype == b'i' && row.refclassid == PG_CLASS).map(|row| row.refobjid)
    }

    /// The column that a default, or NOT NULL, is of: it goes with the column.
    pub fn containing_column(self, object: ObjectAddress) -> Option<ObjectAddress> {
        let (oid, number) = match object.class {
            PG_ATTRDEF => self.attribute_default(object.oid).map(|row| (row.adrelid, row.adnum))?,
            PG_CONSTRAINT => {
                let row = self.constraint(object.oid).filter(|row| row.contype == b'n')?;
                (row.conrelid, *row.conkey.as_deref()?.first()?)
            }
            _ => return None,
        };
        Some(ObjectAddress { class: PG_CLASS, oid, column: number.into() })
    }
}

impl Search<'_> {
    fn run(&mut self, object: ObjectAddress) -> Result<()> {
        self.steps.push(Step::Visit(object, Ways::ORIGINAL));
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Visit(object, ways) => self.visit(object, ways)?,
                Step::Leave => {
                    let left = self.path.pop().expect("each object of the path is left once");
                    self.done.push(left);
                }
                Step::Replaced(object, ways) => {
                    self.replaced.remove(&object);
                    if !self.done.mark(object, ways) {
                        return Err(self.not_deleted(object)?);
                    }
                }
            }
        }
        Ok(())
    }

    fn not_deleted(&self, object: ObjectAddress) -> Result<Error> {
        let message = format!("what {} is a part of does not take it along", description(self.catalog, object)?);
        Ok(Error::new(sqlstate::INTERNAL_ERROR, message))
    }

    /// `findDependentObjects`.
    fn visit(&mut self, object: ObjectAddress, ways: Ways) -> Result<()> {
        if self.path.mark(object, ways) || self.done.mark(object, ways) {
            return Ok(());
        }
        if is_pinned(object) {
            let message = format!(
                "cannot drop {} because it is required by the database system",
                description(self.catalog, object)?
            );
            return Err(Error::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message));
        }
        let Some((ways, partitioned)) = self.wholes(object, ways)? else { return Ok(()) };
        let dependee = partitioned.or_else(|| self.path.all.last().map(|outer| outer.object));
        self.steps.push(Step::Leave);
        let dependents = self.dependents(object);
        self.steps.extend(dependents.into_iter().rev().map(|(dependent, ways)| Step::Visit(dependent, ways)));
        self.path.push(Going { object, ways, dependee });
        Ok(())
    }

    /// Looks at what an object is a part of. `None`: that is visited in its place, or was asked for as well. Gives the ways with
    /// what was found, and the object of which it is a partition.
    fn wholes(&mut self, object: ObjectAddress, ways: Ways) -> Result<Option<(Ways, Option<ObjectAddress>)>> {
        let (mut ways, mut owner, mut partitioned) = (ways, None, None);
        let rows = self.catalog.depends_on((object.class, object.oid));
        let of_object = |row: &&PgDepend| object.column == 0 || row.objsubid == object.column;
        for row in rows.filter(of_object) {
            let whole = ObjectAddress { class: row.refclassid, oid: row.refobjid, column: row.refobjsubid };
            match row.deptype {
                _ if is_within(object, whole.class, whole.oid) => {}
                b'e' | b'i' if self.path.all.is_empty() => {
                    if self.pending.contains(&whole) || self.pending.contains(&ObjectAddress { column: 0, ..whole }) {
                        return Ok(None);
                    }
                    if owner.is_none() || row.deptype == b'e' {
                        owner = Some(whole);
                    }
                }
                b'e' | b'i' if self.path.mark(whole, Ways::NONE) => {}
                b'e' | b'i' => {
                    if !self.replaced.insert(object) {
                        return Err(self.not_deleted(object)?);
                    }
                    self.steps.push(Step::Replaced(object, ways));
                    self.steps.push(Step::Visit(whole, Ways::REVERSE));
                    return Ok(None);
                }
                b'P' | b'S' => {
                    if row.deptype == b'P' || !ways.has_any(Ways::IS_PART) {
                        partitioned = Some(whole);
                    }
                    ways = ways.and(Ways::IS_PART);
                }
                _ => {}
            }
        }
        match owner {
            Some(owner) => Err(required(self.catalog, object, partitioned.unwrap_or(owner))?),
            None => Ok(Some((ways, partitioned))),
        }
    }

    /// What depends on an object, newer objects first: that is the likely order to drop them, and always the same one
    /// (`object_address_comparator`).
    fn dependents(&self, object: ObjectAddress) -> Vec<(ObjectAddress, Ways)> {
        let rows = self.catalog.dependents((object.class, object.oid));
        let of_object = |row: &&PgDepend| object.column == 0 || row.refobjsubid == object.column;
        let rows = rows.filter(of_object).filter(|row| !is_within(object, row.classid, row.objid));
        let dependent = |row: &PgDepend| {
            (ObjectAddress { class: row.classid, oid: row.objid, column: row.objsubid }, Ways::of(row.deptype))
        };
        let mut found: Vec<(ObjectAddress, Ways)> = rows.map(dependent).collect();
        found.sort_by_key(|(object, ways)| (std::cmp::Reverse(object.oid), object.class, object.column, ways.0));
        found.dedup();
        found
    }
}

impl Dependents {
    /// Of objects that are there. Fails for what the system needs, and for what is a part of something that is to stay.
    pub fn of(catalog: Catalog<'_>, objects: &[ObjectAddress]) -> Result<Dependents> {
        let mut search = Search {
            catalog,
            pending: objects.iter().copied().collect(),
            path: Reached::default(),
            done: Reached::default(),
            steps: Vec::new(),
            replaced: HashSet::new(),
        };
        objects.iter().try_for_each(|object| search.run(*object))?;
        assert!(search.path.all.is_empty(), "what was entered was left");
        Ok(Dependents { going: search.done.all })
    }

    /// In the order in which they are deleted.
    pub fn objects(&self) -> impl Iterator<Item = ObjectAddress> + '_ {
        self.going.iter().map(|going| going.object)
    }

    /// Fails where something depends on `objects` and does not go silently, unless `cascade` says that it goes, too; then gives
    /// what the user is told of (`reportDependentObjects`).
    pub fn report(&self, catalog: Catalog<'_>, objects: &[ObjectAddress], cascade: bool) -> Result<Option<Error>> {
        let lacks_partitioned =
            |going: &&Going| going.ways.has_any(Ways::IS_PART) && !going.ways.has_any(Ways::PARTITION);
        if let Some(part) = self.going.iter().find(lacks_partitioned) {
            return Err(required(catalog, part.object, part.dependee.unwrap_or(part.object))?);
        }
        let told = Ways::ORIGINAL.and(Ways::SUBOBJECT).and(Ways::SILENT);
        // In the order of dependency, which is the other way round.
        let others: Vec<&Going> = self.going.iter().rev().filter(|going| !going.ways.has_any(told)).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let mut lines = Vec::new();
        for going in others.iter().take(MAX_REPORTED) {
            let object = description(catalog, going.object)?;
            lines.push(match going.dependee.filter(|_| !cascade) {
                Some(dependee) => format!("{object} depends on {}", description(catalog, dependee)?),
                None => format!("drop cascades to {object}"),
            });
        }
        match others.len().saturating_sub(MAX_REPORTED) {
            0 => {}
            1 => lines.push("and 1 other object (see server log for list)".into()),
            more => lines.push(format!("and {more} other objects (see server log for list)")),
        }
        let lines = lines.join("\n");
        if !cascade {
            let message = match objects {
                [one] => {
                    format!("cannot drop {} because other objects depend on it", description(catalog, *one)?)
                }
                _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
            };
            return Err(Error::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message)
                .detail(lines)
                .hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        Ok(Some(match others.len() {
            1 => Error::new(sqlstate::SUCCESSFUL_COMPLETION, lines),
            count => {
                let message = format!("drop cascades to {count} other objects");
                Error::new(sqlstate::SUCCESSFUL_COMPLETION, message).detail(lines)
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogs::PgNamespace;
    use crate::syscache::Objects;

    /// Schemas stand for objects of any kind: `pg_depend` does not mind.
    fn objects(rows: &[(Oid, Oid, u8)]) -> Objects {
        let mut objects = Objects::default();
        for &(dependent, on, deptype) in rows {
            for oid in [dependent, on] {
                let nspname = format!("s{oid}").into();
                objects.put(PgNamespace { oid, nspname, nspowner: 10, nspacl: None });
            }
            objects.put(PgDepend {
                classid: PG_NAMESPACE,
                objid: dependent,
                objsubid: 0,
                refclassid: PG_NAMESPACE,
                refobjid: on,
                refobjsubid: 0,
                deptype,
            });
        }
        objects
    }

    fn schema(oid: Oid) -> ObjectAddress {
        ObjectAddress { class: PG_NAMESPACE, oid, column: 0 }
    }

    /// What goes with the first objects, and what is said of it: an error with RESTRICT, a notice with CASCADE.
    fn dropped(rows: &[(Oid, Oid, u8)], wanted: &[Oid]) -> Result<(Vec<Oid>, String, String)> {
        let objects = objects(rows);
        let catalog = Catalog { objects: Some(&objects), ..Catalog::BUILT_IN };
        let wanted: Vec<ObjectAddress> = wanted.iter().map(|&oid| schema(oid)).collect();
        let found = Dependents::of(catalog, &wanted)?;
        let detail = |error: Error| error.0.detail.unwrap_or(error.0.message);
        let restrict = found.report(catalog, &wanted, false).err().map_or_else(String::new, detail);
        let cascade = found.report(catalog, &wanted, true)?.map_or_else(String::new, detail);
        Ok((found.objects().map(|object| object.oid).collect(), restrict, cascade))
    }

    const A: Oid = 20_000;
    const B: Oid = 20_001;
    const C: Oid = 20_002;
    const D: Oid = 20_003;

    #[test]
    fn chains_go_from_their_ends_and_name_what_is_next() {
        let (order, restrict, cascade) = dropped(&[(B, A, b'n'), (C, B, b'n')], &[A]).expect("nothing is pinned");
        assert_eq!(order, [C, B, A]);
        assert_eq!(restrict, "schema s20001 depends on schema s20000\nschema s20002 depends on schema s20001");
        assert_eq!(cascade, "drop cascades to schema s20001\ndrop cascades to schema s20002");
        let auto = dropped(&[(B, A, b'a'), (C, B, b'i')], &[A]).expect("nothing is pinned");
        assert_eq!(auto, (vec![C, B, A], String::new(), String::new()));
    }

    #[test]
    fn a_part_is_asked_for_by_its_whole() {
        // B is a part of C, which depends on nothing: C goes in its place, and is said to depend on A.
        let (order, restrict, _) = dropped(&[(B, A, b'n'), (B, C, b'i')], &[A]).expect("nothing is pinned");
        assert_eq!(order, [B, C, A]);
        assert_eq!(restrict, "schema s20002 depends on schema s20000");
        let refused = dropped(&[(B, A, b'n'), (B, C, b'i')], &[B]).expect_err("C requires it");
        assert_eq!(refused.0.message, "cannot drop schema s20001 because schema s20002 requires it");
        assert!(dropped(&[(B, C, b'i')], &[B, C]).is_ok(), "both are asked for");
    }

    #[test]
    fn cycles_end() {
        let (order, ..) = dropped(&[(A, B, b'n'), (B, C, b'n'), (C, A, b'n')], &[A]).expect("nothing is pinned");
        assert_eq!(order.len(), 3);
        let parts = dropped(&[(A, B, b'i'), (B, A, b'i'), (A, D, b'n')], &[D]);
        assert_eq!(parts.expect_err("each is a part of the other").0.code, sqlstate::INTERNAL_ERROR);
        let itself = dropped(&[(A, A, b'n')], &[A]).expect("nothing is pinned");
        assert_eq!(itself.0, [A]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let rows: Vec<(Oid, Oid, u8)> = (A..A + 50_000).map(|oid| (oid + 1, oid, b'n')).collect();
        let (order, restrict, _) = dropped(&rows, &[A]).expect("nothing is pinned");
        assert_eq!(order.len(), 50_001);
        assert!(restrict.ends_with("\nand 49900 other objects (see server log for list)"));
    }

    #[test]
    fn what_the_system_needs_stays() {
        let pinned = |class, oid| Dependents::of(Catalog::BUILT_IN, &[ObjectAddress { class, oid, column: 0 }]).err();
        let refused = pinned(PG_NAMESPACE, crate::PG_CATALOG).expect("it is pinned");
        assert_eq!(refused.0.message, "cannot drop schema pg_catalog because it is required by the database system");
        assert!(pinned(PG_NAMESPACE, PUBLIC).is_none());
    }
}
