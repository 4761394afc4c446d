//! Transactions: PostgreSQL's `xact.c`. Every statement runs in one: a block that BEGIN opened, or an implicit one, which the
//! caller begins and ends around a query string or what comes before a Sync ([`Session::begin_implicit`],
//! [`Session::end_implicit`]).

pub mod block;
pub mod modes;
pub mod on_commit;

use std::sync::Arc;

use ::error::sqlstate;
use config::{Settings, Source};
use engine::{Durability, EngineError, Result, Savepoint, Transaction};
use syntax::nodes::{Node, TransactionStmt, TransactionStmtKind};

use crate::session::{Reply, Session, done};
use crate::setting::guc::{self, Stage};
use crate::transaction::block::{Named, TransactionStatus};
use crate::transaction::modes::{Mode, transaction_modes};
use crate::transaction::on_commit::OnCommit;
use crate::uninterrupted::uninterrupted;

impl Session {
    pub fn status(&self) -> TransactionStatus {
        if self.block.explicit { self.block.status } else { TransactionStatus::Idle }
    }

    /// Is there a transaction, perhaps an implicit one?
    pub fn in_transaction(&self) -> bool {
        !self.block.is_idle()
    }

    /// Where in the session's transactions we are: what is begun here is taken back when [`Session::take_undone`] gives
    /// this place or an earlier one.
    pub fn place(&self) -> u64 {
        self.block.place
    }

    /// The earliest place since which everything has been undone, or has ended with its transaction, since the last call.
    pub fn take_undone(&mut self) -> Option<u64> {
        self.block.undone.take()
    }

    /// Is this a transaction block, which more statements may belong to?
    pub fn in_block(&self) -> bool {
        self.block.explicit || self.block.implicit_block
    }

    /// Fails for what commits by itself, half of which could not be taken back.
    pub fn refuse_in_block(&mut self, what: &str) -> Result<()> {
        if self.in_block() {
            return Err(EngineError::new(
                sqlstate::ACTIVE_SQL_TRANSACTION,
                format!("{what} cannot run inside a transaction block"),
            ));
        }
        self.block.commits_at_once = true;
        Ok(())
    }

    /// Fails for what makes sense in a transaction block only.
    pub fn require_block(&self, what: &str) -> Result<()> {
        if !self.in_block() {
            return Err(EngineError::new(
                sqlstate::NO_ACTIVE_SQL_TRANSACTION,
                format!("{what} can only be used in transaction blocks"),
            ));
        }
        Ok(())
    }

    /// The statements to come share a transaction, until [`Session::end_implicit`].
    pub fn begin_implicit(&mut self) {
        if self.block.status == TransactionStatus::Idle {
            self.block.status = TransactionStatus::Active;
            *self.shared.transaction_start.lock() = *self.shared.statement_start.lock();
        }
    }

    /// The implicit transaction, if there is one, is a block (`BeginImplicitTransactionBlock`).
    pub fn begin_implicit_block(&mut self) {
        self.block.implicit_block |= self.in_transaction();
    }

    /// An Execute has done its part. Unless the statement commits by itself it is in one block with those that come before the
    /// next Sync.
    pub async fn end_execute(&mut self) -> Result<()> {
        if self.block.commits_at_once {
            return self.end_implicit(true).await;
        }
        self.begin_implicit_block();
        Ok(())
    }

    /// Ends what [`Session::begin_implicit`] began, unless a BEGIN has made it explicit.
    pub async fn end_implicit(&mut self, commit: bool) -> Result<()> {
        if self.block.explicit || self.block.status == TransactionStatus::Idle {
            return Ok(());
        }
        if commit && self.block.status == TransactionStatus::Active {
            self.commit().await
        } else {
            self.rollback().await;
            Ok(())
        }
    }

    /// Gives the transaction to the portals, until somebody else needs it. Before each of their steps.
    pub fn lend_transaction(&mut self) {
        self.transaction();
        if let Some(transaction) = self.block.transaction.take() {
            self.lent.lend(transaction);
            self.is_lent = true;
        }
    }

    /// Takes it back.
    fn reclaim(&mut self) {
        if std::mem::take(&mut self.is_lent) {
            self.block.transaction = self.lent.reclaim();
        }
    }

    /// Has the current subtransaction made these files?
    pub fn has_created(&mut self, id: storage::RelationId) -> bool {
        let last = self.block.savepoints.last().map(|last| last.savepoint.clone());
        self.transaction().has_created(id, last.as_ref())
    }

    /// Is there a savepoint?
    pub(crate) fn in_subtransaction(&self) -> bool {
        !self.block.savepoints.is_empty()
    }

    /// Has the transaction looked at anything yet?
    fn has_looked(&self) -> bool {
        self.block.transaction.as_ref().is_some_and(|transaction| transaction.has_snapshot())
            || self.lent.with(|transaction| transaction.has_snapshot()) == Some(true)
    }

    /// What the transaction keeps seeing, if it is REPEATABLE READ and has looked at anything.
    pub(crate) fn kept_snapshot(&self) -> Option<txn::Snapshot> {
        let kept = |transaction: &Transaction| transaction.kept_snapshot().cloned();
        match &self.block.transaction {
            Some(transaction) => kept(transaction),
            None if self.is_lent => self.lent.with(|transaction| kept(transaction)).flatten(),
            None => None,
        }
    }

    /// How far is the transaction?
    pub(crate) fn stage(&self) -> Stage {
        Stage { looked: self.has_looked(), in_subtransaction: self.in_subtransaction() }
    }

    /// The transaction; from now on there is one.
    pub fn transaction(&mut self) -> &mut Transaction {
        self.reclaim();
        let shared = &self.shared;
        self.block.transaction.get_or_insert_with(|| Transaction::new(&shared.db, &shared.backend))
    }

    /// What may still fail.
    async fn prepare_commit(&mut self) -> Result<()> {
        self.hold_cursors().await?;
        self.reclaim();
        if self.block.transaction.is_some() && !self.on_commit.is_empty() {
            // Cursors that are not held end before, and let go of their tables.
            self.cursors.undo(0);
            self.utility.before_commit(self).await?;
            self.reclaim();
        }
        Ok(())
    }

    /// Remembers what a new table's definition says. For CREATE TABLE.
    pub fn register_on_commit(&mut self, action: OnCommit) {
        self.on_commit.push(action);
    }

    /// What is to be done before the transaction commits. Tables that are gone, or were never there, are forgotten.
    pub fn on_commit_actions(&mut self) -> Vec<OnCommit> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        self.on_commit.retain(|known| database.is_some_and(|database| database.has_table(known.table)));
        self.on_commit.clone()
    }

    async fn commit(&mut self) -> Result<()> {
        if let Err(error) = self.prepare_commit().await {
            self.rollback().await;
            return Err(error);
        }
        self.reclaim();
        let transaction = self.block.transaction.take();
        self.finish_block();
        let Some(transaction) = transaction else { return Ok(()) };
        let _committing = self.shared.backend.commits();
        let durability = Durability::of(&self.shared.settings.read().each_statement());
        let drawn = self.shared.sequences.take_lsn();
        if transaction.xid().is_none() {
            if drawn <= self.db().log().durable() || durability == Durability::Asynchronous {
                // Nothing to wait for.
                return transaction.commit(Durability::Asynchronous).await;
            }
            let (log, io) = (self.db().log().clone(), self.io().clone());
            // Its locks are given back at the end, whoever is there to wait for that.
            return uninterrupted(async move {
                let flushed = log.flush_to(&io, drawn).await;
                transaction.commit(Durability::Asynchronous).await?;
                Ok(flushed?)
            })
            .await;
        }
        // Once the commit record may exist nothing may interrupt: a cancelled or vanished client must not leave a
        // transaction that is neither in progress nor ended.
        uninterrupted(transaction.commit(durability)).await
    }

    /// Commits what a command has done so far, which goes on in another transaction. It is not in a block.
    pub async fn commit_between(&mut self) -> Result<()> {
        debug_assert!(!self.in_block());
        self.commit().await?;
        self.begin_implicit();
        Ok(())
    }

    pub(crate) async fn rollback(&mut self) {
        self.reclaim();
        let transaction = self.block.transaction.take();
        self.undo_settings();
        self.finish_block();
        Self::take_back(transaction).await;
    }

    /// What the transaction has set is as it was before.
    fn undo_settings(&self) {
        let before = self.shared.before.lock().take();
        if let Some(before) = before {
            self.roll_back_settings(before);
        }
    }

    fn roll_back_settings(&self, before: Settings) {
        let mut settings = self.shared.settings.write();
        settings.roll_back(before);
        guc::follow_activity(&self.shared, &settings);
    }

    /// Waits until the client may be told what has been seen.
    pub async fn flush_before_reply(&mut self) -> Result<()> {
        self.shared.db.flush_before_reply(&self.shared.backend).await
    }

    async fn take_back(transaction: Option<Box<Transaction>>) {
        if let Some(transaction) = transaction {
            // As a commit, it is not left half-way.
            uninterrupted(transaction.rollback()).await;
        }
    }

    fn finish_block(&mut self) {
        self.block.status = TransactionStatus::Idle;
        self.block.explicit = false;
        self.block.implicit_block = false;
        self.block.commits_at_once = false;
        self.block.handed_on.clear();
        self.block.savepoints.clear();
        self.block.undone = Some(0);
        self.cursors.undo(0);
        self.overlay(None);
        self.shared.sequences.close();
        self.shared.stats.clear();
        let before = self.shared.before.lock().take();
        if let Some(before) = before {
            guc::end_local(&self.shared, &before);
        }
    }

    /// Settings as they were when the block began, once something is about to change them.
    pub fn remember_settings(&mut self) {
        if self.block.status != TransactionStatus::Idle {
            self.shared.remember(&self.shared.settings.read());
        }
    }

    /// An error ended the statement: in a block, everything until its end is refused.
    pub async fn statement_failed(&mut self) {
        if !self.block.explicit {
            self.rollback().await;
            return;
        }
        self.block.status = TransactionStatus::Failed;
        let Some(last) = self.block.savepoints.last() else {
            self.undo_settings();
            // Nothing of it can be seen any more; waiting for ROLLBACK would only keep it in progress.
            self.overlay(None);
            self.shared.sequences.close();
            self.block.undone = Some(0);
            self.cursors.undo(0);
            self.reclaim();
            Self::take_back(self.block.transaction.take()).await;
            return;
        };
        let (place, savepoint, settings) = (last.place, last.savepoint.clone(), last.settings.clone());
        // Others need not wait until its client has heard of the failure. What cannot be taken back now is when the client says
        // how far.
        if let Err(error) = self.undo_to(place, savepoint, settings).await {
            tracing::warn!(%error, "could not take a failed subtransaction back at once");
        }
    }

    /// Lets the session see the transaction's changes of the catalog.
    pub fn show_changes(&mut self) {
        self.reclaim();
        let changed = match &mut self.block.transaction {
            Some(transaction) if transaction.changes_catalog() => Some(transaction.catalog()),
            _ => None,
        };
        self.overlay(changed);
    }

    /// What the session sees in place of the catalog that others see.
    fn overlay(&mut self, changed: Option<Arc<engine::Catalog>>) {
        if changed.is_some() || self.is_overlaid {
            self.is_overlaid = changed.is_some();
            *self.shared.overlay.write() = changed;
        }
    }

    /// What the current statement sees.
    pub fn snapshot(&mut self) -> txn::Snapshot {
        self.choose_isolation();
        self.transaction().snapshot()
    }

    /// The same, if it changes and locks nothing.
    pub(crate) fn read_snapshot(&mut self) -> txn::Snapshot {
        self.choose_isolation();
        self.transaction().read_snapshot()
    }

    /// What the statement does is a command of its own.
    pub fn new_command(&mut self) {
        self.choose_isolation();
        self.transaction().next_command();
        // Functions may have changed the catalog.
        if self.transaction().changes_catalog() {
            self.show_changes();
        }
    }

    /// The isolation level holds from the first statement on.
    pub(crate) fn choose_isolation(&mut self) {
        let repeatable = self.shared.settings.read().each_statement().repeatable_read;
        let transaction = self.transaction();
        if !transaction.has_snapshot() {
            transaction.set_repeatable(repeatable);
        }
    }

    /// In a failed transaction only what ends it is understood. `None`: an empty query string.
    pub fn require_live(&self, statement: Option<&Node>) -> Result<()> {
        let ends = |statement: &Node| {
            use TransactionStmtKind::*;
            let Node::TransactionStmt(statement) = statement else { return false };
            matches!(
                statement.kind,
                TRANS_STMT_COMMIT | TRANS_STMT_PREPARE | TRANS_STMT_ROLLBACK | TRANS_STMT_ROLLBACK_TO
            )
        };
        match statement.is_none_or(ends) {
            true => Ok(()),
            false => self.require_live_transaction(),
        }
    }

    /// Fails (25P02) in a transaction that has failed.
    pub fn require_live_transaction(&self) -> Result<()> {
        if !self.block.has_failed() {
            return Ok(());
        }
        let text = "current transaction is aborted, commands ignored until end of transaction block";
        Err(EngineError::new(sqlstate::IN_FAILED_SQL_TRANSACTION, text))
    }

    /// BEGIN, COMMIT, SAVEPOINT and their like.
    pub(crate) async fn transaction_statement(&mut self, statement: &TransactionStmt) -> Result<Reply> {
        use TransactionStmtKind::*;
        let name = statement.savepoint_name.as_deref().unwrap_or_default();
        let commits = statement.kind == TRANS_STMT_COMMIT && !self.block.has_failed();
        let chained = if statement.chain { Some(self.chained(statement.kind, commits)?) } else { None };
        let reply = match statement.kind {
            TRANS_STMT_BEGIN => self.begin_block(&statement.options, "BEGIN"),
            TRANS_STMT_START => self.begin_block(&statement.options, "START TRANSACTION"),
            TRANS_STMT_COMMIT if commits => {
                self.warn_outside_block();
                self.commit().await?;
                Ok(done("COMMIT"))
            }
            TRANS_STMT_COMMIT | TRANS_STMT_ROLLBACK => {
                self.warn_outside_block();
                self.rollback().await;
                self.flush_before_reply().await?;
                Ok(done("ROLLBACK"))
            }
            TRANS_STMT_SAVEPOINT => self.savepoint(name),
            TRANS_STMT_RELEASE => self.release(name),
            TRANS_STMT_ROLLBACK_TO => self.roll_back_to(name).await,
            TRANS_STMT_PREPARE => {
                let fails = self.in_block() && !self.block.has_failed();
                self.warn_outside_block();
                self.rollback().await;
                self.flush_before_reply().await?;
                // As PostgreSQL says it by its default, max_prepared_transactions = 0.
                match fails {
                    true => Err(EngineError::new(
                        sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "prepared transactions are disabled",
                    )
                    .hint("Set \"max_prepared_transactions\" to a nonzero value.")),
                    false => Ok(done("ROLLBACK")),
                }
            }
            TRANS_STMT_COMMIT_PREPARED | TRANS_STMT_ROLLBACK_PREPARED => {
                let commits = statement.kind == TRANS_STMT_COMMIT_PREPARED;
                self.refuse_in_block(if commits { "COMMIT PREPARED" } else { "ROLLBACK PREPARED" })?;
                let name = statement.gid.as_deref().unwrap_or_default();
                let message = format!("prepared transaction with identifier \"{name}\" does not exist");
                Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, message))
            }
        };
        if let (Some(modes), Ok(_)) = (chained, &reply) {
            self.open_block();
            self.set_modes(&modes)?;
            self.block.handed_on = modes;
        }
        reply
    }

    /// What AND CHAIN hands on to the next transaction (`SaveTransactionCharacteristics`). A rollback undoes before what
    /// subtransactions have set, and a failure what the transaction itself has: only what it was handed on remains.
    fn chained(&self, kind: TransactionStmtKind, commits: bool) -> Result<Vec<Mode>> {
        if !self.block.explicit {
            let what = if kind == TransactionStmtKind::TRANS_STMT_COMMIT { "COMMIT" } else { "ROLLBACK" };
            let message = format!("{what} AND CHAIN can only be used in transaction blocks");
            return Err(EngineError::new(sqlstate::NO_ACTIVE_SQL_TRANSACTION, message));
        }
        let settings = match self.block.savepoints.first() {
            Some(first) if !commits => first.settings.clone(),
            None if self.block.has_failed() => return Ok(self.block.handed_on.clone()),
            _ => self.shared.settings.read().clone(),
        };
        let modes = ["transaction_isolation", "transaction_read_only", "transaction_deferrable"];
        Ok(modes.iter().map(|&name| (name, settings.get(name).to_string())).collect())
    }

    fn warn_outside_block(&self) {
        if !self.block.explicit {
            self.notice(
                "WARNING",
                EngineError::new(sqlstate::NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress"),
            );
        }
    }

    fn begin_block(&mut self, options: &[Node], tag: &str) -> Result<Reply> {
        let is_new = !self.block.explicit;
        if is_new {
            self.open_block();
        } else {
            self.notice(
                "WARNING",
                EngineError::new(sqlstate::ACTIVE_SQL_TRANSACTION, "there is already a transaction in progress"),
            );
        }
        let set = transaction_modes(options).and_then(|modes| self.set_modes(&modes));
        if set.is_err() && is_new {
            // The error ends it.
            self.block.explicit = false;
        }
        set.map(|()| done(tag))
    }

    /// The transaction is a block from now on. An implicit one, of statements before in a query string, stays what it is like.
    fn open_block(&mut self) {
        if self.block.is_idle() {
            *self.shared.transaction_start.lock() = *self.shared.statement_start.lock();
        }
        self.block.status = TransactionStatus::Active;
        self.block.explicit = true;
        self.remember_settings();
    }

    fn set_modes(&self, modes: &[Mode]) -> Result<()> {
        for (name, value) in modes {
            let settings = &self.shared.settings;
            guc::check_transaction_setting(&settings.read(), name, value, self.stage())?;
            // What is so already is not set: a change of settings costs more than the rest of BEGIN.
            if settings.read().get(name) != value {
                settings.write().set(name, value, Source::Session)?;
            }
        }
        Ok(())
    }

    fn savepoint(&mut self, name: &str) -> Result<Reply> {
        if !self.block.explicit {
            return Err(EngineError::new(
                sqlstate::NO_ACTIVE_SQL_TRANSACTION,
                "SAVEPOINT can only be used in transaction blocks",
            ));
        }
        let savepoint = self.transaction().begin_subtransaction();
        let settings = self.shared.settings.read().clone();
        self.block.place += 1;
        self.block.savepoints.push(Named { name: name.into(), place: self.block.place, savepoint, settings });
        Ok(done("SAVEPOINT"))
    }

    fn find_savepoint(&self, name: &str, what: &str) -> Result<usize> {
        if !self.block.explicit {
            return Err(EngineError::new(
                sqlstate::NO_ACTIVE_SQL_TRANSACTION,
                format!("{what} can only be used in transaction blocks"),
            ));
        }
        let found = self.block.savepoints.iter().rposition(|s| s.name == name);
        found.ok_or_else(|| {
            EngineError::new(sqlstate::S_E_INVALID_SPECIFICATION, format!("savepoint \"{name}\" does not exist"))
        })
    }

    fn release(&mut self, name: &str) -> Result<Reply> {
        let index = self.find_savepoint(name, "RELEASE SAVEPOINT")?;
        // SET TRANSACTION READ ONLY ends with its subtransaction, however that ends; other settings stay.
        let read_only = self.block.savepoints[index].settings.get("transaction_read_only").to_string();
        if self.shared.settings.read().get("transaction_read_only") != read_only {
            self.shared.settings.write().set("transaction_read_only", &read_only, Source::Session)?;
        }
        let released = self.block.savepoints[index].savepoint.clone();
        self.transaction().release(&released);
        self.block.savepoints.truncate(index);
        Ok(done("RELEASE"))
    }

    async fn roll_back_to(&mut self, name: &str) -> Result<Reply> {
        let index = self.find_savepoint(name, "ROLLBACK TO SAVEPOINT")?;
        // If this is given up before its end, so is the block: there is nothing left to go back to.
        let mut savepoints = std::mem::take(&mut self.block.savepoints);
        savepoints.truncate(index + 1);
        let Named { place, savepoint, settings, .. } = &savepoints[index];
        self.undo_to(*place, savepoint.clone(), settings.clone()).await?;
        self.block.savepoints = savepoints;
        self.block.status = TransactionStatus::Active;
        Ok(done("ROLLBACK"))
    }

    /// Takes back what came since a savepoint.
    async fn undo_to(&mut self, place: u64, savepoint: Savepoint, settings: Settings) -> Result<()> {
        // Those made since go, and what was locked since may be dropped by others.
        self.shared.sequences.close();
        self.roll_back_settings(settings);
        self.cursors.undo(place);
        self.block.undone = Some(self.block.undone.map_or(place, |undone| undone.min(place)));
        self.reclaim();
        let Some(transaction) = self.block.transaction.take() else { return Ok(()) };
        let (transaction, outcome) = undo(transaction, savepoint).await;
        self.block.transaction = Some(transaction);
        self.show_changes();
        outcome
    }
}

/// ROLLBACK TO. As a rollback, it is not left half-way: a transaction that nobody waits for any more is undone as a whole.
async fn undo(mut transaction: Box<Transaction>, savepoint: Savepoint) -> (Box<Transaction>, Result<()>) {
    let (give, undone) = tokio::sync::oneshot::channel();
    let work = uninterrupted(async move {
        let outcome = transaction.roll_back_to(&savepoint).await;
        if let Err((transaction, _)) = give.send((transaction, outcome)) {
            transaction.rollback().await;
        }
    });
    work.await;
    undone.await.expect("the work above ended by giving it")
}
