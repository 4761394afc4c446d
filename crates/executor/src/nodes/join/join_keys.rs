//! The keys by which a hash join or a merge join finds partners: expressions over either side that are compared for equality.

use arrow_array::ArrayRef;
use expression::ExprState;
use plan::plan::{HashClause, INNER};
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::{common, convert};
use crate::error::Result;
use crate::expr::evaluate::evaluate;
use crate::nodes::join::JoinNode;
use crate::run::estate::Run;

/// Whose keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Outer,
    Inner,
}

pub struct JoinKeys {
    keys: Vec<JoinKey>,
}

struct JoinKey {
    outer: ExprState,
    inner: ExprState,
    /// In which both are compared.
    repr: Repr,
}

impl JoinKeys {
    pub fn compile<'c>(
        compiler: &Compiler<'_>,
        join: &JoinNode,
        clauses: impl Iterator<Item = &'c HashClause>,
    ) -> types::Result<JoinKeys> {
        let inner_layout = Layout::default().with(INNER, &join.inner.reprs);
        let outer_layout = Layout::outer(&join.outer.reprs);
        let key = |clause: &HashClause| {
            let outer = compiler.expr(&clause.outer, &outer_layout)?;
            let inner = compiler.expr(&clause.inner, &inner_layout)?;
            let repr = common([outer.repr(), inner.repr()].into_iter());
            Ok(JoinKey { outer, inner, repr })
        };
        Ok(JoinKeys { keys: clauses.map(key).collect::<types::Result<_>>()? })
    }

    /// How they lie.
    pub fn reprs(&self) -> impl Iterator<Item = Repr> {
        self.keys.iter().map(|key| key.repr)
    }

    /// Those of one side's rows.
    pub async fn of(&self, side: Side, batch: &Batch, run: &Run) -> Result<Vec<ArrayRef>> {
        let mut columns = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let state = match side {
                Side::Outer => &key.outer,
                Side::Inner => &key.inner,
            };
            let column = evaluate(state, batch, run).await?;
            columns.push(types::key::key(key.repr, &convert(&column, state.repr(), key.repr)));
        }
        Ok(columns)
    }
}
