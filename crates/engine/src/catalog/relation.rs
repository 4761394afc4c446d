//! Tables with their columns, indexes and checks, and sequences: what PostgreSQL's relcache has. They are derived from rows of
//! the catalogs ([`super::relcache`]), which rows are made of them again when a command changes one ([`super::rows`]).

use std::sync::Arc;

use access::index::Method;
use access::page::MAX_DIFFERENCES;
use access::{ColumnShape, Lying, Since, Storage, TableShape};
use arrow_schema::{Field, Schema, SchemaRef};
use txn::Snapshot;
use types::Repr;

use crate::catalog::NodeTree;
use crate::column_type::ColumnType;
use crate::{EngineError, Result};

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDef {
    pub name: String,
    pub ty: ColumnType,
    pub not_null: bool,
    /// The constraint that says so: its oid and its name. One that is new has none yet (0 and an empty name).
    pub not_null_constraint: (u32, String),
    /// The DEFAULT expression.
    pub default: Option<NodeTree>,
    /// Its oid (`pg_attrdef`); 0: it is new.
    pub default_oid: u32,
    pub identity: Option<Identity>,
    /// What may be done about long values, if that is not what the type says.
    pub storage: Option<Storage>,
    /// Compression was asked for by name: LZ4, which all have.
    pub compression: bool,
    /// SET STATISTICS: how much ANALYZE keeps of it, if not what `default_statistics_target` says.
    pub statistics_target: Option<u16>,
    /// Its collation, if that is not its type's.
    pub collation: Option<u32>,
    /// What ALTER COLUMN … SET says of it, as it was given.
    pub options: Vec<(String, String)>,
    /// It was dropped. Its number and its type stay, for rows have its values, which are not read.
    pub dropped: bool,
    /// By this transaction.
    pub dropped_by: u64,
    pub lies: Lies,
    /// What rows have that were there when it was added; `None`: NULL.
    pub missing: Option<MissingValue>,
}

/// Since when a column is on the pages of its table's file ([`access::shape`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lies {
    /// Since its first page, with NULL bits if it may be NULL.
    #[default]
    AsDeclared,
    /// The same, though it was declared otherwise then.
    First { nullable: bool },
    /// It was added later, under this number.
    Added(u32),
    /// It was dropped before.
    Nowhere,
}

/// The missing value of a column (`attmissingval`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingValue {
    /// As it is stored.
    pub bytes: Vec<u8>,
    /// As its type writes it.
    pub text: String,
}

/// PostgreSQL's, dropped columns included.
pub const MAX_COLUMNS: usize = 1600;

/// `GENERATED … AS IDENTITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    Always,
    ByDefault,
}

/// A column of an index's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexColumn {
    pub key: IndexKey,
    pub descending: bool,
    pub nulls_first: bool,
    /// What COLLATE says, if that is not the collation of what it is on.
    pub collation: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexKey {
    /// A column of the table, by its position.
    Column(usize),
    Expression(Box<IndexExpression>),
}

/// What an index computes of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexExpression {
    /// The name of the index's column.
    pub name: String,
    pub computed: Computed,
    pub ty: ColumnType,
    /// Its values' collation, if that is not their type's.
    pub collation: Option<u32>,
    /// As that of a table's column.
    pub statistics_target: Option<u16>,
}

/// An expression over a table's columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    pub tree: NodeTree,
    /// The columns that it names, by their positions, in order.
    pub columns: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct IndexDef {
    pub oid: u32,
    pub file: u32,
    /// The tablespace of its file; 0: the default.
    pub tablespace: u32,
    pub name: String,
    /// Its key.
    pub columns: Vec<IndexColumn>,
    /// Its access method, as an OID.
    pub access_method: u32,
    /// Columns of the table that INCLUDE names.
    pub included: Vec<usize>,
    /// Only rows for which this is true are in it.
    pub predicate: Option<Computed>,
    pub unique: bool,
    /// Long texts in its keys are compressed.
    pub compressed_keys: bool,
    /// NULLs are equal.
    pub nulls_not_distinct: bool,
    pub primary: bool,
    /// It belongs to a constraint of the same name.
    pub constraint: bool,
    /// CLUSTER has its table in the order of it.
    pub clustered: bool,
    /// Snapshots that began before this transaction id was given out must not use it, for it lacks rows that were gone when it was
    /// made.
    pub made_after: u64,
    /// It has all rows and may be used. One that is not valid is kept up to date all the same (`indisready`).
    pub valid: bool,
    /// Its pages when it was built, vacuumed or analyzed last.
    pub pages: u32,
    /// Storage parameters, as they were given.
    pub options: Vec<(String, String)>,
    /// The columns' operator classes, as OIDs; none where all are their types'. Text is ordered by bytes in each of them.
    pub operator_classes: Vec<u32>,
}

/// A CHECK constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckDef {
    pub oid: u32,
    pub name: String,
    pub condition: NodeTree,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SequenceDef {
    pub oid: u32,
    pub file: u32,
    /// Its schema's oid.
    pub namespace: u32,
    /// The schema's name, for messages. The catalog knows it, and whether what is in the schema goes with a session.
    pub schema: String,
    pub temporary: bool,
    pub name: String,
    /// A role's oid.
    pub owner: u32,
    /// int2, int4 or int8.
    pub ty: u32,
    pub start: i64,
    pub increment: i64,
    pub min: i64,
    pub max: i64,
    pub cache: i64,
    pub cycle: bool,
    /// The table and the number of the column that it goes with.
    pub owned_by: Option<(u32, i16)>,
    /// It is what makes that an identity column, which may have others besides.
    pub identity: bool,
}

impl SequenceDef {
    /// What CREATE SEQUENCE makes where nothing else is said: it counts up from 1.
    pub fn new(oid: u32, (namespace, name): (u32, &str), owner: u32) -> SequenceDef {
        SequenceDef {
            oid,
            file: oid,
            namespace,
            schema: String::new(),
            temporary: false,
            name: name.into(),
            owner,
            ty: types::oid::INT8,
            start: 1,
            increment: 1,
            min: 1,
            max: i64::MAX,
            cache: 1,
            cycle: false,
            owned_by: None,
            identity: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableDef {
    pub oid: u32,
    /// The number of its files; TRUNCATE gives a new one.
    pub file: u32,
    /// The tablespace that they are in; 0: the default.
    pub tablespace: u32,
    /// The transaction that wrote its rows anew without changing them; snapshots that do not see it would find none. 0: none did.
    pub moved_by: u64,
    /// UNLOGGED was said. It is logged like others.
    pub unlogged: bool,
    /// The OIDs of the type of its rows and of the type of arrays of them; 0: it has none.
    pub row_type: u32,
    pub array_type: u32,
    /// Its schema's oid.
    pub namespace: u32,
    /// The schema's name, for messages. The catalog knows it, and whether what is in the schema goes with a session.
    pub schema: String,
    pub temporary: bool,
    pub name: String,
    /// A role's oid.
    pub owner: u32,
    pub columns: Vec<ColumnDef>,
    pub indexes: Vec<IndexDef>,
    pub checks: Vec<CheckDef>,
    /// As ANALYZE found it, if it ever ran since the table was last emptied or written anew.
    pub analyzed: Option<Analyzed>,
    /// Storage parameters, as they were given.
    pub options: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analyzed {
    pub pages: u32,
    /// An estimate of the rows on them.
    pub rows: f64,
    /// Pages whose rows all snapshots saw.
    pub all_visible: u32,
    /// By the position of the column; none where nothing was found out.
    pub columns: Vec<Option<AnalyzedColumn>>,
    /// Of the indexes that compute something.
    pub indexes: Vec<AnalyzedIndex>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AnalyzedIndex {
    pub oid: u32,
    /// The part of the table's rows that are in it, 0 to 1.
    pub part: f64,
    /// By the position of the expression among the key's.
    pub expressions: Vec<Option<AnalyzedColumn>>,
}

/// How a column's values are spread: a row of `pg_statistic`. Values are texts, as their type reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalyzedColumn {
    /// The part of the rows that have NULL, 0 to 1.
    pub null_fraction: f64,
    /// Bytes of a value.
    pub width: i32,
    /// How many different values: their number, or below 0 the part of the rows (-1: all differ).
    pub distinct: f64,
    /// The most common values with their parts of all rows, most common first.
    pub common: Vec<(String, f64)>,
    /// Values that cut the others into parts with equally many rows, in order.
    pub histogram: Vec<String>,
    /// How much the rows' order is the values' order, -1 to 1.
    pub correlation: Option<f64>,
}

impl ColumnDef {
    /// A column about which nothing else is said.
    pub fn new(name: &str, ty: ColumnType) -> ColumnDef {
        ColumnDef {
            name: name.into(),
            ty,
            not_null: false,
            not_null_constraint: Default::default(),
            default: None,
            default_oid: 0,
            identity: None,
            storage: None,
            compression: false,
            statistics_target: None,
            collation: None,
            options: Vec::new(),
            dropped: false,
            dropped_by: 0,
            lies: Lies::AsDeclared,
            missing: None,
        }
    }

    /// Whether it may be NULL from now on. Pages stay as they are.
    pub fn set_not_null(&mut self, not_null: bool) {
        if self.lies == Lies::AsDeclared {
            self.lies = Lies::First { nullable: !self.not_null };
        }
        self.not_null = not_null;
        if !not_null {
            self.not_null_constraint = Default::default();
        }
    }

    /// Makes it the dropped column of this number, which the transaction `by` has dropped (`RemoveAttributeById`).
    pub fn drop(&mut self, number: usize, by: u64) {
        self.set_not_null(false);
        *self = ColumnDef {
            dropped: true,
            dropped_by: by,
            lies: self.lies,
            storage: self.storage,
            collation: self.collation,
            ..ColumnDef::new(&format!("........pg.dropped.{number}........"), self.ty.dropped())
        };
    }

    fn since(&self) -> Since {
        let first = |nullable| Since::First(if nullable { Lying::Nullable } else { Lying::Values });
        match self.lies {
            Lies::AsDeclared => first(!self.not_null),
            Lies::First { nullable } => first(nullable),
            Lies::Added(number) => Since::Added(number),
            Lies::Nowhere => Since::First(Lying::Nowhere),
        }
    }

    pub fn storage(&self) -> Storage {
        self.storage.unwrap_or_else(|| self.ty.storage())
    }

    /// How its values lie. Fails with 0A000 for a type without values here.
    pub fn repr(&self) -> Result<Repr> {
        let unsupported = || EngineError::unsupported(format_args!("the type of column \"{}\"", self.name));
        self.ty.repr().ok_or_else(unsupported)
    }
}

impl IndexColumn {
    /// A column of the table in ascending order.
    pub fn of(column: usize) -> IndexColumn {
        IndexColumn { key: IndexKey::Column(column), descending: false, nulls_first: false, collation: None }
    }

    /// The type of its values.
    pub fn ty(&self, table: &[ColumnDef]) -> ColumnType {
        match &self.key {
            IndexKey::Column(column) => table[*column].ty,
            IndexKey::Expression(expression) => expression.ty,
        }
    }

    /// Its collation, if that is not its type's.
    pub fn collation(&self, table: &[ColumnDef]) -> Option<u32> {
        self.collation.or(match &self.key {
            IndexKey::Column(column) => table[*column].collation,
            IndexKey::Expression(expression) => expression.collation,
        })
    }
}

/// The names of an index's columns, before those that are alike get numbers.
pub fn index_column_names<'a>(
    table: &'a TableDef,
    columns: &'a [IndexColumn],
    included: &'a [usize],
) -> impl Iterator<Item = &'a str> {
    let keys = columns.iter().map(|column| match &column.key {
        IndexKey::Column(column) => table.columns[*column].name.as_str(),
        IndexKey::Expression(expression) => expression.name.as_str(),
    });
    keys.chain(included.iter().map(|&column| table.columns[column].name.as_str()))
}

impl IndexKey {
    /// The column of the table that it is.
    pub fn column(&self) -> Option<usize> {
        match self {
            IndexKey::Column(column) => Some(*column),
            IndexKey::Expression(_) => None,
        }
    }

    pub fn expression(&self) -> Option<&IndexExpression> {
        match self {
            IndexKey::Column(_) => None,
            IndexKey::Expression(expression) => Some(expression),
        }
    }

    /// The columns of the table that it is made of.
    pub fn columns(&self) -> &[usize] {
        match self {
            IndexKey::Column(column) => std::slice::from_ref(column),
            IndexKey::Expression(expression) => &expression.computed.columns,
        }
    }
}

impl IndexDef {
    /// May who sees this snapshot use it (PostgreSQL's `indcheckxmin`)?
    pub fn is_usable_by(&self, snapshot: &Snapshot) -> bool {
        self.made_after == 0 || snapshot.began_after(self.made_after)
    }

    /// Its key, or which rows are in it, is computed.
    pub fn is_computed(&self) -> bool {
        self.predicate.is_some() || self.expressions().next().is_some()
    }

    /// The expressions of its key.
    pub fn expressions(&self) -> impl Iterator<Item = &IndexExpression> {
        self.columns.iter().filter_map(|column| column.key.expression())
    }

    /// All that it computes.
    pub fn computed(&self) -> impl Iterator<Item = &Computed> {
        self.expressions().map(|expression| &expression.computed).chain(&self.predicate)
    }

    /// The columns of the table that its entries depend on; some may come twice.
    pub fn inputs(&self) -> impl Iterator<Item = usize> {
        self.key_and_predicate().chain(self.included.iter().copied())
    }

    /// Those that decide which key a row has in it, if it is in it.
    pub fn key_and_predicate(&self) -> impl Iterator<Item = usize> {
        self.keys().chain(self.predicate.iter().flat_map(|predicate| &predicate.columns).copied())
    }

    /// The columns that its key depends on.
    pub fn keys(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().flat_map(|column| column.key.columns()).copied()
    }

    /// The same in order, each once.
    pub fn sorted_inputs(&self) -> Vec<usize> {
        let mut inputs: Vec<usize> = self.inputs().collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// It cannot be there without this column.
    pub fn names(&self, column: usize) -> bool {
        self.inputs().any(|input| input == column)
    }

    /// An index about which nothing else is said.
    pub fn new(oid: u32, name: &str, columns: Vec<IndexColumn>) -> IndexDef {
        IndexDef {
            oid,
            file: oid,
            tablespace: 0,
            name: name.into(),
            columns,
            access_method: Method::DEFAULT.oid(),
            included: vec![],
            predicate: None,
            unique: false,
            compressed_keys: true,
            nulls_not_distinct: false,
            primary: false,
            constraint: false,
            clustered: false,
            made_after: 0,
            valid: true,
            pages: 0,
            options: vec![],
            operator_classes: vec![],
        }
    }
}

impl Analyzed {
    pub fn index(&self, oid: u32) -> Option<&AnalyzedIndex> {
        self.indexes.iter().find(|index| index.oid == oid)
    }
}

impl TableDef {
    /// A storage parameter that was set for the table.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// A table without indexes and checks, whose rows have no type yet.
    pub fn new(oid: u32, (namespace, name): (u32, &str), owner: u32, columns: Vec<ColumnDef>) -> TableDef {
        TableDef {
            oid,
            file: oid,
            tablespace: 0,
            moved_by: 0,
            unlogged: false,
            row_type: 0,
            array_type: 0,
            namespace,
            schema: String::new(),
            temporary: false,
            name: name.into(),
            owner,
            columns,
            indexes: vec![],
            checks: vec![],
            analyzed: None,
            options: vec![],
        }
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| !column.dropped && column.name == name)
    }

    /// The columns that there are, with their positions.
    pub fn live_columns(&self) -> impl Iterator<Item = (usize, &ColumnDef)> {
        self.columns.iter().enumerate().filter(|(_, column)| !column.dropped)
    }

    /// Its rows go into a new file: what columns lie there is decided anew.
    pub fn begin_file(&mut self, file: u32) {
        self.file = file;
        for column in &mut self.columns {
            column.lies = if column.dropped { Lies::Nowhere } else { Lies::AsDeclared };
            column.missing = None;
        }
    }

    /// Do its columns differ so much from what the file began with that pages cannot say it? Fails as [`TableDef::shape`] does.
    pub fn needs_new_file(&self) -> Result<bool> {
        let shape = self.shape()?;
        Ok(shape.differences(shape.current()) > MAX_DIFFERENCES)
    }

    pub fn primary_key(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|i| i.primary)
    }

    /// How its rows lie on pages. Fails with 0A000 for columns that cannot be stored.
    pub fn shape(&self) -> Result<TableShape> {
        let whole = TableShape::new(&*self.arrow_schema()?)?;
        let column = |(lies, column): (ColumnShape, &ColumnDef)| ColumnShape {
            storage: if lies.width.is_none() { column.storage() } else { lies.storage },
            since: column.since(),
            dropped: column.dropped.then_some(column.dropped_by),
            missing: column.missing.as_ref().map(|value| value.bytes.clone()),
            ..lies
        };
        let mut shape = TableShape::of(whole.columns.into_iter().zip(&self.columns).map(column).collect());
        let target = self.options.iter().find(|(name, _)| name == "toast_tuple_target");
        if let Some(target) = target.and_then(|(_, value)| value.parse().ok()) {
            shape.target = target;
        }
        Ok(shape)
    }

    /// How its rows lie in memory. Fails with 0A000 for columns that cannot be stored.
    pub fn arrow_schema(&self) -> Result<SchemaRef> {
        let field = |column: &ColumnDef| Ok(Field::new(&column.name, column.repr()?.arrow(), !column.not_null));
        let fields = self.columns.iter().map(field).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(Schema::new(fields)))
    }
}
