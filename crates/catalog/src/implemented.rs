//! Which of PostgreSQL's functions are here: those that the room of types declares, by their oids.
//!
//! A function that is declared nowhere is known all the same, so that a call of it is resolved as PostgreSQL would and then
//! refused as what it is: not supported yet.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use types::asynchronous::{WAITING, WaitingFunction};
use types::error::{Error, Result};
use types::statistics;
use types::{
    Aggregate, BASE_TYPES, BUILT_IN, BUILT_IN_AGGREGATES, BUILT_IN_IN_C, BUILT_IN_SET_FUNCTIONS,
    BUILT_IN_WINDOW_FUNCTIONS, Function, Oid, SetFunction, WindowFunction,
};

use crate::catalogs::PgProc;
use crate::indeterminate::failing;
use crate::lsyscache::{INDETERMINATE_COLLATION, is_c};
use crate::syscache::{Catalog, FIRST_NORMAL_OBJECT_ID};
use types::quote::quote_identifier;

/// All declarations.
pub fn declarations() -> impl Iterator<Item = &'static Function> {
    BUILT_IN.iter().copied().flatten().copied().flatten()
}

/// All declarations of aggregates.
pub fn aggregates() -> impl Iterator<Item = &'static Aggregate> {
    BUILT_IN_AGGREGATES.iter().copied().flatten()
}

/// The function of PostgreSQL that a declaration says it is.
pub fn declared(function: &Function) -> Option<&'static PgProc> {
    built_in(function.name, function.arguments)
}

/// The aggregate of PostgreSQL that a declaration says it is.
pub fn declared_aggregate(aggregate: &Aggregate) -> Option<&'static PgProc> {
    built_in(aggregate.name, aggregate.arguments)
}

/// All declarations of window functions.
pub fn window_functions() -> impl Iterator<Item = &'static WindowFunction> {
    BUILT_IN_WINDOW_FUNCTIONS.iter().copied().flatten()
}

/// The window function of PostgreSQL that a declaration says it is.
pub fn declared_window_function(function: &WindowFunction) -> Option<&'static PgProc> {
    built_in(function.name, function.arguments)
}

/// All declarations of set-returning functions.
pub fn set_functions() -> impl Iterator<Item = &'static SetFunction> {
    BUILT_IN_SET_FUNCTIONS.iter().copied().flatten()
}

/// The set-returning function of PostgreSQL that a declaration says it is.
pub fn declared_set_function(function: &SetFunction) -> Option<&'static PgProc> {
    built_in(function.name, function.arguments)
}

/// Of `pg_catalog` or `information_schema`, whose names differ.
fn built_in(name: &str, arguments: &[Oid]) -> Option<&'static PgProc> {
    Catalog::BUILT_IN.functions_named(name).find(|row| *row.proargtypes == *arguments)
}

/// What the collation `C` makes different.
static IN_C: LazyLock<HashMap<Oid, &'static Function, FixedState>> = LazyLock::new(|| {
    let all = BUILT_IN_IN_C.iter().copied().flatten().copied().flatten();
    all.filter_map(|function| declared(function).map(|row| (row.oid, function))).collect()
});

impl Catalog<'_> {
    /// The declaration of a function; `None`: it is not here.
    pub fn implementation(self, function: Oid) -> Option<&'static Function> {
        static IMPLEMENTED: LazyLock<HashMap<Oid, &'static Function, FixedState>> = LazyLock::new(|| {
            declarations().filter_map(|function| declared(function).map(|row| (row.oid, function))).collect()
        });
        IMPLEMENTED.get(&function).copied()
    }

    /// Does a function go by the collation of what it is given?
    pub fn follows_collation(self, function: Oid) -> bool {
        IN_C.contains_key(&function)
    }

    /// The declaration of a function for the collation that it is given (0: the default). Fails with 0A000 for one that is not here.
    pub fn require_implementation_in(self, function: Oid, collation: Oid) -> Result<&'static Function> {
        let other = match collation {
            INDETERMINATE_COLLATION => failing(function),
            collation => IN_C.get(&function).filter(|_| is_c(collation)).copied(),
        };
        other.map_or_else(|| self.require_implementation(function), Ok)
    }

    /// The declaration of an aggregate. Fails with 0A000 for one that is not here.
    pub fn require_aggregate_implementation(self, function: Oid) -> Result<&'static Aggregate> {
        let missing = || Error::unsupported(format_args!("function {}", self.format_procedure(function)));
        self.aggregate_implementation(function).ok_or_else(missing)
    }

    /// The declaration of an aggregate; `None`: it is not here.
    pub fn aggregate_implementation(self, function: Oid) -> Option<&'static Aggregate> {
        static AGGREGATES: LazyLock<HashMap<Oid, &'static Aggregate, FixedState>> = LazyLock::new(|| {
            aggregates().filter_map(|each| declared_aggregate(each).map(|row| (row.oid, each))).collect()
        });
        AGGREGATES.get(&function).copied()
    }

    /// The declaration of a function that may have to wait; `None`: it is not here, or never waits.
    pub fn waiting_implementation(self, function: Oid) -> Option<&'static WaitingFunction> {
        static IMPLEMENTED: LazyLock<HashMap<Oid, &'static WaitingFunction, FixedState>> = LazyLock::new(|| {
            let row = |waiting: &WaitingFunction| built_in(waiting.name, waiting.arguments);
            WAITING
                .iter()
                .chain(statistics::FUNCTIONS)
                .filter_map(|waiting| row(waiting).map(|row| (row.oid, waiting)))
                .collect()
        });
        IMPLEMENTED.get(&function).copied()
    }

    /// The declaration of a window function. Fails with 0A000 for one that is not here.
    pub fn require_window_implementation(self, function: Oid) -> Result<&'static WindowFunction> {
        let missing = || Error::unsupported(format_args!("function {}", self.format_procedure(function)));
        self.window_implementation(function).ok_or_else(missing)
    }

    /// The declaration of a window function; `None`: it is not here.
    pub fn window_implementation(self, function: Oid) -> Option<&'static WindowFunction> {
        static WINDOW_FUNCTIONS: LazyLock<HashMap<Oid, &'static WindowFunction, FixedState>> = LazyLock::new(|| {
            window_functions().filter_map(|each| declared_window_function(each).map(|row| (row.oid, each))).collect()
        });
        WINDOW_FUNCTIONS.get(&function).copied()
    }

    /// The declaration of a set-returning function. Fails with 0A000 for one that is not here.
    pub fn require_set_implementation(self, function: Oid) -> Result<&'static SetFunction> {
        let missing = || Error::unsupported(format_args!("function {}", self.format_procedure(function)));
        self.set_implementation(function).ok_or_else(missing)
    }

    /// The declaration of a set-returning function; `None`: it is not here.
    pub fn set_implementation(self, function: Oid) -> Option<&'static SetFunction> {
        static SET_FUNCTIONS: LazyLock<HashMap<Oid, &'static SetFunction, FixedState>> = LazyLock::new(|| {
            set_functions().filter_map(|each| declared_set_function(each).map(|row| (row.oid, each))).collect()
        });
        SET_FUNCTIONS.get(&function).copied()
    }

    /// Whether a function is a user's, is declared, or reads or writes the values of a type that is.
    pub fn has_function(self, function: Oid) -> bool {
        static OF_TYPES: LazyLock<HashSet<Oid, FixedState>> = LazyLock::new(|| {
            let types = BASE_TYPES.iter().copied().flatten().filter_map(|ty| Catalog::BUILT_IN.pg_type(ty.oid));
            types.flat_map(|row| [row.typinput, row.typoutput, row.typreceive, row.typsend]).collect()
        });
        function >= FIRST_NORMAL_OBJECT_ID
            || self.implementation(function).is_some()
            || self.aggregate_implementation(function).is_some()
            || self.window_implementation(function).is_some()
            || self.set_implementation(function).is_some()
            || self.waiting_implementation(function).is_some()
            || OF_TYPES.contains(&function)
    }

    /// As [`Catalog::implementation`]. Fails with 0A000 for a function that is not here.
    pub fn require_implementation(self, function: Oid) -> Result<&'static Function> {
        let missing = || Error::unsupported(format_args!("function {}", self.format_procedure(function)));
        self.implementation(function).ok_or_else(missing)
    }

    /// A function with its arguments' types: `lower(text)`.
    pub fn format_procedure(self, function: Oid) -> String {
        let Some(row) = self.function(function) else { return function.to_string() };
        let arguments: Vec<String> = row.proargtypes.iter().map(|&ty| self.format_type(ty)).collect();
        format!("{}({})", quote_identifier(&row.proname), arguments.join(","))
    }
}
