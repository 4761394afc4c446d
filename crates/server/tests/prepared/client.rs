//! A client that speaks the extended protocol by hand: it reads portals row by row, and several of them by turns.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What takes longer hangs.
const HANGS: Duration = Duration::from_secs(120);
/// Before a cancel request, and how many there are at most.
const PAUSE: Duration = Duration::from_millis(50);
const REQUESTS: usize = 2000;

/// What an execution gave: its rows, columns between bars, and whether there may be more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    pub rows: Vec<String>,
    pub suspended: bool,
}

/// SQLSTATE and text of an error.
pub type Outcome = Result<Rows, String>;

pub struct Client {
    stream: BufReader<TcpStream>,
    /// Messages that are not sent yet.
    outgoing: Vec<u8>,
    pid: i32,
    secret: i32,
}

fn socket(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(HANGS)).unwrap();
    stream
}

fn int(bytes: &[u8]) -> i32 {
    i32::from_be_bytes(bytes[..4].try_into().unwrap())
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as i32 + 4).to_be_bytes();
    [&[kind][..], &length[..], body].concat()
}

impl Client {
    pub fn connect(port: u16) -> Client {
        let mut client = Client { stream: BufReader::new(socket(port)), outgoing: Vec::new(), pid: 0, secret: 0 };
        let words = [&196_608i32.to_be_bytes()[..], b"user\0postgres\0database\0postgres\0\0"].concat();
        client.outgoing.extend((words.len() as i32 + 4).to_be_bytes());
        client.outgoing.extend(words);
        client.flush();
        client.answers().unwrap();
        client
    }

    fn send(&mut self, kind: u8, body: &[u8]) {
        self.outgoing.extend(message(kind, body));
    }

    fn flush(&mut self) {
        let sent = std::mem::take(&mut self.outgoing);
        self.stream.get_mut().write_all(&sent).unwrap();
    }

    pub fn send_parse(&mut self, name: &str, sql: &str) {
        self.send(b'P', format!("{name}\0{sql}\0\0\0").as_bytes());
    }

    /// Parameters and results are text.
    pub fn send_bind(&mut self, portal: &str, statement: &str, parameters: &[&str]) {
        let mut body = format!("{portal}\0{statement}\0\0\0").into_bytes();
        body.extend((parameters.len() as i16).to_be_bytes());
        for text in parameters {
            body.extend((text.len() as i32).to_be_bytes());
            body.extend(text.as_bytes());
        }
        body.extend([0, 0]);
        self.send(b'B', &body);
    }

    /// No more than so many rows; 0 means all.
    pub fn send_execute(&mut self, portal: &str, most: i32) {
        let body = [portal.as_bytes(), &[0][..], &most.to_be_bytes()[..]].concat();
        self.send(b'E', &body);
    }

    /// Sends all, and Sync; gives what all executions together gave, or the first error.
    pub fn sync(&mut self) -> Outcome {
        self.send(b'S', b"");
        self.flush();
        self.answers()
    }

    /// Statements of the simple protocol.
    pub fn query(&mut self, sql: &str) -> Outcome {
        self.send(b'Q', format!("{sql}\0").as_bytes());
        self.flush();
        self.answers()
    }

    /// The rows of statements that have to succeed.
    pub fn rows(&mut self, sql: &str) -> Vec<String> {
        self.query(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).rows
    }

    pub fn prepare(&mut self, name: &str, sql: &str) {
        self.send_parse(name, sql);
        self.sync().unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    pub fn bind(&mut self, portal: &str, statement: &str, parameters: &[&str]) -> Outcome {
        self.send_bind(portal, statement, parameters);
        self.sync()
    }

    pub fn fetch(&mut self, portal: &str, most: i32) -> Outcome {
        self.send_execute(portal, most);
        self.sync()
    }

    /// An execution from its beginning to its end.
    pub fn run(&mut self, statement: &str, parameters: &[&str]) -> Outcome {
        self.send_bind("", statement, parameters);
        self.send_execute("", 0);
        self.sync()
    }

    pub fn close(&mut self, portal: &str) {
        self.send(b'C', format!("P{portal}\0").as_bytes());
        self.sync().unwrap();
    }

    pub fn close_statement(&mut self, name: &str) {
        self.send(b'C', format!("S{name}\0").as_bytes());
        self.sync().unwrap();
    }

    /// Asks for the end of what has been sent again and again: it may begin late.
    pub fn cancelled(&mut self) -> Outcome {
        self.send(b'S', b"");
        self.flush();
        let port = self.stream.get_ref().peer_addr().unwrap().port();
        let request = [16, 80_877_102, self.pid, self.secret].map(i32::to_be_bytes).concat();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..REQUESTS {
                    std::thread::sleep(PAUSE);
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    let mut stream = socket(port);
                    stream.write_all(&request).unwrap();
                    // It is closed when it has been heard.
                    let _ = stream.read(&mut [0]);
                }
            });
            let outcome = self.answers();
            ended.store(true, Ordering::Relaxed);
            outcome
        })
    }

    /// Reads until the server is ready for more.
    fn answers(&mut self) -> Outcome {
        let (mut found, mut failed) = (Rows::default(), None);
        loop {
            let mut head = [0; 5];
            self.stream.read_exact(&mut head).expect("an answer");
            let mut body = vec![0; int(&head[1..]) as usize - 4];
            self.stream.read_exact(&mut body).expect("an answer");
            match head[0] {
                b'D' => found.rows.push(row(&body)),
                b's' => found.suspended = true,
                b'E' => failed = failed.or_else(|| Some(error(&body))),
                b'K' => (self.pid, self.secret) = (int(&body), int(&body[4..])),
                b'Z' => return failed.map_or(Ok(found), Err),
                _ => {}
            }
        }
    }
}

fn row(body: &[u8]) -> String {
    let (mut columns, mut rest) = (Vec::new(), &body[2..]);
    while !rest.is_empty() {
        let length = int(rest);
        rest = &rest[4..];
        let Ok(length) = usize::try_from(length) else {
            columns.push("NULL".to_string());
            continue;
        };
        columns.push(String::from_utf8(rest[..length].to_vec()).unwrap());
        rest = &rest[length..];
    }
    columns.join("|")
}

fn error(body: &[u8]) -> String {
    let fields: Vec<String> =
        body.split(|b| *b == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    let field = |kind: char| fields.iter().find_map(|field| field.strip_prefix(kind)).unwrap_or_default();
    format!("{} {}", field('C'), field('M'))
}
