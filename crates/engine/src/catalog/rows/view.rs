//! Views: relations whose rule `_RETURN` has their query.

use catalog::FIRST_NORMAL_OBJECT_ID;
use catalog::catalogs::*;
use types::names::{PG_CLASS, PG_REWRITE, PG_TYPE};
use types::{Oid, oid};

use super::Rows;
use super::prototype::{attribute, owned, persistence, relation};
use crate::catalog::ViewDef;
use crate::catalog::reloptions;

impl ViewDef {
    /// What is new in it gets its oids, before it has rows.
    pub(crate) fn assign_oids(&mut self, mut new_oid: impl FnMut() -> Oid) {
        for column in &mut self.columns {
            if column.default.is_some() && column.default_oid == oid::INVALID {
                column.default_oid = new_oid();
            }
        }
    }
}

impl Rows {
    pub fn view(&mut self, view: &ViewDef) {
        let row = PgClass {
            reltype: view.row_type,
            reltuples: -1.0,
            relkind: b'v',
            relnatts: view.columns.len() as i16,
            relhasrules: true,
            relreplident: b'n',
            reloptions: reloptions::stored(&view.options),
            relpersistence: persistence(view.temporary, false),
            ..relation(view.oid, (view.namespace, &view.name), view.owner)
        };
        self.row_type(&row, view.array_type);
        self.relation(row);
        for (number, column) in (1..).zip(&view.columns) {
            let row = attribute(view.oid, &column.name, number, column.ty);
            self.push(PgAttribute {
                atthasdef: column.default.is_some(),
                attcollation: column.collation.unwrap_or(row.attcollation),
                ..row
            });
            if column.ty.oid >= FIRST_NORMAL_OBJECT_ID {
                self.depend((PG_CLASS, view.oid, i32::from(number)), (PG_TYPE, column.ty.oid, 0), b'n');
            }
            if let Some(default) = &column.default {
                self.column_default(view.oid, number, (column.default_oid, default));
            }
        }
        self.push(PgRewrite {
            oid: view.rule,
            rulename: owned("_RETURN"),
            ev_class: view.oid,
            ev_type: b'1',
            ev_enabled: b'O',
            is_instead: true,
            ev_qual: owned("<>"),
            ev_action: owned(&view.query.text),
        });
        self.depend((PG_REWRITE, view.rule, 0), (PG_CLASS, view.oid, 0), b'i');
        self.refer((PG_REWRITE, view.rule, 0), &view.query.references);
    }
}
