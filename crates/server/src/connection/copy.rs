//! The messages of COPY: what a client sends goes to the session as it is, and what the session gives to the client.

use std::pin::pin;
use std::time::Duration;

use ::error::sqlstate;
use bytes::Bytes;
use engine::EngineError;
use futures::{FutureExt, SinkExt, StreamExt};
use pgwire::messages::PgWireBackendMessage as Message;
use pgwire::messages::copy::{CopyData, CopyDone, CopyInResponse, CopyOutResponse};
use session::{CopyIn, CopyOut};

use super::{Connection, End, Step};
use crate::codec::Broken;
use crate::frontend;

/// Messages of COPY FROM that are taken one after the other without a look at cancellations and timeouts.
const UNWATCHED: u64 = 256;

/// After so long a silence the rows that wait for others are inserted without them.
const PAUSE: Duration = Duration::from_millis(10);

/// A statement's tag, or why it failed.
type Outcome = Result<Option<String>, EngineError>;

impl Connection<'_> {
    /// Takes the rows of COPY FROM STDIN.
    pub(super) async fn copy_in(&mut self, mut copy: Box<dyn CopyIn>) -> Step<Outcome> {
        let (columns, code) = (copy.width(), i16::from(copy.is_binary()));
        let response = CopyInResponse::new(code as i8, columns as i16, vec![code; columns]);
        self.wire.send(Message::CopyInResponse(response)).await?;
        let mut taken = 0u64;
        loop {
            taken += 1;
            // Rows come one a message: what has arrived is taken without asking what else might have happened.
            let arrived = if taken.is_multiple_of(UNWATCHED) { None } else { self.wire.next().now_or_never() };
            let message = match arrived {
                Some(message) => message.ok_or(End::Closed)?,
                None => {
                    tokio::select! {
                        biased;
                        interruption = self.interrupts.interrupted(None) => return interruption.map(Err),
                        message = self.wire.next() => message.ok_or(End::Closed)?,
                        () = tokio::time::sleep(PAUSE), if copy.has_waiting() => {
                            let insert = copy.insert_waiting(&mut self.session);
                            if let Err(error) = self.interrupts.watch(self.wire, insert).await? {
                                return Ok(Err(error));
                            }
                            continue;
                        }
                    }
                }
            };
            let message = match message {
                Err(Broken::Kind(kind)) => return self.unexpected_in_copy(kind, copy.place()).await,
                message => message?,
            };
            match message.kind {
                b'd' if message.dropped > 0 => return Ok(Err(frontend::out_of_memory(message.dropped))),
                b'd' => {
                    // What the client sends on after an error is dropped where messages are read.
                    let feed = pin!(copy.feed(&mut self.session, &message.body));
                    if let Err(error) = self.interrupts.watch(self.wire, feed).await? {
                        return Ok(Err(error));
                    }
                }
                b'c' => {
                    let finish = copy.finish(&mut self.session);
                    let finished = self.interrupts.watch(self.wire, finish).await?;
                    self.send_notices().await?;
                    return Ok(finished.map(Some));
                }
                b'f' => {
                    let reason = frontend::copy_fail(&message.body, self.wire.codec().encoding);
                    return Ok(Err(reason.map_or_else(
                        |error| error,
                        |reason| {
                            let message = format!("COPY from stdin failed: {reason}");
                            EngineError::new(sqlstate::QUERY_CANCELED, message).context(copy.place())
                        },
                    )));
                }
                b'H' | b'S' => {}
                kind => return self.unexpected_in_copy(kind, copy.place()).await,
            }
        }
    }

    /// A message that is none of COPY's: it is unknown where the next one begins that is.
    async fn unexpected_in_copy<T>(&mut self, kind: u8, place: String) -> Step<T> {
        let error = EngineError::new(
            sqlstate::PROTOCOL_VIOLATION,
            format!("unexpected message type 0x{kind:02X} during COPY from stdin"),
        );
        let error = error.context(place);
        self.fail(&error).await?;
        let text = "terminating connection because protocol synchronization was lost";
        Err(End::Fatal(EngineError::new(sqlstate::PROTOCOL_VIOLATION, text)))
    }

    /// Sends the rows of COPY TO STDOUT.
    pub(super) async fn copy_out(&mut self, mut copy: Box<dyn CopyOut>) -> Step<Outcome> {
        let (columns, code) = (copy.width(), i16::from(copy.is_binary()));
        let response = CopyOutResponse::new(code as i8, columns as i16, vec![code; columns]);
        self.wire.feed(Message::CopyOutResponse(response)).await?;
        loop {
            let next = self.interrupts.watch(self.wire, pin!(copy.next(&mut self.session))).await?;
            let chunk = match next {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => return Ok(Err(error)),
            };
            if let Err(error) = self.flush_before_reply().await? {
                return Ok(Err(error));
            }
            let mut bytes = Bytes::from(chunk.bytes);
            let mut start = 0;
            for end in chunk.ends {
                let piece = bytes.split_to(end - start);
                start = end;
                if let Err(error) = self.feed(Message::CopyData(CopyData::new(piece))).await? {
                    return Ok(Err(error));
                }
            }
        }
        self.wire.feed(Message::CopyDone(CopyDone::new())).await?;
        Ok(Ok(Some(copy.tag())))
    }
}
