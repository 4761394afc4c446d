//! MERGE: for each row of the child the first action whose conditions hold.

use std::sync::Arc;

use engine::Table;
use plan::plan::ModifyTable;

use super::target::Target;
use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::Result;
use crate::estate::Run;
use crate::node::Compiled;

pub struct Merge {}

impl Merge {
    pub fn compile(_: &Compiler<'_>, _: &ModifyTable, _: &Target, _: &Compiled) -> types::Result<Merge> {
        Err(types::Error::unsupported("MERGE"))
    }

    pub async fn rows(&self, _: &Compiled, _: &Target, _: &Arc<Table>, _: Batch, _: &Run) -> Result<(u64, Vec<Batch>)> {
        Ok((0, Vec::new()))
    }
}
