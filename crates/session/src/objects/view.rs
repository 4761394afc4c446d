//! Views: relations whose rule `_RETURN` has their query.

use catalog::FIRST_NORMAL_OBJECT_ID;
use catalog::catalogs::*;
use engine::ViewDef;
use types::names::{PG_CLASS, PG_REWRITE, PG_TYPE};

use super::Rows;
use super::rows::{attribute, options, owned, relation};

impl Rows<'_> {
    pub fn view(&mut self, view: &ViewDef) {
        let namespace = self.schema(&view.schema);
        let row = PgClass {
            reltype: view.row_type,
            reltuples: -1.0,
            relkind: b'v',
            relnatts: view.columns.len() as i16,
            relhasrules: true,
            relreplident: b'n',
            reloptions: options(&view.options),
            ..relation(view.oid, (&view.schema, &view.name), namespace, self.owner(&view.owner))
        };
        self.row_type(&row, view.array_type);
        self.relation(row);
        self.describe((PG_CLASS, view.oid, 0), &view.comment);
        for (number, column) in (1..).zip(&view.columns) {
            let row = attribute(view.oid, &column.name, number, (column.ty.oid, column.ty.typmod));
            self.columns.push(PgAttribute {
                atthasdef: column.default.is_some(),
                attcollation: column.collation.unwrap_or(row.attcollation),
                ..row
            });
            if column.ty.oid >= FIRST_NORMAL_OBJECT_ID {
                self.depend((PG_CLASS, view.oid, i32::from(number)), (PG_TYPE, column.ty.oid, 0), b'n');
            }
            self.describe((PG_CLASS, view.oid, i32::from(number)), &column.comment);
            if let Some(default) = &column.default {
                self.column_default(view.oid, number, default);
            }
        }
        self.rules.push(PgRewrite {
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
