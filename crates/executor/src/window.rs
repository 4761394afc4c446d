//! WindowAgg.

use plan::plan::{Plan, WindowAgg};

use crate::compile::Compiler;
use crate::node::Compiled;

pub fn compile(_: &Compiler<'_>, _: &Plan, _: &WindowAgg) -> types::Result<Compiled> {
    Err(types::Error::unsupported("a window function"))
}
