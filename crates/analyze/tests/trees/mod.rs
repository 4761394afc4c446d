//! Objects recorded from PostgreSQL, whose definitions are SQL there, with the trees that the catalogs keep.

use analyze::query::{Expr, TypeRef};
use analyze::relations::Relations;
use analyze::rewrite::recorded::expression_over;
use analyze::{ExprKind, Parameters, Statement, analyze, analyze_default, nodes};
use catalog::catalogs::{PgAttrdef, PgConstraint, PgIndex, PgRewrite};
use catalog::facts::Name;
use catalog::{Catalog, Objects, Scan};
use syntax::nodes::Node;
use types::{Context, Oid};

/// `context` knows the names in what is recorded.
pub fn as_trees(objects: &Objects, path: &[Oid], context: &Context) -> Objects {
    let catalog = Catalog { search_path: path, objects: Some(objects), viewer: None };
    let read = |relation: Oid, text: &str, kind| -> Expr {
        let relation = catalog.relation_by_oid(relation).unwrap();
        expression_over(catalog, context, &relation, text, kind).unwrap()
    };
    let tree = |expr: &Expr| Name::Owned(nodes::write(expr).unwrap());
    let default = |row: &PgAttrdef| {
        let column = catalog.attributes(row.adrelid).find(|column| column.attnum == row.adnum).unwrap();
        let value = match column.attgenerated {
            0 => default(catalog, context, row),
            _ => read(row.adrelid, &row.adbin, ExprKind::IndexExpression),
        };
        PgAttrdef { adbin: tree(&value), ..row.clone() }
    };
    let rule = |row: &PgRewrite| {
        let raw = syntax::parse(&row.ev_action).unwrap().remove(0);
        let statement = Statement::new(catalog, &catalog, context, "", Parameters::fixed(&[]));
        let query = analyze(&statement, &raw).unwrap();
        PgRewrite { ev_action: Name::Owned(nodes::write(&query.query).unwrap()), ..row.clone() }
    };
    let check = |row: &PgConstraint| {
        let condition = row.conbin.as_ref().map(|text| read(row.conrelid, text, ExprKind::CheckConstraint));
        PgConstraint { conbin: condition.as_ref().map(tree), ..row.clone() }
    };
    let index = |row: &PgIndex| {
        // Each has one at most.
        let key = row.indexprs.as_ref().map(|text| read(row.indrelid, text, ExprKind::IndexExpression));
        let predicate = row.indpred.as_ref().map(|text| read(row.indrelid, text, ExprKind::IndexPredicate));
        let keys = key.map(|key| Name::Owned(nodes::write(&[key]).unwrap()));
        PgIndex { indexprs: keys, indpred: predicate.as_ref().map(tree), ..row.clone() }
    };
    let objects = objects.clone();
    let (defaults, rules) = (
        PgAttrdef::of_users(&objects).cloned().collect::<Vec<_>>(),
        PgRewrite::of_users(&objects).cloned().collect::<Vec<_>>(),
    );
    let (checks, indexes) = (
        PgConstraint::of_users(&objects).cloned().collect::<Vec<_>>(),
        PgIndex::of_users(&objects).cloned().collect::<Vec<_>>(),
    );
    objects
        .clone()
        .with(defaults.iter().map(default).collect::<Vec<_>>())
        .with(rules.iter().map(rule).collect::<Vec<_>>())
        .with(checks.iter().map(check).collect::<Vec<_>>())
        .with(indexes.iter().map(index).collect::<Vec<_>>())
}

/// A default as a value of its column's type.
fn default(catalog: Catalog<'_>, context: &Context, row: &PgAttrdef) -> Expr {
    let column = catalog.attributes(row.adrelid).find(|column| column.attnum == row.adnum).unwrap();
    let ty = TypeRef { oid: column.atttypid, typmod: column.atttypmod };
    let raw = syntax::parse(&format!("SELECT {}", row.adbin)).unwrap().remove(0);
    let Node::SelectStmt(select) = &raw.stmt else { panic!("{}", row.adbin) };
    let [Node::ResTarget(target)] = &select.target_list[..] else { panic!("{}", row.adbin) };
    let statement = Statement::new(catalog, &catalog, context, "", Parameters::fixed(&[]));
    analyze_default(&statement, target.val.as_ref().unwrap(), &column.attname, ty).unwrap()
}
