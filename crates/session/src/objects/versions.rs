//! The versions of users' objects that sessions share. A version is made from the one that was asked for last in its database.
//!
//! # Invariants
//! * At most [`KEPT`] databases' last versions are kept though no session uses them.

use std::sync::{Arc, Weak};

use catalog::Objects;
use engine::DatabaseDef;
use parking_lot::Mutex;
use types::Oid;

use super::{changed, objects};

struct Versions {
    /// Those that sessions use: of engine's catalog, a database, and what was made of them.
    used: Vec<(Weak<engine::Catalog>, Oid, Weak<Objects>)>,
    /// The last ones asked for, the last behind.
    last: Vec<Last>,
}

type Last = (Arc<engine::Catalog>, Oid, Arc<Objects>);

static VERSIONS: Mutex<Versions> = Mutex::new(Versions { used: Vec::new(), last: Vec::new() });

const KEPT: usize = 8;

/// The users' objects in a database, as a version of engine's catalog has them.
pub fn objects_of(engine: &Arc<engine::Catalog>, database: Oid) -> Arc<Objects> {
    let mut versions = VERSIONS.lock();
    let used = &mut versions.used;
    used.retain(|(engine, _, objects)| engine.strong_count() > 0 && objects.strong_count() > 0);
    let same = |(of, oid, _): &&(Weak<engine::Catalog>, Oid, _)| {
        *oid == database && std::ptr::eq(of.as_ptr(), Arc::as_ptr(engine))
    };
    if let Some(objects) = used.iter().find(same).and_then(|(_, _, objects)| objects.upgrade()) {
        return objects;
    }
    let last = versions.last.iter().position(|(_, oid, _)| *oid == database);
    let last = last.map(|at| versions.last.remove(at));
    let made = engine.database_by_oid(database).map(|now| made_from(last, (engine, now)));
    let made = Arc::new(made.unwrap_or_default());
    versions.used.push((Arc::downgrade(engine), database, Arc::downgrade(&made)));
    if versions.last.len() == KEPT {
        versions.last.remove(0);
    }
    versions.last.push((engine.clone(), database, made.clone()));
    made
}

/// A version, from the last one if there is one in which the database was there.
fn made_from(last: Option<Last>, now: (&engine::Catalog, &DatabaseDef)) -> Objects {
    match &last {
        Some((before, oid, made)) if let Some(was) = before.database_by_oid(*oid) => {
            changed(Objects::clone(made), (before, was), now)
        }
        _ => objects(now.0, now.1),
    }
}
