//! Functions that may have to wait: they draw from sequences, ask for the sizes of files, sleep. They are declared as
//! others are, in [`WAITING`] instead of [`crate::BUILT_IN`]. An expression that has one cannot be evaluated without
//! waiting: the executor computes the column of such a call first, by awaiting its kernel, and then the expression around it.

use arrow_array::ArrayRef;
use error::sqlstate;

use crate::advisory::AdvisoryLock;
use crate::column::{Argument, Give, Parameter, Return, SqlType};
use crate::error::{Error, Result};
use crate::function::Call;
use crate::oid::{self, Oid};
use crate::record::value::record;
use crate::record::{RecordBuilder, RowNames};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::session::{DatabaseName, Prewarm, Size, Statistics, Wait};
use crate::sql::*;

/// Gives the function's result for each row of a call, in the order of rows.
pub type WaitingKernel = for<'a> fn(&'a Call<'a>, &'a [Argument]) -> Wait<'a, ArrayRef>;

/// As [`crate::Function`].
#[derive(Clone, Copy, Debug)]
pub struct WaitingFunction {
    pub name: &'static str,
    pub arguments: &'static [Oid],
    pub result: Oid,
    pub strict: bool,
    pub kernel: WaitingKernel,
}

/// Declares functions as `functions!` does; each names the session's method as a closure of session and arguments.
macro_rules! waiting {
    ($($name:ident ($($argument:ident: $type:ty),*) -> $result:ty = |$session:ident| $body:expr;)*) => {
        &[$(WaitingFunction {
            name: stringify!($name),
            arguments: &[$(<<$type as Parameter>::Type as SqlType>::OID),*],
            result: <<$result as Return>::Type as SqlType>::OID,
            strict: true $(&& <$type as Parameter>::STRICT)*,
            kernel: {
                fn kernel<'a>(call: &'a Call<'a>, arguments: &'a [Argument]) -> Wait<'a, ArrayRef> {
                    Box::pin(async move {
                        let $session = &call.context.session;
                        let mut results = Vec::with_capacity(call.rows);
                        for row in 0..call.rows {
                            let each = &mut arguments.iter();
                            $(let argument = each.next().expect("as declared");
                            let $argument = <$type as Parameter>::get(
                                argument.of::<<$type as Parameter>::Type>(),
                                argument.index(row),
                            );)*
                            // There are functions without arguments.
                            let _ = (each, row);
                            match ($($argument,)*) {
                                ($(Some($argument),)*) => results.push(Some($body)),
                                #[allow(unreachable_patterns)]
                                _ => results.push(None),
                            }
                        }
                        type Type = <$result as Return>::Type;
                        let mut out = <Type as SqlType>::builder(call.rows);
                        for result in results {
                            match result {
                                Some(result) => <$result as Give<_>>::give(&mut out, result),
                                None => <Type as SqlType>::put_null(&mut out),
                            }
                        }
                        Ok(<Type as SqlType>::finish(out))
                    })
                }
                kernel
            },
        }),*]
    };
}

/// Every function of this kind.
pub const WAITING: &[WaitingFunction] = waiting! {
    nextval(sequence: regclass) -> int8 = |session| session.nextval(sequence).await?;
    setval(sequence: regclass, value: int8) -> int8 = |session| session.setval(sequence, value, true).await?;
    setval(sequence: regclass, value: int8, called: boolean) -> int8 =
        |session| session.setval(sequence, value, called).await?;
    pg_sequence_last_value(sequence: regclass) -> Option<int8> =
        |session| session.sequence_last_value(sequence).await?;
    pg_get_sequence_data(sequence: regclass) -> record =
        |session| sequence_data(session.sequence_data(sequence).await?)?;
    pg_relation_size(relation: regclass) -> Option<int8> =
        |session| session.relation_size(relation, Size::Main).await?;
    pg_relation_size(relation: regclass, fork: text) -> Option<int8> =
        |session| session.relation_size(relation, size_of_fork(fork)?).await?;
    pg_table_size(relation: regclass) -> Option<int8> = |session| session.relation_size(relation, Size::Table).await?;
    pg_indexes_size(relation: regclass) -> Option<int8> =
        |session| session.relation_size(relation, Size::Indexes).await?;
    pg_total_relation_size(relation: regclass) -> Option<int8> =
        |session| session.relation_size(relation, Size::Total).await?;
    pg_database_size(database: oid_) -> Option<int8> =
        |session| session.database_size(DatabaseName::Oid(database)).await?;
    pg_database_size(database: name) -> Option<int8> =
        |session| session.database_size(DatabaseName::Name(database)).await?;
    pg_advisory_lock(key: int8) -> void = |session| session.advisory_lock(AdvisoryLock::one(key)).await?;
    pg_advisory_lock(a: int4, b: int4) -> void = |session| session.advisory_lock(AdvisoryLock::pair(a, b)).await?;
    pg_advisory_lock_shared(key: int8) -> void =
        |session| session.advisory_lock(AdvisoryLock::one(key).shared()).await?;
    pg_advisory_lock_shared(a: int4, b: int4) -> void =
        |session| session.advisory_lock(AdvisoryLock::pair(a, b).shared()).await?;
    pg_advisory_xact_lock(key: int8) -> void =
        |session| session.advisory_lock(AdvisoryLock::one(key).of_transaction()).await?;
    pg_advisory_xact_lock(a: int4, b: int4) -> void =
        |session| session.advisory_lock(AdvisoryLock::pair(a, b).of_transaction()).await?;
    pg_advisory_xact_lock_shared(key: int8) -> void =
        |session| session.advisory_lock(AdvisoryLock::one(key).shared().of_transaction()).await?;
    pg_advisory_xact_lock_shared(a: int4, b: int4) -> void =
        |session| session.advisory_lock(AdvisoryLock::pair(a, b).shared().of_transaction()).await?;
    pg_prewarm(
        relation: Option<regclass>, mode: Option<text>, fork: Option<text>, first: Option<int8>, last: Option<int8>
    ) -> int8 = |session| session.prewarm(Prewarm { relation, mode, fork, first, last }).await?;
    autoprewarm_dump_now() -> int8 = |session| session.dump_buffers().await?;
    pg_clear_relation_stats(schema: Option<text>, relation: Option<text>) -> void =
        |session| session.clear_statistics(Statistics::Relation, [schema, relation, None]).await?;
    pg_clear_attribute_stats(
        schema: Option<text>, relation: Option<text>, column: Option<text>, inherited: Option<boolean>
    ) -> void = |session| match inherited {
        // No table has children here, whose rows this is about.
        Some(true) => (),
        _ => session.clear_statistics(Statistics::Column, [schema, relation, column]).await?,
    };
    pg_sleep(seconds: float8) -> void = |session| session.sleep(microseconds(seconds)).await?;
};

/// NULL in both columns where there is nothing to see.
fn sequence_data(state: Option<(i64, bool)>) -> Result<Vec<u8>> {
    let names = RowNames::new(["last_value", "is_called"]);
    let mut row = RecordBuilder::new(oid::RECORD, &names);
    row.push(oid::INT8, Repr::Int8, state.map(|(value, _)| Scalar::Int(value)))?;
    row.push(oid::BOOL, Repr::Bool, state.map(|(_, called)| Scalar::Unsigned(called.into())))?;
    Ok(row.finish())
}

fn size_of_fork(name: &str) -> Result<Size> {
    match name {
        "main" => Ok(Size::Main),
        "fsm" => Ok(Size::FreeSpaceMap),
        "vm" => Ok(Size::VisibilityMap),
        "init" => Ok(Size::Init),
        _ => Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "invalid fork name")
            .hint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".")),
    }
}

/// No time for what is less than nothing, and for ever is bounded.
fn microseconds(seconds: f64) -> u64 {
    (seconds * 1e6).clamp(0.0, 1e18) as u64
}
