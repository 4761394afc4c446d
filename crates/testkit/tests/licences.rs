//! What the lock file names comes from where `deny.toml` allows, under licences that it allows. (`cargo deny` checks the same and
//! takes minutes to build.)

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts of a list in `deny.toml`: `name = ["…", …]`.
fn list(deny: &str, name: &str) -> Vec<String> {
    let start = format!("\n{name} = [");
    let from = deny.find(&start).unwrap_or_else(|| panic!("deny.toml has no {name}")) + start.len();
    let items = &deny[from..from + deny[from..].find(']').expect("the list ends")];
    items.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// An SPDX expression, read from the left.
struct Expression<'a> {
    rest: Vec<&'a str>,
    allowed: &'a [String],
}

impl Expression<'_> {
    fn peek(&self) -> Option<&str> {
        self.rest.first().copied()
    }

    fn either(&mut self) -> bool {
        let mut good = self.both();
        while self.peek() == Some("OR") {
            self.rest.remove(0);
            good |= self.both();
        }
        good
    }

    fn both(&mut self) -> bool {
        let mut good = self.one();
        while self.peek() == Some("AND") {
            self.rest.remove(0);
            good &= self.one();
        }
        good
    }

    fn one(&mut self) -> bool {
        let word = self.rest.remove(0);
        if word == "(" {
            let good = self.either();
            assert_eq!(self.rest.remove(0), ")");
            return good;
        }
        // Or later.
        let mut licence = word.trim_end_matches('+').to_string();
        if self.peek() == Some("WITH") {
            licence = format!("{licence} WITH {}", self.rest[1]);
            self.rest.drain(..2);
        }
        self.allowed.contains(&licence)
    }
}

/// May code under this licence be in here? A slash is how OR was written once.
fn is_allowed(licence: &str, allowed: &[String]) -> bool {
    let spaced = licence.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut expression = Expression { rest: spaced.split_whitespace().collect(), allowed };
    let good = expression.either();
    assert!(expression.rest.is_empty(), "{licence}");
    good
}

#[test]
fn expressions_are_read() {
    let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception", "ISC"].map(str::to_string);
    for good in
        ["MIT", "GPL-2.0 OR MIT", "GPL-2.0/MIT", "(GPL-2.0 OR MIT) AND ISC", "MIT+", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-2.0", "MIT AND GPL-2.0", "Apache-2.0", "(MIT AND GPL-2.0) OR (ISC AND GPL-2.0)"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn licences_and_sources_are_allowed() {
    let deny = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let (licences, registries) = (list(&deny, "allow"), list(&deny, "allow-registry"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let arguments = ["metadata", "--offline", "--format-version", "1", "--filter-platform", &host];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100);
    let mut wrong = Vec::new();
    for package in packages {
        let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        // Ours are where this file is.
        if let Some(source) = package["source"].as_str()
            && !registries.iter().any(|registry| source == format!("registry+{registry}"))
        {
            wrong.push(format!("{name} {version} comes from {source}"));
        }
        match package["license"].as_str() {
            Some(licence) if is_allowed(licence, &licences) => {}
            licence => wrong.push(format!("{name} {version} has the licence {licence:?}")),
        }
    }
    assert!(wrong.is_empty(), "deny.toml does not allow:\n{}", wrong.join("\n"));
}
