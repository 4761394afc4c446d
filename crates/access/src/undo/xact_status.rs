//! What a transaction has done to tables' rows, as long as it is open whether they will be there: PostgreSQL's
//! `PgStat_TableXactStatus`. Each subtransaction has counts of its own. Its commit hands them to the one above; its abort leaves
//! them as attempts, whose rows are dead.
//!
//! The counts are the writer's own: a table's [`Activity`] hears of them once, at the transaction's end.

use std::sync::Arc;

use crate::heap::activity::{Activity, Changes, TableCounts};

/// What a (sub)transaction has done to a table.
#[derive(Debug)]
struct TableXactStatus {
    activity: Arc<Activity>,
    nest_level: usize,
    changes: Changes,
    /// TRUNCATE or DROP has made the changes begin anew; as they were, for its abort.
    before_truncdrop: Option<Changes>,
}

impl TableXactStatus {
    /// Of several TRUNCATEs in a subtransaction the first one counts.
    fn save_truncdrop_counters(&mut self, is_drop: bool) {
        if is_drop || self.before_truncdrop.is_none() {
            self.before_truncdrop = Some(self.changes);
        }
    }

    /// A subtransaction below has committed.
    fn absorb(&mut self, below: &TableXactStatus) {
        if below.before_truncdrop.is_some() {
            self.save_truncdrop_counters(false);
            self.changes = below.changes;
        } else {
            self.changes += below.changes;
        }
    }
}

/// What a transaction has done to tables.
#[derive(Debug)]
pub struct XactStatus {
    /// Of the current subtransaction; the transaction's own is 1.
    nest_level: usize,
    /// In the order of their levels.
    tables: Vec<TableXactStatus>,
    /// What aborted subtransactions have attempted.
    aborted: Vec<(Arc<Activity>, Changes)>,
}

impl XactStatus {
    pub fn new(nest_level: usize) -> XactStatus {
        XactStatus { nest_level, tables: Vec::new(), aborted: Vec::new() }
    }

    /// The current subtransaction's counts of a table, if there are any.
    fn find(&mut self, activity: &Arc<Activity>) -> Option<&mut TableXactStatus> {
        let level = self.nest_level;
        let mut own = self.tables.iter_mut().rev().take_while(|table| table.nest_level == level);
        own.find(|table| Arc::ptr_eq(&table.activity, activity))
    }

    fn of(&mut self, activity: &Arc<Activity>) -> &mut TableXactStatus {
        if self.find(activity).is_none() {
            self.tables.push(TableXactStatus {
                activity: activity.clone(),
                nest_level: self.nest_level,
                changes: Changes::default(),
                before_truncdrop: None,
            });
        }
        self.find(activity).expect("it is there by now")
    }

    pub fn count_insert(&mut self, activity: &Arc<Activity>, rows: u64) {
        self.of(activity).changes.inserted += rows;
    }

    pub fn count_update(&mut self, activity: &Arc<Activity>, rows: u64) {
        self.of(activity).changes.updated += rows;
    }

    pub fn count_delete(&mut self, activity: &Arc<Activity>, rows: u64) {
        self.of(activity).changes.deleted += rows;
    }

    /// The table is empty now.
    pub fn count_truncate(&mut self, activity: &Arc<Activity>) {
        let table = self.of(activity);
        table.save_truncdrop_counters(false);
        table.changes = Changes::default();
    }

    /// The table is gone, as far as the transaction is concerned.
    pub fn drop_relation(&mut self, activity: &Arc<Activity>) {
        if let Some(table) = self.find(activity) {
            table.save_truncdrop_counters(true);
            table.changes = Changes::default();
        }
    }

    /// What the transaction has attempted with a table so far.
    pub fn changes(&self, activity: &Arc<Activity>) -> Changes {
        let mut changes = self.open_changes(activity);
        let aborted = self.aborted.iter().filter(|(of, _)| Arc::ptr_eq(of, activity));
        aborted.for_each(|(_, more)| changes += *more);
        changes
    }

    /// The same without what was aborted.
    pub fn open_changes(&self, activity: &Arc<Activity>) -> Changes {
        let mut changes = Changes::default();
        let tables = self.tables.iter().filter(|table| Arc::ptr_eq(&table.activity, activity));
        tables.for_each(|table| changes += table.changes);
        changes
    }

    /// A subtransaction begins.
    pub fn begin_subtransaction(&mut self) {
        self.nest_level += 1;
    }

    /// The subtransaction at this level commits, with those that are open below it.
    pub fn commit_subtransaction(&mut self, nest_level: usize) {
        while self.nest_level >= nest_level {
            let first = self.tables.partition_point(|table| table.nest_level < self.nest_level);
            let below = self.tables.split_off(first);
            self.nest_level -= 1;
            for mut table in below {
                match self.find(&table.activity) {
                    Some(upper) => upper.absorb(&table),
                    None => {
                        table.nest_level = self.nest_level;
                        self.tables.push(table);
                    }
                }
            }
        }
    }

    /// The subtransaction at this level aborts, with those below it, and begins again.
    pub fn abort_subtransaction(&mut self, nest_level: usize) {
        while let Some(table) = self.tables.pop_if(|table| table.nest_level >= nest_level) {
            let attempted = table.before_truncdrop.unwrap_or(table.changes);
            match self.aborted.iter_mut().find(|(of, _)| Arc::ptr_eq(of, &table.activity)) {
                Some((_, changes)) => *changes += attempted,
                None => self.aborted.push((table.activity, attempted)),
            }
        }
        self.nest_level = self.nest_level.min(nest_level);
    }

    /// The transaction ends: its tables hear of it.
    pub fn end(mut self, commits: bool) {
        match commits {
            true => self.commit_subtransaction(2),
            false => self.abort_subtransaction(1),
        }
        for table in self.tables {
            let at = self.aborted.iter().position(|(of, _)| Arc::ptr_eq(of, &table.activity));
            let attempted = at.map(|at| self.aborted.swap_remove(at).1).unwrap_or_default();
            let truncdropped = table.before_truncdrop.is_some();
            table.activity.add(TableCounts::of_commit(table.changes, attempted, truncdropped));
        }
        for (activity, attempted) in self.aborted {
            activity.add(TableCounts::of_abort(attempted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(inserted: u64, updated: u64, deleted: u64) -> Changes {
        Changes { inserted, updated, deleted }
    }

    /// Inserted, updated, deleted, live, dead, changed since ANALYZE, inserted since VACUUM.
    fn counts(activity: &Activity) -> [u64; 7] {
        let entry = activity.entry();
        let Changes { inserted, updated, deleted } = entry.changes;
        let since = [entry.changed_since_analyze, entry.inserted_since_vacuum];
        [inserted, updated, deleted, entry.live, entry.dead, since[0], since[1]]
    }

    #[test]
    fn a_rollback_leaves_attempts_and_dead_rows() {
        let table = Arc::<Activity>::default();
        let mut status = XactStatus::new(1);
        status.count_insert(&table, 10);
        status.count_update(&table, 2);
        status.count_delete(&table, 3);
        status.end(true);
        assert_eq!(counts(&table), [10, 2, 3, 7, 5, 15, 10]);
        let mut status = XactStatus::new(1);
        status.count_insert(&table, 4);
        status.count_delete(&table, 7);
        status.end(false);
        assert_eq!(counts(&table), [14, 2, 10, 7, 9, 15, 14]);
    }

    /// As PostgreSQL 18 counts the same.
    #[test]
    fn truncate_counts_for_its_subtransaction() {
        let table = Arc::<Activity>::default();
        let mut status = XactStatus::new(1);
        status.count_insert(&table, 1);
        status.begin_subtransaction();
        status.count_insert(&table, 1);
        status.abort_subtransaction(2);
        status.count_insert(&table, 1);
        assert_eq!(status.changes(&table), changes(3, 0, 0));
        status.count_truncate(&table);
        assert_eq!(status.changes(&table), changes(2, 0, 0));
        status.count_insert(&table, 1);
        assert_eq!(status.changes(&table), changes(3, 0, 0));
        assert_eq!(status.open_changes(&table), changes(2, 0, 0));
        status.end(true);
        assert_eq!(counts(&table), [2, 0, 0, 1, 0, 1, 2]);
        // Taken back, it has never been.
        let mut status = XactStatus::new(1);
        status.count_insert(&table, 2);
        status.begin_subtransaction();
        status.count_insert(&table, 2);
        status.count_truncate(&table);
        status.count_insert(&table, 1);
        status.abort_subtransaction(2);
        status.end(true);
        assert_eq!(counts(&table), [6, 0, 0, 3, 2, 3, 6]);
    }

    #[test]
    fn what_is_released_is_the_upper_ones() {
        let (table, other) = (Arc::<Activity>::default(), Arc::<Activity>::default());
        // The writer comes when there is a savepoint already.
        let mut status = XactStatus::new(2);
        status.count_insert(&table, 1);
        status.begin_subtransaction();
        status.count_insert(&table, 1);
        status.count_insert(&other, 5);
        status.begin_subtransaction();
        status.drop_relation(&table);
        status.abort_subtransaction(4);
        assert_eq!(status.changes(&table), changes(2, 0, 0));
        status.commit_subtransaction(3);
        status.drop_relation(&table);
        assert_eq!(status.changes(&table), changes(0, 0, 0));
        status.abort_subtransaction(2);
        assert_eq!((status.changes(&table), status.changes(&other)), (changes(2, 0, 0), changes(5, 0, 0)));
        status.count_insert(&table, 1);
        status.end(true);
        assert_eq!((counts(&table), counts(&other)), ([3, 0, 0, 1, 2, 1, 3], [5, 0, 0, 0, 5, 0, 5]));
    }
}
