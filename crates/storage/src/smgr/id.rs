//! What names a relation's storage: its database and the number of its file, in which is also which fork it is.

/// The bits of a file's number that say which fork it is. Other files' numbers are below.
const FORK: u32 = 7 << 29;
const TOAST_FORK: u32 = 1 << 31;
const VM_FORK: u32 = 1 << 30;
const FSM_FORK: u32 = 1 << 29;
/// Long values have a free-space map of their own.
const TOAST_FSM_FORK: u32 = TOAST_FORK | FSM_FORK;
const TOAST_SUFFIX: &str = "_toast";
const VM_SUFFIX: &str = "_vm";
const FSM_SUFFIX: &str = "_fsm";
const TOAST_FSM_SUFFIX: &str = "_toast_fsm";

/// Names a relation's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId {
    pub database: u32,
    pub file: u32,
}

impl RelationId {
    /// The fork with the relation's long values.
    pub fn toast(self) -> RelationId {
        debug_assert!(!self.is_fork());
        RelationId { file: self.file | TOAST_FORK, ..self }
    }

    /// The fork with the bits of its visibility map.
    pub fn vm(self) -> RelationId {
        debug_assert!(!self.is_fork());
        RelationId { file: self.file | VM_FORK, ..self }
    }

    /// The fork with the free-space map of its rows, or of its long values.
    pub fn fsm(self) -> RelationId {
        debug_assert!(!self.is_fork() || self.is_toast());
        RelationId { file: self.file | FSM_FORK, ..self }
    }

    pub fn is_toast(self) -> bool {
        self.file & FORK == TOAST_FORK
    }

    pub fn is_fork(self) -> bool {
        self.file & FORK != 0
    }

    /// The fork's number, as PostgreSQL counts forks: those of long values are behind its own.
    pub fn fork(self) -> u16 {
        match self.file & FORK {
            0 => 0,
            FSM_FORK => 1,
            VM_FORK => 2,
            TOAST_FORK => 4,
            _ => 5,
        }
    }

    /// The relation that a fork is of; others are their own.
    pub fn main(self) -> RelationId {
        RelationId { file: self.file & !FORK, ..self }
    }

    fn suffix(self) -> &'static str {
        match self.file & FORK {
            0 => "",
            FSM_FORK => FSM_SUFFIX,
            VM_FORK => VM_SUFFIX,
            TOAST_FORK => TOAST_SUFFIX,
            _ => TOAST_FSM_SUFFIX,
        }
    }

    /// The relation that a file in a database's directory is of, if it is one's first segment.
    pub(super) fn of_file(database: u32, name: &str) -> Option<RelationId> {
        let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
        let fork = match &name[digits..] {
            "" => 0,
            FSM_SUFFIX => FSM_FORK,
            VM_SUFFIX => VM_FORK,
            TOAST_SUFFIX => TOAST_FORK,
            TOAST_FSM_SUFFIX => TOAST_FSM_FORK,
            _ => return None,
        };
        Some(RelationId { database, file: name[..digits].parse::<u32>().ok()? | fork })
    }
}

impl std::fmt::Display for RelationId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "base/{}/{}{}", self.database, self.main().file, self.suffix())
    }
}
