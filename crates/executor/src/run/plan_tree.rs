//! The nodes of a statement's plan, ready to run.

use std::sync::Arc;

use expression::wait::Lasting;
use types::Repr;

use crate::compile::deep;
use crate::compile::deep::SHALLOW;
use crate::error::Result;
use crate::nodes::scan::sub_plan_look_up::SubPlanLookUp;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Ready};

/// The statement's nodes and those of its subqueries, with what is the same for all executions.
pub struct PlanTree {
    pub root: Compiled,
    /// The columns of the result among the root's.
    pub shown: Vec<usize>,
    pub reprs: Arc<[Repr]>,
    /// The plans of subqueries and CTEs.
    pub sub_plans: Vec<Compiled>,
    /// Those of them that change rows: they run to their ends.
    pub modifying: Vec<usize>,
    /// The CTEs of the statement itself.
    pub ctes: Vec<usize>,
    /// How long what each has given is true.
    pub lasting: Vec<Lasting>,
    /// Those that do no more than looking rows up.
    pub looking_up: Vec<bool>,
    /// Those of them that look up for many rows at once.
    pub look_ups: Vec<Option<SubPlanLookUp>>,
    /// The representations of `Exec` parameters.
    pub parameters: Arc<[Repr]>,
    /// How many nodes keep something while it runs.
    pub slots: usize,
    /// How many nodes are watched.
    pub watched: usize,
    /// It may be run by several tasks at once: it changes and locks nothing, and is not deep.
    pub parallel: bool,
    /// How many nodes are within each other, with those of subqueries.
    pub depth: usize,
}

impl PlanTree {
    /// Levels of [`syntax::with_stack_for`] that walking its plan takes.
    pub fn stack(&self) -> usize {
        self.depth * deep::STACK_OF_NODE
    }

    /// How the result's columns lie.
    pub fn reprs(&self) -> &[Repr] {
        &self.reprs
    }
}

/// Nodes hold those below them.
impl Drop for PlanTree {
    fn drop(&mut self) {
        if self.depth > SHALLOW {
            let none = Compiled::new(Nothing, self.root.reprs.clone());
            let (root, sub_plans) = (std::mem::replace(&mut self.root, none), std::mem::take(&mut self.sub_plans));
            deep::with_stack_for(self.depth, || drop((root, sub_plans)));
        }
    }
}

/// In the place of a plan that is gone.
struct Nothing;

impl ExecNode for Nothing {
    fn start(self: Arc<Self>, _: &Run) -> Result<BoxRows> {
        Ok(Ready::boxed(Vec::new()))
    }
}
