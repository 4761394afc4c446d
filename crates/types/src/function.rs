//! What a declaration of a function is. `pg_proc`'s name and argument types say which of PostgreSQL's functions it is;
//! operators, casts and index support name functions, so they need no declaration of their own.

use arrow_array::ArrayRef;

use crate::column::Argument;
use crate::context::Context;
use crate::error::Result;
use crate::oid::Oid;

/// A call of a function for a batch of rows.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub context: &'a Context,
    pub rows: usize,
    /// The types of the arguments and of the result where the declaration leaves them open (`anyelement`).
    pub arguments: &'a [Oid],
    pub result: Oid,
    /// The last argument of a `VARIADIC "any"` function is an array of them (`f(VARIADIC array)`).
    pub variadic: bool,
}

/// Gives the function's result for each row of a call.
pub type Kernel = fn(&Call<'_>, &[Argument]) -> Result<ArrayRef>;

/// A function that is here.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// As in `pg_proc`.
    pub name: &'static str,
    pub arguments: &'static [Oid],
    pub result: Oid,
    /// NULL for any argument makes the result NULL, and the kernel does so.
    pub strict: bool,
    pub kernel: Kernel,
}

/// Declares functions: `name(types) -> type = the Rust function;`, and `name[context](…)` for one that asks the session's
/// [`Context`]. The Rust function gets the values of a row and gives [`Result`] of the row's result. See
/// [`crate::column::Parameter`] and [`crate::column::Return`] for `Option<type>`.
#[macro_export]
macro_rules! functions {
    ($($name:ident $([$context:ident])? ($($type:ty),* $(,)?) -> $result:ty = $function:expr;)*) => {
        &[$($crate::function::Function {
            name: stringify!($name),
            arguments: &[$(<<$type as $crate::column::Parameter>::Type as $crate::column::SqlType>::OID),*],
            result: <<$result as $crate::column::Return>::Type as $crate::column::SqlType>::OID,
            strict: true $(&& <$type as $crate::column::Parameter>::STRICT)*,
            kernel: {
                fn kernel(
                    call: &$crate::function::Call<'_>,
                    arguments: &[$crate::column::Argument],
                ) -> $crate::error::Result<arrow_array::ArrayRef> {
                    $crate::rows!([call, arguments, $result, $function, $($context)?] [$($type,)*] [] 0; a b c d e f g h)
                }
                kernel
            },
        }),*]
    };
}

/// The loop over the rows of a call. Gives each argument a name and a number first.
#[doc(hidden)]
#[macro_export]
macro_rules! rows {
    ($all:tt [$type:ty, $($types:ty,)*] [$($done:tt)*] $number:expr; $name:ident $($names:ident)*) => {
        $crate::rows!($all [$($types,)*] [$($done)* ($name, $type, $number)] $number + 1; $($names)*)
    };
    ([$call:ident, $arguments:ident, $result:ty, $function:expr, $($context:ident)?]
     [] [$(($name:ident, $type:ty, $number:expr))*] $count:expr; $($rest:ident)*) => {{
        // A function without arguments has no parameters.
        #[allow(unused_imports)]
        use $crate::column::{Give, Parameter, Return, SqlType};
        debug_assert_eq!($arguments.len(), $count);
        $(let $name = $arguments[$number].of::<<$type as Parameter>::Type>();)*
        type Type = <$result as Return>::Type;
        let mut out = <Type as SqlType>::builder($call.rows);
        for row in 0..$call.rows {
            let _ = row;
            $(let Some($name) = <$type as Parameter>::get($name, $arguments[$number].index(row)) else {
                <Type as SqlType>::put_null(&mut out);
                continue;
            };)*
            <$result as Give<_>>::give(&mut out, $function($({
                let $context = $call.context;
                $context
            },)? $($name),*)?);
            <Type as SqlType>::check(&out)?;
        }
        Ok(<Type as SqlType>::finish(out))
    }};
}
