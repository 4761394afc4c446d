//! What is in a client's messages. Counts and lengths are checked where they are read, and errors are worded as
//! PostgreSQL's `pqformat.c` words them. Texts stay where they are in the packet.

use std::borrow::Cow;
use std::ffi::CStr;

use engine::EngineError;
use error::sqlstate;
use types::encoding::Encoding;
use types::text::truncated_name;

use crate::codec::Packet;

type Result<T> = std::result::Result<T, EngineError>;

/// A message of the session.
#[derive(Debug, PartialEq)]
pub enum Request<'a> {
    Query(Cow<'a, str>),
    Parse(Parse<'a>),
    Bind(Bind<'a>),
    Describe(Object<'a>),
    Close(Object<'a>),
    Execute {
        portal: Cow<'a, str>,
        max_rows: i32,
    },
    Flush,
    Sync,
    FunctionCall(FunctionCall<'a>),
    /// What a client still sends of a COPY that failed; it is not read.
    StrayCopy,
    Terminate,
}

#[derive(Debug, PartialEq)]
pub struct Parse<'a> {
    pub name: Cow<'a, str>,
    pub query: Cow<'a, str>,
    pub types: Vec<u32>,
}

#[derive(Debug, PartialEq)]
pub struct Bind<'a> {
    pub portal: Cow<'a, str>,
    pub statement: Cow<'a, str>,
    rest: &'a [u8],
}

/// What is bound to a statement. It is read once the statement is found.
pub struct BoundValues<'a> {
    pub formats: Vec<i16>,
    /// `None`: NULL.
    pub parameters: Vec<Option<&'a [u8]>>,
    pub result_formats: Vec<i16>,
}

/// A call of a function by its number. What it is called with is read once it is known what it wants.
#[derive(Debug, PartialEq)]
pub struct FunctionCall<'a> {
    pub function: u32,
    rest: &'a [u8],
}

/// What a function is called with.
pub struct CallArguments<'a> {
    pub formats: Vec<i16>,
    /// `None`: NULL.
    pub values: Vec<Option<&'a [u8]>>,
    pub result_format: i16,
}

/// What is described or closed.
#[derive(Debug, PartialEq)]
pub enum Object<'a> {
    Statement(Cow<'a, str>),
    Portal(Cow<'a, str>),
}

/// There was no memory for a message of so many bytes.
pub fn out_of_memory(bytes: u32) -> EngineError {
    EngineError::new(sqlstate::OUT_OF_MEMORY, "out of memory").detail(format!("Failed on request of size {bytes}."))
}

/// The kind of a message that belongs to the extended protocol: after an error in one, the others up to the next Sync are
/// left out.
pub fn is_extended(kind: u8) -> bool {
    matches!(kind, b'P' | b'B' | b'D' | b'C' | b'E' | b'H')
}

impl<'a> Request<'a> {
    pub fn read(packet: &'a Packet, encoding: &'static Encoding) -> Result<Request<'a>> {
        let mut body = Reader { rest: &packet.body, encoding };
        let request = match packet.kind {
            // Taken without a look at what is in them.
            b'X' => return Ok(Request::Terminate),
            b'c' | b'd' | b'f' => return Ok(Request::StrayCopy),
            _ if packet.dropped > 0 => return Err(out_of_memory(packet.dropped)),
            b'F' => {
                let function = body.int4()? as u32;
                return Ok(Request::FunctionCall(FunctionCall { function, rest: body.rest }));
            }
            b'Q' => Request::Query(body.text()?),
            b'P' => Request::Parse(Parse::read(&mut body)?),
            b'B' => {
                let (portal, statement) = (body.name()?, body.name()?);
                return Ok(Request::Bind(Bind { portal, statement, rest: body.rest }));
            }
            b'D' => Request::Describe(body.object("DESCRIBE")?),
            b'C' => Request::Close(body.object("CLOSE")?),
            b'E' => Request::Execute { portal: body.name()?, max_rows: body.int4()? },
            b'H' => Request::Flush,
            b'S' => Request::Sync,
            kind => return Err(violation(format!("invalid frontend message type {kind}"))),
        };
        body.end()?;
        Ok(request)
    }
}

/// What a CopyFail says.
pub fn copy_fail<'a>(body: &'a [u8], encoding: &'static Encoding) -> Result<Cow<'a, str>> {
    Reader { rest: body, encoding }.text()
}

impl<'a> Parse<'a> {
    fn read(body: &mut Reader<'a>) -> Result<Parse<'a>> {
        let (name, query) = (body.name()?, body.text()?);
        let count = body.count()?;
        let types = (0..count).map(|_| body.int4().map(|oid| oid as u32)).collect::<Result<_>>()?;
        Ok(Parse { name, query, types })
    }
}

impl<'a> Bind<'a> {
    /// What is bound.
    pub fn values(&self, encoding: &'static Encoding) -> Result<BoundValues<'a>> {
        let mut body = Reader { rest: self.rest, encoding };
        let formats = body.formats()?;
        let count = body.count()?;
        let mut parameters = Vec::new();
        for number in 1..=count {
            let value = body.int4().and_then(|length| match length {
                -1 => Ok(None),
                length => body.bytes(usize::try_from(length).map_err(|_| insufficient())?).map(Some),
            });
            parameters.push(value.map_err(|e| e.context(about_parameter(&self.portal, number)))?);
        }
        let result_formats = body.formats()?;
        body.end()?;
        Ok(BoundValues { formats, parameters, result_formats })
    }
}

impl<'a> FunctionCall<'a> {
    /// What it is called with; it takes so many arguments (`parse_fcall_arguments`).
    pub fn arguments(&self, wanted: usize, encoding: &'static Encoding) -> Result<CallArguments<'a>> {
        let mut body = Reader { rest: self.rest, encoding };
        let (formats, count) = (body.formats()?, body.count()?);
        if count != wanted {
            let message = format!("function call message contains {count} arguments but function requires {wanted}");
            return Err(violation(message));
        }
        if formats.len() > 1 && formats.len() != count {
            let given = formats.len();
            let message = format!("function call message contains {given} argument formats but {count} arguments");
            return Err(violation(message));
        }
        let value = |body: &mut Reader<'a>| match body.int4()? {
            -1 => Ok(None),
            length => {
                let message = || violation(format!("invalid argument size {length} in function call message"));
                body.bytes(usize::try_from(length).map_err(|_| message())?).map(Some)
            }
        };
        let values = (0..count).map(|_| value(&mut body)).collect::<Result<_>>()?;
        let result_format = body.int2()?;
        body.end()?;
        Ok(CallArguments { formats, values, result_format })
    }
}

/// Where an error about a parameter was found; numbers count from 1.
pub fn about_parameter(portal: &str, number: usize) -> String {
    match portal {
        "" => format!("unnamed portal parameter ${number}"),
        portal => format!("portal \"{portal}\" parameter ${number}"),
    }
}

/// The body of a message, from which values are taken.
struct Reader<'a> {
    rest: &'a [u8],
    encoding: &'static Encoding,
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(insufficient)?;
        self.rest = rest;
        Ok(taken)
    }

    fn int2(&mut self) -> Result<i16> {
        Ok(i16::from_be_bytes(self.bytes(2)?.try_into().expect("2 bytes")))
    }

    fn int4(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.bytes(4)?.try_into().expect("4 bytes")))
    }

    /// How many of something follow: counts are unsigned.
    fn count(&mut self) -> Result<usize> {
        Ok(usize::from(self.int2()? as u16))
    }

    fn formats(&mut self) -> Result<Vec<i16>> {
        let count = self.count()?;
        (0..count).map(|_| self.int2()).collect()
    }

    /// The bytes before the next NUL, which is taken, too.
    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let text = CStr::from_bytes_until_nul(self.rest).ok()?.to_bytes();
        self.rest = &self.rest[text.len() + 1..];
        Some(text)
    }

    fn text(&mut self) -> Result<Cow<'a, str>> {
        self.encoding.decode(self.until_nul().ok_or_else(|| violation("invalid string in message"))?)
    }

    /// The name of a statement or a portal; of what is longer the first bytes count.
    fn name(&mut self) -> Result<Cow<'a, str>> {
        Ok(match self.text()? {
            Cow::Borrowed(name) => Cow::Borrowed(truncated_name(name)),
            Cow::Owned(name) => Cow::Owned(truncated_name(&name).to_string()),
        })
    }

    fn object(&mut self, message: &str) -> Result<Object<'a>> {
        let (&kind, rest) = self.rest.split_first().ok_or_else(|| violation("no data left in message"))?;
        self.rest = rest;
        let name = self.name()?;
        self.end()?;
        match kind {
            b'S' => Ok(Object::Statement(name)),
            b'P' => Ok(Object::Portal(name)),
            kind => Err(violation(format!("invalid {message} message subtype {kind}"))),
        }
    }

    /// There must be nothing else.
    fn end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(violation("invalid message format")) }
    }
}

fn violation(message: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::PROTOCOL_VIOLATION, message)
}

fn insufficient() -> EngineError {
    violation("insufficient data left in message")
}
