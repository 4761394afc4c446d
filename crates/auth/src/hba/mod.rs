//! `pg_hba.conf`: which clients may connect from where, and how they show who they are. PostgreSQL's syntax, messages and
//! meaning.
//!
//! [`load`] reads a file into lines, each with a rule or with what is wrong with it. Matching a rule needs no sockets:
//! a [`Port`] says all that is known of a connection.

mod ident;
mod tokens;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::Arc;

use regex::Regex;

pub use ident::{IdentLine, IdentMap, first_file, load_idents};
pub use tokens::Word;

use tokens::{FieldWords, RawLine};

/// What `pg_hba.conf` is at first.
pub const FIRST_FILE: &str = "\
# Who may connect from where, in PostgreSQL's syntax; the first line that matches decides:
#
# local                  DATABASE  USER           METHOD  [OPTIONS]
# host|hostssl|hostnossl DATABASE  USER  ADDRESS  METHOD  [OPTIONS]
#
# METHOD is trust, reject, scram-sha-256, password, peer (local) or cert (hostssl).
# SELECT pg_reload_conf() or SIGHUP reads it again; pg_hba_file_rules shows it, with its errors.
#
# Over the Unix-domain socket the operating system says who it is: everybody is who they are, and who made this
# directory may be anybody (pg_ident.conf).
local   all             all                                     peer map=local
# As PostgreSQL's own initdb has it, whoever is on this machine is believed: no role has a password yet. When roles have
# passwords, make it scram-sha-256. The server does not start with `trust` for addresses of other machines.
host    all             all             127.0.0.1/32            trust
host    all             all             ::1/128                 trust
";

/// How a connection comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Local,
    Host,
    HostSsl,
    HostNoSsl,
    /// GSSAPI is not there: it never matches.
    HostGssEnc,
    HostNoGssEnc,
}

impl Kind {
    const ALL: [(&str, Kind); 6] = [
        ("local", Kind::Local),
        ("host", Kind::Host),
        ("hostssl", Kind::HostSsl),
        ("hostnossl", Kind::HostNoSsl),
        ("hostgssenc", Kind::HostGssEnc),
        ("hostnogssenc", Kind::HostNoGssEnc),
    ];

    pub fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(_, kind)| *kind == self).expect("all are listed").0
    }
}

/// How a client shows who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Trust,
    Reject,
    Password,
    /// SCRAM too: all stored passwords are SCRAM's.
    Md5,
    Scram,
    Peer,
    Cert,
}

impl Method {
    const ALL: [(&str, Method); 7] = [
        ("trust", Method::Trust),
        ("reject", Method::Reject),
        ("password", Method::Password),
        ("md5", Method::Md5),
        ("scram-sha-256", Method::Scram),
        ("peer", Method::Peer),
        ("cert", Method::Cert),
    ];

    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).expect("all are listed").0
    }
}

/// Which addresses.
#[derive(Clone, Debug, PartialEq)]
pub enum Address {
    All,
    /// The server's own.
    SameHost,
    /// The networks that the server is in.
    SameNet,
    /// An address and a mask, as it was written.
    Net(IpAddr, IpAddr),
}

/// Does a client need a certificate that the server's authority has signed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCert {
    No,
    VerifyCa,
    /// And it has the role's name.
    VerifyFull,
}

/// What of a certificate is compared with the role's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientName {
    CommonName,
    DistinguishedName,
}

/// A name in a list, which may be a regular expression.
#[derive(Clone, Debug)]
pub struct Name {
    pub word: Word,
    regex: Option<Regex>,
}

impl Name {
    fn new(word: &Word) -> Result<Name, String> {
        let regex = match word.text.strip_prefix('/') {
            None => None,
            Some(pattern) => {
                let compiled = Regex::new(pattern);
                Some(compiled.map_err(|_| format!("invalid regular expression \"{pattern}\""))?)
            }
        };
        Ok(Name { word: word.clone(), regex })
    }

    fn matches(&self, name: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.is_match(name),
            None => self.word.text == name,
        }
    }

    /// `+role`: its members. Roles have none but themselves, as long as no role can be granted.
    fn group(&self) -> Option<&str> {
        if self.word.quoted { None } else { self.word.text.strip_prefix('+') }
    }
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub kind: Kind,
    pub databases: Vec<Name>,
    pub users: Vec<Name>,
    /// `None` for Unix-domain sockets.
    pub address: Option<Address>,
    pub method: Method,
    pub map: Option<String>,
    pub client_cert: ClientCert,
    pub client_name: ClientName,
    /// As `name=value`.
    pub options: Vec<String>,
}

/// A line of the file, and those that it includes.
#[derive(Clone, Debug)]
pub struct Line {
    pub file: Arc<Path>,
    pub number: usize,
    pub text: String,
    pub rule: Result<Rule, String>,
}

/// All that rules ask of a connection (`Port`).
pub struct Port<'a> {
    pub user: &'a str,
    pub database: &'a str,
    /// `None`: a Unix-domain socket.
    pub address: Option<IpAddr>,
    pub encrypted: bool,
    /// The server's own addresses and the masks of their networks.
    pub own: &'a [(IpAddr, IpAddr)],
    /// The roles that the user is a member of.
    pub roles: &'a [String],
}

impl Port<'_> {
    /// Is the user a role, or a member of it? A superuser is no member for being one.
    fn is_member(&self, role: &str) -> bool {
        self.user == role || self.roles.iter().any(|other| other == role)
    }
}

/// Reads the file. `Err`: it cannot be read at all.
pub fn load(path: &Path) -> Result<Vec<Line>, String> {
    let lines = tokens::read(path)?.into_iter().map(|raw: RawLine| Line {
        rule: raw.fields.and_then(|fields| Rule::parse(&fields)),
        file: raw.file,
        number: raw.number,
        text: raw.text,
    });
    Ok(lines.collect())
}

/// One word where lists are not allowed.
fn single<'a>(field: &'a FieldWords, what: &str) -> Result<&'a Word, String> {
    match field.as_slice() {
        [word] => Ok(word),
        _ => Err(format!("multiple values specified for {what}")),
    }
}

impl Rule {
    fn parse(fields: &[FieldWords]) -> Result<Rule, String> {
        let mut fields = fields.iter();
        let word = single(fields.next().expect("lines have a word"), "connection type")?;
        let kind = Kind::ALL.iter().find(|(name, _)| *name == word.text).map(|(_, kind)| *kind);
        let kind = kind.ok_or_else(|| format!("invalid connection type \"{}\"", word.text))?;
        let mut list = |what: &str| -> Result<Vec<Name>, String> {
            let field = fields.next().ok_or_else(|| format!("end-of-line before {what} specification"))?;
            field.iter().map(Name::new).collect()
        };
        let databases = list("database")?;
        let users = list("role")?;
        let mut address = None;
        if kind != Kind::Local {
            let field = fields.next().ok_or("end-of-line before IP address specification")?;
            let word = single(field, "host address")?;
            let (found, needs_mask) = parse_address(word)?;
            address = Some(found);
            if let (true, Some(Address::Net(ip, _))) = (needs_mask, &address) {
                let field = fields.next().ok_or("end-of-line before netmask specification")?;
                let text = &single(field, "netmask")?.text;
                let mask: IpAddr = text.parse().map_err(|_| format!("invalid IP mask \"{text}\""))?;
                if mask.is_ipv4() != ip.is_ipv4() {
                    return Err("IP address and mask do not match".into());
                }
                address = Some(Address::Net(*ip, mask));
            }
        }
        let field = fields.next().ok_or("end-of-line before authentication method")?;
        let text = &single(field, "authentication type")?.text;
        let method = Method::ALL.iter().find(|(name, _)| name == text).map(|(_, method)| *method);
        let method = method.ok_or_else(|| match text.as_str() {
            "gss" | "sspi" | "ident" | "pam" | "bsd" | "ldap" | "radius" | "oauth" => {
                format!("invalid authentication method \"{text}\": not supported by this build")
            }
            _ => format!("invalid authentication method \"{text}\""),
        })?;
        match (method, kind) {
            (Method::Peer, kind) if kind != Kind::Local => {
                return Err("peer authentication is only supported on local sockets".into());
            }
            (Method::Cert, kind) if kind != Kind::HostSsl => {
                return Err("cert authentication is only supported on hostssl connections".into());
            }
            _ => {}
        }
        let client_cert = if method == Method::Cert { ClientCert::VerifyFull } else { ClientCert::No };
        let client_name = ClientName::CommonName;
        let mut rule =
            Rule { kind, databases, users, address, method, map: None, client_cert, client_name, options: vec![] };
        fields.flatten().try_for_each(|word| rule.option(word))?;
        Ok(rule)
    }

    fn option(&mut self, word: &Word) -> Result<(), String> {
        let (name, value) = word
            .text
            .split_once('=')
            .ok_or_else(|| format!("authentication option not in name=value format: {}", word.text))?;
        let hostssl = |name: &str| match self.kind {
            Kind::HostSsl => Ok(()),
            _ => Err(format!("{name} can only be configured for \"hostssl\" rows")),
        };
        let invalid = || Err(format!("invalid value for {name}: \"{value}\""));
        match name {
            "map" if !matches!(self.method, Method::Peer | Method::Cert) => {
                return Err(
                    "authentication option \"map\" is only valid for authentication methods ident, peer, gssapi, \
                            sspi, cert, and oauth"
                        .into(),
                );
            }
            "map" => self.map = Some(value.into()),
            "clientcert" => {
                hostssl(name)?;
                self.client_cert = match value {
                    "verify-full" => ClientCert::VerifyFull,
                    "verify-ca" if self.method == Method::Cert => {
                        return Err("clientcert only accepts \"verify-full\" when using \"cert\" authentication".into());
                    }
                    "verify-ca" => ClientCert::VerifyCa,
                    _ => return invalid(),
                };
            }
            "clientname" => {
                hostssl(name)?;
                self.client_name = match value {
                    "CN" => ClientName::CommonName,
                    "DN" => ClientName::DistinguishedName,
                    _ => return invalid(),
                };
            }
            _ => return Err(format!("unrecognized authentication option name: \"{name}\"")),
        }
        self.options.push(word.text.clone());
        Ok(())
    }

    /// Is it this rule that decides?
    pub fn matches(&self, port: &Port) -> bool {
        let way = match (self.kind, port.address) {
            (Kind::Local, address) => address.is_none(),
            (_, None) | (Kind::HostGssEnc, _) => false,
            (Kind::HostSsl, _) => port.encrypted,
            (Kind::HostNoSsl, _) => !port.encrypted,
            (Kind::Host | Kind::HostNoGssEnc, _) => true,
        };
        way && self.matches_address(port) && self.matches_database(port) && self.matches_user(port)
    }

    fn matches_address(&self, port: &Port) -> bool {
        let (Some(wanted), Some(address)) = (&self.address, port.address) else { return true };
        match wanted {
            Address::All => true,
            Address::Net(net, mask) => within(address, *net, *mask),
            Address::SameHost => port.own.iter().any(|(own, _)| *own == address),
            Address::SameNet => port.own.iter().any(|(own, mask)| within(address, *own, *mask)),
        }
    }

    fn matches_database(&self, port: &Port) -> bool {
        self.databases.iter().any(|name| match &name.word {
            word if word.is("all") => true,
            word if word.is("sameuser") => port.database == port.user,
            word if word.is("samerole") || word.is("samegroup") => port.is_member(port.database),
            // Replication connections, which there are none of.
            word if word.is("replication") => false,
            _ => name.matches(port.database),
        })
    }

    fn matches_user(&self, port: &Port) -> bool {
        self.users.iter().any(|name| match name.group() {
            Some(group) => port.is_member(group),
            None => name.word.is("all") || name.matches(port.user),
        })
    }

    /// Does it believe a client on another machine?
    pub fn trusts_others(&self) -> bool {
        let beyond = match &self.address {
            None | Some(Address::SameHost) => false,
            Some(Address::All | Address::SameNet) => true,
            Some(Address::Net(net, mask)) => !is_loopback(*net, *mask),
        };
        // A certificate is shown whatever the method is.
        beyond && self.method == Method::Trust && self.client_cert == ClientCert::No
    }
}

/// Is all of a network this machine?
fn is_loopback(net: IpAddr, mask: IpAddr) -> bool {
    match mask {
        IpAddr::V4(mask) => net.is_loopback() && mask.octets()[0] == 255,
        IpAddr::V6(mask) => net.is_loopback() && mask == Ipv6Addr::from(u128::MAX),
    }
}

fn within(address: IpAddr, net: IpAddr, mask: IpAddr) -> bool {
    match (address, net, mask) {
        (IpAddr::V4(a), IpAddr::V4(n), IpAddr::V4(m)) => (a.to_bits() ^ n.to_bits()) & m.to_bits() == 0,
        (IpAddr::V6(a), IpAddr::V6(n), IpAddr::V6(m)) => (a.to_bits() ^ n.to_bits()) & m.to_bits() == 0,
        _ => false,
    }
}

/// An address field; `true` if a mask is to follow.
fn parse_address(word: &Word) -> Result<(Address, bool), String> {
    for (keyword, address) in [("all", Address::All), ("samehost", Address::SameHost), ("samenet", Address::SameNet)] {
        if word.is(keyword) {
            return Ok((address, false));
        }
    }
    let (text, bits) = match word.text.split_once('/') {
        Some((text, bits)) => (text, Some(bits)),
        None => (word.text.as_str(), None),
    };
    let Ok(ip) = text.parse::<IpAddr>() else {
        return Err(match bits {
            Some(_) => format!("specifying both host name and CIDR mask is invalid: \"{}\"", word.text),
            None => format!("host name \"{text}\" is not supported: give its addresses"),
        });
    };
    let Some(bits) = bits else { return Ok((Address::Net(ip, ip), true)) };
    let width = if ip.is_ipv4() { 32 } else { 128 };
    let bits: u32 = bits
        .parse()
        .ok()
        .filter(|bits| *bits <= width)
        .ok_or_else(|| format!("invalid CIDR mask in address \"{}\"", word.text))?;
    let mask = match ip {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from(u32::MAX.checked_shl(32 - bits).unwrap_or(0))),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(u128::MAX.checked_shl(128 - bits).unwrap_or(0))),
    };
    Ok((Address::Net(ip, mask), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pg_hba.conf");
        std::fs::write(&path, text).unwrap();
        load(&path).unwrap()
    }

    fn port<'a>(user: &'a str, database: &'a str, address: Option<&str>, encrypted: bool) -> Port<'a> {
        Port { user, database, address: address.map(|a| a.parse().unwrap()), encrypted, own: &[], roles: &[] }
    }

    fn first<'a>(lines: &'a [Line], port: &Port) -> Option<&'a Line> {
        lines.iter().find(|line| line.rule.as_ref().unwrap().matches(port))
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let lines = lines(
            "local sameuser all peer\n\
             hostssl all alice,\"all\" 10.0.0.0/8 cert clientname=DN map=m\n\
             host \"My Db\",/^db\\d+$ /^a 10.1.2.3 255.255.0.0 scram-sha-256\n\
             hostnossl all +bob ::1/128 password\n\
             host all all all reject\n",
        );
        let number = |user, database, address, encrypted| {
            first(&lines, &port(user, database, address, encrypted)).map(|line| line.number)
        };
        assert_eq!(number("x", "x", None, false), Some(1));
        assert_eq!(number("x", "y", None, false), None);
        let carl = |roles: &'static [String]| Port { roles, ..port("carl", "y", Some("::1"), false) };
        assert_eq!(first(&lines, &carl(&[])).map(|line| line.number), Some(5));
        let bob = Box::leak(Box::new(["bob".to_string()]));
        assert_eq!(first(&lines, &carl(bob)).map(|line| line.number), Some(4));
        assert_eq!(number("alice", "y", Some("10.9.9.9"), true), Some(2));
        assert_eq!(number("all", "y", Some("10.9.9.9"), true), Some(2));
        assert_eq!(number("bob", "y", Some("10.9.9.9"), true), Some(5));
        assert_eq!(number("alice", "My Db", Some("10.1.9.9"), false), Some(3));
        assert_eq!(number("anna", "db12", Some("10.1.9.9"), false), Some(3));
        assert_eq!(number("anna", "db", Some("10.1.9.9"), false), Some(5));
        assert_eq!(number("bob", "db", Some("::1"), false), Some(4));
        assert_eq!(number("bob", "db", Some("::1"), true), Some(5));
    }

    // The messages came from PostgreSQL 18's pg_hba_file_rules.
    #[test]
    fn errors_are_postgresqls() {
        for (text, expected) in [
            ("foo all all trust", "invalid connection type \"foo\""),
            ("local", "end-of-line before database specification"),
            ("local all", "end-of-line before role specification"),
            ("host all all", "end-of-line before IP address specification"),
            ("host all all 10.0.0.0", "end-of-line before netmask specification"),
            ("host all all 10.0.0.0/33 trust", "invalid CIDR mask in address \"10.0.0.0/33\""),
            ("host all all 10.0.0.0 ffff:: trust", "IP address and mask do not match"),
            ("host all all 10.0.0.0 x trust", "invalid IP mask \"x\""),
            ("local all all", "end-of-line before authentication method"),
            ("local all all foo", "invalid authentication method \"foo\""),
            ("host all all all peer", "peer authentication is only supported on local sockets"),
            ("host all all all cert", "cert authentication is only supported on hostssl connections"),
            ("host all all all trust foo", "authentication option not in name=value format: foo"),
            ("host all all all trust foo=1", "unrecognized authentication option name: \"foo\""),
            ("host all all all md5 clientcert=verify-ca", "clientcert can only be configured for \"hostssl\" rows"),
            ("local all all peer,trust", "multiple values specified for authentication type"),
            ("local all /( trust", "invalid regular expression \"(\""),
        ] {
            assert!(
                lines(text)[0].rule.as_ref().unwrap_err().starts_with(expected),
                "{text}: {:?}",
                lines(text)[0].rule
            );
        }
    }

    #[test]
    fn trust_beyond_loopback_is_seen() {
        for (rule, trusts) in [
            ("local all all trust", false),
            ("host all all 127.0.0.1/32 trust", false),
            ("host all all 127.0.0.0/8 trust", false),
            ("host all all ::1/128 trust", false),
            ("host all all samehost trust", false),
            ("host all all all scram-sha-256", false),
            ("host all all 127.0.0.1/1 trust", true),
            ("host all all ::1/127 trust", true),
            ("host all all 0.0.0.0/0 trust", true),
            ("host all all samenet trust", true),
            ("hostssl all all all trust", true),
            ("hostssl all all all trust clientcert=verify-ca", false),
        ] {
            assert_eq!(lines(rule)[0].rule.as_ref().unwrap().trusts_others(), trusts, "{rule}");
        }
        let first = lines(FIRST_FILE);
        assert_eq!(first.len(), 3);
        assert!(first.iter().all(|line| !line.rule.as_ref().unwrap().trusts_others()));
    }
}
