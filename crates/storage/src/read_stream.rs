//! The read stream: the caller says which blocks come next, the stream keeps just enough reads in flight and hands pinned
//! pages over in order.
//!
//! ```text
//!   next_block()  →  [ … planned … ][ in flight, combined … ][ ready ]  →  next()
//!                     look-ahead: `distance` blocks, never more than `limit`
//! ```
//!
//! # How deep
//! By Little's law a stream that consumes `rate` pages a second from a device that takes `latency` to answer needs
//! `rate × latency` pages in flight. Both are found while running: the distance starts at one block, doubles whenever the
//! consumer had to wait for the device, and shrinks slowly while everything is in memory. Doubling stops to pay when the
//! device is saturated: once three rounds in a row delivered no more bytes a second than before, the distance is held at
//! twice `best rate × shortest latency` (the bandwidth-delay product, as in BBR: Cardwell et al., ACM Queue 14(5), 2016).
//! Deeper than that only makes the device's queue longer. `effective_io_concurrency` bounds the operations in flight;
//! a number instead of `auto` also switches the search off and goes straight to that depth.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use aio::{IoContext, IoObject, Nanos, Session, StatKey, StatOp};

use crate::error::Result;
use crate::page::{BlockNumber, PAGE_SIZE};
use crate::pool::{BufferPool, Lookup, PinnedPage, ScanRing, Started};
use crate::relation::Relation;

/// `effective_io_concurrency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    Auto,
    /// Operations in flight; 0 reads each page only when it is asked for.
    Fixed(u32),
}

/// What a stream did, for EXPLAIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStats {
    pub hits: u64,
    /// Pages read.
    pub reads: u64,
    /// Operations that read them.
    pub operations: u64,
    /// Time the consumer waited.
    pub waited: Nanos,
    /// Time the device worked, summed over operations.
    pub device: Nanos,
    /// Sum over operations of the number in flight when each was started, itself included.
    pub depth_sum: u64,
    pub max_depth: u64,
}

impl StreamStats {
    pub fn add(&mut self, other: &StreamStats) {
        self.hits += other.hits;
        self.reads += other.reads;
        self.operations += other.operations;
        self.waited += other.waited;
        self.device += other.device;
        self.depth_sum += other.depth_sum;
        self.max_depth = self.max_depth.max(other.max_depth);
    }
}

/// Pages of one operation (or one cached page).
struct Group {
    pages: VecDeque<PinnedPage>,
    /// This stream started an operation for them and has not noticed its end.
    reading: bool,
}

pub struct ReadStream {
    pool: Arc<BufferPool>,
    session: Session,
    relation: Arc<Relation>,
    context: IoContext,
    ring: Option<ScanRing>,
    next_block: Box<dyn FnMut() -> Option<BlockNumber> + Send>,
    /// A block the callback gave that did not fit the run before it.
    peeked: Option<BlockNumber>,
    exhausted: bool,
    groups: VecDeque<Group>,
    /// Pages in `groups`.
    ahead: usize,
    in_flight: usize,
    depth: Depth,
    combine: usize,
    stats: StreamStats,
}

/// The search for the depth; see the module's head.
struct Depth {
    concurrency: Concurrency,
    distance: usize,
    /// More pages than this are never in flight.
    limit: usize,
    shortest: Nanos,
    best_rate: f64,
    flat_rounds: u32,
    round_start: Nanos,
    round_pages: usize,
    saturated: bool,
}

impl Depth {
    fn waited(&mut self) {
        if self.concurrency != Concurrency::Auto {
            return;
        }
        let cap = if self.saturated { self.delay_product() } else { self.limit };
        self.distance = (self.distance * 2).min(cap).max(1);
    }

    /// A page had to be read: neighbours are worth reading with it, whether or not anybody waited.
    fn missed(&mut self, combine: usize) {
        if matches!(self.concurrency, Concurrency::Auto | Concurrency::Fixed(0)) && self.distance < combine {
            self.distance = (self.distance * 2).min(self.limit);
        }
    }

    fn cached(&mut self) {
        if self.concurrency == Concurrency::Auto && self.distance > 1 {
            self.distance -= 1;
        }
    }

    fn delay_product(&self) -> usize {
        let pages = 2.0 * self.best_rate * self.shortest as f64;
        // Two operations at least, so that one is under way while the other is worked on.
        (pages as usize).clamp(32.min(self.limit), self.limit)
    }

    /// An operation of `pages` pages took `latency`, seen at `now`.
    fn completed(&mut self, now: Nanos, pages: usize, latency: Nanos) {
        self.shortest = self.shortest.min(latency.max(1));
        self.round_pages += pages;
        let elapsed = now.saturating_sub(self.round_start);
        if self.round_pages < self.distance.max(16) || elapsed == 0 {
            return;
        }
        let rate = self.round_pages as f64 / elapsed as f64;
        if rate > self.best_rate * 1.1 {
            self.flat_rounds = 0;
        } else {
            self.flat_rounds += 1;
        }
        self.best_rate = self.best_rate.max(rate);
        if self.flat_rounds >= 3 && !self.saturated {
            self.saturated = true;
            self.distance = self.distance.min(self.delay_product());
        } else if self.saturated && self.flat_rounds == 0 {
            // The device gives more than it did: search again.
            self.saturated = false;
        }
        self.round_start = now;
        self.round_pages = 0;
    }
}

impl ReadStream {
    /// `next_block` gives the blocks in order, each once, `None` at the end. `ring_pages` keeps a large scan in a ring of
    /// that many buffers.
    pub fn new(
        pool: &Arc<BufferPool>,
        session: &Session,
        relation: &Arc<Relation>,
        concurrency: Concurrency,
        context: IoContext,
        ring_pages: Option<usize>,
        next_block: Box<dyn FnMut() -> Option<BlockNumber> + Send>,
    ) -> ReadStream {
        let config = pool.engine().config();
        let combine = (config.combine_limit as usize / PAGE_SIZE).max(1);
        // A stream leaves room for others: in the pool, and among the session's handles.
        let by_pool = (pool.len() / 4).max(1);
        let by_ring = ring_pages.map_or(usize::MAX, |r| (r / 2).max(1));
        let by_handles = (config.max_concurrency.saturating_sub(1)).max(1) * combine;
        let limit = by_pool.min(by_ring).min(by_handles);
        let distance = match concurrency {
            Concurrency::Auto | Concurrency::Fixed(0) => 1,
            Concurrency::Fixed(n) => (n as usize * combine).min(limit),
        };
        ReadStream {
            pool: pool.clone(),
            session: session.clone(),
            relation: relation.clone(),
            context,
            ring: ring_pages.map(ScanRing::new),
            next_block,
            peeked: None,
            exhausted: false,
            groups: VecDeque::new(),
            ahead: 0,
            in_flight: 0,
            depth: Depth {
                concurrency,
                distance,
                limit,
                shortest: Nanos::MAX,
                best_rate: 0.0,
                flat_rounds: 0,
                round_start: pool.engine().clock().now(),
                round_pages: 0,
                saturated: false,
            },
            combine,
            stats: StreamStats::default(),
        }
    }

    /// The next page, or `None` at the end. A bad page is an error; the stream goes on behind it.
    pub async fn next(&mut self) -> Result<Option<PinnedPage>> {
        loop {
            self.look_ahead().await?;
            let Some(group) = self.groups.front_mut() else { return Ok(None) };
            let Some(page) = group.pages.pop_front() else {
                self.groups.pop_front();
                continue;
            };
            self.ahead -= 1;
            let reading = group.reading;
            let pages = group.pages.len() + 1;
            if reading {
                self.note_completion(&page, pages).await;
            }
            page.wait_read().await?;
            return Ok(Some(page));
        }
    }

    /// Waits for the front group's operation and learns from how long it took.
    async fn note_completion(&mut self, page: &PinnedPage, pages: usize) {
        let clock_now = || self.pool.engine().clock().now();
        let before = clock_now();
        let ready = page.is_read() || (self.pool.engine().poll() > 0 && page.is_read());
        if !ready {
            let _waiting = self.session.waiting();
            // The outcome is looked at by the caller.
            let _ = page.wait_read().await;
        }
        let group = self.groups.front_mut().expect("the caller looks at it");
        group.reading = false;
        self.in_flight -= 1;
        let (now, latency) = (clock_now(), page.device_time());
        self.stats.device += latency;
        self.depth.missed(self.combine);
        self.depth.completed(now, pages, latency);
        if !ready {
            self.stats.waited += now - before;
            self.depth.waited();
        }
    }

    /// Starts reads until `distance` blocks are ahead.
    async fn look_ahead(&mut self) -> Result<()> {
        let max_operations = match self.depth.concurrency {
            Concurrency::Auto => usize::MAX,
            Concurrency::Fixed(n) => (n as usize).max(1),
        };
        let mut started_any = false;
        while !self.exhausted && self.ahead < self.depth.distance && self.in_flight < max_operations {
            // Starting a small read now when a full one fits soon costs an operation: wait until there is room for a
            // whole one, unless nothing is under way.
            let room = self.depth.distance - self.ahead;
            if room < self.combine.min(self.depth.distance) && self.in_flight > 0 {
                break;
            }
            if self.depth.concurrency == Concurrency::Fixed(0) && self.ahead > 0 {
                // No read ahead: what was read together is consumed first.
                break;
            }
            let Some(block) = self.take_block() else { break };
            match self.pool.lookup(self.relation.id(), block) {
                Lookup::Cached(page) => {
                    self.stats.hits += 1;
                    self.pool.counters().hits.fetch_add(1, Ordering::Relaxed);
                    let key = StatKey::new(self.session.backend(), IoObject::Relation, self.context);
                    self.pool.engine().stats().count(key, StatOp::Hit, 1, 0, 0);
                    self.depth.cached();
                    self.push(Group { pages: [page].into(), reading: false });
                }
                Lookup::Reading(page) => self.push(Group { pages: [page].into(), reading: false }),
                Lookup::Absent => {
                    self.start_run(block, room).await?;
                    started_any = true;
                }
            }
        }
        if started_any {
            self.session.submit();
        }
        Ok(())
    }

    fn take_block(&mut self) -> Option<BlockNumber> {
        let block = self.peeked.take().or_else(|| (self.next_block)());
        self.exhausted = block.is_none();
        block
    }

    /// Starts one read from `first`, as long as the callback's blocks are consecutive and the limits allow.
    async fn start_run(&mut self, first: BlockNumber, room: usize) -> Result<()> {
        let limit = self.combine.min(room).max(1) as u32;
        let mut count = 1;
        while count < limit {
            match self.take_block() {
                Some(block) if block == first + count => count += 1,
                Some(other) => {
                    self.peeked = Some(other);
                    break;
                }
                None => break,
            }
        }
        let mut next = first;
        while next < first + count {
            let left = first + count - next;
            let handle = match self.session.try_get() {
                Some(handle) => handle,
                None => self.session.get().await,
            };
            let ring = self.ring.as_mut();
            match self.pool.start_read(handle, &self.relation, next, left, ring, self.context)? {
                Started::Reading(pages) => {
                    next += pages.len() as u32;
                    self.in_flight += 1;
                    self.stats.operations += 1;
                    self.stats.reads += pages.len() as u64;
                    self.stats.depth_sum += self.in_flight as u64;
                    self.stats.max_depth = self.stats.max_depth.max(self.in_flight as u64);
                    self.push(Group { pages: pages.into(), reading: true });
                }
                Started::Present => {
                    // In the pool by now; if it left again at once, the loop reads it after all.
                    if let Lookup::Cached(page) | Lookup::Reading(page) = self.pool.lookup(self.relation.id(), next) {
                        next += 1;
                        self.push(Group { pages: [page].into(), reading: false });
                    }
                }
                Started::NoCleanBuffer => {
                    self.session.submit();
                    self.pool.wait_for_cleaner().await?;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, group: Group) {
        self.ahead += group.pages.len();
        self.groups.push_back(group);
    }

    /// What the stream did so far.
    pub fn stats(&self) -> StreamStats {
        self.stats
    }

    /// Blocks it would keep ahead now.
    pub fn distance(&self) -> usize {
        self.depth.distance
    }
}
