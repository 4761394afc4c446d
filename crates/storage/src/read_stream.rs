//! The read stream: the caller says which blocks come next, the stream keeps just enough reads in flight and hands pinned
//! pages over in order.
//!
//! ```text
//!   next_block()  →  [ … planned … ][ in flight, combined … ][ ready ]  →  next()
//!                     look-ahead: until `distance` pages are in flight, never more than `limit` blocks
//! ```
//!
//! # How deep
//! By Little's law a stream that consumes `rate` pages a second from a device that takes `latency` to answer needs
//! `rate × latency` pages in flight. Both are found while running, in rounds: a round ends when the pages that were ahead
//! at its start have been consumed, so each measures one distance (as the round trips of BBR do: Cardwell et al., ACM
//! Queue 14(5), 2016). The distance starts at one block and is multiplied after every round in which the consumer had to
//! wait for the device, until two rounds in a row delivered no more pages a second than before: the device is saturated.
//! Then the distance is held at four times `best rate × shortest latency`, the bandwidth-delay product: at twice, as BBR holds
//! it, the device ran dry whenever the consumer did something else for a moment. More would only make the device's queue longer.
//! Single pages from anywhere are held at six times as many: pages are handed over in order, and behind one that takes five
//! times as long as others, as one in a hundred does on cloud volumes, the device has to have work. Now and then one deeper round probes whether the device gives more by now. The next stream goes
//! to the last one's depth in its second round, and on from there. A distance
//! shrinks slowly while everything is in memory. `effective_io_concurrency` bounds the operations in flight; a number
//! instead of `auto` also switches the search off and goes straight to that depth.

use std::collections::VecDeque;
use std::sync::Arc;

use aio::{BufferUsage, Device, IoContext, Nanos, Pattern, ReadSpeed, Session};

use crate::ahead_pins::AheadPins;
use crate::error::Result;
use crate::page::{BlockNumber, PAGE_SIZE};
use crate::pool::{BufferPool, Lookup, PinnedPage, ScanRing, Started};
use crate::smgr::Relation;

/// `effective_io_concurrency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    Auto,
    /// Operations in flight; 0 reads each page only when it is asked for.
    Fixed(u32),
}

/// Bandwidth-delay products that are held, and of single pages; see the module's head.
const SEQUENTIAL_PRODUCTS: f64 = 4.0;
const SCATTERED_PRODUCTS: f64 = 6.0;

/// From so many reads and nanoseconds on a rate says something, and so much of it goes into what is known.
const LEAST_READS: u64 = 256;
const LEAST_TIME: Nanos = 10_000_000;
const NEWS: f64 = 0.25;

/// Pages of an operation, on average, that still count as single ones.
const SINGLE: f64 = 1.25;

/// Blocks that are ahead for each that is in flight, at most.
const CACHED_BETWEEN: usize = 4;

/// Pages of one operation (or one cached page).
struct Group {
    pages: VecDeque<PinnedPage>,
    /// This stream started an operation for them and has not noticed its end.
    reading: bool,
}

/// Where a stream has its blocks from.
enum Blocks {
    /// `None` is the end.
    Callback(Box<dyn FnMut() -> Option<BlockNumber> + Send>),
    Ended,
    /// Those that were planned so far; more may come.
    Planned(VecDeque<BlockNumber>),
}

pub struct ReadStream {
    pool: Arc<BufferPool>,
    session: Session,
    relation: Arc<Relation>,
    context: IoContext,
    ring: Option<ScanRing>,
    pattern: Pattern,
    blocks: Blocks,
    /// A block that did not fit the run before it.
    peeked: Option<BlockNumber>,
    /// The last run was cut by nothing but a block that is no neighbour, as most are: waiting for room would not make runs longer.
    scattered: bool,
    groups: VecDeque<Group>,
    /// Pages in `groups`, and those of them that are in flight as far as this stream has noticed.
    ahead: AheadPins,
    pages_in_flight: usize,
    in_flight: usize,
    depth: Depth,
    combine: usize,
    usage: BufferUsage,
}

/// The search for the depth; see the module's head.
struct Depth {
    concurrency: Concurrency,
    distance: usize,
    /// More pages than this are never in flight.
    limit: usize,
    /// Pages of a full operation.
    combine: usize,
    /// Where the last stream ended; 0 if there was none.
    known: usize,
    /// Bandwidth-delay products that are held.
    products: f64,
    shortest: Nanos,
    /// Pages a nanosecond, those in memory included; forgets slowly.
    best_rate: f64,
    /// What the device read for all while this stream saturated it, and the time that took: others who read with it, such as the
    /// workers of a parallel scan, are no slowness of the volume.
    saturated: (u64, Nanos),
    search: Search,
    round: Round,
}

/// Where the search is.
enum Search {
    /// Growing; this many rounds in a row did not pay.
    Growing { flat: u32 },
    /// Saturated since this many rounds.
    Holding { rounds: u32 },
}

struct Round {
    start: Nanos,
    consumed: usize,
    /// Ends when this many are consumed.
    target: usize,
    waited: bool,
    /// Pages of `consumed` that were read.
    read: usize,
    /// What the device had read for all before.
    device_reads: u64,
}

impl Round {
    fn new(start: Nanos, target: usize, device_reads: u64) -> Round {
        Round { start, consumed: 0, target: target.max(1), waited: false, read: 0, device_reads }
    }
}

impl Depth {
    /// Growth from round to round. Four instead of TCP's two: a round trip costs a millisecond on the volumes this is
    /// for, and too deep for one round costs little.
    const GROWTH: usize = 4;
    /// Growth of the rate that makes a deeper round worthwhile.
    const PAYS: f64 = 1.25;
    /// A held distance is probed every so many rounds.
    const PROBE: u32 = 16;

    /// A page was in memory while so many operations were in flight.
    fn cached(&mut self, in_flight: usize) {
        self.round.consumed += 1;
        if self.concurrency == Concurrency::Auto && self.distance > 1 && in_flight == 0 {
            self.distance -= 1;
        }
    }

    fn delay_product(&self) -> usize {
        let pages = self.products * self.best_rate * self.shortest as f64;
        // Two operations at least, so that one is under way while the other is worked on.
        (pages as usize).clamp((2 * self.combine).min(self.limit), self.limit)
    }

    /// `pages` pages were consumed at `now`; a read that took `latency` brought them, if any, and the consumer
    /// `waited` for it or not. `device_reads`: what the device has read for all by now.
    /// Gives the depth when it has been found.
    fn consumed(
        &mut self,
        now: Nanos,
        pages: usize,
        (latency, waited): (Option<Nanos>, bool),
        device_reads: impl Fn() -> u64,
    ) -> Option<usize> {
        self.round.consumed += pages;
        self.round.waited |= waited;
        if let Some(latency) = latency {
            self.round.read += pages;
            self.shortest = self.shortest.min(latency.max(1));
        }
        if self.round.consumed < self.round.target {
            return None;
        }
        let elapsed = now.saturating_sub(self.round.start).max(1);
        let reads = device_reads();
        let rate = self.round.consumed as f64 / elapsed as f64;
        let found = match self.concurrency {
            Concurrency::Auto if self.round.waited => {
                self.adjust(rate, elapsed, reads.saturating_sub(self.round.device_reads))
            }
            // No reader waits, or none may read ahead: neighbours are still worth reading together.
            Concurrency::Auto | Concurrency::Fixed(0) if self.round.read > 0 && self.distance < self.combine => {
                self.distance = (self.distance * Self::GROWTH).min(self.combine).min(self.limit);
                None
            }
            _ => None,
        };
        self.round = Round::new(now, self.distance, reads);
        found
    }

    /// After a round at `rate` that took so long, in which the consumer waited and the device read so much. Gives the depth when
    /// it has been found.
    fn adjust(&mut self, rate: f64, elapsed: Nanos, device_reads: u64) -> Option<usize> {
        let pays = rate > self.best_rate * Self::PAYS;
        self.best_rate = rate.max(self.best_rate * 0.98);
        self.search = match self.search {
            _ if pays => Search::Growing { flat: 0 },
            Search::Growing { flat: 0 } => Search::Growing { flat: 1 },
            Search::Growing { .. } => Search::Holding { rounds: 0 },
            Search::Holding { rounds } => Search::Holding { rounds: rounds + 1 },
        };
        self.distance = match self.search {
            // From the first block to a full operation at once, or to where the last stream ended. Behind that, carefully.
            Search::Growing { .. } if self.distance < self.known => self.known.min(self.limit),
            Search::Growing { .. } if self.known > 0 => (self.distance * 2).min(self.limit),
            Search::Growing { .. } => (self.distance * Self::GROWTH).max(self.combine).min(self.limit),
            Search::Holding { rounds } if rounds % Self::PROBE == Self::PROBE - 1 => {
                (self.delay_product() * 2).min(self.limit)
            }
            Search::Holding { .. } => self.delay_product(),
        };
        if !matches!(self.search, Search::Holding { .. }) {
            return None;
        }
        // A round of pages that were in memory, most of them, says nothing about the device.
        if 2 * self.round.read > self.round.consumed {
            self.saturated.0 += device_reads;
            self.saturated.1 += elapsed;
        }
        Some(self.delay_product())
    }
}

/// What a device has read so far: pages, or single ones from anywhere.
fn reads_of(device: &Device, pattern: Pattern) -> u64 {
    let (operations, bytes) = device.reads();
    match pattern {
        Pattern::Sequential => bytes / PAGE_SIZE as u64,
        Pattern::Scattered => operations,
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
        let (config, device) = (pool.engine().config(), pool.engine().device(relation.device_number()));
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
            pattern: Pattern::Sequential,
            blocks: Blocks::Callback(next_block),
            peeked: None,
            scattered: false,
            groups: VecDeque::new(),
            ahead: AheadPins::new(pool),
            pages_in_flight: 0,
            in_flight: 0,
            depth: Depth {
                concurrency,
                distance,
                limit,
                combine,
                known: device.read_speed(Pattern::Sequential).depth,
                products: SEQUENTIAL_PRODUCTS,
                shortest: Nanos::MAX,
                best_rate: 0.0,
                saturated: (0, 0),
                search: Search::Growing { flat: 0 },
                round: Round::new(pool.engine().clock().now(), distance, reads_of(device, Pattern::Sequential)),
            },
            combine,
            usage: BufferUsage::default(),
        }
    }

    /// The same for blocks that lie anywhere: reads of single pages, most of them.
    pub fn scattered(mut self) -> ReadStream {
        self.pattern = Pattern::Scattered;
        self.depth.known = self.device().read_speed(self.pattern).depth;
        self.depth.round.device_reads = reads_of(self.device(), self.pattern);
        self.depth.products = SCATTERED_PRODUCTS;
        self
    }

    /// A stream of the blocks that [`ReadStream::plan`] tells it of, which lie anywhere. It gives no page when it knows of none,
    /// and goes on when it knows of more.
    pub(crate) fn planned(
        pool: &Arc<BufferPool>,
        session: &Session,
        relation: &Arc<Relation>,
        concurrency: Concurrency,
    ) -> ReadStream {
        let none = Box::new(|| None);
        let stream = ReadStream::new(pool, session, relation, concurrency, IoContext::Normal, None, none);
        ReadStream { blocks: Blocks::Planned(VecDeque::new()), ..stream.scattered() }
    }

    /// So many pages will be taken for certain, so `auto` begins with as many reads as the last stream ended with.
    pub(crate) fn begin_deep(&mut self, pages: usize) {
        let depth = &mut self.depth;
        if depth.concurrency == Concurrency::Auto {
            depth.distance = depth.known.max(depth.combine).min(pages).clamp(1, depth.limit);
            depth.round = Round::new(depth.round.start, depth.distance, depth.round.device_reads);
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
            self.ahead.give();
            if group.reading {
                let pages = group.pages.len() + 1;
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
        self.pages_in_flight -= pages;
        let (now, latency) = (clock_now(), page.device_time());
        let (device, pattern) = (self.pool.engine().device(self.relation.device_number()), self.pattern);
        if let Some(depth) = self.depth.consumed(now, pages, (Some(latency), !ready), || reads_of(device, pattern)) {
            self.tell_speed(depth);
        }
        let waited = if ready { 0 } else { now - before };
        self.note(|usage| usage.read_ended(latency, waited));
    }

    /// Starts reads until `distance` pages are in flight. Pages in memory in between are pinned too, a few times as many at
    /// most.
    async fn look_ahead(&mut self) -> Result<()> {
        let max_operations = match self.depth.concurrency {
            Concurrency::Auto => usize::MAX,
            Concurrency::Fixed(n) => (n as usize).max(1),
        };
        let mut started_any = false;
        // The pool may have become smaller since the stream began, and there may be other streams.
        let most = (self.depth.distance * CACHED_BETWEEN).min(self.depth.limit).min(self.ahead.most());
        while self.pages_in_flight < self.depth.distance && self.ahead.pages() < most && self.in_flight < max_operations
        {
            // Starting a small read now when a full one fits soon costs an operation: wait until there is room for a
            // whole one, unless nothing is under way.
            let room = (self.depth.distance - self.pages_in_flight).min(most - self.ahead.pages());
            if !self.scattered && room < self.combine.min(self.depth.distance) && self.in_flight > 0 {
                break;
            }
            if self.depth.concurrency == Concurrency::Fixed(0) && self.ahead.pages() > 0 {
                // No read ahead: what was read together is consumed first.
                break;
            }
            let Some(block) = self.take_block() else { break };
            match self.pool.lookup(self.relation.id(), block) {
                Lookup::Cached(page) => {
                    self.usage.hits += 1;
                    self.pool.count_hit(&self.session, &self.relation, self.context);
                    self.depth.cached(self.in_flight);
                    self.push(Group { pages: [page].into(), reading: false });
                }
                Lookup::Reading(page) => {
                    self.note(|usage| usage.hits += 1);
                    self.push(Group { pages: [page].into(), reading: false });
                }
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
        if let Some(block) = self.peeked.take() {
            return Some(block);
        }
        match &mut self.blocks {
            Blocks::Ended => None,
            Blocks::Planned(blocks) => blocks.pop_front(),
            Blocks::Callback(next_block) => {
                let block = next_block();
                if block.is_none() {
                    self.blocks = Blocks::Ended;
                }
                block
            }
        }
    }

    /// Another block, behind those that are planned.
    pub(crate) fn plan(&mut self, block: BlockNumber) {
        match &mut self.blocks {
            Blocks::Planned(blocks) => blocks.push_back(block),
            Blocks::Callback(_) | Blocks::Ended => unreachable!("the stream has a callback"),
        }
    }

    /// Blocks that are worth planning beyond those that are read ahead already.
    pub(crate) fn room_in_plan(&self) -> usize {
        match &self.blocks {
            Blocks::Planned(blocks) => self.depth.distance.max(self.combine).saturating_sub(blocks.len()),
            Blocks::Callback(_) | Blocks::Ended => 0,
        }
    }

    /// Starts one read from `first`, as long as the callback's blocks are consecutive and the limits allow.
    async fn start_run(&mut self, first: BlockNumber, room: usize) -> Result<()> {
        let limit = self.combine.min(room).max(1) as u32;
        let mut count = 1;
        self.scattered = false;
        while count < limit {
            match self.take_block() {
                Some(block) if block == first + count => count += 1,
                Some(other) => {
                    self.peeked = Some(other);
                    self.scattered = count == 1 || self.pattern == Pattern::Scattered;
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
                None => {
                    // As deep as the session may: more depth is not to be had.
                    self.depth.round.waited = true;
                    self.session.get().await
                }
            };
            let ring = self.ring.as_mut();
            match self.pool.start_read(handle, &self.relation, next, left, ring, self.context)? {
                Started::Reading(pages) => {
                    next += pages.len() as u32;
                    self.in_flight += 1;
                    self.pages_in_flight += pages.len();
                    let (read, depth) = (pages.len() as u64, self.in_flight as u64);
                    self.note(|usage| usage.read_started(read, depth));
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

    /// Passes on what was found, for others and the planner. A stream of blocks from anywhere of which many were neighbours says
    /// nothing about single pages.
    fn tell_speed(&self, depth: usize) {
        let (reads, time) = self.depth.saturated;
        let single = self.usage.reads as f64 <= SINGLE * self.usage.operations as f64;
        if self.pattern == Pattern::Sequential || single {
            let known = self.device().read_speed(self.pattern).rate;
            let rate = match reads as f64 / time.max(1) as f64 * 1e9 {
                // A hiccup of the machine is no property of the volume.
                _ if reads < LEAST_READS || time < LEAST_TIME => known,
                rate if known > 0.0 => known + (rate - known) * NEWS,
                rate => rate,
            };
            self.device().set_read_speed(self.pattern, ReadSpeed { depth, rate });
        }
    }

    /// The volume it reads from.
    fn device(&self) -> &Device {
        self.pool.engine().device(self.relation.device_number())
    }

    fn push(&mut self, group: Group) {
        self.ahead.add(group.pages.len());
        self.groups.push_back(group);
    }

    fn note(&mut self, note: impl Fn(&mut BufferUsage)) {
        note(&mut self.usage);
        self.session.note_usage(note);
    }

    /// What the stream did so far.
    pub fn usage(&self) -> BufferUsage {
        self.usage
    }

    /// Blocks it would keep ahead now.
    pub fn distance(&self) -> usize {
        self.depth.distance
    }
}
