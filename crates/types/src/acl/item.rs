//! An item of a list of rights: its bits, its bytes and its text (`joe=arw*d/ann`).

use error::sqlstate;

use crate::error::{Error, Result};
use crate::names::Names;
use crate::oid::{self, Oid};
use crate::quote::is_space;

/// Privileges as bits: the lower half are privileges, the upper half their grant options.
pub type AclMode = u64;

pub mod mode {
    use super::AclMode;

    pub const INSERT: AclMode = 1;
    pub const SELECT: AclMode = 1 << 1;
    pub const UPDATE: AclMode = 1 << 2;
    pub const DELETE: AclMode = 1 << 3;
    pub const TRUNCATE: AclMode = 1 << 4;
    pub const REFERENCES: AclMode = 1 << 5;
    pub const TRIGGER: AclMode = 1 << 6;
    pub const EXECUTE: AclMode = 1 << 7;
    pub const USAGE: AclMode = 1 << 8;
    pub const CREATE: AclMode = 1 << 9;
    pub const TEMPORARY: AclMode = 1 << 10;
    pub const CONNECT: AclMode = 1 << 11;
    pub const SET: AclMode = 1 << 12;
    pub const ALTER_SYSTEM: AclMode = 1 << 13;
    pub const MAINTAIN: AclMode = 1 << 14;
    /// The upper half.
    pub const ALL_GRANT_OPTIONS: AclMode = 0xffff_ffff << 32;
}

/// The letters of all privileges, in the order of their bits.
pub const ALL_LETTERS: &str = "arwdDxtXUCTcsAm";

/// Each privilege with its letter and its name, in the order of their bits.
pub const PRIVILEGES: &[(char, &str, AclMode)] = &[
    ('a', "INSERT", mode::INSERT),
    ('r', "SELECT", mode::SELECT),
    ('w', "UPDATE", mode::UPDATE),
    ('d', "DELETE", mode::DELETE),
    ('D', "TRUNCATE", mode::TRUNCATE),
    ('x', "REFERENCES", mode::REFERENCES),
    ('t', "TRIGGER", mode::TRIGGER),
    ('X', "EXECUTE", mode::EXECUTE),
    ('U', "USAGE", mode::USAGE),
    ('C', "CREATE", mode::CREATE),
    ('T', "TEMPORARY", mode::TEMPORARY),
    ('c', "CONNECT", mode::CONNECT),
    ('s', "SET", mode::SET),
    ('A', "ALTER SYSTEM", mode::ALTER_SYSTEM),
    ('m', "MAINTAIN", mode::MAINTAIN),
];

/// The grant options of privileges.
pub const fn grant_options(privileges: AclMode) -> AclMode {
    privileges << 32
}

/// The privileges whose grant options these are.
pub const fn of_grant_options(options: AclMode) -> AclMode {
    options >> 32
}

/// A privilege by its name in capital letters; TEMP is TEMPORARY.
pub fn privilege_of_name(name: &str) -> Option<AclMode> {
    let name = if name == "TEMP" { "TEMPORARY" } else { name };
    PRIVILEGES.iter().find(|(_, known, _)| *known == name).map(|(.., mode)| *mode)
}

/// What one role may do, and which role gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AclItem {
    /// 0: PUBLIC.
    pub grantee: Oid,
    pub grantor: Oid,
    pub privs: AclMode,
}

impl AclItem {
    /// Privileges without their grant options.
    pub fn privileges(&self) -> AclMode {
        self.privs & !mode::ALL_GRANT_OPTIONS
    }

    /// The privileges that it has with grant options.
    pub fn grantable(&self) -> AclMode {
        of_grant_options(self.privs)
    }

    /// Do two items say of the same grantee what the same grantor gave?
    pub fn is_between_those_of(&self, other: &AclItem) -> bool {
        (self.grantee, self.grantor) == (other.grantee, other.grantor)
    }

    /// Its hash, and PostgreSQL's.
    pub(super) fn sum(&self) -> u32 {
        (self.privs as u32).wrapping_add(self.grantee).wrapping_add(self.grantor)
    }

    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&self.grantee.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.grantor.to_le_bytes());
        bytes[8..].copy_from_slice(&self.privs.to_le_bytes());
        bytes
    }

    /// `None`: these are not its bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<AclItem> {
        let (grantee, rest) = bytes.split_first_chunk::<4>()?;
        let (grantor, privs) = rest.split_first_chunk::<4>()?;
        Some(AclItem {
            grantee: Oid::from_le_bytes(*grantee),
            grantor: Oid::from_le_bytes(*grantor),
            privs: AclMode::from_le_bytes(privs.try_into().ok()?),
        })
    }

    /// Appends the text. A role that is gone is its number.
    pub fn write(&self, names: &dyn Names, out: &mut Vec<u8>) {
        if self.grantee != oid::INVALID {
            write_role(names, self.grantee, out);
        }
        out.push(b'=');
        for (letter, _, mode) in PRIVILEGES {
            if self.privs & mode != 0 {
                out.push(*letter as u8);
            }
            if self.privs & grant_options(*mode) != 0 {
                out.push(b'*');
            }
        }
        out.push(b'/');
        write_role(names, self.grantor, out);
    }

    /// The item that a text is (`aclparse`).
    pub fn parse(names: &dyn Names, text: &str) -> Result<AclItem> {
        Self::parse_with(&|name| names.role(name), text)
    }

    /// The same with a way to find roles.
    pub fn parse_with(role: &dyn Fn(&str) -> Option<Oid>, text: &str) -> Result<AclItem> {
        let oid = |name: &str| {
            let missing = || Error::new(sqlstate::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"));
            role(name).ok_or_else(missing)
        };
        let (mut name, mut rest) = take_role(text)?;
        if !rest.starts_with('=') {
            // A key word, which means nothing any more.
            if name != "group" && name != "user" {
                let hint = "ACL key word must be \"group\" or \"user\".";
                return Err(invalid(format!("unrecognized key word: \"{name}\"")).hint(hint));
            }
            (name, rest) = take_role(rest)?;
            if name.is_empty() {
                return Err(invalid("missing name").hint("A name must follow the \"group\" or \"user\" key word."));
            }
        }
        let rest = rest.strip_prefix('=').ok_or_else(|| invalid("missing \"=\" sign"))?;
        let (privs, rest) = take_privileges(rest)?;
        let grantee = if name.is_empty() { oid::INVALID } else { oid(&name)? };
        let (grantor, rest) = match rest.strip_prefix('/') {
            Some(rest) => {
                let (name, rest) = take_role(rest)?;
                if name.is_empty() {
                    return Err(invalid("a name must follow the \"/\" sign"));
                }
                (oid(&name)?, rest)
            }
            None if rest.is_empty() => return Err(Error::unsupported("a literal of type aclitem without a grantor")),
            None => (oid::INVALID, rest),
        };
        match rest.trim_start_matches(is_space) {
            "" => Ok(AclItem { grantee, grantor, privs }),
            _ => Err(invalid("extra garbage at the end of the ACL specification")),
        }
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, message)
}

/// Letters, each perhaps with the star of its grant option, and what follows.
fn take_privileges(text: &str) -> Result<(AclMode, &str)> {
    let (mut privs, mut last) = (0, 0);
    for (at, letter) in text.char_indices() {
        match PRIVILEGES.iter().find(|(known, ..)| *known == letter) {
            Some((.., mode)) => {
                last = *mode;
                privs |= last;
            }
            None if letter == '*' => privs |= grant_options(last),
            None if !letter.is_ascii_alphabetic() => return Ok((privs, &text[at..])),
            None => return Err(invalid(format!("invalid mode character: must be one of \"{ALL_LETTERS}\""))),
        }
    }
    Ok((privs, ""))
}

/// A role's name at the start of a text, which may be in quotes, and what follows (`getid`).
fn take_role(text: &str) -> Result<(String, &str)> {
    let text = text.trim_start_matches(is_space);
    let (mut name, mut in_quotes) = (String::new(), false);
    let mut end = text.len();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_plain = letter.is_ascii_alphanumeric() || letter == '_' || !letter.is_ascii();
        match letter {
            '"' if in_quotes && letters.peek().is_some_and(|(_, next)| *next == '"') => {
                letters.next();
                name.push('"');
            }
            '"' => in_quotes = !in_quotes,
            _ if in_quotes || is_plain => name.push(letter),
            _ => {
                end = at;
                break;
            }
        }
        if name.len() > 63 {
            let detail = format!("Identifier must be less than {} characters.", 64);
            return Err(Error::new(sqlstate::NAME_TOO_LONG, "identifier too long").detail(detail));
        }
    }
    Ok((name, text[end..].trim_start_matches(is_space)))
}

/// A role's name, in quotes where `aclitem` needs them (`putid`).
fn write_role(names: &dyn Names, role: Oid, out: &mut Vec<u8>) {
    let name = names.role_name(role).unwrap_or_else(|| role.to_string());
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return out.extend(name.bytes());
    }
    out.push(b'"');
    out.extend(name.replace('"', "\"\"").bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Roles;

    const NAMES: &[(Oid, &str)] = &[(10, "postgres"), (20, "a=\"b"), (30, "ann"), (40, "ä")];

    impl Names for Roles {
        fn role(&self, name: &str) -> Option<Oid> {
            NAMES.iter().find(|(_, known)| *known == name).map(|(oid, _)| *oid)
        }

        fn role_name(&self, role: Oid) -> Option<String> {
            NAMES.iter().find(|(oid, _)| *oid == role).map(|(_, name)| (*name).into())
        }
    }

    fn parse(text: &str) -> Result<AclItem> {
        AclItem::parse(&Roles, text)
    }

    fn text(item: AclItem) -> String {
        let mut out = Vec::new();
        item.write(&Roles, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn items_are_read_and_written() {
        let item = parse("\"a=\"\"b\"=ar*w/ann").unwrap();
        let privs = mode::INSERT | mode::SELECT | mode::UPDATE | grant_options(mode::SELECT);
        assert_eq!(item, AclItem { grantee: 20, grantor: 30, privs });
        assert_eq!(text(item), "\"a=\"\"b\"=ar*w/ann");
        assert_eq!(parse("=X/postgres").unwrap().grantee, 0);
        assert_eq!(text(parse(" user ann =rA/ postgres ").unwrap()), "ann=rA/postgres");
        assert_eq!(text(parse("ä=*/ann").unwrap()), "\"ä\"=/ann");
        assert_eq!(text(AclItem { grantee: 99, grantor: 98, privs: mode::MAINTAIN }), "99=m/98");
    }

    #[test]
    fn what_is_no_item_is_refused() {
        let message = |text: &str| parse(text).unwrap_err().0.message;
        assert_eq!(message("ann"), "unrecognized key word: \"ann\"");
        assert_eq!(message("group "), "missing name");
        assert_eq!(message("ann=q/ann"), "invalid mode character: must be one of \"arwdDxtXUCTcsAm\"");
        assert_eq!(message("ann=r/"), "a name must follow the \"/\" sign");
        assert_eq!(message("bob=r/ann"), "role \"bob\" does not exist");
        assert_eq!(message("ann=r/ann x"), "extra garbage at the end of the ACL specification");
        assert_eq!(message(&format!("{}=r/ann", "x".repeat(64))), "identifier too long");
    }

    #[test]
    fn bytes_are_those_of_an_item() {
        let item = AclItem { grantee: 1, grantor: u32::MAX, privs: mode::SELECT | grant_options(mode::SELECT) };
        assert_eq!(AclItem::of_bytes(&item.to_bytes()), Some(item));
        assert_eq!(AclItem::of_bytes(&[0; 15]), None);
    }
}
