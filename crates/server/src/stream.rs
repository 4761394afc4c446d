//! A client's byte stream: TCP, a Unix-domain socket, or TLS over TCP.

use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BytesMut;
use config::Settings;
use nix::sys::socket::{MsgFlags, recv};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// How often a client that has closed its side, but may still listen, is looked at for having left.
const LOOK: Duration = Duration::from_millis(500);

pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<Encrypted>),
}

/// A stream in TLS, of which what was sent cannot be seen but by reading it.
pub struct Encrypted {
    stream: TlsStream<TcpStream>,
    /// What was read to be looked at, and is to be read again.
    ahead: BytesMut,
}

impl Stream {
    pub fn encrypted(stream: TlsStream<TcpStream>) -> Stream {
        Stream::Tls(Box::new(Encrypted { stream, ahead: BytesMut::new() }))
    }

    /// The system looks whether a silent client's machine is still there, and ends the connection if not (`settings` say
    /// how often; 0 is the system's own measure).
    pub fn keep_alive(&self, settings: &Settings) -> io::Result<()> {
        let stream = match self {
            Stream::Tcp(stream) => stream,
            Stream::Tls(tls) => tls.stream.get_ref().0,
            Stream::Unix(_) => return Ok(()),
        };
        let given = |name: &str| u64::try_from(settings.integer(name)).ok().filter(|value| *value > 0);
        let mut probes = TcpKeepalive::new();
        if let Some(seconds) = given("tcp_keepalives_idle") {
            probes = probes.with_time(Duration::from_secs(seconds));
        }
        if let Some(seconds) = given("tcp_keepalives_interval") {
            probes = probes.with_interval(Duration::from_secs(seconds));
        }
        if let Some(count) = given("tcp_keepalives_count") {
            probes = probes.with_retries(count as u32);
        }
        let socket = SockRef::from(stream);
        socket.set_tcp_keepalive(&probes)?;
        socket.set_tcp_user_timeout(given("tcp_user_timeout").map(Duration::from_millis))
    }

    /// Registers the stream with the event loop that this is called in, in place of the one that it had.
    pub fn register(&mut self) -> io::Result<()> {
        let again =
            |stream: &TcpStream| TcpStream::from_std(std::net::TcpStream::from(stream.as_fd().try_clone_to_owned()?));
        match self {
            Stream::Tcp(stream) => *stream = again(stream)?,
            Stream::Tls(tls) => {
                let stream = tls.stream.get_mut().0;
                *stream = again(stream)?;
            }
            Stream::Unix(stream) => {
                let own = stream.as_fd().try_clone_to_owned()?;
                *stream = UnixStream::from_std(std::os::unix::net::UnixStream::from(own))?;
            }
        }
        Ok(())
    }

    /// The processor on which a client on this machine has sent what came last. Of a Unix-domain socket it is unknown.
    pub fn processor_of_client(&self) -> Option<usize> {
        let stream = match self {
            Stream::Tcp(stream) => stream,
            Stream::Tls(tls) => tls.stream.get_ref().0,
            Stream::Unix(_) => return None,
        };
        let is_local = stream.peer_addr().ok()?.ip() == stream.local_addr().ok()?.ip();
        if is_local { SockRef::from(stream).cpu_affinity().ok() } else { None }
    }

    /// Resolves when the client has closed its side. What it sent before that may not have been read.
    pub async fn ended(&self) {
        // Nothing but the end is waited for: what is urgent is not asked for where the socket is registered, and that more bytes
        // are there says nothing.
        while self.ready(Interest::PRIORITY).await.is_ok_and(|ready| !ready.is_read_closed()) {}
    }

    /// Resolves when a client that has closed its side does not listen either: it has reset the connection, its machine does not
    /// answer, or its end of a socket of this machine is closed.
    pub async fn gone(&self) {
        // What is there already is told at once.
        while self.ready(Interest::READABLE | Interest::WRITABLE).await.is_ok_and(|ready| !ready.is_write_closed()) {
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        match self {
            Stream::Tcp(stream) => stream.ready(interest).await,
            Stream::Unix(stream) => stream.ready(interest).await,
            Stream::Tls(tls) => tls.stream.get_ref().0.ready(interest).await,
        }
    }

    /// The first bytes, at most `most`, that have come and were not read. They are still to be read.
    pub async fn peek(&mut self, most: usize) -> Vec<u8> {
        match self {
            Stream::Tcp(stream) => peek(stream, most),
            Stream::Unix(stream) => peek(stream, most),
            Stream::Tls(tls) => poll_fn(|cx| Poll::Ready(tls.peek(cx, most))).await,
        }
    }
}

fn peek(socket: &impl AsFd, most: usize) -> Vec<u8> {
    let mut bytes = vec![0; most];
    let flags = MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT;
    let count = recv(socket.as_fd().as_raw_fd(), &mut bytes, flags).unwrap_or(0);
    bytes.truncate(count);
    bytes
}

impl Encrypted {
    /// Reads ahead as far as `most` bytes go and something has come.
    fn peek(&mut self, cx: &mut Context<'_>, most: usize) -> Vec<u8> {
        let mut room = vec![0; most];
        while self.ahead.len() < most {
            let mut read = ReadBuf::new(&mut room[self.ahead.len()..]);
            match Pin::new(&mut self.stream).poll_read(cx, &mut read) {
                Poll::Ready(Ok(())) if !read.filled().is_empty() => self.ahead.extend_from_slice(read.filled()),
                // The next read is told of an end or an error.
                _ => break,
            }
        }
        self.ahead[..self.ahead.len().min(most)].to_vec()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let count = buffer.remaining().min(self.ahead.len());
        buffer.put_slice(&self.ahead.split_to(count));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Does the same with whichever stream it is.
macro_rules! each {
    ($self:ident, $stream:ident => $what:expr) => {
        match $self.get_mut() {
            Stream::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $what
            }
            Stream::Unix(stream) => {
                let $stream = Pin::new(stream);
                $what
            }
            Stream::Tls(stream) => {
                let $stream = Pin::new(stream.as_mut());
                $what
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        each!(self, stream => stream.poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => stream.poll_shutdown(cx))
    }
}
