//! `pg_ident.conf`: which roles a name from outside (of the operating system, of a certificate) may take.

use std::path::Path;
use std::sync::Arc;

use super::tokens::{self, FieldWords};
use super::{Name, single};

/// A line of a map.
#[derive(Clone, Debug)]
pub struct IdentMap {
    pub map: String,
    pub system_name: Name,
    pub role: Name,
}

/// A line of the file, and those that it includes.
#[derive(Clone, Debug)]
pub struct IdentLine {
    pub file: Arc<Path>,
    pub number: usize,
    pub map: Result<IdentMap, String>,
}

/// What `pg_ident.conf` is at first.
pub fn first_file(owner: &str) -> String {
    let quoted = owner.replace('"', "\"\"");
    format!(
        "# Which roles names from outside may take: MAP  SYSTEM-NAME  ROLE. pg_hba.conf names the map (map=MAP).\n\
         \n\
         # Everybody is who they are; who made this directory may be anybody.\n\
         local   /^(.*)$         \\1\n\
         local   \"{quoted}\"    all\n"
    )
}

/// Reads the file. `Err`: it cannot be read at all.
pub fn load_idents(path: &Path) -> Result<Vec<IdentLine>, String> {
    let lines = tokens::read(path)?.into_iter().map(|raw| IdentLine {
        file: raw.file,
        number: raw.number,
        map: raw.fields.and_then(|fields| IdentMap::parse(&fields)),
    });
    Ok(lines.collect())
}

impl IdentMap {
    fn parse(fields: &[FieldWords]) -> Result<IdentMap, String> {
        let [map, system_name, role, ..] = fields else { return Err("missing entry at end of line".into()) };
        Ok(IdentMap {
            map: single(map, "ident field")?.text.clone(),
            system_name: Name::new(single(system_name, "ident field")?)?,
            role: Name::new(single(role, "ident field")?)?,
        })
    }

    /// May `name` take `role` by this line?
    pub fn allows(&self, name: &str, role: &str) -> bool {
        let mut wanted = self.role.clone();
        match &self.system_name.regex {
            None if self.system_name.word.text != name => return false,
            None => {}
            Some(regex) => {
                let Some(found) = regex.captures(name) else { return false };
                // `\1` is what the first parentheses found; it is meant as it is.
                if wanted.regex.is_none() && wanted.word.text.contains("\\1") {
                    let Some(part) = found.get(1) else { return false };
                    wanted.word.text = wanted.word.text.replacen("\\1", part.as_str(), 1);
                    wanted.word.quoted = true;
                }
            }
        }
        match wanted.group() {
            Some(group) => group == role,
            None => wanted.word.is("all") || wanted.matches(role),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_say_who_may_be_whom() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pg_ident.conf");
        let text = "m /^(.*)@example\\.com$ \\1\nm root all\nm bob \"all\"\nm carl /^c\nshort line\n";
        std::fs::write(&path, text).unwrap();
        let lines = load_idents(&path).unwrap();
        let maps: Vec<_> = lines.iter().filter_map(|line| line.map.as_ref().ok()).collect();
        let allows = |name, role| maps.iter().any(|map| map.allows(name, role));
        assert!(allows("anna@example.com", "anna") && !allows("anna@example.com", "bob"));
        assert!(allows("root", "anything") && !allows("bob", "anything") && allows("bob", "all"));
        assert!(allows("carl", "c1") && !allows("carl", "d1"));
        // What a name brings along is no keyword.
        assert!(!allows("all@example.com", "bob") && !allows("+bob@example.com", "bob"));
        assert_eq!(lines[4].map.as_ref().unwrap_err(), "missing entry at end of line");
        std::fs::write(&path, first_file("we \"are\"")).unwrap();
        assert!(load_idents(&path).unwrap()[1].map.as_ref().unwrap().allows("we \"are\"", "postgres"));
    }
}
