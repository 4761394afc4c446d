//! The tuples that an index has of rows: keys, and included columns. Where they are columns of the table they are taken from the row. What is computed,
//! keys that are expressions and whether a row is in a partial index, is [`IndexFunctions`]: the engine knows no SQL, so
//! [`KeyCompiler`], which the database was given, makes them from the index's definition.

use std::borrow::Cow;
use std::sync::Arc;

use access::index::{IncludedColumn, KeyColumn, KeyShape, Method, RowEntries};
use access::row::{ColumnBuilder, value_bytes};
use access::toast::stored::{in_line, is_extended};
use access::{ColumnShape, Tid};
use arrow_array::{ArrayRef, UInt32Array};
use error::sqlstate;

use types::Repr;

use crate::catalog::{IndexColumn, IndexDef, IndexExpression, IndexKey, TableDef};
use crate::{EngineError, Result};

/// What an index computes of rows.
pub trait IndexFunctions: Send + Sync {
    /// For rows that are given by the columns in [`IndexKeys::inputs`], as pages have them: which of them are in the index,
    /// `None` being all, and for these the expressions of the key, as pages would have them.
    fn compute(&self, inputs: &[ArrayRef], rows: usize) -> types::Result<(Option<UInt32Array>, Vec<ArrayRef>)>;

    /// The expressions of the key as messages show them.
    fn names(&self) -> &[String];
}

/// Makes the functions of indexes. It is asked while tables are opened, so it must not open any.
pub trait KeyCompiler: Send + Sync {
    fn compile(&self, table: &TableDef, index: &IndexDef, inputs: &[usize]) -> Result<Arc<dyn IndexFunctions>>;
}

/// How an index's keys come from rows of its table.
pub struct IndexKeys {
    /// Makes entries of them.
    pub method: Method,
    /// Positions from the number of the table's columns on are the key's expressions.
    pub shape: KeyShape,
    /// The same without included columns.
    pub key: KeyShape,
    /// The columns of the table that it needs whose values are of variable length, and those of them that the key needs.
    pub(crate) variable: Vec<usize>,
    pub(crate) key_variable: Vec<usize>,
    pub(crate) computed: Option<Computation>,
}

pub(crate) struct Computation {
    /// The columns of the table that there have to be, by position.
    pub inputs: Vec<usize>,
    shapes: Vec<ColumnShape>,
    /// How many columns the table has.
    columns: usize,
    pub functions: Arc<dyn IndexFunctions>,
}

/// Rows as an index sees them.
pub struct KeyedRows<'k> {
    keys: &'k IndexKeys,
    rows: usize,
    /// The rows that are in the index; `None`: all.
    kept: Option<UInt32Array>,
    /// For those, the expressions of the key.
    pub computed: Vec<ArrayRef>,
}

impl IndexKeys {
    /// How the keys of an index come from a table's rows. `compiler` makes the functions of an index with expressions.
    pub(crate) fn new(table: &TableDef, index: &IndexDef, compiler: Option<&dyn KeyCompiler>) -> Result<IndexKeys> {
        let method = index.method()?;
        let shape = index.key_shape(table)?;
        let inputs = index.sorted_inputs();
        let key = KeyShape { included: Vec::new(), ..shape.clone() };
        let is_variable = |column: &usize| table.columns[*column].ty.is_variable();
        let variable: Vec<usize> = inputs.iter().copied().filter(is_variable).collect();
        let of_key = |column: &usize| index.key_and_predicate().any(|own| own == *column);
        let key_variable = variable.iter().copied().filter(of_key).collect();
        if !index.is_computed() {
            return Ok(IndexKeys { method, shape, key, variable, key_variable, computed: None });
        }
        let missing = || EngineError::new(sqlstate::INTERNAL_ERROR, "the expressions of indexes have no compiler");
        let compiler = compiler.ok_or_else(missing)?;
        let whole = table.shape()?;
        let shapes = inputs.iter().map(|&column| whole.columns[column].clone()).collect();
        let functions = compiler.compile(table, index, &inputs)?;
        let computed = Computation { inputs, shapes, columns: table.columns.len(), functions };
        Ok(IndexKeys { method, shape, key, variable, key_variable, computed: Some(computed) })
    }
}

impl IndexDef {
    fn key_shape(&self, table: &TableDef) -> Result<KeyShape> {
        let mut behind = table.columns.len();
        let column = |key: &IndexColumn| {
            let (column, repr) = match &key.key {
                IndexKey::Column(column) => (*column, table.columns[*column].repr()?),
                IndexKey::Expression(expression) => {
                    behind += 1;
                    (behind - 1, expression.repr()?)
                }
            };
            let compressed = self.compressed_keys;
            Ok(KeyColumn { column, repr, descending: key.descending, nulls_first: key.nulls_first, compressed })
        };
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        let whole = table.shape()?;
        let included =
            self.included.iter().map(|&column| IncludedColumn { column, width: whole.columns[column].width });
        Ok(KeyShape { columns, included: included.collect() })
    }
}

impl IndexExpression {
    /// How its values would lie. Fails with 0A000 for a type without values here.
    pub fn repr(&self) -> Result<Repr> {
        let unsupported = || EngineError::unsupported(format_args!("the type of index column \"{}\"", self.name));
        self.ty.repr().ok_or_else(unsupported)
    }
}

impl IndexKeys {
    /// The columns of the table that keys are computed of; none where nothing is computed.
    pub fn inputs(&self) -> &[usize] {
        self.computed.as_ref().map_or(&[], |computed| &computed.inputs)
    }

    /// Rows, of which `column` knows the table's columns by position.
    pub fn of_batch<'a>(&self, column: impl Fn(usize) -> &'a ArrayRef, rows: usize) -> Result<KeyedRows<'_>> {
        let (kept, computed) = match &self.computed {
            None => (None, Vec::new()),
            Some(computed) => {
                let inputs: Vec<ArrayRef> = computed.inputs.iter().map(|&input| column(input).clone()).collect();
                computed.functions.compute(&inputs, rows)?
            }
        };
        Ok(KeyedRows { keys: self, rows, kept, computed })
    }

    /// Is this the key of the row, whose values are given as they are?
    pub(crate) fn is_key_of_row<'a>(
        &self,
        key: &[u8],
        scratch: &mut Vec<u8>,
        value: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<bool> {
        Ok(self.of_row(&self.key, scratch, value)?.is_some() && scratch == key)
    }

    /// The tuple or the key of one row, as `shape` says, given by its columns' values as they are: whether its key has a NULL. `None`:
    /// the row is not in the index.
    pub(crate) fn of_row<'a>(
        &self,
        shape: &KeyShape,
        out: &mut Vec<u8>,
        value: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Result<Option<bool>> {
        let Some(computed) = &self.computed else { return Ok(Some(shape.encode(out, value)?)) };
        let input = |(&column, shape): (&usize, &ColumnShape)| {
            let mut builder = ColumnBuilder::new(shape, 1);
            builder.append_plain(value(column));
            builder.finish().map_err(|reason| EngineError::new(sqlstate::DATA_CORRUPTED, reason))
        };
        let inputs = computed.inputs.iter().zip(&computed.shapes).map(input).collect::<Result<Vec<_>>>()?;
        let (kept, results) = computed.functions.compute(&inputs, 1)?;
        if kept.is_some_and(|kept| kept.is_empty()) {
            return Ok(None);
        }
        let null = shape.encode(out, |column| match column.checked_sub(computed.columns) {
            None => value(column),
            Some(at) => bytes(&results[at], 0),
        })?;
        Ok(Some(null))
    }

    /// Is this the tuple of the row, as it is stored? `None`: that cannot be computed.
    pub(crate) fn has_tuple(&self, values: &[Option<Vec<u8>>], tuple: &[u8]) -> Option<bool> {
        let mut own = Vec::new();
        let mut plain: Vec<(usize, Cow<'_, [u8]>)> = Vec::new();
        for &column in &self.variable {
            if let Some(value) = values[column].as_deref().filter(|value| is_extended(value)) {
                let Ok(Some(value)) = in_line(value) else { return None };
                plain.push((column, value));
            }
        }
        let value = |column: usize| match plain.iter().find(|(own, _)| *own == column) {
            Some((_, value)) => Some(&**value),
            None => values[column].as_deref(),
        };
        let null = self.of_row(&self.shape, &mut own, value).ok()?;
        Some(null.is_some() && own == tuple)
    }
}

impl KeyedRows<'_> {
    /// How many of the rows are in the index.
    pub fn len(&self) -> usize {
        self.kept.as_ref().map_or(self.rows, |kept| kept.values().len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which row is the one at this place among those in the index.
    pub fn row(&self, place: usize) -> usize {
        self.kept.as_ref().map_or(place, |kept| kept.value(place) as usize)
    }

    /// The entries of the row at this place, which is where `tid` says; those that were there go.
    pub fn extract<'a>(
        &self,
        place: usize,
        tid: Tid,
        column: impl Fn(usize) -> &'a ArrayRef,
        out: &mut RowEntries,
    ) -> access::Result<()>
    where
        Self: 'a,
    {
        out.clear();
        self.keys.method.extract(&self.keys.shape, self.values(place, column), tid, out)
    }

    /// The tuple or the key of the row at this place, as `shape` of its index says; gives whether its key has a NULL.
    pub fn encode<'a>(
        &self,
        shape: &KeyShape,
        place: usize,
        column: impl Fn(usize) -> &'a ArrayRef,
        out: &mut Vec<u8>,
    ) -> access::Result<bool>
    where
        Self: 'a,
    {
        shape.encode(out, self.values(place, column))
    }

    /// What the row at this place has, by the positions that the index's shape names.
    fn values<'v, 'a: 'v>(
        &'v self,
        place: usize,
        column: impl Fn(usize) -> &'a ArrayRef,
    ) -> impl Fn(usize) -> Option<&'v [u8]> {
        let columns = self.keys.computed.as_ref().map_or(usize::MAX, |computed| computed.columns);
        let row = self.row(place);
        move |at| match at.checked_sub(columns) {
            None => bytes(column(at), row),
            Some(at) => bytes(&self.computed[at], place),
        }
    }
}

fn bytes(array: &ArrayRef, row: usize) -> Option<&[u8]> {
    value_bytes(array, array.data_type().primitive_width(), row)
}
