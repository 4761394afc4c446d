//! A real PostgreSQL, for answers that are recorded.

use std::io::Write;
use std::process::{Command, Stdio};

/// What psql prints for a script: no titles, no padding; it fails at the first error. `server` is what it connects to
/// (`host=… port=… user=… dbname=…`, as INFLIGHT_RECORD_FROM has it), `arguments` are more of psql's.
pub fn ask(server: &str, arguments: &[&str], script: &str) -> String {
    let mut psql = Command::new("psql")
        .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", server])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("psql is there");
    let mut stdin = psql.stdin.take().expect("a pipe");
    let script = script.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()).expect("psql reads"));
    let output = psql.wait_with_output().expect("psql ends");
    writer.join().expect("psql has read it");
    assert!(output.status.success(), "psql failed");
    String::from_utf8(output.stdout).expect("psql writes UTF-8")
}
