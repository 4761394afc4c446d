//! Many tasks on one thread, in an order that the seed decides.
//!
//! A task that can go on is chosen at random; after every few steps, and when none can, simulated time passes to the next
//! event: the end of an I/O operation or a timer. So a task that only gives way to others cannot hold time up.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use aio::{Engine, Random};
use parking_lot::Mutex;

type Task = Pin<Box<dyn Future<Output = ()>>>;

#[derive(Default)]
struct Ready {
    tasks: Mutex<Vec<usize>>,
}

struct TaskWaker {
    ready: Arc<Ready>,
    task: usize,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        let mut tasks = self.ready.tasks.lock();
        if !tasks.contains(&self.task) {
            tasks.push(self.task);
        }
    }
}

/// How a run of the executor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// What was waited for is there.
    Done,
    /// The steps are used up.
    Steps,
    /// No task can go on, and nothing is to come.
    Stuck,
}

pub struct Executor<'a> {
    engine: Engine,
    random: &'a Random,
    ready: Arc<Ready>,
    tasks: Vec<Option<(Task, Waker)>>,
    pub steps: u64,
}

impl<'a> Executor<'a> {
    pub fn new(engine: &Engine, random: &'a Random) -> Executor<'a> {
        Executor { engine: engine.clone(), random, ready: Arc::default(), tasks: Vec::new(), steps: 0 }
    }

    pub fn spawn(&mut self, task: impl Future<Output = ()> + 'static) {
        let number = self.tasks.len();
        let waker = Waker::from(Arc::new(TaskWaker { ready: self.ready.clone(), task: number }));
        self.tasks.push(Some((Box::pin(task), waker)));
        self.ready.tasks.lock().push(number);
    }

    /// Runs until `done` or the number of steps is reached.
    pub fn run(&mut self, steps: u64, mut done: impl FnMut() -> bool) -> Ended {
        let mut until_time_passes = self.random.below(8);
        for _ in 0..steps {
            if done() {
                return Ended::Done;
            }
            self.steps += 1;
            let chosen = {
                let mut ready = self.ready.tasks.lock();
                let count = ready.len() as u64;
                (count > 0).then(|| ready.swap_remove(self.random.below(count) as usize))
            };
            match chosen {
                Some(number) => self.poll(number),
                None if !self.engine.advance() => return Ended::Stuck,
                None => {}
            }
            if until_time_passes == 0 {
                self.engine.advance();
                until_time_passes = self.random.below(8);
            } else {
                until_time_passes -= 1;
            }
        }
        if done() { Ended::Done } else { Ended::Steps }
    }

    fn poll(&mut self, number: usize) {
        let Some((task, waker)) = &mut self.tasks[number] else { return };
        let waker = waker.clone();
        if let Poll::Ready(()) = task.as_mut().poll(&mut Context::from_waker(&waker)) {
            self.tasks[number] = None;
        }
    }
}
