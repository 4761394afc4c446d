//! `src/nodes.rs` and `c/write_nodes.c` are what PostgreSQL's headers say: the nodes that the grammar makes, their fields
//! in order, and the enumerations among them. `INFLIGHT_RECORD=1 cargo test -p syntax --test generated` writes both anew
//! after an update of `vendor`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::read_to_string;

const HEADERS: &str = "vendor/libpg_query/src/postgres/include/nodes";

/// Fields that libpg_query has added for its deparser; the grammar, which is PostgreSQL's, leaves them alone.
const ADDED: [(&str, &str); 3] =
    [("DefElem", "arg_location"), ("NotifyStmt", "payload_location"), ("CreateSubscriptionStmt", "conninfo_location")];

/// Nodes with a place of their own in Rust: statements (`c/parse.c`) and values.
const BY_HAND: [&str; 7] = ["RawStmt", "Integer", "Float", "Boolean", "String", "BitString", "List"];

struct Field {
    name: String,
    c_type: String,
    comment: String,
}

struct Struct {
    name: String,
    comment: String,
    fields: Vec<Field>,
}

struct Headers {
    structs: BTreeMap<String, Struct>,
    /// What stands between the braces.
    enums: BTreeMap<String, String>,
}

/// A comment's words, without stars and rules.
fn words(comment: &str) -> String {
    let lines = comment.lines().map(|l| l.trim().trim_start_matches('*').trim());
    let lines = lines.filter(|l| !l.is_empty() && !l.chars().all(|c| c == '-' || c == '*'));
    lines.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes a comment off the front, if there is one.
fn take_comment<'a>(text: &mut &'a str) -> Option<&'a str> {
    let rest = text.strip_prefix("/*")?;
    let end = rest.find("*/")?;
    *text = &rest[end + 2..];
    Some(&rest[..end])
}

fn fields(mut body: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut before = String::new();
    loop {
        body = body.trim_start();
        if let Some(comment) = take_comment(&mut body) {
            before = words(comment);
            continue;
        }
        // Attributes of the whole node stand alone; none of them has parentheses within.
        if body.starts_with("pg_node_attr") {
            body = &body[body.find(')').expect("an attribute's end") + 1..];
            continue;
        }
        let Some(end) = body.find(';') else { return fields };
        let declaration = body[..end].split("pg_node_attr").next().unwrap_or_default().trim();
        body = &body[end + 1..];
        let name_at = declaration.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').expect("a field") + 1;
        let c_type =
            declaration[..name_at].replace("struct ", "").replace("const ", "").split_whitespace().collect::<String>();
        let mut comment = std::mem::take(&mut before);
        let line = body.trim_start_matches([' ', '\t']);
        if line.starts_with("/*") {
            body = line;
            comment = words(take_comment(&mut body).expect("a comment"));
        }
        fields.push(Field { name: declaration[name_at..].to_string(), c_type, comment });
    }
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        take_comment(&mut rest);
    }
    out + rest
}

/// Numbers and characters.
fn value_of(text: &str) -> i64 {
    match text.as_bytes() {
        [b'\'', c, b'\''] => i64::from(*c),
        _ => text.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    }
}

fn values(body: &str) -> Vec<(String, i64)> {
    let mut next = 0;
    let body = without_comments(body);
    let entries = body.split(',').map(str::trim).filter(|e| !e.is_empty());
    let parse = |entry: &str| {
        let (name, value) = match entry.split_once('=') {
            Some((name, value)) => (name.trim(), value_of(value.trim())),
            None => (entry, next),
        };
        next = value + 1;
        (name.to_string(), value)
    };
    entries.map(parse).collect()
}

/// The comment that ends where `text` does.
fn comment_before(text: &str) -> String {
    let text = text.trim_end();
    match (text.ends_with("*/"), text.rfind("/*")) {
        (true, Some(at)) => words(&text[at + 2..text.len() - 2]),
        _ => String::new(),
    }
}

fn read_header(headers: &mut Headers, text: &str) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mut words = line.split_whitespace().peekable();
        words.next_if_eq(&"typedef");
        let (Some(kind @ ("struct" | "enum")), Some(name)) = (words.next(), words.next()) else { continue };
        let rest = &text[at..];
        if line.contains(';') || !rest.starts_with('{') {
            continue;
        }
        let body = &rest[1..rest.find("\n}").expect("a body's end")];
        if kind == "enum" {
            headers.enums.insert(name.to_string(), body.to_string());
        } else {
            let comment = comment_before(&text[..start]);
            headers.structs.insert(name.to_string(), Struct { name: name.to_string(), comment, fields: fields(body) });
        }
    }
}

/// What the grammar makes.
fn made() -> BTreeSet<String> {
    let mut made = BTreeSet::new();
    for path in ["vendor/postgresql/gram.c", "vendor/libpg_query/src/postgres/src_backend_nodes_makefuncs.c"] {
        let text = read_to_string(path).unwrap();
        for part in text.split("makeNode(").skip(1) {
            made.insert(part[..part.find(')').unwrap()].to_string());
        }
    }
    for name in BY_HAND {
        made.remove(name);
    }
    made
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 && !name[..i].ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    match out.as_str() {
        "type" | "where" | "final" | "override" | "ref" => format!("r#{out}"),
        _ => out,
    }
}

/// How a field is spelled in Rust and written in C; none for fields that raw trees do not have.
struct Kind {
    rust: String,
    write: String,
}

fn kind(field: &Field, headers: &Headers, made: &BTreeSet<String>) -> Option<Kind> {
    let name = &field.name;
    let of = |rust: &str, write: String| Some(Kind { rust: rust.to_string(), write });
    match field.c_type.as_str() {
        "NodeTag" | "Expr" => None,
        "unionValUnion" => of("Constant", "\twrite_constant(w, node);\n".to_string()),
        "bool" => of("bool", format!("\twrite_byte(w, node->{name});\n")),
        "char" => of("char", format!("\twrite_byte(w, (uint8) node->{name});\n")),
        "ParseLoc" => of("ParseLoc", format!("\twrite_int(w, node->{name});\n")),
        "int" | "int16" | "int32" | "AttrNumber" => of("i32", format!("\twrite_int(w, node->{name});\n")),
        "Oid" | "uint32" | "bits32" | "SubTransactionId" | "RelFileNumber" | "Index" => {
            of("u32", format!("\twrite_int(w, (int32) node->{name});\n"))
        }
        "long" => of("i64", format!("\twrite_long(w, node->{name});\n")),
        "char*" => of("Option<Box<str>>", format!("\twrite_string(w, node->{name});\n")),
        "List*" => of("Vec<Node>", format!("\twrite_list(w, node->{name});\n")),
        "Node*" | "Expr*" => of("Option<Node>", format!("\twrite_node(w, node->{name});\n")),
        other => {
            if let Some(pointed) = other.strip_suffix('*') {
                let write = format!(
                    "\twrite_byte(w, node->{name} != NULL);\n\tif (node->{name} != NULL)\n\t{{\n\t\twrite_enter(w);\n\
                     \t\twrite_{pointed}(w, node->{name});\n\t\twrite_leave(w);\n\t}}\n"
                );
                return made.contains(pointed).then(|| Kind { rust: format!("Option<Box<{pointed}>>"), write });
            }
            if made.contains(other) {
                return of(other, format!("\twrite_{other}(w, &node->{name});\n"));
            }
            let body = headers.enums.get(other).unwrap_or_else(|| panic!("{other} {name}: an unknown type"));
            assert!(values(body).iter().all(|v| (0..256).contains(&v.1)), "{other} is no byte");
            of(other, format!("\twrite_byte(w, (uint8) node->{name});\n"))
        }
    }
}

fn documentation(out: &mut String, indent: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let text = text.replace('[', "\\[").replace(']', "\\]").replace('<', "\\<").replace('>', "\\>");
    let mut line = String::new();
    for word in text.split(' ') {
        if indent.len() + line.len() + word.len() > 112 {
            writeln!(out, "{indent}///{line}").unwrap();
            line.clear();
        }
        line += " ";
        line += word;
    }
    writeln!(out, "{indent}///{line}").unwrap();
}

fn generate() -> (String, String) {
    let mut headers = Headers { structs: BTreeMap::new(), enums: BTreeMap::new() };
    for path in ["parsenodes.h", "primnodes.h", "lockoptions.h"].map(|n| format!("{HEADERS}/{n}")) {
        read_header(&mut headers, &read_to_string(path).unwrap());
    }
    read_header(&mut headers, &read_to_string("vendor/postgresql/nodes/nodes.h").unwrap());
    let made = made();
    let mut rust = String::from(
        "//! The nodes of raw trees, with PostgreSQL 18's names and comments. Generated from its headers by\n\
         //! `tests/generated.rs`.\n\n\
         use crate::read::{enumeration, node, nodes};\nuse crate::value::{Constant, ParseLoc};\n\n",
    );
    let mut c = String::from(
        "/*\n * write_nodes.c\n *\t  Writes each node that the grammar makes. Generated by tests/generated.rs.\n */\n\
         #include \"postgres.h\"\n\n#include \"write.h\"\n\n",
    );
    for name in &made {
        writeln!(c, "static void write_{name}(Writer *w, const {name} *node);").unwrap();
    }
    let mut used = BTreeSet::new();
    for name in &made {
        let node = headers.structs.get(name).unwrap_or_else(|| panic!("{name} is in no header"));
        rust += "node! {\n";
        documentation(&mut rust, "    ", &node.comment);
        writeln!(rust, "    {name} {{").unwrap();
        write!(c, "\nstatic void\nwrite_{name}(Writer *w, const {name} *node)\n{{\n").unwrap();
        for field in &node.fields {
            if ADDED.contains(&(node.name.as_str(), field.name.as_str()))
                || (name == "A_Const" && field.name == "isnull")
            {
                continue;
            }
            let Some(kind) = kind(field, &headers, &made) else { continue };
            // (a, b) = (1, 2) has one source, to which all columns point. It is written with the first, where analysis looks.
            let shared = (name.as_str(), field.name.as_str()) == ("MultiAssignRef", "source");
            let comment = &field.comment;
            let comment =
                if shared { format!("{comment} (here only in the first column's, colno 1)") } else { comment.clone() };
            documentation(&mut rust, "        ", &comment);
            writeln!(rust, "        {}: {},", snake(&field.name), kind.rust).unwrap();
            c += &if shared {
                kind.write.replace("node->source", "node->colno == 1 ? node->source : NULL")
            } else {
                kind.write
            };
            used.insert(kind.rust);
        }
        rust += "    }\n}\n\n";
        c += "}\n";
    }
    write!(c, "\nvoid\nwrite_node(Writer *w, const void *node)\n{{\n").unwrap();
    c += "\tif (node == NULL)\n\t{\n\t\twrite_byte(w, 0);\n\t\treturn;\n\t}\n\twrite_enter(w);\n\tswitch (nodeTag(node))\n\t{\n";
    c += "\t\tcase T_Integer:\n\t\tcase T_Float:\n\t\tcase T_Boolean:\n\t\tcase T_String:\n\t\tcase T_BitString:\n\t\t\twrite_value(w, node);\n\t\t\tbreak;\n";
    c += "\t\tcase T_List:\n\t\t\twrite_byte(w, 6);\n\t\t\twrite_list(w, node);\n\t\t\tbreak;\n";
    rust += "nodes! {\n";
    for (number, name) in (7..=255).zip(&made) {
        writeln!(c, "\t\tcase T_{name}:\n\t\t\twrite_byte(w, {number});\n\t\t\twrite_{name}(w, node);\n\t\t\tbreak;")
            .unwrap();
        writeln!(rust, "    {name} = {number},").unwrap();
    }
    assert!(made.len() < 249, "numbers of nodes are no longer a byte");
    c += "\t\tdefault:\n\t\t\telog(ERROR, \"unrecognized node type: %d\", (int) nodeTag(node));\n\t}\n\twrite_leave(w);\n}\n";
    rust += "}\n";
    for (name, body) in headers.enums.iter().filter(|e| used.contains(e.0)) {
        let mut text = format!("\nenumeration! {{\n    {name} {{\n");
        for (value, number) in values(body) {
            writeln!(text, "        {value} = {number},").unwrap();
        }
        rust += &(text + "    }\n}\n");
    }
    (rust, c)
}

#[test]
fn nodes_are_those_of_the_headers() {
    let (rust, c) = generate();
    for (path, text) in [("src/nodes.rs", rust), ("c/write_nodes.c", c)] {
        if std::env::var_os("INFLIGHT_RECORD").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        assert!(
            read_to_string(path).unwrap() == text,
            "{path} is not what the headers say: INFLIGHT_RECORD=1 writes it"
        );
    }
}
