//! Asks PostgreSQL.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

use super::mutate::{Random, mutated, seeds};
use super::{Answer, Error};

/// How many mutated texts are kept, and how long they may be.
const SAMPLE: usize = 2_500;
const LONGEST: usize = 300;

pub fn record(address: &str, path: &str) {
    let mut client = Client::connect(address);
    let seeds = seeds();
    // The regression files' own syntax errors, then mutated texts.
    let mut texts: Vec<String> = seeds.iter().filter(|s| syntax::parse(s).is_err()).cloned().collect();
    let wanted = texts.len() + SAMPLE;
    let mut seed = 0;
    while texts.len() < wanted {
        seed += 1;
        let text = mutated(&seeds, &mut Random::new(seed));
        if text.len() <= LONGEST && !text.contains('\0') {
            texts.push(text);
        }
    }
    texts.retain(|t| !ends_transaction(t));
    let mut lines = String::new();
    for text in texts {
        let error = client.parse(&text);
        lines += &(serde_json::to_string(&Answer { text, error }).unwrap() + "\n");
    }
    std::fs::write(path, zstd::encode_all(lines.as_bytes(), 19).unwrap()).unwrap();
}

/// Would PostgreSQL do what it says, even in a failed transaction?
fn ends_transaction(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["commit", "rollback", "abort", "end"].iter().any(|w| text.contains(w))
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: &str) -> Client {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut body = 196_608u32.to_be_bytes().to_vec();
        body.extend_from_slice(b"user\0postgres\0database\0postgres\0\0");
        stream.write_all(&(body.len() as u32 + 4).to_be_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        let mut client = Client(BufReader::new(stream));
        client.answer();
        client
    }

    /// The error of a text that is parsed and no more.
    fn parse(&mut self, text: &str) -> Option<Error> {
        self.query("begin");
        self.query("select 1/0");
        let (error, block) = self.query(text);
        assert_eq!(block, b'E', "{text}");
        self.query("rollback");
        error.filter(|e| e.sqlstate != "25P02")
    }

    fn query(&mut self, text: &str) -> (Option<Error>, u8) {
        let mut message = vec![b'Q'];
        message.extend_from_slice(&(text.len() as u32 + 5).to_be_bytes());
        message.extend_from_slice(text.as_bytes());
        message.push(0);
        self.0.get_mut().write_all(&message).unwrap();
        self.answer()
    }

    /// The first error until the server is ready, and in what block it then is.
    fn answer(&mut self) -> (Option<Error>, u8) {
        let mut error = None;
        loop {
            let mut head = [0; 5];
            self.0.read_exact(&mut head).unwrap();
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
            let mut body = vec![0; length as usize - 4];
            self.0.read_exact(&mut body).unwrap();
            match head[0] {
                b'E' => error = error.or_else(|| Some(fields(&body))),
                b'Z' => return (error, body[0]),
                _ => {}
            }
        }
    }
}

fn fields(body: &[u8]) -> Error {
    let mut error = Error::default();
    for field in body.split(|b| *b == 0).filter(|f| !f.is_empty()) {
        let value = String::from_utf8(field[1..].to_vec()).unwrap();
        match field[0] {
            b'C' => error.sqlstate = value,
            b'M' => error.message = value,
            b'P' => error.position = value.parse().ok(),
            b'D' => error.detail = Some(value),
            b'H' => error.hint = Some(value),
            _ => {}
        }
    }
    error
}
