//! Sequences.

use catalog::Catalog;
use types::Oid;
use types::names::PG_CLASS;

use super::{is_temporary, schema};
use crate::catalog::SequenceDef;

pub fn sequence(catalog: Catalog<'_>, oid: Oid) -> Option<SequenceDef> {
    let relation = catalog.relation(oid)?;
    let row = catalog.sequence(oid)?;
    let mut owners = catalog.depends_on((PG_CLASS, oid));
    let owner =
        owners.find(|row| row.refclassid == PG_CLASS && row.refobjsubid > 0 && matches!(row.deptype, b'a' | b'i'));
    Some(SequenceDef {
        oid,
        file: relation.relfilenode,
        namespace: relation.relnamespace,
        schema: schema(catalog, relation),
        temporary: is_temporary(relation),
        name: relation.relname.to_string(),
        owner: relation.relowner,
        ty: row.seqtypid,
        start: row.seqstart,
        increment: row.seqincrement,
        min: row.seqmin,
        max: row.seqmax,
        cache: row.seqcache,
        cycle: row.seqcycle,
        owned_by: owner.map(|row| (row.refobjid, row.refobjsubid as i16)),
        identity: owner.is_some_and(|row| row.deptype == b'i'),
    })
}
