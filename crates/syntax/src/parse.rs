//! From a text to its statements.

use std::ffi::CString;
use std::fmt;
use std::sync::OnceLock;

use crate::ffi::{self, Lexing, Outcome, RawParseMode};
use crate::nodes::{Node, TypeName};
use crate::read::{Corrupt, Read, Reader};
use crate::report::{Notice, Report, Severity, SyntaxError};

/// A statement of a text.
///
/// Its tree may have up to 20,000 levels, of which the recursive walk of a thread's stack can bear some thousands:
/// what walks it does so within [`with_stack_for`] `(depth, …)`, or counts. (What is derived here does.)
pub struct RawStmt {
    /// What is said. (A deep tree that is taken out of here is dropped within `with_stack_for`.)
    pub stmt: Node,
    /// Where it starts: bytes from the beginning of the text.
    pub stmt_location: i32,
    /// Bytes; 0 for all the rest of the text.
    pub stmt_len: i32,
    /// Levels of nodes within nodes, at most (those of the deepest statement of the text).
    pub depth: usize,
}

impl Drop for RawStmt {
    fn drop(&mut self) {
        let stmt = std::mem::replace(&mut self.stmt, Node::Null);
        with_stack_for(self.depth, || drop(stmt));
    }
}

impl Clone for RawStmt {
    fn clone(&self) -> RawStmt {
        let stmt = with_stack_for(self.depth, || self.stmt.clone());
        RawStmt { stmt, stmt_location: self.stmt_location, stmt_len: self.stmt_len, depth: self.depth }
    }
}

impl PartialEq for RawStmt {
    fn eq(&self, other: &RawStmt) -> bool {
        (self.stmt_location, self.stmt_len) == (other.stmt_location, other.stmt_len)
            && with_stack_for(self.depth, || self.stmt == other.stmt)
    }
}

impl fmt::Debug for RawStmt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut out = f.debug_struct("RawStmt");
        out.field("stmt_location", &self.stmt_location).field("stmt_len", &self.stmt_len);
        with_stack_for(self.depth, || out.field("stmt", &self.stmt).finish())
    }
}

/// Settings that say how strings are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// A backslash in `'…'` is a backslash.
    pub standard_conforming_strings: bool,
    /// Warn of backslashes in `'…'`, where they escape.
    pub escape_string_warning: bool,
    /// Is `\'` a quote within a string?
    pub backslash_quote: BackslashQuote,
}

/// The setting `backslash_quote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackslashQuote {
    /// Never.
    Off,
    /// Always.
    On,
    /// Where the client's encoding cannot hide a backslash in a character, which UTF-8 cannot.
    SafeEncoding,
}

/// PostgreSQL's defaults.
impl Default for Settings {
    fn default() -> Settings {
        Settings {
            standard_conforming_strings: true,
            escape_string_warning: true,
            backslash_quote: BackslashQuote::SafeEncoding,
        }
    }
}

/// What a text says, and what was said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The statements, or why the text is none.
    pub statements: Result<Vec<RawStmt>, SyntaxError>,
    /// In the order in which they came up.
    pub notices: Vec<Notice>,
}

/// Bytes that a tree may take.
const MEMORY: usize = 512 << 20;
/// Texts of fewer bytes may take that without a question.
const LONG: usize = 64 << 10;
/// Nor is it less for longer ones, in bytes.
const LEAST_MEMORY: usize = 16 << 20;

static LEFT: OnceLock<fn() -> usize> = OnceLock::new();

/// From now on the trees of long texts take a third of what `left` says is free, in bytes: the tree comes in three forms.
pub fn limit_memory(left: fn() -> usize) {
    LEFT.get_or_init(|| left);
}

fn memory_for(text: &str) -> usize {
    match LEFT.get() {
        Some(left) if text.len() >= LONG => (left() / 3).clamp(LEAST_MEMORY, MEMORY),
        _ => MEMORY,
    }
}

/// The statements of a text, with default settings and without notices.
pub fn parse(text: &str) -> Result<Vec<RawStmt>, SyntaxError> {
    parse_with(text, RawParseMode::Default, Settings::default()).statements
}

/// The statements of a text. `RawParseMode::TypeName` is for [`parse_type_name`].
///
/// Errors: 42601 and other classes that the grammar raises; 54001 for trees of more than 20,000 levels (more than
/// 10,000 symbols that wait for their end are 42601 `memory exhausted`); 53200 when it would take more than 512 MiB, or than [`limit_memory`] leaves; 22021
/// for a text with a NUL. A text that keeps the scanner busy with its operators is 54001 too.
pub fn parse_with(text: &str, mode: RawParseMode, settings: Settings) -> Parsed {
    let read = |r: &mut Reader, depth| {
        let length = r.length()?;
        let statement = |r: &mut Reader| -> Result<RawStmt, Corrupt> {
            let (stmt_location, stmt_len) = (i32::read(r)?, i32::read(r)?);
            Ok(RawStmt { stmt: Option::read(r)?.unwrap_or(Node::Null), stmt_location, stmt_len, depth })
        };
        (0..length).map(|_| statement(r)).collect()
    };
    let (statements, notices) = call(text, mode, settings, read);
    Parsed { statements, notices }
}

/// A type's name alone, as in `'numeric(10,2)[]'::regtype`.
pub fn parse_type_name(text: &str) -> Result<TypeName, SyntaxError> {
    let invalid = || error(b"42601", format!("invalid type name \"{text}\""));
    if text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'\x0b')) {
        return Err(invalid());
    }
    let read = |r: &mut Reader, depth| match <Vec<Node>>::read(r)?.pop() {
        Some(Node::TypeName(name)) => Ok((depth <= DEEPEST_TYPE).then_some(*name)),
        _ => Err(Corrupt),
    };
    match call(text, RawParseMode::TypeName, Settings::default(), read).0? {
        Some(name) if name.setof => Err(invalid()),
        Some(name) => Ok(name),
        None => Err(error(b"54001", "stack depth limit exceeded".to_string())),
    }
}

/// Levels of nodes in a type's name, whose modifiers may be expressions; it is dropped wherever it is.
const DEEPEST_TYPE: usize = 100;

/// Runs what walks a tree of so many levels on a stack that is large enough.
pub fn with_stack_for<T>(depth: usize, walk: impl FnOnce() -> T) -> T {
    /// Bytes: more than reading, copying, comparing, printing or dropping a level takes in a debug build.
    const LEVEL: usize = FRAMES * (2 << 10);
    const FOR_ITSELF: usize = 64 << 10;
    let stack = depth * LEVEL + FOR_ITSELF;
    stacker::maybe_grow(stack, stack + FOR_ITSELF, walk)
}

/// How much larger frames are under AddressSanitizer, which has room around what lies in them.
const FRAMES: usize = if cfg!(sanitized) { 4 } else { 1 };
/// Bytes of stack for the C side: enough for almost everything, and what 20,000 levels take.
const STACK: usize = FRAMES * (128 << 10);
const DEEP_STACK: usize = FRAMES * (8 << 20);
/// What it takes beyond: the scratch, the grammar's own stack, an error's words.
const STACK_SLOP: usize = FRAMES * (96 << 10);

type Noticed<T> = (Result<T, SyntaxError>, Vec<Notice>);

fn call<T>(
    text: &str,
    mode: RawParseMode,
    settings: Settings,
    read: impl Fn(&mut Reader, usize) -> Result<T, Corrupt>,
) -> Noticed<T> {
    let memory = memory_for(text);
    let Ok(text) = CString::new(text) else {
        return (Err(error(b"22021", "invalid byte sequence for encoding \"UTF8\": 0x00".to_string())), Vec::new());
    };
    let lexing = Lexing {
        standard_conforming_strings: settings.standard_conforming_strings,
        escape_string_warning: settings.escape_string_warning,
        backslash_quote: settings.backslash_quote as i32,
    };
    let attempt = |stack| ffi::parse(&text, mode, &lexing, stack, memory, |outcome| understand(outcome, &read));
    let first = stacker::maybe_grow(STACK + STACK_SLOP, STACK + 2 * STACK_SLOP, || attempt(STACK));
    match first {
        (noticed, false) => noticed,
        (_, true) => stacker::grow(DEEP_STACK + 2 * STACK_SLOP, || attempt(DEEP_STACK)).0,
    }
}

/// Also says whether a larger stack may help.
fn understand<T>(outcome: Outcome, read: impl Fn(&mut Reader, usize) -> Result<T, Corrupt>) -> (Noticed<T>, bool) {
    let corrupt = |corrupt: Corrupt| ((Err(error(b"XX000", corrupt.to_string())), Vec::new()), false);
    match outcome {
        Outcome::Parsed(bytes, depth) => {
            let mut r = Reader::new(bytes);
            match with_stack_for(depth, || Ok((Ok(read(&mut r, depth)?), notices(&mut r)?))) {
                Ok(noticed) => (noticed, false),
                Err(e) => corrupt(e),
            }
        }
        Outcome::Failed(bytes, stack_exceeded) => {
            let mut r = Reader::new(bytes);
            match report(&mut r).and_then(|(_, report)| Ok((Err(report), notices(&mut r)?))) {
                Ok(noticed) => (noticed, stack_exceeded),
                Err(e) => corrupt(e),
            }
        }
        Outcome::OutOfMemory => ((Err(error(b"53200", "out of memory".to_string())), Vec::new()), false),
    }
}

fn error(sqlstate: &[u8; 5], message: String) -> SyntaxError {
    Report { sqlstate: *sqlstate, message: message.into(), detail: None, hint: None, position: None }
}

fn notices(r: &mut Reader) -> Result<Vec<Notice>, Corrupt> {
    /// Of elog.h.
    const WARNING: i32 = 19;
    let length = r.length()?;
    let notice = |r: &mut Reader| {
        let (elevel, report) = report(r)?;
        let severity = if elevel >= WARNING { Severity::Warning } else { Severity::Notice };
        Ok(Notice { severity, report })
    };
    let mut notices = (0..length).map(|_| notice(r)).collect::<Result<Vec<_>, _>>()?;
    notices.reverse();
    Ok(notices)
}

fn report(r: &mut Reader) -> Result<(i32, Report), Corrupt> {
    let (elevel, packed, position) = (i32::read(r)?, u32::read(r)?, u32::read(r)?);
    // Six bits a character (MAKE_SQLSTATE of elog.h).
    let sqlstate = [0, 6, 12, 18, 24].map(|shift| ((packed >> shift) & 0x3f) as u8 + b'0');
    let report = Report {
        sqlstate,
        message: r.words()?.unwrap_or_default(),
        detail: r.words()?,
        hint: r.words()?,
        position: (position > 0).then_some(position),
    };
    Ok((elevel, report))
}
