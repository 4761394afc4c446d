//! A client of the simple query protocol. Drivers hide what is compared here: types' OIDs, command tags, COPY in the midst of
//! a query, and several results of one message.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What one statement answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Names and types' OIDs of the result's columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<(String, u32)>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Vec<Option<String>>>,
    /// The command tag; empty after an error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
    /// SQLSTATE and message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<(String, String)>,
    /// What COPY TO STDOUT sent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub copied: String,
}

/// Why a session cannot go on.
#[derive(Debug)]
pub enum Broken {
    /// No answer within the limit.
    Hang,
    Lost(String),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Broken::Hang,
            _ => Broken::Lost(error.to_string()),
        }
    }
}

pub struct Client {
    stream: BufReader<TcpStream>,
    /// Does a backslash escape in `'…'`?
    pub escapes: bool,
    /// Process and key, for cancelling.
    key: [u8; 8],
    address: String,
    limit: Duration,
    /// `I`, `T` or `E`, as the server said last.
    pub block: u8,
}

/// Where to connect; `options` are start-up parameters.
#[derive(Clone)]
pub struct Target {
    pub address: String,
    pub user: String,
    pub database: String,
    pub options: Vec<(&'static str, &'static str)>,
    /// For each message of ours, until its answer is whole.
    pub limit: Duration,
}

impl Client {
    pub fn connect(target: &Target) -> Result<Client, Broken> {
        let stream = TcpStream::connect(&target.address)?;
        stream.set_read_timeout(Some(target.limit))?;
        stream.set_nodelay(true)?;
        let mut body = 196_608u32.to_be_bytes().to_vec();
        let own = [("user", target.user.as_str()), ("database", target.database.as_str())];
        for (name, value) in own.iter().chain(&target.options) {
            body.extend_from_slice(format!("{name}\0{value}\0").as_bytes());
        }
        body.push(0);
        let mut client = Client {
            stream: BufReader::new(stream),
            escapes: false,
            key: [0; 8],
            address: target.address.clone(),
            limit: target.limit,
            block: b'I',
        };
        client.write(None, &body)?;
        let mut answer = Answer::default();
        loop {
            let (kind, body) = client.read()?;
            match kind {
                b'R' if body[..4] != [0; 4] => return Err(Broken::Lost("the server wants authentication".into())),
                b'K' => client.key.copy_from_slice(&body[..8]),
                b'Z' => return Ok(client),
                b'E' => return Err(Broken::Lost(format!("{:?}", error(&body)))),
                _ => client.take(kind, &body, &mut answer),
            }
        }
    }

    fn write(&mut self, kind: Option<u8>, body: &[u8]) -> io::Result<()> {
        let mut message: Vec<u8> = kind.into_iter().collect();
        message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        message.extend_from_slice(body);
        self.stream.get_mut().write_all(&message)
    }

    fn read(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]).saturating_sub(4);
        let mut body = vec![0; length as usize];
        self.stream.read_exact(&mut body)?;
        Ok((head[0], body))
    }

    /// Runs a statement, or several; `data` gives what COPY FROM STDIN asks for, `None` refuses it.
    pub fn query(&mut self, sql: &str, data: &mut dyn FnMut() -> Option<String>) -> Result<Vec<Answer>, Broken> {
        let mut body = sql.as_bytes().to_vec();
        body.push(0);
        self.write(Some(b'Q'), &body)?;
        let deadline = Instant::now() + self.limit;
        let (mut answers, mut answer) = (Vec::new(), Answer::default());
        loop {
            if Instant::now() > deadline {
                return Err(Broken::Hang);
            }
            let (kind, body) = self.read()?;
            match kind {
                b'G' => match data() {
                    Some(data) => {
                        self.write(Some(b'd'), data.as_bytes())?;
                        self.write(Some(b'c'), &[])?;
                    }
                    None => self.write(Some(b'f'), b"no data\0")?,
                },
                b'C' | b'I' | b'E' => {
                    self.take(kind, &body, &mut answer);
                    answers.push(std::mem::take(&mut answer));
                }
                b'Z' => {
                    self.block = body[0];
                    return Ok(answers);
                }
                _ => self.take(kind, &body, &mut answer),
            }
        }
    }

    fn take(&mut self, kind: u8, body: &[u8], answer: &mut Answer) {
        match kind {
            b'T' => answer.columns = Some(columns(body)),
            b'D' => answer.rows.push(row(body)),
            b'd' => answer.copied.push_str(&String::from_utf8_lossy(body)),
            b'C' => answer.tag = text(body),
            b'E' => answer.error = Some(error(body)),
            b'S' if body.starts_with(b"standard_conforming_strings\0") => self.escapes = body.ends_with(b"off\0"),
            _ => {}
        }
    }

    /// Asks the server to cancel what this session runs, and leaves.
    pub fn cancel(self) {
        if let Ok(mut stream) = TcpStream::connect(&self.address) {
            let mut message = vec![0, 0, 0, 16, 4, 210, 22, 46];
            message.extend_from_slice(&self.key);
            let _ = stream.write_all(&message);
        }
    }
}

/// Up to the first NUL.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|b| *b == 0).next().unwrap_or_default()).into_owned()
}

fn columns(mut body: &[u8]) -> Vec<(String, u32)> {
    let mut columns = Vec::new();
    body = &body[2..];
    while !body.is_empty() {
        let name = text(body);
        let length = body.iter().position(|b| *b == 0).unwrap_or(0) + 1;
        let rest = &body[length..];
        columns.push((name, u32::from_be_bytes([rest[6], rest[7], rest[8], rest[9]])));
        body = &rest[18..];
    }
    columns
}

fn row(mut body: &[u8]) -> Vec<Option<String>> {
    let mut values = Vec::new();
    body = &body[2..];
    while !body.is_empty() {
        let length = i32::from_be_bytes([body[0], body[1], body[2], body[3]]);
        body = &body[4..];
        values.push((length >= 0).then(|| {
            let (value, rest) = body.split_at(length as usize);
            body = rest;
            String::from_utf8_lossy(value).into_owned()
        }));
    }
    values
}

/// SQLSTATE and message of an ErrorResponse.
fn error(body: &[u8]) -> (String, String) {
    let field = |kind: u8| {
        let found = body.split(|b| *b == 0).find(|f| f.first() == Some(&kind));
        found.map_or_else(String::new, |f| String::from_utf8_lossy(&f[1..]).into_owned())
    };
    (field(b'C'), field(b'M'))
}
