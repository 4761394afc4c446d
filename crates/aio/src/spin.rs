//! Getting a lock that nobody keeps for long.

/// With a pause more between each two of them: 120 in all, which take 2 to 6 µs.
const TRIES: u32 = 16;

/// Tries a few times, then gives up: the caller sleeps until it gets the lock. Whoever sleeps is woken much later than the
/// lock was free, more so where there are more threads than processors, and all who come meanwhile sleep behind him.
#[inline]
pub fn spin<T>(mut get: impl FnMut() -> Option<T>) -> Option<T> {
    get().or_else(|| {
        (1..TRIES).find_map(|pauses| {
            (0..pauses).for_each(|_| std::hint::spin_loop());
            get()
        })
    })
}
