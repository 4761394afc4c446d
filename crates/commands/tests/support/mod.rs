//! A database in a directory of its own and a session in it, driven without a server.

#![allow(dead_code)] // Each test program uses a part of it.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use aio::{IoMethod, block_on};
use commands::Commands;
use config::Source;
use engine::{Database, Durability, EngineError, OpenOptions, TableDef, Transaction, WriteOptions};
use session::{Format, Reply, Session};

pub struct Server {
    _dir: tempfile::TempDir,
    pub db: Database,
    pub session: Session,
}

fn without_waits<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1 << 20 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
    panic!("the synchronous method waits")
}

impl Server {
    pub fn new() -> Server {
        let dir = tempfile::tempdir().unwrap();
        let options = OpenOptions {
            root: dir.path().into(),
            overrides: vec![("shared_buffers".into(), "16MB".into()), ("io_max_concurrency".into(), "16".into())],
            method: Some(IoMethod::Sync),
            wal_segment_size: None,
            skip_checkpoint_flushes: false,
        };
        let db = without_waits(Database::open(options)).unwrap();
        let database = (5, "postgres".to_string());
        let user = Some("postgres".to_string());
        let backend = db.activity().enter(aio::BackendKind::Client, Some(database.clone()), user, None, None).unwrap();
        let mut settings = db.settings();
        settings.set("session_authorization", "postgres", Source::Client).unwrap();
        let session = Session::new(&db, backend, database, "postgres", settings, &Commands);
        Server { _dir: dir, db, session }
    }

    /// CREATE, as far as the catalog goes.
    pub fn change(&self, change: impl FnOnce(&mut Transaction)) {
        let mut transaction = Transaction::new(&self.db, &self.session.shared.backend);
        change(&mut transaction);
        block_on(self.db.engine(), transaction.commit(Durability::Asynchronous)).unwrap();
    }

    /// The oid of a schema.
    pub fn namespace(&self, name: &str) -> u32 {
        self.db.catalog().database_by_oid(5).and_then(|database| database.namespace_oid(name)).unwrap()
    }

    /// CREATE TABLE with its indexes.
    pub fn create_table(&self, def: TableDef) {
        let mut transaction = Transaction::new(&self.db, &self.session.shared.backend);
        let options = WriteOptions {
            lock_timeout: 1000,
            maintenance_work_mem: 1 << 20,
            maintenance_workers: 0,
            concurrency: storage::Concurrency::Auto,
            context: Arc::default(),
            temporary: Default::default(),
        };
        block_on(self.db.engine(), async {
            transaction.create_files(storage::RelationId { database: 5, file: def.file }).unwrap();
            let bare = self.db.table(5, &Arc::new(TableDef { indexes: vec![], ..def.clone() })).unwrap();
            for index in &def.indexes {
                bare.build_index(&mut transaction, index, &options).await.unwrap();
            }
            transaction.alter_table(5, None, def);
            transaction.commit(Durability::Asynchronous).await.unwrap();
        });
    }

    /// A statement's rows as psql prints them.
    pub fn run(&mut self, text: &str) -> Result<String, EngineError> {
        let session = &mut self.session;
        block_on(self.db.engine(), async {
            let result = rows(session, text).await;
            session.end_implicit(result.is_ok()).await.unwrap();
            result
        })
    }
}

async fn rows(session: &mut Session, text: &str) -> Result<String, EngineError> {
    let mut rows = String::new();
    for statement in session.statements(text)? {
        let Reply::Rows(mut portal) = session.run(&statement).await? else { continue };
        while let Some(batch) = portal.next(session).await? {
            for row in 0..batch.rows {
                let mut line = Vec::new();
                for (at, column) in batch.columns.iter().enumerate() {
                    if at > 0 {
                        line.push(b'|');
                    }
                    portal.encode(&mut line, Format::Text, at, column, row)?;
                }
                rows += &String::from_utf8(line).unwrap();
                rows.push('\n');
            }
        }
    }
    Ok(rows)
}
