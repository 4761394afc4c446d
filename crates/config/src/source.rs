//! Where a setting got its value.

/// Where a value came from, as `pg_settings.source` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Default,
    File,
    CommandLine,
    /// ALTER ROLE ALL.
    Global,
    /// ALTER DATABASE.
    Database,
    /// ALTER ROLE.
    User,
    /// ALTER ROLE … IN DATABASE.
    DatabaseUser,
    Client,
    Session,
    Override,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::File => "configuration file",
            Source::CommandLine => "command line",
            Source::Global => "global",
            Source::Database => "database",
            Source::User => "user",
            Source::DatabaseUser => "database user",
            Source::Client => "client",
            Source::Session => "session",
            Source::Override => "override",
        }
    }
}
