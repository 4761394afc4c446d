//! Conversations byte by byte: what the server answers to messages, well formed or not, compared with what PostgreSQL 18
//! answered to the same bytes.
//!
//! A script (`wire/*.wire`) has conversations, each with a title (`# …`), perhaps a line of start-up parameters
//! (`startup name=value …`), and a message a line: its kind and what is in it. `"text"` is a string with its NUL, `h:N`
//! and `i:N` are integers of two and four bytes, `l:hex` is a value with its length, `b:hex` are bytes, `length:N` is sent
//! instead of the true length. A line `hello …` has what is sent instead of the startup packet, in the same way. What stands
//! behind a line `until K` is sent when a message of the kind `K` has come.
//! `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` talks to that server instead, and
//! rewrites the expected answers (`.out`). `wire/wrong.txt` has the titles of those that differ; the list may only get
//! shorter.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use testkit::Server;

struct Target {
    address: String,
    user: String,
    database: String,
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// A string of a script: `\xff` is a byte, `\"` a quote.
fn unescape(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        match &rest[at + 1..at + 2] {
            "x" => {
                out.extend(hex(&rest[at + 2..at + 4]));
                rest = &rest[at + 4..];
            }
            "n" => {
                out.push(b'\n');
                rest = &rest[at + 2..];
            }
            other => {
                out.extend_from_slice(other.as_bytes());
                rest = &rest[at + 2..];
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// The bytes of a line's message.
fn message(line: &str) -> Vec<u8> {
    let (kind, mut rest) = (line.as_bytes()[0], line[1..].trim_start());
    let (mut body, mut length) = (Vec::new(), None);
    while !rest.is_empty() {
        if let Some(text) = rest.strip_prefix('"') {
            let end = (0..text.len()).find(|&i| text.as_bytes()[i] == b'"' && !text[..i].ends_with('\\')).unwrap();
            body.extend(unescape(&text[..end]));
            body.push(0);
            rest = text[end + 1..].trim_start();
            continue;
        }
        let (token, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start();
        let (what, value) = token.split_once(':').unwrap();
        match what {
            "h" => body.extend(value.parse::<i32>().map(|n| (n as u16).to_be_bytes()).unwrap()),
            "i" => body.extend(value.parse::<i64>().map(|n| (n as u32).to_be_bytes()).unwrap()),
            "l" => {
                body.extend((value.len() as u32 / 2).to_be_bytes());
                body.extend(hex(value));
            }
            "b" => body.extend(hex(value)),
            "length" => length = Some(value.parse::<i64>().unwrap() as u32),
            other => panic!("{other} in {line}"),
        }
    }
    let mut out = vec![kind];
    out.extend(length.unwrap_or(body.len() as u32 + 4).to_be_bytes());
    out.extend(body);
    out
}

fn start(target: &Target, parameters: &str) -> Vec<u8> {
    let mut body = 196_608u32.to_be_bytes().to_vec();
    let given = parameters.split_whitespace().filter_map(|pair| pair.split_once('='));
    for (name, value) in [("user", &*target.user), ("database", &*target.database)].into_iter().chain(given) {
        body.extend(unescape(name));
        body.push(0);
        body.extend(unescape(value));
        body.push(0);
    }
    body.push(0);
    let mut out = (body.len() as u32 + 4).to_be_bytes().to_vec();
    out.extend(body);
    out
}

/// Bytes to look at: as text where they are.
fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => format!("{text:?}"),
        _ => bytes.iter().fold("x".to_string(), |text, byte| format!("{text}{byte:02x}")),
    }
}

struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn int2(&mut self) -> i16 {
        i16::from_be_bytes(self.take(2).try_into().unwrap())
    }

    fn int4(&mut self) -> i32 {
        i32::from_be_bytes(self.take(4).try_into().unwrap())
    }

    fn text(&mut self) -> String {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap();
        let text = shown(self.take(end));
        self.take(1);
        text
    }
}

/// A line for an answer. What differs by its nature is left out: line numbers in the server's source, columns' origins.
fn show(kind: u8, body: &[u8]) -> String {
    let mut body = Body(body);
    let mut out = String::from(char::from(kind));
    match kind {
        b'T' => {
            for _ in 0..body.int2() {
                let name = body.text();
                body.take(6);
                let (oid, len, typmod, format) = (body.int4(), body.int2(), body.int4(), body.int2());
                write!(out, " {name}:{oid}:{len}:{typmod}:{format}").unwrap();
            }
        }
        b'D' => {
            for _ in 0..body.int2() {
                match body.int4() {
                    -1 => out.push_str(" NULL"),
                    length => write!(out, " {}", shown(body.take(length as usize))).unwrap(),
                }
            }
        }
        b't' => (0..body.int2()).for_each(|_| write!(out, " {}", body.int4()).unwrap()),
        b'E' | b'N' => {
            while body.0[0] != 0 {
                let field = body.take(1)[0];
                let text = body.text();
                if b"SCMDW".contains(&field) {
                    write!(out, " {}={text}", char::from(field)).unwrap();
                }
            }
        }
        b'S' => write!(out, " {}={}", body.text(), body.text()).unwrap(),
        b'C' => write!(out, " {}", body.text()).unwrap(),
        _ if !body.0.is_empty() => write!(out, " {}", shown(body.0)).unwrap(),
        _ => {}
    }
    out
}

/// What is sent together, and the kind of the message that is waited for before.
struct Part {
    after: u8,
    messages: Vec<u8>,
}

/// Sends a conversation, and goodbye; gives the answers up to the connection's end.
fn converse(target: &Target, hello: &[u8], parts: Vec<Part>) -> String {
    let mut socket = TcpStream::connect(&target.address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.write_all(hello).unwrap();
    let mut sent = false;
    let mut parts = parts.into_iter().peekable();
    let mut out = String::new();
    loop {
        let mut head = [0; 5];
        // A connection that is closed while bytes are on the way is reset.
        if socket.read_exact(&mut head).is_err() {
            out.push_str("end\n");
            return out;
        }
        let mut body = vec![0; u32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
        socket.read_exact(&mut body).unwrap();
        // What every session is greeted with.
        if sent || matches!(head[0], b'E' | b'N' | b'v') {
            out.push_str(&show(head[0], &body));
            out.push('\n');
        }
        if let Some(part) = parts.next_if(|part| part.after == head[0]) {
            sent = true;
            socket.write_all(&part.messages).unwrap();
            if parts.peek().is_none() {
                let _ = socket.write_all(b"X\0\0\0\x04");
            }
        }
    }
}

fn run(target: &Target, script: &str) -> String {
    let mut out = String::new();
    for conversation in script.split("\n# ").map(|text| text.trim_start_matches("# ")) {
        let (title, lines) = conversation.split_once('\n').unwrap_or((conversation, ""));
        let (mut hello, mut parts) = (start(target, ""), vec![Part { after: b'Z', messages: Vec::new() }]);
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(given) = line.strip_prefix("startup ") {
                hello = start(target, given);
            } else if let Some(given) = line.strip_prefix("hello ") {
                // It has no kind and no length but those that it has by itself.
                hello = message(&format!("h {given}")).split_off(5);
            } else if let Some(kind) = line.strip_prefix("until ") {
                parts.push(Part { after: kind.as_bytes()[0], messages: Vec::new() });
            } else {
                parts.last_mut().unwrap().messages.extend(message(line));
            }
        }
        write!(out, "# {title}\n{}", converse(target, &hello, parts)).unwrap();
    }
    out
}

fn record_from() -> Option<Target> {
    let from = std::env::var("INFLIGHT_RECORD_FROM").ok()?;
    let value = |name: &str| {
        let found = from.split_whitespace().find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("INFLIGHT_RECORD_FROM has no {name}")).to_string()
    };
    let address = format!("{}:{}", value("host"), value("port"));
    Some(Target { address, user: value("user"), database: value("dbname") })
}

#[test]
fn messages_are_answered_as_postgresql_does() {
    let record = record_from();
    let server = record.is_none().then(|| Server::start(&[]));
    let own = server.as_ref().map(|server| Target {
        address: format!("127.0.0.1:{}", server.port),
        user: "postgres".into(),
        database: "postgres".into(),
    });
    let target = record.as_ref().or(own.as_ref()).unwrap();
    let mut scripts: Vec<_> = std::fs::read_dir(Path::new("tests/wire")).unwrap().map(|e| e.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|e| e == "wire"));
    scripts.sort();
    assert!(!scripts.is_empty());
    let listed = std::fs::read_to_string("tests/wire/wrong.txt").unwrap();
    let listed: Vec<&str> = listed.lines().filter(|line| !line.is_empty()).collect();
    let (mut wrong, mut known) = (Vec::new(), Vec::new());
    for path in scripts {
        let answers = run(target, &std::fs::read_to_string(&path).unwrap());
        let expected = path.with_extension("out");
        if record.is_some() {
            std::fs::write(&expected, &answers).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(expected).unwrap();
        let parts = |text: &str| text.split("# ").map(str::to_string).collect::<Vec<_>>();
        for (ours, theirs) in parts(&answers).iter().zip(parts(&expected)) {
            let title = ours.lines().next().unwrap_or_default();
            if *ours == theirs {
                continue;
            }
            if let Some(title) = listed.iter().find(|listed| **listed == title) {
                known.push(*title);
            } else {
                wrong.push(format!("{}: ours:\n{ours}theirs:\n{theirs}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "different from PostgreSQL 18:\n{}", wrong.join("\n"));
    let right: Vec<_> = listed.iter().filter(|title| record.is_none() && !known.contains(title)).collect();
    assert!(right.is_empty(), "no longer wrong: {right:?}");
    if let Some(server) = server {
        let log = server.log.lock().unwrap();
        assert!(!log.contains("panicked"), "{log}");
    }
}
