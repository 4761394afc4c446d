//! What is known only when a statement runs.

use std::sync::{Arc, OnceLock};

use arrow_array::ArrayRef;
use types::{Argument, Context, Datum, Repr};

use crate::wait::{Lasting, Memo};

/// A running statement, or a part of one that has parameters of its own.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    pub context: Arc<Context>,
    /// The values of `$1`, `$2` …
    pub external: Arc<[Argument]>,
    /// `Exec` parameters, by number.
    pub parameters: Arc<Vec<Parameter>>,
    /// What subqueries have given.
    memo: Arc<Memo>,
    /// What those have given that depend on no parameter.
    of_statement: Arc<Memo>,
}

/// The value of an `Exec` parameter, once it is there. All copies see it.
#[derive(Clone, Debug, Default)]
pub struct Parameter(Arc<OnceLock<Argument>>);

impl Parameter {
    /// One that has its value: an array of one.
    pub fn of(value: ArrayRef) -> Parameter {
        Parameter(Arc::new(Argument::constant(value).into()))
    }

    pub fn get(&self) -> Option<&Argument> {
        self.0.get()
    }

    /// Gives it its value, an array of one, unless it has one.
    pub fn set(&self, value: ArrayRef) {
        self.0.get_or_init(|| Argument::constant(value));
    }
}

impl Execution {
    /// One without parameters.
    pub fn new(context: Arc<Context>) -> Execution {
        let (external, memo) = (Arc::default(), Arc::default());
        Execution { context, external, parameters: Arc::default(), memo, of_statement: Arc::default() }
    }

    /// With values for `$1`, `$2` …
    pub fn with_external<'a>(mut self, values: impl Iterator<Item = (Repr, &'a Datum)>) -> Execution {
        self.external = values.map(|(repr, value)| Argument::constant(value.to_array(repr))).collect();
        self
    }

    /// With so many `Exec` parameters, none of which has a value.
    pub fn with_parameters(mut self, count: usize) -> Execution {
        self.parameters = Arc::new(std::iter::repeat_with(Parameter::default).take(count).collect());
        self
    }

    /// Where results that last so long are kept.
    pub(crate) fn memo(&self, lasting: Lasting) -> &Memo {
        if lasting == Lasting::Statement { &self.of_statement } else { &self.memo }
    }

    /// The same, but some `Exec` parameters have these values: what depends on a row of another part of the plan runs so.
    /// Parameters that are filled later are filled for both.
    pub fn with(&self, values: impl IntoIterator<Item = (u32, ArrayRef)>) -> Execution {
        // What subqueries have given may depend on these values.
        let mut inner = Execution { memo: Arc::default(), ..self.clone() };
        let mut values = values.into_iter().peekable();
        if values.peek().is_some() {
            let parameters = Arc::make_mut(&mut inner.parameters);
            values.for_each(|(number, value)| parameters[number as usize] = Parameter::of(value));
        }
        inner
    }
}
