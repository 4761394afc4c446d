//! How far nodes go before they give what they have.
//!
//! A node is started for all of its rows ([`Compiled::start`]), or by a reader that may leave before the end: LIMIT, EXISTS, a
//! semijoin, a cursor, a merge join of which the other side ends ([`Compiled::start_leaving`]). Nodes that give rows as they get
//! them pass that on ([`Compiled::start_first`]). Then a node looks at no more rows, or pairs, than its reader said may be enough
//! ([`RunState::first_rows`](crate::run::estate::RunState::first_rows)), gives what it has found, and looks at as many again as it has
//! so far each time that it is asked again. So it looks at about twice as many rows as were needed, at most; and a reader that asks for
//! all of them after all has full batches soon. What waits (subqueries) or is felt (volatile functions) is not computed for more
//! rows than that.
//!
//! [`Compiled::start`]: crate::run::node::Compiled::start
//! [`Compiled::start_leaving`]: crate::run::node::Compiled::start_leaving
//! [`Compiled::start_first`]: crate::run::node::Compiled::start_first

use crate::batch::{BATCH_ROWS, Batch};
use crate::expr::output::{Cost, Output};
use crate::run::estate::Run;

/// Of rows that were not enough so many more are looked at, at least.
const FEW: usize = 4;

/// More rows than this are not looked at in one go: something may be found at last.
const MOST: usize = 64 * BATCH_ROWS;

/// So many rows, or pairs of them, a node looks at before it gives what it has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    rows: usize,
    /// So many were not enough so far.
    before: usize,
    /// Each row is felt: none is computed before it is asked for.
    is_felt: bool,
}

impl Pace {
    /// The pace of a node that computes something of such a cost for each row.
    pub fn of(cost: Cost, run: &Run) -> Pace {
        match run.first_rows {
            None => Pace { rows: usize::MAX, before: 0, is_felt: false },
            // With a bound nothing is computed for others anyway.
            Some(_) if cost == Cost::Felt && run.bound.is_none() => Pace { rows: 1, before: 0, is_felt: true },
            Some(rows) => Pace { rows: rows.clamp(1, BATCH_ROWS), before: 0, is_felt: false },
        }
    }

    /// The same for a node that makes so many rows of one of those that it looks at.
    pub fn divided(self, by: f64) -> Pace {
        let rows = if self.is_full() { self.rows } else { ((self.rows as f64 / by.max(1.0)) as usize).max(1) };
        Pace { rows, ..self }
    }

    pub fn rows(self) -> usize {
        self.rows
    }

    /// All rows are wanted.
    pub fn is_full(self) -> bool {
        self.rows == usize::MAX
    }

    /// So many were not enough: as many again may be as there were so far.
    pub fn grow(&mut self) {
        if !self.is_full() && !self.is_felt {
            self.before += self.rows;
            self.rows = self.before.clamp(FEW, MOST);
        }
    }
}

/// A child's rows on their way through conditions and targets: a part at a time, where these cost more than a look.
pub struct Parts {
    /// `None`: they come as the child gives them.
    pace: Option<Pace>,
    rest: Option<Batch>,
}

impl Parts {
    pub fn of(output: &Output, run: &Run) -> Parts {
        let cost = output.cost();
        let pace = Pace::of(cost, run);
        Parts { pace: (!pace.is_full() && cost != Cost::Low).then_some(pace), rest: None }
    }

    /// Takes a batch; gives its first part.
    pub fn put(&mut self, batch: Batch) -> Batch {
        let Some(pace) = &mut self.pace else { return batch };
        let rows = pace.rows();
        pace.grow();
        if batch.rows <= rows {
            return batch;
        }
        self.rest = Some(batch.slice(rows, batch.rows - rows));
        batch.slice(0, rows)
    }

    /// The next part of what was put.
    pub fn next(&mut self) -> Option<Batch> {
        let rest = self.rest.take()?;
        Some(self.put(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(rows: usize) -> Pace {
        Pace { rows, before: 0, is_felt: false }
    }

    #[test]
    fn what_is_looked_at_is_about_twice_what_was_needed() {
        for first in [1, 20, 1000] {
            let (mut pace, mut looked_at) = (pace(first), 0);
            for _ in 0..24 {
                let needed = looked_at + 1;
                looked_at += pace.rows();
                assert!(looked_at <= first.max(2 * needed + FEW), "{looked_at} for {needed}");
                pace.grow();
            }
            assert_eq!(pace.rows(), MOST);
        }
        let mut all = pace(usize::MAX);
        all.grow();
        assert!(all.is_full() && all.divided(100.0).is_full());
        assert_eq!([100.0, 0.01, 4.0].map(|by| pace(20).divided(by).rows()), [1, 20, 5]);
        let mut felt = Pace { rows: 1, before: 0, is_felt: true };
        felt.grow();
        assert_eq!(felt.rows(), 1);
    }
}
