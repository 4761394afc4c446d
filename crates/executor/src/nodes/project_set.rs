//! ProjectSet: targets that give sets.

use plan::plan::Plan;

use crate::compile::Compiler;
use crate::node::Compiled;

pub fn compile(_: &Compiler<'_>, _: &Plan, _: &Plan) -> types::Result<Compiled> {
    Err(types::Error::unsupported("a set-returning function in a select list"))
}
