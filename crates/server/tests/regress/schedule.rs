//! In which order PostgreSQL plays its regression files, and which of them a file needs to have been played before it
//! (`parallel_schedule` of PostgreSQL's source, and its comments).
//!
//! Each file is played in a database in which those have been played that it needs, in the schedule's order: most of them
//! leave nothing to the others, and a file that is wrong here must not make all that follow it say nothing. With these
//! needs PostgreSQL 18.6 prints for every file what it prints when the whole schedule is played in one database.

use std::collections::BTreeSet;

/// What a file needs beside the groups before it; see [`Schedule::needs`].
const NEEDS: &[(&str, &[&str])] = &[
    ("multirangetypes", &["rangetypes"]),
    ("geometry", &["point", "lseg", "line", "box", "path", "polygon", "circle"]),
    ("horology", &["date", "time", "timetz", "timestamp", "timestamptz", "interval"]),
    ("create_index_spgist", &["create_index"]),
    ("create_view", &["create_index"]),
    ("index_including", &["create_index"]),
    ("index_including_gist", &["create_index"]),
    ("amutils", &["geometry", "hash_index", "brin"]),
    ("stats", &["stats_ext"]),
    ("event_trigger", &["create_am"]),
];

/// The first group of those that make what later ones read.
const FIRST_OF_MAKERS: &str = "create_misc";
/// The last one, and what it vacuums and analyzes beside.
const LAST_OF_MAKERS: &str = "create_index";
const ANALYZES: &[&str] = &["create_aggregate", "sanity_check"];

pub struct Schedule {
    groups: Vec<Vec<String>>,
}

impl Schedule {
    pub fn read(text: &str) -> Schedule {
        let group = |names: &str| names.split_whitespace().map(str::to_string).collect();
        Schedule { groups: text.lines().filter_map(|line| line.strip_prefix("test:")).map(group).collect() }
    }

    /// All files in their order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flatten().map(String::as_str)
    }

    fn group(&self, file: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.iter().any(|name| name == file))
    }

    /// The files to be played before one, in their order: `test_setup`; behind the groups that make tables and indexes
    /// these; behind `sanity_check` it too, which vacuums; and what [`NEEDS`] says. A file that the schedule lacks is
    /// played behind all others.
    pub fn needs(&self, file: &str) -> Vec<String> {
        let mut needed = BTreeSet::new();
        self.collect(file, &mut needed);
        let group = self.group(file).unwrap_or(usize::MAX);
        if group > 0 {
            needed.insert("test_setup");
        }
        if let (Some(first), Some(last)) = (self.group(FIRST_OF_MAKERS), self.group(LAST_OF_MAKERS))
            && group > last
        {
            needed.extend(self.groups[first..=last].iter().flatten().map(String::as_str));
        }
        if self.group(ANALYZES[1]).is_some_and(|analyzes| group > analyzes) {
            needed.extend(ANALYZES);
        }
        self.files().filter(|name| needed.contains(name)).map(str::to_string).collect()
    }

    fn collect(&self, file: &str, needed: &mut BTreeSet<&str>) {
        for name in NEEDS.iter().filter(|(name, _)| *name == file).flat_map(|(_, needs)| *needs) {
            if needed.insert(name) {
                self.collect(name, needed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_come_in_the_schedules_order() {
        let text = "# a comment\ntest: test_setup\ntest: point geometry\ntest: create_misc create_type\ntest: create_index\n\
                    test: create_aggregate select\ntest: sanity_check\ntest: join hash_index brin\ntest: amutils\n";
        let schedule = Schedule::read(text);
        let needs = |file: &str| schedule.needs(file).join(" ");
        assert_eq!(needs("test_setup"), "");
        assert_eq!(needs("geometry"), "test_setup point");
        assert_eq!(needs("create_type"), "test_setup");
        assert_eq!(needs("select"), "test_setup create_misc create_type create_index");
        assert_eq!(needs("join"), "test_setup create_misc create_type create_index create_aggregate sanity_check");
        assert!(needs("amutils").contains("geometry") && needs("amutils").ends_with("sanity_check hash_index brin"));
        assert_eq!(needs("numeric_big"), needs("join"));
    }
}
