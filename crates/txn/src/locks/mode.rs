//! PostgreSQL's lock modes and their conflicts (`lock.c`).

/// PostgreSQL's lock modes, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LockMode {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

impl LockMode {
    pub const ALL: [LockMode; 8] = [
        LockMode::AccessShare,
        LockMode::RowShare,
        LockMode::RowExclusive,
        LockMode::ShareUpdateExclusive,
        LockMode::Share,
        LockMode::ShareRowExclusive,
        LockMode::Exclusive,
        LockMode::AccessExclusive,
    ];

    /// `pg_locks.mode`.
    pub fn name(self) -> &'static str {
        match self {
            LockMode::AccessShare => "AccessShareLock",
            LockMode::RowShare => "RowShareLock",
            LockMode::RowExclusive => "RowExclusiveLock",
            LockMode::ShareUpdateExclusive => "ShareUpdateExclusiveLock",
            LockMode::Share => "ShareLock",
            LockMode::ShareRowExclusive => "ShareRowExclusiveLock",
            LockMode::Exclusive => "ExclusiveLock",
            LockMode::AccessExclusive => "AccessExclusiveLock",
        }
    }

    /// The modes it conflicts with, a bit each: PostgreSQL's table.
    pub(super) fn conflicts(self) -> u8 {
        const AS: u8 = 1;
        const RS: u8 = 2;
        const RX: u8 = 4;
        const SUX: u8 = 8;
        const S: u8 = 16;
        const SRX: u8 = 32;
        const X: u8 = 64;
        const AX: u8 = 128;
        match self {
            LockMode::AccessShare => AX,
            LockMode::RowShare => X | AX,
            LockMode::RowExclusive => S | SRX | X | AX,
            LockMode::ShareUpdateExclusive => SUX | S | SRX | X | AX,
            LockMode::Share => RX | SUX | SRX | X | AX,
            LockMode::ShareRowExclusive => RX | SUX | S | SRX | X | AX,
            LockMode::Exclusive => RS | RX | SUX | S | SRX | X | AX,
            LockMode::AccessExclusive => AS | RS | RX | SUX | S | SRX | X | AX,
        }
    }

    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Conflicts with no other weak one.
    pub fn is_weak(self) -> bool {
        self <= LockMode::RowExclusive
    }

    /// Conflicts with a weak one.
    pub(crate) fn is_strong(self) -> bool {
        self >= LockMode::Share
    }

    pub fn conflicts_with(self, other: LockMode) -> bool {
        self.conflicts() & other.bit() != 0
    }
}
