//! How the statement that runs reads and writes values. Input and output functions are called from everywhere, casts,
//! functions, COPY, the wire; as PostgreSQL's, they look at the session's settings instead of being handed them.

use std::any::Any;
use std::future::Future;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::{ConfigEntry, ConfigExtension, ConfigOptions, ExtensionOptions};
use engine::Style;

/// The settings, and the time that the transaction calls now, in microseconds since 1970.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    pub style: Arc<Style>,
    pub now: i64,
}

/// What the name of no schema is: where an unqualified table is looked up that search_path does not lead to.
pub const NOWHERE: &str = "";

/// The schema of unqualified tables.
pub fn default_schema() -> &'static str {
    if current().style.path.contains(&"public") { "public" } else { NOWHERE }
}

tokio::task_local! {
    static MANNER: Manner;
}

/// That of the statement that runs.
pub fn current() -> Manner {
    MANNER.try_with(Manner::clone).unwrap_or_default()
}

impl Manner {
    /// Runs a statement so.
    pub async fn of<T>(self, statement: impl Future<Output = T>) -> T {
        MANNER.scope(self, statement).await
    }

    /// Runs a part of a statement so that may be on a thread of its own.
    pub fn within<T>(self, part: impl FnOnce() -> T) -> T {
        MANNER.sync_scope(self, part)
    }

    /// What a plan was made with.
    pub fn from_config(options: &ConfigOptions) -> Manner {
        options.extensions.get::<Manner>().cloned().unwrap_or_default()
    }
}

/// It travels with DataFusion's options, which functions are handed on every thread.
impl ConfigExtension for Manner {
    const PREFIX: &'static str = "pg";
}

impl ExtensionOptions for Manner {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }
    fn set(&mut self, key: &str, _: &str) -> Result<()> {
        datafusion::common::plan_err!("pg.{key} is set by SET")
    }
    fn entries(&self) -> Vec<ConfigEntry> {
        vec![]
    }
}
