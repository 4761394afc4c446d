//! DISCARD: makes a session as good as new, for whoever gets it next from a pool.

use datafusion::sql::sqlparser::ast::DiscardObject;
use engine::Result;

use crate::point::Points;
use crate::session::{Reply, Session, done};
use crate::settings;

pub fn run(session: &mut Session, object: DiscardObject) -> Result<Reply> {
    match object {
        DiscardObject::ALL => {
            session.refuse_in_block("DISCARD ALL")?;
            settings::assign(session, "session_authorization", None, false)?;
            settings::reset_all(session);
            session.named.clear();
            session.db().release_kept_locks(&session.shared.backend);
            session.shared.sequences.forget();
            session.points = Points::default();
        }
        DiscardObject::PLANS => session.points = Points::default(),
        DiscardObject::SEQUENCES => session.shared.sequences.forget(),
        // There are none: CREATE TEMPORARY TABLE is refused.
        DiscardObject::TEMP => {}
    }
    Ok(done(&format!("DISCARD {object}")))
}
