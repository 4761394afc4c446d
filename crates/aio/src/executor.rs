//! A one-future executor that drives the engine itself: for embedded use, benchmarks, tests and the simulator. The server
//! runs on another runtime, which watches [`Engine::driver_fds`](crate::Engine::driver_fds).

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::future::Future;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use crate::engine::Engine;

/// How a sleeping thread is woken: by an event descriptor when it sleeps in the kernel's ring or in `poll`, else by
/// unparking it.
pub(crate) struct Parker {
    notified: AtomicBool,
    /// The event descriptor to write to, while the thread sleeps where one is watched; else -1.
    listening: AtomicI32,
    thread: Thread,
    own_event: OwnedFd,
}

impl Parker {
    fn new() -> Parker {
        // SAFETY: makes a new descriptor, owned by nothing else.
        let own_event = unsafe {
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            assert!(fd >= 0, "eventfd: {}", std::io::Error::last_os_error());
            OwnedFd::from_raw_fd(fd)
        };
        Parker {
            notified: AtomicBool::new(false),
            listening: AtomicI32::new(-1),
            thread: std::thread::current(),
            own_event,
        }
    }

    pub(crate) fn own_event(&self) -> RawFd {
        self.own_event.as_raw_fd()
    }

    pub(crate) fn is_notified(&self) -> bool {
        self.notified.load(Ordering::SeqCst)
    }

    /// Sleeps with `sleep`, which returns when `event` becomes readable; not at all if a notification is there.
    pub(crate) fn sleep_listening(&self, event: RawFd, sleep: impl FnOnce()) {
        self.listening.store(event, Ordering::SeqCst);
        if !self.is_notified() {
            sleep();
        }
        self.listening.store(-1, Ordering::SeqCst);
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.notified.swap(true, Ordering::SeqCst) {
            return;
        }
        match self.listening.load(Ordering::SeqCst) {
            -1 => self.thread.unpark(),
            event => ring_event(event),
        }
    }
}

pub(crate) fn ring_event(event: RawFd) {
    let one = 1u64;
    // SAFETY: writes 8 bytes from the stack. A full counter means that the event is readable already.
    unsafe { libc::write(event, (&raw const one).cast(), 8) };
}

pub(crate) fn drain_event(event: RawFd) {
    let mut count = 0u64;
    // SAFETY: reads 8 bytes to the stack from a non-blocking descriptor.
    unsafe { libc::read(event, (&raw mut count).cast(), 8) };
}

thread_local! {
    static PARKER: RefCell<Option<Arc<Parker>>> = const { RefCell::new(None) };
}

/// Runs `future` to its end on this thread, reaping the engine's completions while it waits.
pub fn block_on<F: Future>(engine: &Engine, future: F) -> F::Output {
    // A nested call finds the cell empty and makes a parker of its own.
    let parker = PARKER.take().unwrap_or_else(|| Arc::new(Parker::new()));
    let waker = Waker::from(parker.clone());
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let output = loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            break output;
        }
        while !parker.notified.swap(false, Ordering::SeqCst) {
            engine.park(&parker);
        }
    };
    PARKER.set(Some(parker));
    output
}

/// A small number for the current thread, counted from 0: to spread threads over rings, counters and the like.
pub fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|n| *n)
}

/// Gives other tasks a turn.
pub async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}
