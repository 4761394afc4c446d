//! What a statement answers. The rows of COPY on their way from a client and to one are the commands' ([`CopyIn`], [`CopyOut`]).

use std::future::Ready;

use engine::Result;
use futures::future::{BoxFuture, Either};

use crate::portal::Portal;
use crate::session::Session;

/// What a statement answers.
pub enum Reply {
    Done {
        tag: String,
    },
    Rows(Box<Portal>),
    /// The client sends rows: COPY FROM STDIN.
    CopyIn(Box<dyn CopyIn>),
    /// The client gets rows as data of COPY TO STDOUT.
    CopyOut(Box<dyn CopyOut>),
}

pub fn done(tag: &str) -> Reply {
    Reply::Done { tag: tag.to_string() }
}

/// Without a box where nothing is waited for.
pub type Fed<'a> = Either<Ready<Result<()>>, BoxFuture<'a, Result<()>>>;

/// Rows on their way from a client: COPY FROM STDIN.
pub trait CopyIn: Send {
    /// Which line is waited for.
    fn place(&self) -> String;

    /// Columns that the client is told of.
    fn width(&self) -> usize;

    fn is_binary(&self) -> bool;

    /// Takes the next bytes of the data, as the client sends them.
    fn feed<'a>(&'a mut self, session: &'a mut Session, data: &'a [u8]) -> Fed<'a>;

    /// Are there rows that wait for others to be inserted with?
    fn has_waiting(&self) -> bool;

    /// Inserts those: what is wrong with them is told before the client goes on.
    fn insert_waiting<'a>(&'a mut self, session: &'a mut Session) -> BoxFuture<'a, Result<()>>;

    /// The data is complete; gives what the client is told.
    fn finish<'a>(self: Box<Self>, session: &'a mut Session) -> BoxFuture<'a, Result<String>>
    where
        Self: 'a;
}

/// Rows on their way to a client: COPY TO STDOUT.
pub trait CopyOut: Send {
    /// Columns that the client is told of.
    fn width(&self) -> usize;

    fn is_binary(&self) -> bool;

    /// The next pieces of the data, in the encoding that it is wanted in; `None` at the end.
    fn next<'a>(&'a mut self, session: &'a mut Session) -> BoxFuture<'a, Result<Option<CopyChunk>>>;

    /// What the client is told at the end.
    fn tag(&self) -> String;
}

/// Pieces of the data, each to be sent as a message of its own.
#[derive(Default)]
pub struct CopyChunk {
    /// One behind the other.
    pub bytes: Vec<u8>,
    /// Where each ends.
    pub ends: Vec<usize>,
}
