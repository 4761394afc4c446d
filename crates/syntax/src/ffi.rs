//! The call of PostgreSQL's grammar (`c/parse.c`): the only module with `unsafe`.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;

/// What a text is to be (parser/parser.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum RawParseMode {
    /// Statements, with semicolons between them.
    Default = 0,
    /// A type's name (`parse_type_name`).
    TypeName = 1,
    /// An expression of PL/pgSQL, which may have all that stands behind SELECT.
    PlpgsqlExpr = 2,
    /// An assignment of PL/pgSQL whose target is one name.
    PlpgsqlAssign1 = 3,
    /// Its target is two names.
    PlpgsqlAssign2 = 4,
    /// Its target is three names.
    PlpgsqlAssign3 = 5,
}

#[repr(C)]
struct Request {
    text: *const c_char,
    mode: i32,
    backslash_quote: i32,
    standard_conforming_strings: bool,
    escape_string_warning: bool,
    stack: usize,
    scratch: *mut c_char,
    scratch_size: usize,
    memory: usize,
}

#[repr(C)]
struct Reply {
    bytes: *const u8,
    len: usize,
    heap: *mut c_char,
    deepest: i32,
    stack_exceeded: bool,
}

unsafe extern "C" {
    fn syntax_parse(request: *const Request, reply: *mut Reply) -> i32;
    fn syntax_free(heap: *mut c_char);
}

/// What came of a call; the bytes are gone when `read` returns.
pub(crate) enum Outcome<'a> {
    /// A tree and notices, and how many levels of nodes within nodes there are.
    Parsed(&'a [u8], usize),
    /// The error and notices; is it that the stack was too small?
    Failed(&'a [u8], bool),
    OutOfMemory,
}

/// As in scan.l and its `BackslashQuoteType`.
pub(crate) struct Lexing {
    pub standard_conforming_strings: bool,
    pub escape_string_warning: bool,
    /// 0: never, 1: always, 2: where the client's encoding is safe.
    pub backslash_quote: i32,
}

/// Enough for the arena and the bytes of short statements.
const SCRATCH: usize = 24 << 10;

/// Gives the memory of a call back, whatever `read` does.
struct Heap(*mut c_char);

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: it is what syntax_parse has allocated, or null, and is freed once.
        unsafe { syntax_free(self.0) }
    }
}

/// Parses and gives `read` what came of it. The C side takes at most `stack` bytes of stack, and some 10 kB, and `memory` for its
/// tree.
pub(crate) fn parse<T>(
    text: &CString,
    mode: RawParseMode,
    lexing: &Lexing,
    stack: usize,
    memory: usize,
    read: impl FnOnce(Outcome) -> T,
) -> T {
    let mut scratch = [const { MaybeUninit::<u64>::uninit() }; SCRATCH / size_of::<u64>()];
    let request = Request {
        text: text.as_ptr(),
        mode: mode as i32,
        backslash_quote: lexing.backslash_quote,
        standard_conforming_strings: lexing.standard_conforming_strings,
        escape_string_warning: lexing.escape_string_warning,
        stack,
        scratch: scratch.as_mut_ptr().cast(),
        scratch_size: SCRATCH,
        memory,
    };
    let mut reply =
        Reply { bytes: std::ptr::null(), len: 0, heap: std::ptr::null_mut(), deepest: 0, stack_exceeded: false };
    // SAFETY: the structures are laid out as in parse.c; the text ends with a NUL; the scratch has the size that is said;
    // all of them outlive the call, and the C side keeps no pointer to them. Its state is a thread's own. It never calls
    // back, and its longjmp stays within it.
    let status = unsafe { syntax_parse(&request, &mut reply) };
    let _heap = Heap(reply.heap);
    // SAFETY: the bytes are in the scratch or on the heap, written by the call, and nothing changes them; both live until
    // this function returns, which `read` cannot outlive.
    let bytes = unsafe { std::slice::from_raw_parts(reply.bytes, reply.len) };
    read(match status {
        0 => Outcome::Parsed(bytes, usize::try_from(reply.deepest).unwrap_or(usize::MAX)),
        1 => Outcome::Failed(bytes, reply.stack_exceeded),
        _ => Outcome::OutOfMemory,
    })
}
