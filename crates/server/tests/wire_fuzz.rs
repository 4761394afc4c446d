//! Malformed messages: conversations that make sense are made from a seed, damaged, and given to the decoder alone and to
//! a server. Nothing may panic, caught or not, and other clients are served meanwhile.
//!
//! It takes a few seconds; `INFLIGHT_FUZZ_SECONDS=1800` makes it long. A failure names its seed: `INFLIGHT_FUZZ_SEED=N`
//! replays that conversation alone.

#[path = "../src/codec.rs"]
#[allow(dead_code)]
mod codec;
#[path = "../src/frontend.rs"]
#[allow(dead_code)]
mod frontend;

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use codec::Codec;
use frontend::Request;
use testkit::Server;
use tokio_util::codec::Decoder;
use types::encoding::{Encoding, UTF8};

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

const TEXTS: &[&str] = &[
    "",
    ";",
    "select 1",
    "select $1",
    "select $1::int + 1",
    "select $1::text, $2::bytea",
    "select generate_series(1, 20)",
    "select * from fuzz where a = $1",
    "insert into fuzz values ($1, $2)",
    "insert into fuzz values (1, 'x'), (2, 'é')",
    "update fuzz set b = $1 where a = $2",
    "copy fuzz from stdin",
    "copy fuzz to stdout",
    "begin",
    "commit",
    "rollback",
    "select 1/0",
    "select",
    "selec 'unterminated",
    "select 1; select 2",
    "prepare p as select $1::int",
    "execute p(1)",
    "deallocate all",
    "set application_name = 'x'",
    "show all",
];
const NAMES: &[&str] = &["", "", "", "s", "p", "other", "\u{e9}"];
const TYPES: &[u32] =
    &[0, 16, 17, 20, 21, 23, 25, 700, 701, 705, 1007, 1009, 1082, 1114, 1184, 1186, 1700, 2950, 99_999];

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

fn put_formats(out: &mut Vec<u8>, random: &mut Random) {
    let count = random.below(4);
    out.extend_from_slice(&(count as u16).to_be_bytes());
    (0..count).for_each(|_| out.extend_from_slice(&(random.below(2) as u16).to_be_bytes()));
}

fn value(random: &mut Random) -> Vec<u8> {
    match random.below(6) {
        0 => b"1".to_vec(),
        1 => b"{1,2,NULL}".to_vec(),
        2 => "text é".as_bytes().to_vec(),
        3 => 5i32.to_be_bytes().to_vec(),
        // An array of integers.
        4 => [1i32, 0, 23, 2, 1, 4, 7, 4, 8].iter().flat_map(|n| n.to_be_bytes()).collect(),
        _ => (0..random.below(24)).map(|_| random.next() as u8).collect(),
    }
}

/// The body of a message that is well formed.
fn body(kind: u8, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    match kind {
        b'Q' => put_text(&mut out, random.pick(TEXTS)),
        b'P' => {
            put_text(&mut out, random.pick(NAMES));
            put_text(&mut out, random.pick(TEXTS));
            let count = random.below(3);
            out.extend_from_slice(&(count as u16).to_be_bytes());
            (0..count).for_each(|_| out.extend_from_slice(&TYPES[random.below(TYPES.len())].to_be_bytes()));
        }
        b'B' => {
            put_text(&mut out, random.pick(NAMES));
            put_text(&mut out, random.pick(NAMES));
            put_formats(&mut out, random);
            let count = random.below(3);
            out.extend_from_slice(&(count as u16).to_be_bytes());
            for _ in 0..count {
                if random.one_in(5) {
                    out.extend_from_slice(&(-1i32).to_be_bytes());
                    continue;
                }
                let value = value(random);
                out.extend_from_slice(&(value.len() as i32).to_be_bytes());
                out.extend_from_slice(&value);
            }
            put_formats(&mut out, random);
        }
        b'D' | b'C' => {
            out.push(b"SP"[random.below(2)]);
            put_text(&mut out, random.pick(NAMES));
        }
        b'E' => {
            put_text(&mut out, random.pick(NAMES));
            out.extend_from_slice(&(random.below(4) as i32 - 1).to_be_bytes());
        }
        b'F' => out.extend_from_slice(&[0; 10]),
        b'd' => out.extend_from_slice(random.pick(&[&b"1\tx\n"[..], b"\\.\n", b"1", b"\n", b"1\t\xff\n"])),
        b'f' => put_text(&mut out, "no"),
        b'p' => put_text(&mut out, "password"),
        _ => {}
    }
    out
}

/// One to ten messages, a few of them damaged. Gives how many there are, too.
fn conversation(random: &mut Random) -> (Vec<u8>, u64) {
    let (mut out, count) = (Vec::new(), 1 + random.below(10));
    for _ in 0..count {
        let kind = b"QQPPBBBDEESSCHFdcfXp"[random.below(20)];
        let mut body = body(kind, random);
        let mut length = body.len() as i32 + 4;
        let mut kind = kind;
        if random.one_in(3) {
            match random.below(7) {
                0 => body.truncate(random.below(body.len() + 1)),
                1 => (0..1 + random.below(4)).for_each(|_| body.push(random.next() as u8)),
                2 | 3 if !body.is_empty() => {
                    for _ in 0..1 + random.below(3) {
                        let at = random.below(body.len());
                        body[at] = random.pick(&[&0u8, &1, &0x7f, &0x80, &0xc3, &0xff]).to_owned();
                    }
                }
                4 if !body.is_empty() => {
                    let at = random.below(body.len());
                    body[at] ^= 1 << random.below(8);
                }
                5 => kind = random.next() as u8,
                _ => {}
            }
            length = body.len() as i32 + 4;
            if random.one_in(8) {
                length = [0, 3, 4, -1, i32::MIN, i32::MAX, length - 1, length + 1, 10_001][random.below(9)];
            }
        }
        out.push(kind);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&body);
    }
    (out, count as u64)
}

/// The decoder alone: it must take, ask for more, or refuse.
fn decode(bytes: &[u8]) {
    let (mut codec, mut bytes) = (Codec::default(), BytesMut::from(bytes));
    while let Ok(Some(packet)) = codec.decode(&mut bytes) {
        for encoding in [&UTF8, Encoding::find("WIN1252").unwrap().unwrap()] {
            let _ = Request::read(&packet, encoding);
            let _ = frontend::copy_fail(&packet.body, encoding);
        }
    }
}

fn start(socket: &mut TcpStream) -> std::io::Result<()> {
    let body = b"user\0postgres\0database\0postgres\0\0";
    socket.write_all(&(body.len() as u32 + 8).to_be_bytes())?;
    socket.write_all(&196_608u32.to_be_bytes())?;
    socket.write_all(body)
}

/// Sends the bytes on a connection of their own, and goodbye, and reads until the server closes it.
fn converse(port: u16, bytes: &[u8]) -> std::io::Result<()> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_read_timeout(Some(Duration::from_millis(50)))?;
    start(&mut socket)?;
    socket.write_all(bytes)?;
    socket.write_all(b"X\0\0\0\x04")?;
    let mut answers = [0; 4096];
    let mut waits = 0;
    loop {
        match socket.read(&mut answers) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            // A damaged length has swallowed the goodbye, and the server waits for more.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                waits += 1;
                assert!(waits < 1200, "the server neither answers nor closes the connection");
                let _ = socket.shutdown(Shutdown::Write);
            }
            Err(error) => return Err(error),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_messages_hurt_nobody() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let seconds = number("INFLIGHT_FUZZ_SECONDS").unwrap_or(4);
    let replayed = number("INFLIGHT_FUZZ_SEED");
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE fuzz(a int, b text)").await.unwrap();
    let (began, mut packets, mut decoded) = (Instant::now(), 0, 0);
    let first = replayed.unwrap_or(1);
    for seed in first.. {
        let mut random = Random(seed);
        let (bytes, count) = conversation(&mut random);
        decode(&bytes);
        decoded += count;
        // The decoder is much faster than a connection.
        if seed % 100 == 0 || replayed.is_some() {
            if let Err(error) = converse(server.port, &bytes) {
                // A client that is sent away while there is more to read.
                let gone = {
                    use ErrorKind::{BrokenPipe, ConnectionReset, NotConnected};
                    matches!(error.kind(), BrokenPipe | ConnectionReset | NotConnected)
                };
                assert!(gone, "seed {seed}: {error}");
            }
            packets += count;
            let one: i32 = client.query_one("SELECT 1", &[]).await.unwrap().get(0);
            assert_eq!(one, 1, "seed {seed}");
            let log = server.log.lock().unwrap();
            assert!(!log.contains("panicked"), "seed {seed}: {log}");
        }
        if replayed.is_some() || began.elapsed() > Duration::from_secs(seconds) {
            break;
        }
    }
    eprintln!("{decoded} packets decoded, {packets} of them sent to a server");
    let log = server.log.lock().unwrap();
    assert!(log.lines().count() < 100 + 20 * (seconds as usize / 60 + 1), "{log}");
}
