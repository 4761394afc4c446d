//! How large tables and indexes are, and what ANALYZE has found of them, for the planner.

use std::sync::Arc;

use aio::Pattern;
use catalog::FIRST_NORMAL_OBJECT_ID;
use engine::{AnalyzedColumn, ColumnType, Database};
use plan::plancat::{ColumnStatistics, PageCosts, RelationSize, Statistics};
use storage::RelationId;
use types::Oid;

use crate::environment::{Environment, catalog_statistics};

/// How many pages in order a page anywhere costs, at least and at most, whatever was measured: a rate that a busy machine has
/// spoilt must not make whole tables be read page by page.
const LEAST_RATIO: f64 = 1.5;
const MOST_RATIO: f64 = 20.0;

/// Pages of a table that ANALYZE has not looked at, at least.
const FEWEST_PAGES: f64 = 10.0;

/// Entries of an index on a page, where ANALYZE has not counted them.
const ENTRIES: f64 = 200.0;

/// The part of a table's rows that are in a partial index: as many as ANALYZE found, or as there may be on its pages.
fn part(table: &engine::Table, index: &engine::Index, rows: f64) -> f64 {
    let known = table.def.analyzed.as_ref().and_then(|analyzed| analyzed.index(index.def.oid));
    known.map_or((f64::from(index.entries.blocks()) * ENTRIES / rows).min(1.0), |known| known.part)
}

/// How large tables and indexes are, and what ANALYZE has found.
pub struct TableStatistics<'a> {
    pub db: &'a Database,
    pub environment: &'a Environment,
}

impl TableStatistics<'_> {
    pub fn table(&self, relation: Oid) -> Option<Arc<engine::Table>> {
        let database = self.environment.engine.database_by_oid(self.environment.database.0)?;
        let def = match database.table_by_oid(relation) {
            Some(def) => def,
            None => database.index_by_oid(relation)?.0,
        };
        self.db.table(self.environment.database.0, def).ok()
    }

    /// The pages of a table, as they are now.
    pub fn pages(&self, relation: Oid) -> Option<f64> {
        self.table(relation).map(|table| f64::from(table.blocks()))
    }

    /// What a page anywhere in a table or an index costs: what was found out about its volume says by how much it takes longer than
    /// one behind another, both read as deep as helps. Where pages are in memory the setting's default stands: it is
    /// PostgreSQL's, whose other costs go with it. `None`: too little is known.
    fn random_page_cost(&self, file: RelationId, PageCosts { sequential, random }: PageCosts) -> Option<f64> {
        let relation = self.db.relation(file).ok()?;
        let device = self.db.engine().device(relation.device_number());
        let [in_order, anywhere] = [Pattern::Sequential, Pattern::Scattered].map(|of| device.read_speed(of).rate);
        if in_order <= 0.0 || anywhere <= 0.0 {
            return None;
        }
        let resident = self.db.pool().resident_part(relation.id(), relation.blocks());
        let cold = sequential * (in_order / anywhere).clamp(LEAST_RATIO, MOST_RATIO);
        Some(resident * random + (1.0 - resident) * cold)
    }

    /// The file of a table or an index, and its tablespace; 0: the default.
    fn file_of(&self, relation: Oid) -> Option<(RelationId, Oid)> {
        let database = self.environment.engine.database_by_oid(self.environment.database.0)?;
        let (file, tablespace) = match database.table_by_oid(relation) {
            Some(table) => (table.file, table.tablespace),
            None => database.index_by_oid(relation).map(|(_, index)| (index.file, index.tablespace))?,
        };
        Some((RelationId { database: database.oid, file }, tablespace))
    }

    /// What ANALYZE has kept of a column of a table, or of an index's expression, and its type.
    fn analyzed_column(&self, relation: Oid, at: usize) -> Option<(&AnalyzedColumn, ColumnType)> {
        if let Ok(def) = self.environment.table_def(relation) {
            return Some((def.analyzed.as_ref()?.columns.get(at)?.as_ref()?, def.columns.get(at)?.ty));
        }
        let database = self.environment.engine.database_by_oid(self.environment.database.0)?;
        let (table, index) = database.index_by_oid(relation)?;
        let expression = index.columns.get(at)?.key.expression()?;
        let place = index.columns[..at].iter().filter(|column| column.key.expression().is_some()).count();
        let kept = table.analyzed.as_ref()?.index(relation)?.expressions.get(place)?.as_ref()?;
        Some((kept, expression.ty))
    }

    /// What ANALYZE has kept of a column, its values read.
    fn read_column(&self, relation: Oid, attribute: i16) -> Option<ColumnStatistics> {
        let (kept, ty) = self.analyzed_column(relation, usize::try_from(attribute).ok()?.checked_sub(1)?)?;
        self.environment.read_statistics(kept, ty.oid)
    }
}

impl Statistics for TableStatistics<'_> {
    fn is_usable(&self, index: Oid) -> bool {
        !self.environment.younger.contains(&index)
    }

    fn relation(&self, relation: Oid) -> Option<RelationSize> {
        if relation < FIRST_NORMAL_OBJECT_ID {
            return catalog_statistics::size(self.environment, relation);
        }
        let table = self.table(relation)?;
        let blocks = f64::from(table.blocks());
        // A table that was never looked at will grow: PostgreSQL takes it for one of ten pages.
        let grown = if table.def.analyzed.is_none() { blocks.max(FEWEST_PAGES) } else { blocks };
        let rows = (blocks > 0.0).then(|| table.estimated_rows() / blocks * grown);
        let index = table.indexes.iter().find(|index| index.def.oid == relation);
        let pages = index.map_or(grown, |index| f64::from(index.entries.blocks()));
        let rows = match index {
            Some(index) if index.def.predicate.is_some() => rows.map(|rows| rows * part(&table, index, rows)),
            _ => rows,
        };
        let all_visible = match blocks > 0.0 {
            true => (f64::from(table.heap().relation.visibility().count()) / blocks).min(1.0),
            false => 0.0,
        };
        Some(RelationSize { pages, rows, all_visible, height: None })
    }

    fn column(&self, relation: Oid, attribute: i16) -> Option<Arc<ColumnStatistics>> {
        if relation < FIRST_NORMAL_OBJECT_ID {
            return catalog_statistics::column(self.environment, relation, attribute);
        }
        let key = (relation, attribute);
        if let Some(known) = self.environment.statistics.lock().get(&key) {
            return known.clone();
        }
        let found = self.read_column(relation, attribute).map(Arc::new);
        self.environment.statistics.lock().insert(key, found.clone());
        found
    }

    fn page_costs(&self, relation: Oid, settings: PageCosts) -> PageCosts {
        let Some((file, tablespace)) = self.file_of(relation) else { return settings };
        let said = |name: &str| self.environment.engine.page_cost(tablespace, name);
        let sequential = said("seq_page_cost").unwrap_or(settings.sequential);
        let random = said("random_page_cost").unwrap_or_else(|| match self.environment.random_page_cost_is_set {
            true => settings.random,
            false => self.random_page_cost(file, PageCosts { sequential, ..settings }).unwrap_or(settings.random),
        });
        PageCosts { sequential, random }
    }
}
