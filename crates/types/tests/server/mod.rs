//! What the tests share that record answers of a real server.

use std::io::Write;
use std::process::{Command, Stdio};

use types::{BASE_TYPES, BaseType, Oid};

/// What psql prints for a script. `server` is what it connects to: `host=… port=… user=… dbname=…`.
pub fn ask(server: &str, script: &str) -> String {
    let mut psql = Command::new("psql")
        .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("psql is there");
    let mut stdin = psql.stdin.take().unwrap();
    let script = script.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()).unwrap());
    let output = psql.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "psql failed");
    String::from_utf8(output.stdout).unwrap()
}

/// A text as a field of a line.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

pub fn base_type(ty: Oid) -> &'static BaseType {
    let mut all = BASE_TYPES.iter().copied().flatten();
    all.find(|t| t.oid == ty).unwrap_or_else(|| panic!("type {ty} has no text"))
}
