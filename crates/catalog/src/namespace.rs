//! Names to objects: schemas, the search path, and which functions and operators a name may mean (PostgreSQL's
//! `namespace.c`).

use error::sqlstate;
use smallvec::SmallVec;
use types::acl::mode::USAGE;
use types::error::{Error, Result};
use types::names::{ObjectAddress, PG_NAMESPACE};
use types::{Oid, oid};

use crate::catalogs::{PgClass, PgCollation, PgProc, PgType};
use crate::syscache::Catalog;

/// A name, maybe with its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QualifiedName<'a> {
    pub schema: Option<&'a str>,
    pub name: &'a str,
}

impl<'a> From<&'a str> for QualifiedName<'a> {
    fn from(name: &'a str) -> Self {
        QualifiedName { schema: None, name }
    }
}

/// As it is written, without quotes (`NameListToString`).
impl std::fmt::Display for QualifiedName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// A function or an operator that a call may mean.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// 0: several that cannot be told apart.
    pub oid: Oid,
    /// The types in the order of the call: what was given, then the arguments that have defaults. Where a variadic
    /// argument is expanded, its element type stands for each.
    pub arguments: SmallVec<[Oid; 4]>,
    /// How many arguments the declaration has.
    pub declared: usize,
    /// How many arguments the variadic one stands for; 0: it is not expanded.
    pub variadic: usize,
    /// How many defaults are needed.
    pub defaults: usize,
    /// Where the call names arguments: the number of each in the declaration.
    pub numbers: Option<SmallVec<[usize; 4]>>,
    path_position: usize,
}

/// What calls of functions look like, as far as it decides which functions they may mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallShape<'a> {
    pub arguments: usize,
    /// The names of the last arguments.
    pub names: &'a [&'a str],
    /// A variadic function may get its last arguments one by one.
    pub expand_variadic: bool,
    /// Arguments may be left to their defaults.
    pub expand_defaults: bool,
    /// Output arguments are given too, as CALL does.
    pub with_out_arguments: bool,
}

impl<'a> Catalog<'a> {
    /// A schema that names of objects in it may be written with (`LookupExplicitNamespace`). Fails with 3F000 where there is none, and
    /// with 42501 where the session's role may not use it.
    pub fn namespace_oid(self, name: &str) -> Result<Oid> {
        let oid = self.find_namespace(name)?;
        if let Some(viewer) = self.viewer {
            let schema = ObjectAddress { class: PG_NAMESPACE, oid, column: 0 };
            viewer.roles(self).require(viewer.role, schema, USAGE)?;
        }
        Ok(oid)
    }

    /// A schema (`get_namespace_oid`). `pg_temp` is the session's own, which is in its search path. Fails with 3F000 where there is
    /// none.
    pub fn find_namespace(self, name: &str) -> Result<Oid> {
        let own = |schema: &&Oid| self.namespace(**schema).is_some_and(|row| row.nspname.starts_with("pg_temp_"));
        let namespace = match name {
            "pg_temp" => self.search_path.iter().find(own).copied(),
            name => self.namespaces_named(name).next().map(|row| row.oid),
        };
        namespace.ok_or_else(|| Error::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{name}\" does not exist")))
    }

    /// The place in the search path of what lies in `namespace`; for a name with a schema, what lies elsewhere has none.
    fn path_position(self, explicit: Option<Oid>, namespace: Oid) -> Option<usize> {
        match explicit {
            Some(explicit) => (explicit == namespace).then_some(0),
            None => self.search_path.iter().position(|&searched| searched == namespace),
        }
    }

    fn explicit_namespace(self, name: QualifiedName<'_>) -> Result<Option<Oid>> {
        name.schema.map(|schema| self.namespace_oid(schema)).transpose()
    }

    /// The first object of a name in the search path, or the one in the name's schema.
    fn first<T>(
        self,
        name: QualifiedName<'_>,
        objects: impl Iterator<Item = &'a T>,
        namespace: impl Fn(&T) -> Oid,
    ) -> Result<Option<&'a T>> {
        let explicit = self.explicit_namespace(name)?;
        let placed = objects.filter_map(|object| Some((self.path_position(explicit, namespace(object))?, object)));
        Ok(placed.min_by_key(|(position, _)| *position).map(|(_, object)| object))
    }

    /// A relation of any kind. Fails for a schema that does not exist.
    pub fn relation_by_name(self, name: QualifiedName<'_>) -> Result<Option<&'a PgClass>> {
        self.first(name, self.relations_named(name.name), |row| row.relnamespace)
    }

    /// The functions of a name: of several with the same arguments the first in the search path. Fails for a schema that does
    /// not exist.
    pub fn functions_of_name(self, name: QualifiedName<'_>) -> Result<Vec<&'a PgProc>> {
        let explicit = self.explicit_namespace(name)?;
        let placed = |row: &'a PgProc| Some((self.path_position(explicit, row.pronamespace)?, row));
        let mut rows: Vec<(usize, &PgProc)> = self.functions_named(name.name).filter_map(placed).collect();
        rows.sort_by_key(|(position, _)| *position);
        let mut found: Vec<&PgProc> = Vec::new();
        for (_, row) in rows {
            if found.iter().all(|known| known.proargtypes != row.proargtypes) {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// A type by its name in `pg_type` (`LookupTypeName`). Fails for a schema that does not exist.
    pub fn type_by_name(self, name: QualifiedName<'_>) -> Result<Option<&'a PgType>> {
        self.first(name, self.types_named(name.name), |row| row.typnamespace)
    }

    /// Whether a type's name alone finds it.
    pub fn type_is_visible(self, row: &PgType) -> bool {
        self.is_first_searched(row.typnamespace, || {
            let found = self.type_by_name(QualifiedName::from(&*row.typname));
            found.is_ok_and(|found| found.is_some_and(|found| found.oid == row.oid))
        })
    }

    /// Is an object of a schema the first of its name in the search path? `is_first` looks at the others of its name, where the
    /// schema's place does not say it.
    pub fn is_first_searched(self, schema: Oid, is_first: impl FnOnce() -> bool) -> bool {
        match self.path_position(None, schema) {
            None => false,
            Some(0) => true,
            Some(_) => is_first(),
        }
    }

    /// A collation. Fails for a schema that does not exist.
    pub fn collation_by_name(self, name: QualifiedName<'_>) -> Result<Option<&'a PgCollation>> {
        self.first(name, self.collations_named(name.name), |row| row.collnamespace)
    }

    /// The operator of a name for exactly these operands (`OpernameGetOprid`); `left` is 0 for a prefix operator.
    pub fn operator_exact(self, name: QualifiedName<'_>, left: Oid, right: Oid) -> Result<Option<Oid>> {
        let same = self.operators_of_types((left, right)).filter(|row| row.oprname == name.name);
        Ok(self.first(name, same, |row| row.oprnamespace)?.map(|row| row.oid))
    }

    /// The operators that a name may mean (`OpernameGetCandidates`). A prefix operator has one argument.
    pub fn operator_candidates(self, name: QualifiedName<'_>, prefix: bool) -> Result<Vec<Candidate>> {
        let explicit = self.explicit_namespace(name)?;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut several_schemas = false;
        for row in self.operators_named(name.name).filter(|row| (row.oprkind == b'l') == prefix) {
            let Some(path_position) = self.path_position(explicit, row.oprnamespace) else { continue };
            let operands = [row.oprleft, row.oprright];
            let arguments = SmallVec::from_slice(if prefix { &operands[1..] } else { &operands });
            let declared = arguments.len();
            let candidate =
                Candidate { oid: row.oid, arguments, declared, variadic: 0, defaults: 0, numbers: None, path_position };
            // All in one schema differ.
            several_schemas |= candidates.first().is_some_and(|first| first.path_position != path_position);
            let same = |other: &&mut Candidate| other.arguments == candidate.arguments;
            match candidates.iter_mut().filter(|_| several_schemas).find(same) {
                Some(other) if other.path_position > path_position => *other = candidate,
                Some(_) => {}
                None => candidates.push(candidate),
            }
        }
        Ok(candidates)
    }

    /// The functions that a call may mean (`FuncnameGetCandidates`). No two have the same arguments as far as the call
    /// gives any: an earlier schema wins, then one that needs no expansion; else the candidate's oid is 0.
    pub fn function_candidates(self, name: QualifiedName<'_>, call: CallShape<'_>) -> Result<Vec<Candidate>> {
        let explicit = self.explicit_namespace(name)?;
        let mut candidates: Vec<Candidate> = Vec::new();
        for row in self.functions_named(name.name) {
            let Some(path_position) = self.path_position(explicit, row.pronamespace) else { continue };
            let Some(candidate) = candidate(row, call, path_position) else { continue };
            let given = |candidate: &Candidate| candidate.arguments.len() - candidate.defaults;
            let same = |other: &Candidate| {
                given(other) == given(&candidate)
                    && other.arguments[..given(other)] == candidate.arguments[..given(&candidate)]
            };
            let Some(place) = candidates.iter().position(same) else {
                candidates.push(candidate);
                continue;
            };
            let rank = |candidate: &Candidate| (candidate.path_position, candidate.variadic > 0);
            match rank(&candidate).cmp(&rank(&candidates[place])) {
                std::cmp::Ordering::Less => candidates[place] = candidate,
                std::cmp::Ordering::Equal => candidates[place].oid = oid::INVALID,
                std::cmp::Ordering::Greater => {}
            }
        }
        Ok(candidates)
    }
}

/// A function as a call sees it; `None`: the call cannot mean it.
fn candidate(row: &PgProc, call: CallShape<'_>, path_position: usize) -> Option<Candidate> {
    let types = match &row.proallargtypes {
        Some(all) if call.with_out_arguments => all,
        _ => &row.proargtypes,
    };
    let declared = types.len();
    let is_variadic = row.provariadic != oid::INVALID && call.expand_variadic;
    // Nothing says which names the expanded arguments would have.
    if is_variadic && !call.names.is_empty() {
        return None;
    }
    let variadic = is_variadic && declared <= call.arguments;
    let missing = declared.saturating_sub(call.arguments);
    let fits = match missing {
        0 => declared == call.arguments || variadic,
        _ => call.expand_defaults && missing <= row.pronargdefaults as usize,
    };
    if !fits {
        return None;
    }
    let numbers = if call.names.is_empty() { None } else { Some(match_named_call(row, call, declared)?) };
    let mut arguments: SmallVec<[Oid; 4]> = match &numbers {
        Some(numbers) => numbers.iter().map(|&number| types[number]).collect(),
        None => SmallVec::from_slice(types),
    };
    let mut expanded = 0;
    if variadic {
        expanded = call.arguments - declared + 1;
        arguments.truncate(declared - 1);
        arguments.resize(call.arguments, row.provariadic);
    }
    Some(Candidate { oid: row.oid, arguments, declared, variadic: expanded, defaults: missing, numbers, path_position })
}

/// The numbers in the declaration of a call's arguments: those before the named ones, the named ones, the ones left to
/// their defaults (`MatchNamedCall`). `None`: the names do not fit.
fn match_named_call(row: &PgProc, call: CallShape<'_>, declared: usize) -> Option<SmallVec<[usize; 4]>> {
    let names = row.proargnames.as_deref()?;
    let is_input = |number: usize| {
        let mode = row.proargmodes.as_ref().map_or(b'i', |modes| modes[number]);
        call.with_out_arguments || matches!(mode, b'i' | b'b' | b'v')
    };
    // The names of the arguments that can be given.
    let inputs: SmallVec<[&str; 8]> =
        names.iter().enumerate().filter(|(number, _)| is_input(*number)).map(|(_, name)| &**name).collect();
    let positional = call.arguments.checked_sub(call.names.len())?;
    let mut numbers: SmallVec<[usize; 4]> = (0..positional).collect();
    for name in call.names {
        let number = inputs.iter().position(|input| input == name)?;
        if numbers.contains(&number) {
            return None;
        }
        numbers.push(number);
    }
    for number in positional..declared {
        if !numbers.contains(&number) {
            if number < declared - row.pronargdefaults as usize {
                return None;
            }
            numbers.push(number);
        }
    }
    (numbers.len() == declared).then_some(numbers)
}
