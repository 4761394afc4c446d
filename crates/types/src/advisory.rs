//! Advisory locks (`lockfuncs.c`): locks on numbers, whose meaning is the application's. What waits for one is in
//! [`crate::asynchronous`].

use crate::context::Context;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

/// A lock on a number or on a pair of them, which are different locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvisoryLock {
    /// Of a pair, the first is in the upper half.
    pub key: i64,
    pub pair: bool,
    /// Others may have it too, as long as none has it alone.
    pub shared: bool,
    /// It is held until the transaction ends, or else until it is given back or the session ends.
    pub of_transaction: bool,
}

impl AdvisoryLock {
    pub fn one(key: i64) -> AdvisoryLock {
        AdvisoryLock { key, pair: false, shared: false, of_transaction: false }
    }

    pub fn pair(first: i32, second: i32) -> AdvisoryLock {
        let key = i64::from(first) << 32 | i64::from(second) & 0xffff_ffff;
        AdvisoryLock { pair: true, ..AdvisoryLock::one(key) }
    }

    pub fn shared(self) -> AdvisoryLock {
        AdvisoryLock { shared: true, ..self }
    }

    pub fn of_transaction(self) -> AdvisoryLock {
        AdvisoryLock { of_transaction: true, ..self }
    }
}

fn try_lock(context: &Context, lock: AdvisoryLock) -> Result<bool> {
    context.session.try_advisory_lock(lock)
}

fn unlock(context: &Context, lock: AdvisoryLock) -> Result<bool> {
    context.session.advisory_unlock(lock)
}

pub const FUNCTIONS: &[&[Function]] = &[functions! {
    pg_try_advisory_lock[context](int8) -> boolean = |c, key| try_lock(c, AdvisoryLock::one(key));
    pg_try_advisory_lock[context](int4, int4) -> boolean = |c, a, b| try_lock(c, AdvisoryLock::pair(a, b));
    pg_try_advisory_lock_shared[context](int8) -> boolean = |c, key| try_lock(c, AdvisoryLock::one(key).shared());
    pg_try_advisory_lock_shared[context](int4, int4) -> boolean =
        |c, a, b| try_lock(c, AdvisoryLock::pair(a, b).shared());
    pg_try_advisory_xact_lock[context](int8) -> boolean =
        |c, key| try_lock(c, AdvisoryLock::one(key).of_transaction());
    pg_try_advisory_xact_lock[context](int4, int4) -> boolean =
        |c, a, b| try_lock(c, AdvisoryLock::pair(a, b).of_transaction());
    pg_try_advisory_xact_lock_shared[context](int8) -> boolean =
        |c, key| try_lock(c, AdvisoryLock::one(key).shared().of_transaction());
    pg_try_advisory_xact_lock_shared[context](int4, int4) -> boolean =
        |c, a, b| try_lock(c, AdvisoryLock::pair(a, b).shared().of_transaction());
    pg_advisory_unlock[context](int8) -> boolean = |c, key| unlock(c, AdvisoryLock::one(key));
    pg_advisory_unlock[context](int4, int4) -> boolean = |c, a, b| unlock(c, AdvisoryLock::pair(a, b));
    pg_advisory_unlock_shared[context](int8) -> boolean = |c, key| unlock(c, AdvisoryLock::one(key).shared());
    pg_advisory_unlock_shared[context](int4, int4) -> boolean = |c, a, b| unlock(c, AdvisoryLock::pair(a, b).shared());
    pg_advisory_unlock_all[context]() -> void = |c: &Context| c.session.advisory_unlock_all();
}];
