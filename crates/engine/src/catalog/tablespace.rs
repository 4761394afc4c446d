//! Tablespaces.

use serde::{Deserialize, Serialize};
use storage::Concurrency;

/// A tablespace that somebody made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TablespaceDef {
    pub oid: u32,
    pub name: String,
    pub owner: String,
    /// Its parameters, as they were given.
    pub options: Vec<(String, String)>,
    #[serde(default)]
    pub comment: Option<String>,
}

impl TablespaceDef {
    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// `seq_page_cost` or `random_page_cost`, if it says so.
    pub fn page_cost(&self, name: &str) -> Option<f64> {
        self.option(name)?.parse().ok()
    }

    /// `effective_io_concurrency` or `maintenance_io_concurrency`, if it says so.
    pub fn concurrency(&self, name: &str) -> Option<Concurrency> {
        match self.option(name)? {
            "auto" => Some(Concurrency::Auto),
            number => Some(Concurrency::Fixed(number.parse::<f64>().ok()?.round_ties_even() as u32)),
        }
    }
}
