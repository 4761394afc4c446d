//! A session without the crate `commands`: what is its own works, all else goes to the [`Utility`] that it was given.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use aio::{BackendKind, IoMethod, block_on};
use engine::{Database, EngineError, OpenOptions, Result};
use error::sqlstate;
use futures::future::BoxFuture;
use session::{Column, Parameter, ParsedStatement, Reply, Session, TransactionStatus, Utility};

/// Refuses whatever it is asked to run.
struct NoCommands;

impl Utility for NoCommands {
    fn run<'a>(
        &self,
        _: &'a mut Session,
        statement: &'a ParsedStatement,
        _: &'a [Parameter],
    ) -> BoxFuture<'a, Result<Reply>> {
        Box::pin(ready(Err(EngineError::new(sqlstate::INTERNAL_ERROR, statement.own_text()))))
    }

    fn result_columns(&self, _: &ParsedStatement) -> Result<Option<Arc<[Column]>>> {
        Ok(Some([Column::text("of the utility")].into()))
    }

    fn before_commit<'a>(&self, _: &'a mut Session) -> BoxFuture<'a, Result<()>> {
        Box::pin(ready(Err(EngineError::new(sqlstate::INTERNAL_ERROR, "there is no temporary table"))))
    }
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

/// Runs a query string; gives how many rows came.
async fn run(session: &mut Session, text: &str) -> Result<u64> {
    let mut rows = 0;
    for statement in session.statements(text)? {
        if let Reply::Rows(mut portal) = session.run(&statement).await? {
            rows += portal.drain(session).await?;
        }
    }
    Ok(rows)
}

#[test]
fn what_is_not_the_sessions_own_goes_to_its_utility() {
    let dir = tempfile::tempdir().unwrap();
    let options = OpenOptions { root: dir.path().into(), method: Some(IoMethod::Sync), ..OpenOptions::default() };
    let db = without_waits(Database::open(options)).unwrap();
    let database = (5, "postgres".to_string());
    let backend = db.activity().enter(BackendKind::Client, Some(database.clone()), None, None, None).unwrap();
    let mut session = Session::of_server(&db, backend, database, db.settings(), &NoCommands).unwrap();
    block_on(db.engine(), async {
        for (text, rows) in [
            ("begin", 0),
            ("set local work_mem = '8MB'", 0),
            ("show work_mem", 1),
            ("prepare p(int) as select * from generate_series(1, $1)", 0),
            ("execute p(3)", 3),
            ("declare c cursor for select * from generate_series(1, 7)", 0),
            ("fetch 4 from c", 4),
            ("close c", 0),
            ("deallocate p", 0),
            ("savepoint s", 0),
            ("rollback to s", 0),
            ("commit", 0),
            ("discard plans", 0),
        ] {
            assert_eq!(run(&mut session, text).await.unwrap(), rows, "{text}");
        }
        assert_eq!(session.status(), TransactionStatus::Idle);
        for text in ["create table t(a int)", "explain select 1", "vacuum", "copy t from stdin", "lock table t"] {
            let refused = run(&mut session, text).await.unwrap_err();
            assert_eq!((refused.code, refused.message.as_str()), (sqlstate::INTERNAL_ERROR, text));
            session.statement_failed().await;
        }
        let explain = session.parse("explain select 1").unwrap().pop();
        let prepared = session.prepare(explain, &[], false).await.unwrap();
        assert_eq!(prepared.columns.as_deref().map(|columns| &*columns[0].name), Some("of the utility"));
        session.end_implicit(false).await.unwrap();
    });
}
