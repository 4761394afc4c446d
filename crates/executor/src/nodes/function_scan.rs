//! FunctionScan: the rows of functions in FROM.

use analyze::query::{FunctionColumns, RangeTableIndex};
use plan::plan::Plan;

use crate::compile::Compiler;
use crate::node::Compiled;

pub fn compile(
    _: &Compiler<'_>,
    _: &Plan,
    _: RangeTableIndex,
    _: &[FunctionColumns],
    _: bool,
) -> types::Result<Compiled> {
    Err(types::Error::unsupported("a function in FROM"))
}
