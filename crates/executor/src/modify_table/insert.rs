//! INSERT.

use std::sync::Arc;

use engine::{Insertion, Table};
use error::sqlstate;
use plan::plan::Plan;
use types::Repr;

use super::target::{Made, Returned, Target};
use crate::batch::Batch;
use crate::error::Result;
use crate::run::estate::Run;
use crate::run::node::Compiled;

/// INSERT's rows: the child's first columns are the table's.
pub struct Insert {
    from: Vec<Repr>,
}

impl Insert {
    pub fn compile(target: &Target, child: &Compiled, plan: &Plan) -> types::Result<Insert> {
        let width = target.columns.len();
        if child.reprs.len() < width || plan.targets.iter().take(width).any(|target| target.junk) {
            return Err(types::Error::new(
                sqlstate::INTERNAL_ERROR,
                "an INSERT does not give all columns of its table",
            ));
        }
        Ok(Insert { from: child.reprs[..width].to_vec() })
    }

    /// The child's rows as rows of the table.
    pub fn new_rows(&self, target: &Target, batch: &Batch) -> Result<Batch> {
        let columns = self.from.iter().enumerate().map(|(at, &from)| target.column(at, &batch.columns[at], from));
        Ok(Batch::new(columns.collect::<Result<_>>()?, batch.rows))
    }

    /// Puts rows into the table; gives how many, and RETURNING's.
    pub async fn rows(
        &self,
        target: &Target,
        table: &Arc<Table>,
        batch: Batch,
        insertion: &mut Option<Insertion>,
        run: &Run,
    ) -> Result<(u64, Vec<Batch>)> {
        let rows = self.new_rows(target, &batch)?;
        let refusal = target.check(table, &rows, Made::Inserted, run).await?;
        let rows = refusal.as_ref().map_or(rows.clone(), |refusal| rows.slice(0, refusal.row + 1));
        let stored = target.stored(&rows)?;
        let options = run.environment().settings.write.clone();
        let mut tids = Vec::new();
        {
            let mut transaction = run.transaction().await;
            if target.returns_place {
                tids = table.heap().insert_batch(transaction.writer(), &stored).await?;
                table.index_rows(&mut transaction, &stored, &tids, None, &options).await?;
            } else {
                let insertion = insertion.get_or_insert_with(|| Insertion::new(table, options));
                insertion.add(&mut transaction, stored).await?;
            }
        }
        if let Some(refusal) = refusal {
            if let Some(insertion) = insertion.take() {
                insertion.finish(&mut *run.transaction().await).await?;
            }
            return Err(refusal.error.into());
        }
        let count = rows.rows as u64;
        let new = Some(rows.clone());
        let returned = Returned { rows, tids: &tids, old: None, new, child: batch, ended: false };
        let returned = target.return_rows(returned, run).await?;
        Ok((count, returned.into_iter().collect()))
    }
}
