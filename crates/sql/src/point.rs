//! The short path: statements on single rows by key, without DataFusion.
//!
//! ```sql
//! SELECT columns FROM t WHERE key = constant [AND column operator constant …]
//! UPDATE t SET column = integers, + - * …, or a constant [, …] WHERE …
//! DELETE FROM t WHERE …
//! INSERT INTO t [(columns)] VALUES (constants)
//! ```
//! A statement's *shape* is its text with the constants taken out. What a shape means is found out once, by parsing it,
//! and kept; the next statement of the same shape costs a look at its text ([`cut`]), the index and the row.
//!
//! The short path answers exactly as the long one does, or leaves the statement to it: everything that is not plainly on
//! the list above, and everything that goes wrong before a row was touched (an overflow, a value too long), so that there
//! is one place for error messages. `crates/server/tests` runs the same statements through both.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::UNIX_EPOCH;

use access::row::value_bytes;
use access::{BatchBuilder, Outcome, RowChange, Tid};
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::sqlparser::ast::{
    AssignmentTarget, BinaryOperator, Expr as AstExpr, FromTable, FunctionArguments, GroupByExpr, SelectItem, SetExpr,
    Statement, TableFactor, TableObject, TableWithJoins, UnaryOperator, Value,
};
use datafusion::sql::sqlparser::tokenizer::Location;
use engine::{Catalog, EngineError, PgType, Result, Table};
use parking_lot::Mutex;
use txn::LockMode;

use crate::cast::{Purpose, cast};
use crate::ddl::{ident, object_name};
use crate::describe::Prepared;
use crate::modify::wait_for_row;
use crate::output::{Column, Plain};
use crate::parameters::Parameter;
use crate::parse::{ParsedKind, parse_old};
use crate::rows::{RowSource, RowsReply};
use crate::session::{Reply, Session, done};
use crate::tables::described_schema;

/// Shapes that a session remembers.
const MAX_SHAPES: usize = 512;
/// Longer texts are not looked at: most of their time goes elsewhere.
const MAX_TEXT: usize = 4096;

/// A constant of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    Integer(i64),
    Text(String),
    /// Given with each execution, by position.
    Parameter(usize),
}

/// What a session knows of shapes; `None`: not for the short path.
#[derive(Default)]
pub struct Points {
    shapes: HashMap<String, Option<Arc<Point>>, foldhash::fast::RandomState>,
}

/// What is known of a prepared statement.
#[derive(Default)]
pub struct Remembered {
    /// Its shape and constants; `None`: not for the short path.
    cut: OnceLock<Option<(String, Vec<Constant>)>>,
    point: Mutex<Option<Arc<Point>>>,
}

/// A shape that the short path can run.
pub struct Point {
    /// It was found out with this catalog, and holds for as long as nothing is changed.
    catalog: Arc<Catalog>,
    table: Arc<Table>,
    work: Work,
    /// The result's values need no Arrow arrays to be sent.
    plain: bool,
    /// The unique index that finds the row, by position, and what its columns equal.
    key: Option<(usize, Vec<Operand>)>,
    conditions: Vec<Condition>,
}

enum Work {
    Select {
        projection: Arc<[usize]>,
        schema: SchemaRef,
        columns: Arc<[Column]>,
    },
    Update(Vec<(usize, Operand)>),
    Delete,
    /// A value for every column.
    Insert(Vec<Operand>),
}

/// `column operator constant`.
struct Condition {
    column: usize,
    operator: BinaryOperator,
    operand: Operand,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
enum Operand {
    Null,
    Column(usize),
    /// A constant, by its number in the text; is it text?
    Constant(usize, bool),
    /// The start of the transaction.
    Now,
    Negative(Box<Operand>),
    Arithmetic(Box<Operand>, char, Box<Operand>),
}

/// Cuts a statement into its shape and its constants, parameters of these types among them. `None`: it has something that
/// the short path does not read.
fn cut(text: &str, parameters: &[u32]) -> Option<(String, Vec<Constant>)> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let bytes = text.as_bytes();
    let mut shape = String::with_capacity(text.len());
    let mut constants = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' => {
                let mut value = Vec::new();
                at += 1;
                loop {
                    match (bytes.get(at)?, bytes.get(at + 1)) {
                        (b'\'', Some(b'\'')) => {
                            value.push(b'\'');
                            at += 2;
                        }
                        (b'\'', _) => break,
                        (&byte, _) => {
                            value.push(byte);
                            at += 1;
                        }
                    }
                }
                at += 1;
                // Constants on several lines are one, which the parser knows.
                if bytes[at..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'\'') {
                    return None;
                }
                constants.push(Constant::Text(String::from_utf8(value).ok()?));
                shape.push_str("?t");
            }
            b'0'..=b'9' => {
                let start = at;
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                if bytes.get(at).is_some_and(|b| *b == b'.' || *b == b'_' || b.is_ascii_alphanumeric() || *b >= 0x80) {
                    return None;
                }
                let number: i64 = text[start..at].parse().ok()?;
                // Whether it is an integer or a bigint is part of the shape.
                shape.push_str(if i32::try_from(number).is_ok() { "?i" } else { "?l" });
                constants.push(Constant::Integer(number));
            }
            b'"' => {
                let end = at + 1 + bytes[at + 1..].iter().position(|&b| b == b'"')?;
                shape.push_str(&text[at..=end]);
                at = end + 1;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let start = at;
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$') {
                    at += 1;
                }
                // A letter before a quote makes it another kind of constant.
                if bytes.get(at) == Some(&b'\'') {
                    return None;
                }
                shape.push_str(&text[start..at]);
            }
            b'$' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                let start = at + 1;
                at = start;
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                let number = text[start..at].parse::<usize>().ok()?.checked_sub(1)?;
                shape.push_str(match parameters.get(number)? {
                    20 | 21 | 23 => "$i",
                    25 | 1043 => "$t",
                    _ => return None,
                });
                constants.push(Constant::Parameter(number));
            }
            // Comments, dollar quotes and other alphabets are the parser's.
            b'$' | b'\\' | 0x80.. => return None,
            b'-' if bytes.get(at + 1) == Some(&b'-') => return None,
            b'/' if bytes.get(at + 1) == Some(&b'*') => return None,
            b';' => {
                if bytes[at + 1..].iter().any(|b| !b.is_ascii_whitespace()) {
                    return None;
                }
                break;
            }
            other => {
                shape.push(char::from(other));
                at += 1;
            }
        }
    }
    Some((shape, constants))
}

/// Reads the syntax tree of a shape.
struct Reader<'a> {
    table: &'a Table,
    alias: String,
    /// Where each constant is in the text, in order.
    places: Vec<Location>,
    constants: &'a [Constant],
}

impl Reader<'_> {
    fn column(&self, expr: &AstExpr) -> Option<usize> {
        match expr {
            AstExpr::Identifier(name) => self.table.def.column(&ident(name)),
            AstExpr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, name] if ident(table) == self.alias => self.table.def.column(&ident(name)),
                _ => None,
            },
            AstExpr::Nested(inner) => self.column(inner),
            _ => None,
        }
    }

    fn constant(&self, expr: &AstExpr) -> Option<Operand> {
        match expr {
            AstExpr::Value(value) => match &value.value {
                Value::Number(_, false) | Value::SingleQuotedString(_) | Value::Placeholder(_) => {
                    let index = self.places.iter().position(|place| *place == value.span.start)?;
                    Some(Operand::Constant(index, matches!(self.constants[index], Constant::Text(_))))
                }
                Value::Null => Some(Operand::Null),
                _ => None,
            },
            AstExpr::Nested(inner) => self.constant(inner),
            AstExpr::UnaryOp { op: UnaryOperator::Minus, expr } => {
                Some(Operand::Negative(Box::new(self.constant(expr)?)))
            }
            AstExpr::Function(function) if function.over.is_none() && function.filter.is_none() => {
                let name = function.name.0.last()?.as_ident().map(ident)?;
                let bare = matches!(&function.args, FunctionArguments::None)
                    || matches!(&function.args, FunctionArguments::List(list) if list.args.is_empty());
                (bare && matches!(name.as_str(), "current_timestamp" | "now")).then_some(Operand::Now)
            }
            _ => None,
        }
    }

    /// A value to be stored.
    fn value(&self, expr: &AstExpr) -> Option<Operand> {
        if let Some(constant) = self.constant(expr) {
            return Some(constant);
        }
        self.integer(expr)
    }

    /// An expression of integers.
    fn integer(&self, expr: &AstExpr) -> Option<Operand> {
        match expr {
            AstExpr::Nested(inner) => self.integer(inner),
            AstExpr::BinaryOp { left, op, right } => {
                let operator = match op {
                    BinaryOperator::Plus => '+',
                    BinaryOperator::Minus => '-',
                    BinaryOperator::Multiply => '*',
                    _ => return None,
                };
                Some(Operand::Arithmetic(Box::new(self.integer(left)?), operator, Box::new(self.integer(right)?)))
            }
            expr => match self.column(expr) {
                Some(column) if is_integer(self.table.def.columns[column].ty) => Some(Operand::Column(column)),
                Some(_) => None,
                None => self.constant(expr).filter(|c| matches!(c, Operand::Constant(_, false) | Operand::Negative(_))),
            },
        }
    }

    fn conditions(&self, expr: &AstExpr, out: &mut Vec<Condition>) -> Option<()> {
        match expr {
            AstExpr::Nested(inner) => self.conditions(inner, out),
            AstExpr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.conditions(left, out)?;
                self.conditions(right, out)
            }
            AstExpr::BinaryOp { left, op, right } => {
                use BinaryOperator as B;
                let swapped = match op {
                    B::Eq => B::Eq,
                    B::Lt => B::Gt,
                    B::LtEq => B::GtEq,
                    B::Gt => B::Lt,
                    B::GtEq => B::LtEq,
                    _ => return None,
                };
                let (column, operator, operand) = match self.column(left) {
                    Some(column) => (column, op.clone(), self.constant(right)?),
                    None => (self.column(right)?, swapped, self.constant(left)?),
                };
                // Only where bytes or integers decide.
                let comparable = match self.table.def.columns[column].ty {
                    ty if is_integer(ty) => true,
                    PgType::Text | PgType::Varchar(_) | PgType::Uuid => true,
                    _ => false,
                };
                let text = matches!(operand, Operand::Constant(_, true));
                let number = matches!(operand, Operand::Constant(_, false) | Operand::Negative(_));
                if !comparable || !(if is_integer(self.table.def.columns[column].ty) { number } else { text }) {
                    return None;
                }
                out.push(Condition { column, operator, operand });
                Some(())
            }
            _ => None,
        }
    }
}

fn is_integer(ty: PgType) -> bool {
    matches!(ty, PgType::Int2 | PgType::Int4 | PgType::Int8)
}

impl Point {
    /// Finds out what a statement means, if it is one for the short path.
    fn compile(session: &Session, text: &str, constants: &[Constant]) -> Option<Point> {
        let mut parsed = parse_old(text).ok()?;
        let ParsedKind::Sql(statement) = parsed.pop()?.kind else { return None };
        if !parsed.is_empty() {
            return None;
        }
        let mut places = Vec::new();
        let _ = datafusion::sql::sqlparser::ast::visit_expressions(&*statement, |expr| {
            if let AstExpr::Value(value) = expr
                && matches!(value.value, Value::Number(..) | Value::SingleQuotedString(_) | Value::Placeholder(_))
            {
                places.push(value.span.start);
            }
            std::ops::ControlFlow::<()>::Continue(())
        });
        places.sort_unstable();
        places.dedup();
        if places.len() != constants.len() {
            return None;
        }
        let catalog = session.shared.db.catalog();
        let find = |name: &datafusion::sql::sqlparser::ast::ObjectName| -> Option<Arc<Table>> {
            let (schema, name) = object_name(name, &session.shared.database.1).ok()?;
            session.shared.find_table(&schema, &name).ok()?
        };
        let (table, alias) = match &*statement {
            Statement::Query(query) => {
                let SetExpr::Select(select) = &*query.body else { return None };
                source(select.from.as_slice())?
            }
            Statement::Update(update) => source(std::slice::from_ref(&update.table))?,
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
                source(from.as_slice())?
            }
            Statement::Insert(insert) => match &insert.table {
                TableObject::TableName(name) => (name, None),
                _ => return None,
            },
            _ => return None,
        };
        let table = find(table)?;
        if !table.def.checks.is_empty() || table.def.columns.is_empty() {
            return None;
        }
        let alias = alias.unwrap_or_else(|| table.def.name.clone());
        let reader = Reader { table: &table, alias, places, constants };
        let mut conditions = Vec::new();
        let (work, selection) = read(&reader, &statement)?;
        if !matches!(work, Work::Insert(_)) {
            reader.conditions(selection?, &mut conditions)?;
        }
        let equal = |column: usize| conditions.iter().find(|c| c.column == column && c.operator == BinaryOperator::Eq);
        let key = table.indexes.iter().enumerate().find_map(|(position, index)| {
            let operands = index.def.columns.iter().map(|c| equal(c.column).map(|c| c.operand.clone()));
            let operands: Option<Vec<Operand>> = operands.collect();
            operands.filter(|_| index.def.unique).map(|operands| (position, operands))
        });
        if key.is_none() && !matches!(work, Work::Insert(_)) {
            return None;
        }
        let plain = |column: &usize| Plain::can_be(table.def.columns[*column].ty);
        let plain = matches!(&work, Work::Select { projection, .. } if projection.iter().all(plain));
        Some(Point { catalog, table, work, plain, key, conditions })
    }
}

/// A row that was found: for the wire as it is, or its values, all columns.
enum Row {
    Plain(Vec<Plain>),
    Values(Vec<Option<Vec<u8>>>),
}

impl Point {
    fn row(&self, projection: &[usize], row: &[Option<&[u8]>]) -> Row {
        if !self.plain {
            return Row::Values(row.iter().map(|value| value.map(<[u8]>::to_vec)).collect());
        }
        let value = |&column: &usize| Plain::of(self.table.def.columns[column].ty, row[column]);
        Row::Plain(projection.iter().map(value).collect())
    }
}

type Source<'a> = (&'a datafusion::sql::sqlparser::ast::ObjectName, Option<String>);

/// The one table of a FROM clause.
fn source(from: &[TableWithJoins]) -> Option<Source<'_>> {
    let [TableWithJoins { relation: TableFactor::Table { name, alias, args: None, sample: None, .. }, joins }] = from
    else {
        return None;
    };
    let alias = match alias {
        Some(alias) if !alias.columns.is_empty() => return None,
        alias => alias.as_ref().map(|a| ident(&a.name)),
    };
    joins.is_empty().then_some((name, alias))
}

/// What a statement does, and its WHERE clause.
fn read<'a>(reader: &Reader<'_>, statement: &'a Statement) -> Option<(Work, Option<&'a AstExpr>)> {
    let def = &reader.table.def;
    match statement {
        Statement::Query(query) => {
            let SetExpr::Select(select) = &*query.body else { return None };
            let plain = query.with.is_none()
                && query.order_by.is_none()
                && query.limit_clause.is_none()
                && query.fetch.is_none()
                && query.locks.is_empty()
                && select.distinct.is_none()
                && select.top.is_none()
                && select.into.is_none()
                && select.having.is_none()
                && select.qualify.is_none()
                && select.named_window.is_empty()
                && matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
            if !plain {
                return None;
            }
            let (mut projection, mut names) = (Vec::new(), Vec::new());
            for item in &select.projection {
                match item {
                    SelectItem::Wildcard(options) if *options == Default::default() => {
                        projection.extend(0..def.columns.len());
                        names.extend(def.columns.iter().map(|c| c.name.clone()));
                    }
                    SelectItem::UnnamedExpr(expr) => {
                        let column = reader.column(expr)?;
                        projection.push(column);
                        names.push(def.columns[column].name.clone());
                    }
                    SelectItem::ExprWithAlias { expr, alias } => {
                        projection.push(reader.column(expr)?);
                        names.push(ident(alias));
                    }
                    _ => return None,
                }
            }
            let described = described_schema(&def.columns, false);
            let schema = Arc::new(described.project(&projection).ok()?);
            let columns = schema.fields().iter().zip(&names).map(|(field, name)| Column::new(name, field)).collect();
            Some((Work::Select { projection: projection.into(), schema, columns }, select.selection.as_ref()))
        }
        Statement::Update(update) => {
            if update.from.is_some() || update.returning.is_some() || update.limit.is_some() || update.or.is_some() {
                return None;
            }
            let mut values = Vec::new();
            for assignment in &update.assignments {
                let AssignmentTarget::ColumnName(name) = &assignment.target else { return None };
                let [part] = name.0.as_slice() else { return None };
                let column = def.column(&ident(part.as_ident()?))?;
                let operand = reader.value(&assignment.value)?;
                let generated = def.columns[column].identity.is_some();
                if generated || values.iter().any(|(c, _)| *c == column) || !stores(def.columns[column].ty, &operand) {
                    return None;
                }
                // Keys that change are the long path's.
                if def.indexes.iter().flat_map(|i| &i.columns).any(|c| c.column == column) {
                    return None;
                }
                values.push((column, operand));
            }
            values.sort_by_key(|(column, _)| *column);
            Some((Work::Update(values), update.selection.as_ref()))
        }
        Statement::Delete(delete) => {
            let plain = delete.using.is_none() && delete.returning.is_none() && delete.limit.is_none();
            plain.then_some((Work::Delete, delete.selection.as_ref()))
        }
        Statement::Insert(insert) => {
            let plain = insert.on.is_none() && insert.returning.is_none() && insert.table_alias.is_none();
            let source = insert.source.as_ref().filter(|_| plain)?;
            let SetExpr::Values(rows) = &*source.body else { return None };
            let [row] = rows.rows.as_slice() else { return None };
            if source.with.is_some() || source.order_by.is_some() || source.limit_clause.is_some() {
                return None;
            }
            let mut columns = Vec::new();
            for name in &insert.columns {
                let [part] = name.0.as_slice() else { return None };
                let column = def.column(&ident(part.as_ident()?))?;
                if columns.contains(&column) {
                    return None;
                }
                columns.push(column);
            }
            if columns.is_empty() {
                columns = (0..def.columns.len().min(row.content.len())).collect();
            }
            if columns.len() != row.content.len() {
                return None;
            }
            let mut values = vec![None; def.columns.len()];
            for (expr, &column) in row.content.iter().zip(&columns) {
                let operand = reader.value(expr)?;
                if !stores(def.columns[column].ty, &operand) || def.columns[column].identity.is_some() {
                    return None;
                }
                values[column] = Some(operand);
            }
            let left_out = |(value, column): (Option<Operand>, &engine::ColumnDef)| match value {
                Some(value) => Some(value),
                None => column.default.is_none().then_some(Operand::Null),
            };
            let values: Option<Vec<Operand>> = values.into_iter().zip(&def.columns).map(left_out).collect();
            Some((Work::Insert(values?), None))
        }
        _ => None,
    }
}

/// Can the short path store such a value in a column of this type? Text goes anywhere, through the cast of the long path.
fn stores(ty: PgType, operand: &Operand) -> bool {
    match operand {
        Operand::Null | Operand::Constant(_, true) => true,
        Operand::Constant(_, false) => is_integer(ty),
        Operand::Now => matches!(ty, PgType::Timestamp | PgType::Timestamptz),
        Operand::Column(_) | Operand::Negative(_) | Operand::Arithmetic(..) => is_integer(ty),
    }
}

/// An integer with its width in bytes; `None` is NULL.
type Integer = Option<(i64, usize)>;

fn fits(value: i64, width: usize) -> bool {
    match width {
        2 => i16::try_from(value).is_ok(),
        4 => i32::try_from(value).is_ok(),
        _ => true,
    }
}

/// The statement is the long path's after all.
struct Long;

/// What operands are evaluated with.
struct Context<'a> {
    table: &'a Table,
    constants: &'a [Constant],
    now: i64,
}

impl Context<'_> {
    /// An integer as PostgreSQL computes it. Overflow is an error, which the long path words.
    fn integer(&self, operand: &Operand, row: &[Option<&[u8]>]) -> std::result::Result<Integer, Long> {
        Ok(match operand {
            Operand::Null => None,
            Operand::Constant(index, _) => match &self.constants[*index] {
                Constant::Integer(value) => Some((*value, if fits(*value, 4) { 4 } else { 8 })),
                _ => return Err(Long),
            },
            Operand::Column(column) => row[*column].map(read_integer),
            Operand::Negative(inner) => match self.integer(inner, row)? {
                None => None,
                Some((value, width)) => {
                    let negative = value.checked_neg().ok_or(Long)?;
                    Some((negative, width))
                }
            },
            Operand::Arithmetic(left, operator, right) => match (self.integer(left, row)?, self.integer(right, row)?) {
                (Some((a, wide)), Some((b, other))) => {
                    let result = match operator {
                        '+' => a.checked_add(b),
                        '-' => a.checked_sub(b),
                        _ => a.checked_mul(b),
                    };
                    let (result, width) = (result.ok_or(Long)?, wide.max(other));
                    if !fits(result, width) {
                        return Err(Long);
                    }
                    Some((result, width))
                }
                _ => None,
            },
            Operand::Now => return Err(Long),
        })
    }

    /// A value's bytes for a column.
    fn stored(
        &self,
        column: usize,
        operand: &Operand,
        row: &[Option<&[u8]>],
    ) -> std::result::Result<Option<Vec<u8>>, Long> {
        let def = &self.table.def.columns[column];
        let value = match operand {
            Operand::Now => {
                let zone = &crate::style::current().style.zone;
                let local = def.ty == PgType::Timestamp;
                let now = if local { crate::time_functions::local_of(self.now, zone) } else { self.now };
                Some(now.to_le_bytes().to_vec())
            }
            Operand::Constant(index, true) => {
                let Constant::Text(text) = &self.constants[*index] else { return Err(Long) };
                let array: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
                let array = cast(&array, def.ty, Purpose::Assignment).map_err(|_| Long)?;
                let width = self.table.heap().shape.columns[column].width;
                value_bytes(&array, width, 0).map(<[u8]>::to_vec)
            }
            operand if is_integer(def.ty) => match self.integer(operand, row)? {
                None => None,
                Some((value, _)) => Some(integer_bytes(def.ty, value).ok_or(Long)?),
            },
            Operand::Null => None,
            _ => return Err(Long),
        };
        if value.is_none() && def.not_null {
            return Err(Long);
        }
        Ok(value)
    }

    /// Do all conditions hold?
    fn accepts(&self, point: &Point, row: &[Option<&[u8]>]) -> std::result::Result<bool, Long> {
        for condition in &point.conditions {
            if !self.holds(condition, row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, condition: &Condition, row: &[Option<&[u8]>]) -> std::result::Result<bool, Long> {
        let Some(bytes) = row[condition.column] else { return Ok(false) };
        let order = if is_integer(self.table.def.columns[condition.column].ty) {
            match self.integer(&condition.operand, row)? {
                None => return Ok(false),
                Some((value, _)) => read_integer(bytes).0.cmp(&value),
            }
        } else {
            match self.compared(condition)? {
                None => return Ok(false),
                Some(value) => bytes.cmp(&value[..]),
            }
        };
        Ok(match condition.operator {
            BinaryOperator::Eq => order.is_eq(),
            BinaryOperator::Lt => order.is_lt(),
            BinaryOperator::LtEq => order.is_le(),
            BinaryOperator::Gt => order.is_gt(),
            _ => order.is_ge(),
        })
    }

    /// The bytes of a constant that a column which is no integer is compared with.
    fn compared(&self, condition: &Condition) -> std::result::Result<Option<Vec<u8>>, Long> {
        let Operand::Constant(index, true) = condition.operand else { return Err(Long) };
        let Constant::Text(text) = &self.constants[index] else { return Err(Long) };
        match self.table.def.columns[condition.column].ty {
            // A comparison does not cut what is too long.
            PgType::Text | PgType::Varchar(_) => Ok(Some(text.as_bytes().to_vec())),
            ty => {
                let array: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
                let array = cast(&array, ty, Purpose::Assignment).map_err(|_| Long)?;
                Ok(value_bytes(&array, self.table.heap().shape.columns[condition.column].width, 0).map(<[u8]>::to_vec))
            }
        }
    }

    /// Is everything that needs no row in order? The long path would say so before it looks for one.
    fn check(&self, point: &Point, values: &[(usize, Operand)]) -> std::result::Result<(), Long> {
        for (column, operand) in values {
            if !reads_row(operand) {
                self.stored(*column, operand, &[])?;
            }
        }
        for condition in &point.conditions {
            if !is_integer(self.table.def.columns[condition.column].ty) {
                self.compared(condition)?;
            }
        }
        Ok(())
    }

    /// The key that the row is found by; `None`: no row can have it.
    fn key(&self, point: &Point) -> std::result::Result<Option<Vec<u8>>, Long> {
        let (position, operands) = point.key.as_ref().expect("a point has a key");
        let index = &self.table.indexes[*position];
        let mut key = Vec::new();
        for (column, operand) in index.keys.columns.iter().zip(operands) {
            let def = &self.table.def.columns[column.column];
            let value = if is_integer(def.ty) {
                match self.integer(operand, &[])? {
                    None => return Ok(None),
                    Some((value, _)) => integer_bytes(def.ty, value),
                }
            } else {
                let condition =
                    Condition { column: column.column, operator: BinaryOperator::Eq, operand: operand.clone() };
                self.compared(&condition)?
            };
            let Some(value) = value else { return Ok(None) };
            column.encode(&mut key, Some(&value));
        }
        Ok(Some(key))
    }
}

/// Does a value depend on the row?
fn reads_row(operand: &Operand) -> bool {
    match operand {
        Operand::Column(_) => true,
        Operand::Negative(inner) => reads_row(inner),
        Operand::Arithmetic(left, _, right) => reads_row(left) || reads_row(right),
        _ => false,
    }
}

fn read_integer(bytes: &[u8]) -> (i64, usize) {
    let value = match bytes.len() {
        2 => i64::from(i16::from_le_bytes(bytes.try_into().expect("2 bytes"))),
        4 => i64::from(i32::from_le_bytes(bytes.try_into().expect("4 bytes"))),
        _ => i64::from_le_bytes(bytes.try_into().expect("8 bytes")),
    };
    (value, bytes.len())
}

/// An integer's bytes in a column, if it is in range.
fn integer_bytes(ty: PgType, value: i64) -> Option<Vec<u8>> {
    match ty {
        PgType::Int2 => i16::try_from(value).ok().map(|v| v.to_le_bytes().to_vec()),
        PgType::Int4 => i32::try_from(value).ok().map(|v| v.to_le_bytes().to_vec()),
        _ => Some(value.to_le_bytes().to_vec()),
    }
}

impl Session {
    /// Runs a query string on the short path. `None`: it is the long path's, and nothing has happened.
    pub async fn run_point(&mut self, text: &str) -> Result<Option<Reply>> {
        if !self.short_path() {
            return Ok(None);
        }
        let Some((shape, constants)) = cut(text, &[]) else { return Ok(None) };
        let Some(point) = self.find_point(&shape, text, &constants) else { return Ok(None) };
        self.execute_point(&point, &constants).await
    }

    /// Runs a prepared statement on the short path, as [`Session::run_point`] does.
    pub async fn run_prepared_point(&mut self, prepared: &Prepared, parameters: &[Parameter]) -> Result<Option<Reply>> {
        let Some(statement) = prepared.statement.as_deref().filter(|_| self.short_path()) else { return Ok(None) };
        let remembered = &prepared.remembered;
        let cut = remembered.cut.get_or_init(|| cut(&statement.text, &prepared.parameters));
        let Some((shape, constants)) = cut else { return Ok(None) };
        let mut constants = constants.clone();
        for constant in &mut constants {
            if let Constant::Parameter(number) = constant {
                let Some(value) = parameters.get(*number).and_then(constant_of) else { return Ok(None) };
                *constant = value;
            }
        }
        let known = remembered.point.lock().clone().filter(|p| self.shared.db.is_catalog(&p.catalog));
        let point = match known {
            Some(point) => point,
            None => {
                let Some(point) = self.find_point(shape, &statement.text, &constants) else { return Ok(None) };
                *remembered.point.lock() = Some(point.clone());
                point
            }
        };
        self.execute_point(&point, &constants).await
    }

    /// What a shape means.
    fn find_point(&mut self, shape: &str, text: &str, constants: &[Constant]) -> Option<Arc<Point>> {
        match self.points.shapes.get(shape) {
            Some(None) => return None,
            Some(Some(point)) if self.shared.db.is_catalog(&point.catalog) => return Some(point.clone()),
            _ => {}
        }
        let point = Point::compile(self, text, constants).map(Arc::new);
        if self.points.shapes.len() >= MAX_SHAPES {
            self.points.shapes.clear();
        }
        self.points.shapes.insert(shape.to_string(), point.clone());
        point
    }

    pub(crate) async fn execute_point(&mut self, point: &Point, constants: &[Constant]) -> Result<Option<Reply>> {
        let manner = self.shared.manner();
        manner.of(self.execute_point_so(point, constants)).await
    }

    async fn execute_point_so(&mut self, point: &Point, constants: &[Constant]) -> Result<Option<Reply>> {
        let writes = !matches!(point.work, Work::Select { .. });
        if writes && self.require_writable("").is_err() {
            return Ok(None);
        }
        self.begin_implicit();
        let mode = if writes { LockMode::RowExclusive } else { LockMode::AccessShare };
        let tag = self.shared.table_tag(&point.table.def);
        self.lock(tag, mode).await?;
        if !self.shared.db.is_catalog(&point.catalog) {
            // Whoever was waited for has changed something.
            return Ok(None);
        }
        self.new_command();
        let now = self.shared.transaction_start.lock().duration_since(UNIX_EPOCH).unwrap_or_default();
        let context = Context { table: &point.table, constants, now: now.as_micros() as i64 };
        match &point.work {
            Work::Insert(values) => self.insert_point(point, &context, values).await,
            Work::Select { projection, schema, columns } => {
                self.select_point(point, &context, projection, schema, columns).await
            }
            Work::Update(values) => self.change_point(point, &context, Some(values)).await,
            Work::Delete => self.change_point(point, &context, None).await,
        }
    }

    async fn select_point(
        &mut self,
        point: &Point,
        context: &Context<'_>,
        projection: &Arc<[usize]>,
        schema: &SchemaRef,
        columns: &Arc<[Column]>,
    ) -> Result<Option<Reply>> {
        if context.check(point, &[]).is_err() {
            return Ok(None);
        }
        let Ok(key) = context.key(point) else { return Ok(None) };
        let heap = point.table.heap();
        let mut found = None;
        if let Some(key) = key {
            let snapshot = self.transaction().snapshot();
            let index = &point.table.indexes[point.key.as_ref().expect("a point has a key").0];
            for tid in index.lookup(self.io(), &key).await? {
                let look = |row: &[Option<&[u8]>]| {
                    let accepted = context.accepts(point, row)?;
                    Ok(accepted.then(|| point.row(projection, row)))
                };
                match heap.look(self.io(), tid, &snapshot, look).await? {
                    None | Some(Ok(None)) => {}
                    Some(Ok(row)) => found = row,
                    Some(Err(Long)) => return Ok(None),
                }
            }
        }
        let row = match found {
            None => None,
            Some(Row::Plain(values)) => Some(values),
            Some(Row::Values(values)) => {
                let mut builder = BatchBuilder::small(heap.shape.clone(), projection.clone(), schema.clone());
                let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
                builder.add_row(Tid { block: 0, row: 0 }, &values);
                let batch = builder.take().map_err(|reason| EngineError::new("XX001", reason))?;
                let batches = futures::stream::iter([Ok(batch)]);
                let batches = Box::pin(RecordBatchStreamAdapter::new(schema.clone(), batches));
                return Ok(Some(Reply::Rows(RowsReply {
                    columns: columns.clone(),
                    rows: RowSource::Stream(batches),
                    tag: "SELECT",
                    counted: true,
                })));
            }
        };
        Ok(Some(Reply::Row(columns.clone(), row)))
    }

    async fn insert_point(
        &mut self,
        point: &Point,
        context: &Context<'_>,
        values: &[Operand],
    ) -> Result<Option<Reply>> {
        let table = &point.table;
        let mut row = Vec::with_capacity(values.len());
        for (column, operand) in values.iter().enumerate() {
            match context.stored(column, operand, &[]) {
                Ok(value) => row.push(value),
                Err(Long) => return Ok(None),
            }
        }
        let bytes: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
        if access::row::check_size(&table.heap().shape, &bytes).is_err() {
            return Ok(None);
        }
        let tids = table.heap().insert(self.transaction().writer(), std::slice::from_ref(&bytes)).await?;
        if !table.indexes.is_empty() {
            let projection: Arc<[usize]> = (0..values.len()).collect();
            let mut builder = BatchBuilder::small(table.heap().shape.clone(), projection, table.schema.clone());
            builder.add_row(tids[0], &bytes);
            let batch: RecordBatch = builder.take().map_err(|reason| EngineError::new("XX001", reason))?;
            let options = self.write_options();
            table.index_rows(self.transaction(), &batch, &tids, None, &options).await?;
        }
        Ok(Some(done("INSERT 0 1")))
    }

    /// UPDATE, or DELETE without values.
    async fn change_point(
        &mut self,
        point: &Point,
        context: &Context<'_>,
        values: Option<&Vec<(usize, Operand)>>,
    ) -> Result<Option<Reply>> {
        let table = &point.table;
        let heap = table.heap();
        let verb = if values.is_some() { "UPDATE" } else { "DELETE" };
        if context.check(point, values.map_or(&[], |values| values)).is_err() {
            return Ok(None);
        }
        let Ok(key) = context.key(point) else { return Ok(None) };
        let Some(key) = key else { return Ok(Some(done(&format!("{verb} 0")))) };
        let index = &table.indexes[point.key.as_ref().expect("a point has a key").0];
        let mode = if values.is_some() { LockMode::Exclusive } else { LockMode::AccessExclusive };
        let mut count = 0;
        for tid in index.lookup(self.io(), &key).await? {
            let mut queued = false;
            let tag = heap.row_tag(tid);
            let outcome = loop {
                // READ COMMITTED looks again with a new snapshot after each wait.
                let snapshot = self.transaction().snapshot();
                let Some(row) = heap.fetch(self.io(), tid, &snapshot).await? else { break Ok(false) };
                let row: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
                match context.accepts(point, &row) {
                    Ok(true) => {}
                    Ok(false) => break Ok(false),
                    Err(Long) if count == 0 && !queued => return Ok(None),
                    Err(Long) => break Err(EngineError::new("XX000", "a value cannot be compared")),
                }
                let mut new = Vec::new();
                for (column, operand) in values.into_iter().flatten() {
                    match context.stored(*column, operand, &row) {
                        Ok(value) => new.push((*column, value)),
                        Err(Long) => {
                            if queued {
                                self.transaction().unlock(tag, mode);
                            }
                            return Ok(None);
                        }
                    }
                }
                let new: Vec<(usize, Option<&[u8]>)> = new.iter().map(|(c, v)| (*c, v.as_deref())).collect();
                let mut all = row.clone();
                new.iter().for_each(|(column, value)| all[*column] = *value);
                if access::row::check_size(&heap.shape, &all).is_err() {
                    return Ok(None);
                }
                let change = match values {
                    Some(_) => RowChange::Update { values: &new, key: false },
                    None => RowChange::Delete,
                };
                let writer = self.transaction().writer();
                let outcomes = heap.change(writer, &snapshot, tid.block, &[(tid.row, change)]).await?;
                match outcomes[0] {
                    Outcome::Done => break Ok(true),
                    Outcome::Mine => break Ok(false),
                    outcome => match wait_for_row(self, tag, mode, outcome, &mut queued).await {
                        Ok(true) => {}
                        Ok(false) => break Ok(false),
                        Err(error) => break Err(error),
                    },
                }
            };
            if queued {
                self.transaction().unlock(tag, mode);
            }
            count += u64::from(outcome?);
        }
        Ok(Some(done(&format!("{verb} {count}"))))
    }
}

/// A parameter as a constant: integers and text, the others are the long path's.
fn constant_of(parameter: &Parameter) -> Option<Constant> {
    let text = parameter.text.as_deref()?;
    match parameter.ty {
        20 | 21 | 23 => text.parse().ok().map(Constant::Integer),
        25 | 1043 => Some(Constant::Text(text.to_string())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_leave_the_constants_out() {
        let (shape, constants) = cut("UPDATE t SET a = a + -5, b='it''s' WHERE id = 17;", &[]).unwrap();
        assert_eq!(shape, "UPDATE t SET a = a + -?i, b=?t WHERE id = ?i");
        assert_eq!(constants, [Constant::Integer(5), Constant::Text("it's".into()), Constant::Integer(17)]);
        assert_eq!(cut("select 5000000000", &[]).unwrap().0, "select ?l");
        for text in ["select 1.5", "select 1; select 2", "select e'x'", "select $1", "select 1 -- x", "select 'a'\n'b'"]
        {
            assert!(cut(text, &[]).is_none(), "{text}");
        }
    }
}
