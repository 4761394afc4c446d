//! Statistics that `pg_restore_relation_stats` and its sisters put in place of what ANALYZE has found, so that a restored database
//! needs no ANALYZE (PostgreSQL's `relation_stats.c`, `attribute_stats.c` and `stat_utils.c`). What cannot be kept is left out with a
//! WARNING.

use ::error::sqlstate;
use arrow_array::cast::AsArray;
use engine::{Analyzed, AnalyzedColumn, AnalyzedIndex, EngineError, IndexDef, Named, ObjectAddress, Result, TableDef};
use txn::{LockMode, LockTag, Until};
use types::acl::mode::MAINTAIN;
use types::array::ArrayView;
use types::base_type::base_type;
use types::names::PG_CLASS;
use types::session::Statistics;
use types::statistics::NamedValue;
use types::{Context, Datum, Oid, Reader, array, oid};

use crate::errors::reported;
use crate::functions::SessionFunctions;
use crate::session::Shared;

/// The arguments of each function and their types.
const OF_RELATION: &[(&str, Oid)] = &[
    ("schemaname", oid::TEXT),
    ("relname", oid::TEXT),
    ("relpages", oid::INT4),
    ("reltuples", oid::FLOAT4),
    ("relallvisible", oid::INT4),
    ("relallfrozen", oid::INT4),
];
const OF_COLUMN: &[(&str, Oid)] = &[
    ("schemaname", oid::TEXT),
    ("relname", oid::TEXT),
    ("attname", oid::TEXT),
    ("attnum", oid::INT2),
    ("inherited", oid::BOOL),
    ("null_frac", oid::FLOAT4),
    ("avg_width", oid::INT4),
    ("n_distinct", oid::FLOAT4),
    ("most_common_vals", oid::TEXT),
    ("most_common_freqs", oid::FLOAT4_ARRAY),
    ("histogram_bounds", oid::TEXT),
    ("correlation", oid::FLOAT4),
    // Of elements and ranges, for which ANALYZE keeps nothing here.
    ("most_common_elems", oid::TEXT),
    ("most_common_elem_freqs", oid::FLOAT4_ARRAY),
    ("elem_count_histogram", oid::FLOAT4_ARRAY),
    ("range_length_histogram", oid::TEXT),
    ("range_empty_frac", oid::FLOAT4),
    ("range_bounds_histogram", oid::TEXT),
];

/// The arguments that a function knows, and whether all were right.
struct Given<'a> {
    shared: &'a Shared,
    values: Vec<NamedValue>,
    complete: bool,
}

impl<'a> Given<'a> {
    fn new(shared: &'a Shared, known: &[(&str, Oid)], values: Vec<NamedValue>) -> Given<'a> {
        let mut given = Given { shared, values: Vec::new(), complete: true };
        for value in values.into_iter().filter(|value| value.name != "version") {
            match known.iter().find(|(name, _)| *name == value.name) {
                None => given.warn(format!("unrecognized argument name: \"{}\"", value.name)),
                Some((_, ty)) if *ty != value.ty => {
                    let catalog = catalog::Catalog::BUILT_IN;
                    let (has, wants) = (catalog.format_type(value.ty), catalog.format_type(*ty));
                    given.warn(format!("argument \"{}\" has type {has}, expected type {wants}", value.name));
                }
                Some(_) => given.values.push(value),
            }
        }
        given
    }

    fn warn(&mut self, message: String) {
        self.shared.notice("WARNING", EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        self.complete = false;
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|value| value.name == name).map(|value| value.text.as_str())
    }

    fn required(&self, name: &str) -> Result<&str> {
        self.text(name).ok_or_else(|| must_not_be_null(name))
    }

    /// The value of a number, which its type has written.
    fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// The elements of an array; `None`: it is not given, or is none that could be kept.
    fn array(&mut self, name: &str) -> Option<Vec<String>> {
        let text = self.text(name)?.to_string();
        match elements_of(&text) {
            Ok(elements) => match elements.into_iter().collect::<Option<Vec<String>>>() {
                None => self.warn(format!("\"{name}\" array must not contain null values")),
                elements => return elements,
            },
            Err(_) => self.warn(format!("\"{name}\" must be a one-dimensional array")),
        }
        None
    }
}

/// The elements of an array of one dimension; `None`: NULL.
fn elements_of(text: &str) -> types::Result<Vec<Option<String>>> {
    let wrong = || types::Error::new(sqlstate::INVALID_PARAMETER_VALUE, "no array of one dimension");
    let Datum::Bytes(bytes) = array::input::input(&Context::default(), oid::TEXT, text, -1)? else {
        return Err(wrong());
    };
    let view = ArrayView::new(&bytes);
    if view.shape().dimensions() > 1 {
        return Err(wrong());
    }
    let elements = array::column::to_column(&view)?;
    Ok(elements.as_string::<i32>().iter().map(|element| element.map(str::to_string)).collect())
}

fn must_not_be_null(name: &str) -> EngineError {
    EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("argument \"{name}\" must not be null"))
}

/// What statistics are of: a table, and one of its indexes.
#[derive(Clone, Copy)]
struct Found {
    table: Oid,
    index: Option<Oid>,
}

/// Locks a relation for its owner.
async fn lock(functions: &SessionFunctions, schema: &str, name: &str) -> Result<Found> {
    let shared = &functions.shared;
    if shared.settings.read().each_statement().transaction_read_only {
        return Err(EngineError::new(
            sqlstate::READ_ONLY_SQL_TRANSACTION,
            "cannot modify statistics in a read-only transaction",
        ));
    }
    let database = shared.database.0;
    loop {
        let found = find(shared, schema, name)?;
        let tag = LockTag::Relation { database, oid: found.table };
        shared.lock_until(tag, LockMode::ShareUpdateExclusive, Until::TransactionEnd).await?;
        // A transaction that was waited for may have put another one in its place.
        let now = find(shared, schema, name)?;
        if now.table == found.table && now.index == found.index {
            return Ok(now);
        }
    }
}

fn find(shared: &Shared, schema: &str, name: &str) -> Result<Found> {
    let catalog = shared.catalog();
    let missing =
        || EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{schema}.{name}\" does not exist"));
    let database = catalog.database_by_oid(shared.database.0).ok_or_else(missing)?;
    let (table, index) = match (database.table(schema, name), database.index(schema, name)) {
        (Some(table), _) => (table, None),
        (None, Some((table, index))) => (table, Some(index.oid)),
        (None, None) => {
            return Err(match database.relation(schema, name) {
                Some(other) => {
                    let kind = if matches!(other, Named::View(_)) { "views" } else { "sequences" };
                    let message = format!("cannot modify statistics for relation \"{name}\"");
                    EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message)
                        .detail(format!("This operation is not supported for {kind}."))
                }
                None if !crate::environment::search_path::exists(Some(database), schema) => {
                    EngineError::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{schema}\" does not exist"))
                }
                None => missing(),
            });
        }
    };
    if !shared.may_maintain(table.oid)? {
        shared.require(ObjectAddress { class: PG_CLASS, oid: table.oid, column: 0 }, MAINTAIN)?;
    }
    Ok(Found { table: table.oid, index })
}

/// Changes what is known of a relation that is locked.
async fn change(functions: &SessionFunctions, found: Found, change: impl FnOnce(&mut TableDef)) -> Result<()> {
    let database = functions.shared.database.0;
    let mut transaction = functions.transaction.lock().await;
    let catalog = transaction.catalog();
    let table = catalog.database_by_oid(database).and_then(|database| database.table_by_oid(found.table));
    let Some(table) = table else { return Err(EngineError::new(sqlstate::UNDEFINED_TABLE, "relation does not exist")) };
    let mut def = TableDef::clone(table);
    change(&mut def);
    if def != **table {
        transaction.alter_table(database, Some(table), def);
    }
    Ok(())
}

/// Statistics of a table, which begin with nothing.
fn analyzed(def: &mut TableDef) -> &mut Analyzed {
    let columns = def.columns.len();
    let analyzed = def.analyzed.get_or_insert_with(Analyzed::default);
    analyzed.columns.resize(columns, None);
    analyzed
}

/// `pg_restore_relation_stats`, `pg_restore_attribute_stats`.
pub async fn restore(functions: &SessionFunctions, what: Statistics, given: Vec<NamedValue>) -> Result<bool> {
    match what {
        Statistics::Relation => relation(functions, given).await,
        Statistics::Column => column(functions, given).await,
    }
}

async fn relation(functions: &SessionFunctions, given: Vec<NamedValue>) -> Result<bool> {
    let mut given = Given::new(&functions.shared, OF_RELATION, given);
    let found = lock(functions, given.required("schemaname")?, given.required("relname")?).await?;
    let pages: Option<i32> = given.number("relpages");
    let all_visible: Option<i32> = given.number("relallvisible");
    let mut rows: Option<f64> = given.number("reltuples");
    if rows.is_some_and(|rows| rows < -1.0) {
        given.warn("argument \"reltuples\" must not be less than -1.0".into());
        rows = None;
    }
    change(functions, found, |def| {
        if let Some(oid) = found.index {
            let index = def.indexes.iter_mut().find(|index| index.oid == oid);
            if let (Some(index), Some(pages)) = (index, pages) {
                index.pages = pages.max(0) as u32;
            }
            return;
        }
        // Of a table that was never analyzed nothing is known.
        if rows == Some(-1.0) && def.analyzed.is_none() {
            return;
        }
        let kept = analyzed(def);
        kept.pages = pages.map_or(kept.pages, |pages| pages.max(0) as u32);
        kept.all_visible = all_visible.map_or(kept.all_visible, |pages| pages.max(0) as u32);
        kept.rows = rows.map_or(kept.rows, |rows| rows.max(0.0));
    })
    .await?;
    Ok(given.complete)
}

/// Which column of a table, or which expression of an index, and its type.
struct Column {
    name: String,
    /// `None`: a column of the table that an index has, of which nothing is kept.
    at: Option<usize>,
    ty: Oid,
}

/// The columns of a relation in their order.
fn columns_of(def: &TableDef, index: Option<Oid>) -> Vec<Column> {
    let own = |(at, column): (usize, &engine::ColumnDef)| Column {
        name: column.name.clone(),
        at: Some(at),
        ty: column.ty.oid,
    };
    let Some(index) = index.and_then(|oid| def.indexes.iter().find(|index| index.oid == oid)) else {
        return def.live_columns().map(own).collect();
    };
    let mut expressions = 0..;
    let of_index = |key: &engine::IndexColumn| match key.key.expression() {
        Some(expression) => Column { name: expression.name.clone(), at: expressions.next(), ty: expression.ty.oid },
        None => {
            let column = key.key.column().and_then(|at| def.columns.get(at));
            let (name, ty) = column.map_or((String::new(), oid::INVALID), |c| (c.name.clone(), c.ty.oid));
            Column { name, at: None, ty }
        }
    };
    index.columns.iter().map(of_index).collect()
}

fn column_of(shared: &Shared, found: Found, given: &Given<'_>) -> Result<Column> {
    let catalog = shared.catalog();
    let database = catalog.database_by_oid(shared.database.0);
    let Some(def) = database.and_then(|database| database.table_by_oid(found.table)) else {
        return Err(EngineError::new(sqlstate::UNDEFINED_TABLE, "relation does not exist"));
    };
    let mut columns = columns_of(def, found.index);
    let relation = given.required("relname")?;
    let at = match (given.text("attname"), given.number::<i16>("attnum")) {
        (Some(_), Some(_)) => {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "cannot specify both \"attname\" and \"attnum\"",
            ));
        }
        (None, None) => {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "must specify either \"attname\" or \"attnum\"",
            ));
        }
        (Some(name), None) if crate::definition::columns::is_system_column(name) => {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("cannot modify statistics on system column \"{name}\""),
            ));
        }
        (Some(name), None) => columns.iter().position(|column| column.name == name).ok_or_else(|| {
            EngineError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!("column \"{name}\" of relation \"{relation}\" does not exist"),
            )
        })?,
        (None, Some(number)) => {
            let at = usize::try_from(number - 1).ok().filter(|&at| at < columns.len());
            at.ok_or_else(|| {
                EngineError::new(
                    sqlstate::UNDEFINED_COLUMN,
                    format!("column {number} of relation \"{relation}\" does not exist"),
                )
            })?
        }
    };
    Ok(columns.swap_remove(at))
}

async fn column(functions: &SessionFunctions, given: Vec<NamedValue>) -> Result<bool> {
    let mut given = Given::new(&functions.shared, OF_COLUMN, given);
    let found = lock(functions, given.required("schemaname")?, given.required("relname")?).await?;
    let column = column_of(&functions.shared, found, &given)?;
    // No table has children here, whose rows this is about.
    if matches!(given.required("inherited")?, "t" | "true") {
        return Ok(given.complete);
    }
    let common = common(&mut given, &column)?;
    let histogram = values(&mut given, "histogram_bounds", &column)?;
    let (nulls, width, distinct) = (given.number("null_frac"), given.number("avg_width"), given.number("n_distinct"));
    let correlation = given.number("correlation");
    let Some(at) = column.at else { return Ok(given.complete) };
    change(functions, found, |def| {
        let Some(place) = place(def, found.index, at) else { return };
        let kept = place.get_or_insert_with(|| AnalyzedColumn {
            null_fraction: 0.0,
            width: 0,
            distinct: 0.0,
            common: Vec::new(),
            histogram: Vec::new(),
            correlation: None,
        });
        kept.null_fraction = nulls.unwrap_or(kept.null_fraction);
        kept.width = width.unwrap_or(kept.width);
        kept.distinct = distinct.unwrap_or(kept.distinct);
        if let Some(common) = common {
            kept.common = common;
        }
        if let Some(histogram) = histogram {
            kept.histogram = histogram;
        }
        kept.correlation = correlation.or(kept.correlation);
    })
    .await?;
    Ok(given.complete)
}

/// Where the statistics of a column, or of an index's expression, are kept.
fn place(def: &mut TableDef, index: Option<Oid>, at: usize) -> Option<&mut Option<AnalyzedColumn>> {
    let Some(oid) = index else { return analyzed(def).columns.get_mut(at) };
    let count =
        def.indexes.iter().find(|index| index.oid == oid).map_or(0, |index| IndexDef::expressions(index).count());
    let indexes = &mut analyzed(def).indexes;
    let known = indexes.iter().position(|index| index.oid == oid).unwrap_or_else(|| {
        indexes.push(AnalyzedIndex { oid, part: 1.0, expressions: Vec::new() });
        indexes.len() - 1
    });
    let expressions = &mut indexes[known].expressions;
    expressions.resize(count, None);
    expressions.get_mut(at)
}

/// The most common values, which come with their frequencies.
fn common(given: &mut Given<'_>, column: &Column) -> Result<Option<Vec<(String, f64)>>> {
    const PAIR: [&str; 2] = ["most_common_vals", "most_common_freqs"];
    let there = PAIR.map(|name| given.text(name).is_some());
    if there[0] != there[1] {
        let (missing, known) = if there[0] { (PAIR[1], PAIR[0]) } else { (PAIR[0], PAIR[1]) };
        given.warn(format!("argument \"{missing}\" must be specified when argument \"{known}\" is specified"));
        return Ok(None);
    }
    let (Some(values), Some(parts)) = (values(given, PAIR[0], column)?, given.array(PAIR[1])) else { return Ok(None) };
    let parts = parts.iter().map(|part| part.parse().unwrap_or(0.0));
    Ok(Some(values.into_iter().zip(parts).collect()))
}

/// Values of the column's type as it writes them; `None`: they are not given, or one is none of the type.
fn values(given: &mut Given<'_>, name: &str, column: &Column) -> Result<Option<Vec<String>>> {
    let Some(texts) = given.array(name) else { return Ok(None) };
    if base_type(column.ty).is_none() {
        return Ok(None);
    }
    let context = Context::default();
    for text in &texts {
        if let Err(error) = Reader::of(column.ty).input(&context, text, -1) {
            given.warn(reported(error, "").message);
            return Ok(None);
        }
    }
    Ok(Some(texts))
}

/// `pg_clear_relation_stats`, `pg_clear_attribute_stats`.
pub async fn clear(functions: &SessionFunctions, of: Statistics, what: [Option<&str>; 3]) -> Result<()> {
    let [schema, relation, name] = what;
    let schema = schema.ok_or_else(|| must_not_be_null("schemaname"))?;
    let relation = relation.ok_or_else(|| must_not_be_null("relname"))?;
    let found = lock(functions, schema, relation).await?;
    if of == Statistics::Relation {
        return change(functions, found, |def| match found.index {
            None => def.analyzed = None,
            Some(oid) => def.indexes.iter_mut().filter(|index| index.oid == oid).for_each(|index| index.pages = 0),
        })
        .await;
    }
    let name = name.ok_or_else(|| must_not_be_null("attname"))?;
    let named = |name: &str, text: &str| NamedValue { name: name.into(), ty: oid::TEXT, text: text.into() };
    let given = Given::new(&functions.shared, OF_COLUMN, vec![named("relname", relation), named("attname", name)]);
    let column = column_of(&functions.shared, found, &given)?;
    change(functions, found, |def| {
        if let (Some(at), true) = (column.at, def.analyzed.is_some())
            && let Some(place) = place(def, found.index, at)
        {
            *place = None;
        }
    })
    .await
}
