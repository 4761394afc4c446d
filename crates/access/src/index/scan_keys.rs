//! What a scan of an index is asked for: ranges of keys, and conditions on columns that a range says nothing of. A method whose keys
//! have no order takes a range for the one key that it has, where it is that of a key.
//!
//! The conditions are PostgreSQL's scan keys that do not end a scan (`_bt_checkkeys`). Entries that do not pass are not given, so that their rows are not looked at; and as their order says where
//! the next one may be that passes, those before it need not be read (skip scan).
//!
//! Parts of keys end by themselves: comparing what of a key begins with a column's part with another part compares the parts.

use std::sync::Arc;

use types::compare;

use crate::index::key::{KeyColumn, KeyShape, after_prefix};

/// A range of an index's keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRange {
    pub from: Vec<u8>,
    /// Exclusive; `None`: to the end.
    pub to: Option<Vec<u8>>,
    /// Entries of the range that do not pass are left out.
    pub filter: Option<Arc<KeyFilter>>,
}

impl KeyRange {
    pub fn new(from: Vec<u8>, to: Option<Vec<u8>>) -> KeyRange {
        KeyRange { from, to, filter: None }
    }
}

/// Conditions on columns of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFilter {
    /// The key's columns before the last one that is asked for.
    columns: Vec<KeyColumn>,
    /// By column, ascending; a column may have several.
    conditions: Vec<PartCondition>,
}

/// A column's part of a key is in one of these ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct PartCondition {
    /// Position in the key.
    pub column: usize,
    /// Ascending and apart; the second bound is exclusive.
    pub ranges: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What a filter says of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passes,
    /// No entry passes from this one on up to a key, which is greater.
    FailsTo,
    /// Neither this entry nor any behind it passes.
    Ends,
}

impl KeyFilter {
    /// `None`: there are none on columns of which keys say where their parts begin.
    pub fn new(shape: &KeyShape, mut conditions: Vec<PartCondition>) -> Option<KeyFilter> {
        conditions.retain(|condition| shape.can_decode(condition.column));
        conditions.sort_by_key(|condition| condition.column);
        let last = conditions.last()?.column;
        Some(KeyFilter { columns: shape.columns[..last].to_vec(), conditions })
    }

    /// Whether an entry passes. `target` gets the key that [`Verdict::FailsTo`] speaks of.
    pub fn check(&self, entry: &[u8], target: &mut Vec<u8>) -> Verdict {
        let (mut at, mut start) = (0, 0);
        for condition in &self.conditions {
            while at < condition.column {
                // What makes no sense is reported where it is read.
                let Some(len) = part_len(&self.columns[at], &entry[start..]) else { return Verdict::Passes };
                (at, start) = (at + 1, start + len);
            }
            let (before, part) = entry.split_at(start);
            let ranges = &condition.ranges;
            let next = match ranges.as_slice() {
                [one] => usize::from(one.1[..] <= *part),
                _ => ranges.partition_point(|(_, to)| to[..] <= *part),
            };
            target.clear();
            match ranges.get(next) {
                Some((from, _)) if from[..] <= *part => {}
                Some((from, _)) => {
                    target.extend_from_slice(before);
                    target.extend_from_slice(from);
                    return Verdict::FailsTo;
                }
                None => match after_prefix(before) {
                    Some(next) => {
                        target.extend_from_slice(&next);
                        return Verdict::FailsTo;
                    }
                    None => return Verdict::Ends,
                },
            }
        }
        Verdict::Passes
    }
}

/// Bytes of a column's part of a key, `key` beginning with it.
fn part_len(column: &KeyColumn, key: &[u8]) -> Option<usize> {
    let (&mark, value) = key.split_first()?;
    match mark {
        1 => Some(1 + compare::key_len(column.repr, value, column.descending)?),
        _ => Some(1),
    }
}
