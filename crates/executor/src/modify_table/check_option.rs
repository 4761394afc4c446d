//! What policies and views ask of rows that are changed (`ExecWithCheckOptions`).

use analyze::query::{CheckKind, RangeTableIndex, WithCheckOption};
use engine::EngineError;
use error::sqlstate;
use expression::Selection;

use crate::batch::Batch;
use crate::compile::walk::attributes_of;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::Filter;
use crate::run::estate::Run;

/// A condition; rows of which it is not true are refused.
pub struct CheckOption {
    pub kind: CheckKind,
    relation: String,
    policy: Option<String>,
    pub condition: Filter,
}

/// In the order in which they are asked.
#[derive(Default)]
pub struct CheckOptions {
    all: Vec<CheckOption>,
    /// The columns that are asked of rows as they are ([`CheckKind::Conflict`]).
    before: Vec<i16>,
}

impl CheckOptions {
    /// `own`: rows begin with the columns of the table.
    pub fn compile(
        compiler: &Compiler<'_>,
        options: &[WithCheckOption],
        relation: RangeTableIndex,
        own: &Layout,
    ) -> types::Result<CheckOptions> {
        let compile = |option: &WithCheckOption| {
            let WithCheckOption { kind, relation, policy, condition } = option;
            let condition = compiler.filter(std::slice::from_ref(condition), own)?;
            Ok(CheckOption { kind: *kind, relation: relation.clone(), policy: policy.clone(), condition })
        };
        let all = options.iter().map(compile).collect::<types::Result<_>>()?;
        let mut before = Vec::new();
        for option in options.iter().filter(|option| option.kind == CheckKind::Conflict) {
            attributes_of(&option.condition, relation, &mut before);
        }
        Ok(CheckOptions { all, before })
    }

    pub fn of(&self, kind: CheckKind) -> impl Iterator<Item = &CheckOption> {
        self.all.iter().filter(move |option| option.kind == kind)
    }

    /// The columns that ON CONFLICT DO UPDATE asks of rows that are there.
    pub fn before(&self) -> &[i16] {
        &self.before
    }

    /// The first row that one of a kind refuses, and what is to be said about it.
    pub async fn refused(&self, kind: CheckKind, rows: &Batch, run: &Run) -> Result<Option<(usize, EngineError)>> {
        let mut first = None;
        for option in self.of(kind) {
            let before = first.as_ref().map_or(rows.rows, |(row, _)| *row);
            if let Some(row) = failed(&option.condition, &rows.slice(0, before), run).await? {
                first = Some((row, option));
            }
        }
        Ok(first.map(|(row, option)| (row, option.error())))
    }
}

impl CheckOption {
    pub fn error(&self) -> EngineError {
        let relation = &self.relation;
        let (row, expression) = match self.kind {
            CheckKind::View => {
                let message = format!("new row violates check option for view \"{relation}\"");
                return EngineError::new(sqlstate::WITH_CHECK_OPTION_VIOLATION, message);
            }
            CheckKind::Insert | CheckKind::Update => ("new", ""),
            CheckKind::Conflict => ("new", " (USING expression)"),
            CheckKind::MergeUpdate | CheckKind::MergeDelete => ("target", " (USING expression)"),
        };
        let policy = self.policy.as_ref().map_or_else(String::new, |policy| format!(" \"{policy}\""));
        let message =
            format!("{row} row violates row-level security policy{policy}{expression} for table \"{relation}\"");
        EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message)
    }
}

/// The first row for which a condition does not hold.
pub async fn failed(condition: &Filter, rows: &Batch, run: &Run) -> Result<Option<usize>> {
    Ok(match condition.select(rows, run).await? {
        Selection::All => None,
        Selection::None => (rows.rows > 0).then_some(0),
        Selection::Some(holds) => (0..rows.rows).find(|&row| !holds.value(row)),
    })
}
