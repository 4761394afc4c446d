//! What BEGIN and SET TRANSACTION say of a transaction.

use engine::{EngineError, Result};
use syntax::nodes::{DefElem, Node};

use crate::def_elem;

/// A setting that says what a transaction is like, and its value.
pub type Mode = (&'static str, String);

/// The settings that `ISOLATION LEVEL …`, `READ ONLY` and their like are.
pub fn transaction_modes(options: &[Node]) -> Result<Vec<Mode>> {
    let mode = |option: &DefElem| {
        Ok(match option.defname.as_deref() {
            Some("transaction_isolation") => ("transaction_isolation", def_elem::string(option)?),
            Some("transaction_read_only") => ("transaction_read_only", def_elem::boolean(option)?.to_string()),
            Some("transaction_deferrable") => ("transaction_deferrable", def_elem::boolean(option)?.to_string()),
            _ => return Err(EngineError::unsupported("a transaction mode")),
        })
    };
    let mut modes = Vec::new();
    for option in options {
        let Node::DefElem(option) = option else { continue };
        let (name, value) = mode(option)?;
        if value == "serializable" {
            return Err(EngineError::unsupported("isolation level SERIALIZABLE"));
        }
        modes.push((
            name,
            if value == "true" {
                "on".into()
            } else if value == "false" {
                "off".into()
            } else {
                value
            },
        ));
    }
    Ok(modes)
}
