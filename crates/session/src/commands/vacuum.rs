//! VACUUM and ANALYZE: PostgreSQL's `vacuum.c`.

use engine::{Analyzed, EngineError, Result, TableDef};
use syntax::nodes::{DefElem, Node, VacuumStmt};
use txn::LockMode;

use crate::commands::def_elem;
use crate::errors::reported;
use crate::namespace;
use crate::ownership;
use crate::session::{Reply, Session, done};
use crate::statistics;

/// What is to be done.
struct Work {
    vacuum: bool,
    analyze: bool,
}

impl Work {
    fn of(statement: &VacuumStmt) -> Result<Work> {
        let mut work = Work { vacuum: statement.is_vacuumcmd, analyze: !statement.is_vacuumcmd };
        for option in &statement.options {
            let Node::DefElem(option) = option else { continue };
            work.option(option)?;
        }
        Ok(work)
    }

    fn option(&mut self, option: &DefElem) -> Result<()> {
        match def_elem::name(option) {
            "analyze" if self.vacuum => self.analyze = def_elem::boolean(option)?,
            // It changes what the server says and how it goes about it, which is the same here.
            "verbose" | "skip_locked" | "buffer_usage_limit" if !def_elem::is_off(option)? => {
                return Err(EngineError::unsupported(format!("option {}", def_elem::name(option))));
            }
            "verbose" | "skip_locked" => {}
            "full" | "freeze" | "disable_page_skipping" if self.vacuum && def_elem::is_off(option)? => {}
            other => {
                let command = if self.vacuum { "VACUUM" } else { "ANALYZE" };
                return Err(EngineError::unsupported(format!("{command} option {other}")));
            }
        }
        Ok(())
    }
}

pub async fn run(session: &mut Session, statement: &VacuumStmt) -> Result<Reply> {
    let work = Work::of(statement)?;
    if work.vacuum {
        session.refuse_in_block("VACUUM")?;
    }
    let mut tables = Vec::new();
    for relation in &statement.rels {
        let Node::VacuumRelation(relation) = relation else { continue };
        if !relation.va_cols.is_empty() {
            return Err(EngineError::unsupported("ANALYZE of some columns"));
        }
        let Some(relation) = &relation.relation else { continue };
        tables.push(namespace::find(session, relation)?);
    }
    let named = !tables.is_empty();
    if !named {
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0);
        let all = database.into_iter().flat_map(|database| database.tables.values());
        tables.extend(all.map(|table| (table.schema.clone(), table.name.clone())));
    }
    for (schema, name) in &tables {
        table(session, &work, schema, name, named).await?;
    }
    Ok(done(if work.vacuum { "VACUUM" } else { "ANALYZE" }))
}

async fn table(session: &mut Session, work: &Work, schema: &str, name: &str, named: bool) -> Result<()> {
    if let Some(table) = session.shared.find_table(schema, name)?
        && !ownership::owns(&session.shared, &table.def.owner)?
    {
        let what = if work.vacuum { "vacuum" } else { "analyze" };
        let message = format!("permission denied to {what} \"{name}\", skipping it");
        session.notice("WARNING", EngineError::new("01000", message));
        return Ok(());
    }
    let Some(table) = session.lock_table(schema, name, LockMode::ShareUpdateExclusive).await? else {
        if named {
            return Err(EngineError::new("42P01", format!("relation \"{name}\" does not exist")));
        }
        // Dropped since all were listed.
        return Ok(());
    };
    if work.vacuum {
        let stats = table.vacuum(session.io()).await?;
        tracing::debug!(table = name, ?stats, "vacuum");
    }
    if work.analyze {
        let snapshot = session.transaction().snapshot();
        let sample = table.analyze(session.io(), snapshot).await?;
        let context = types::Context::default();
        let columns = statistics::columns(&table.def, &sample, &context).map_err(|error| reported(error, ""))?;
        let analyzed = Some(Analyzed { pages: sample.pages, rows: sample.rows, columns });
        if table.def.analyzed != analyzed {
            session.put_table(table.database, TableDef { analyzed, ..TableDef::clone(&table.def) });
        }
    }
    Ok(())
}
