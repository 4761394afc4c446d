//! A client's byte stream: TCP, a Unix-domain socket, or TLS over TCP.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use engine::Settings;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// How often a client that has sent its next request ahead is looked at for having left.
const LOOK: Duration = Duration::from_millis(500);

pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// The system looks whether a silent client's machine is still there, and ends the connection if not (`settings` say
    /// how often; 0 is the system's own measure).
    pub fn keep_alive(&self, settings: &Settings) -> io::Result<()> {
        let stream = match self {
            Stream::Tcp(stream) => stream,
            Stream::Tls(stream) => stream.get_ref().0,
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
            Stream::Tls(stream) => {
                let stream = stream.get_mut().0;
                *stream = again(stream)?;
            }
            Stream::Unix(stream) => {
                let own = stream.as_fd().try_clone_to_owned()?;
                *stream = UnixStream::from_std(std::os::unix::net::UnixStream::from(own))?;
            }
        }
        Ok(())
    }

    /// The processor on which a client on this machine has sent what came last. Of a Unix-domain socket nobody knows.
    pub fn processor_of_client(&self) -> Option<usize> {
        let stream = match self {
            Stream::Tcp(stream) => stream,
            Stream::Tls(stream) => stream.get_ref().0,
            Stream::Unix(_) => return None,
        };
        let is_local = stream.peer_addr().ok()?.ip() == stream.local_addr().ok()?.ip();
        if is_local { SockRef::from(stream).cpu_affinity().ok() } else { None }
    }

    /// Resolves when the client has gone: it has closed its side, and everything that it sent has been read.
    pub async fn closed(&self) {
        loop {
            let ready = match self {
                Stream::Tcp(stream) => stream.ready(Interest::READABLE).await,
                Stream::Unix(stream) => stream.ready(Interest::READABLE).await,
                Stream::Tls(stream) => stream.get_ref().0.ready(Interest::READABLE).await,
            };
            match ready {
                Ok(ready) if !ready.is_read_closed() || self.has_bytes() => tokio::time::sleep(LOOK).await,
                _ => return,
            }
        }
    }

    fn has_bytes(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        let peeked = match self {
            Stream::Tcp(stream) => SockRef::from(stream).peek(&mut byte),
            Stream::Unix(stream) => SockRef::from(stream).peek(&mut byte),
            Stream::Tls(stream) => SockRef::from(stream.get_ref().0).peek(&mut byte),
        };
        peeked.is_ok_and(|n| n > 0)
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
