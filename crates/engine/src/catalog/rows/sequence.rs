//! Sequences.

use catalog::catalogs::*;
use types::names::PG_CLASS;
use types::oid;

use super::Rows;
use super::prototype::*;
use crate::catalog::SequenceDef;
use crate::column_type::ColumnType;

impl Rows {
    pub(super) fn sequence(&mut self, sequence: &SequenceDef) {
        self.relation(PgClass {
            relfilenode: sequence.file,
            relpages: 1,
            reltuples: 1.0,
            relkind: b'S',
            relnatts: 3,
            relreplident: b'n',
            relpersistence: persistence(sequence.temporary, false),
            ..relation(sequence.oid, (sequence.namespace, &sequence.name), sequence.owner)
        });
        let columns = [("last_value", oid::INT8), ("log_cnt", oid::INT8), ("is_called", oid::BOOL)];
        for (number, (name, ty)) in (1..).zip(columns) {
            self.push(PgAttribute { attnotnull: true, ..attribute(sequence.oid, name, number, ColumnType::of(ty)) });
        }
        self.push(PgSequence {
            seqrelid: sequence.oid,
            seqtypid: sequence.ty,
            seqstart: sequence.start,
            seqincrement: sequence.increment,
            seqmax: sequence.max,
            seqmin: sequence.min,
            seqcache: sequence.cache,
            seqcycle: sequence.cycle,
        });
        // An identity column's sequence is part of it.
        if let Some((table, column)) = sequence.owned_by {
            let kind = if sequence.identity { b'i' } else { b'a' };
            self.depend((PG_CLASS, sequence.oid, 0), (PG_CLASS, table, column.into()), kind);
        }
    }
}
