//! What only follows from an earlier difference: where a statement fails here that PostgreSQL ran, or runs where PostgreSQL
//! refused it, the objects that it makes or changes differ from then on, and an answer to a statement that names one of
//! them says nothing. Nothing else follows: what an object was refused *for* (the table below a view, a plain index's
//! table) is what it was.
//!
//! Objects are told apart by the last part of their names.

use std::collections::BTreeSet;

use super::mention::{Mention, Statement, names_itself};

#[derive(Clone, Default)]
pub struct Differences {
    /// Objects that differ or are not there.
    names: BTreeSet<String>,
    /// Objects that something is bound to in PostgreSQL which is not here, so that dropping them is no error here.
    bound: BTreeSet<String>,
    /// As they were when the transaction block began, and what has changed in it.
    before: Option<Box<Differences>>,
    changed: BTreeSet<String>,
    /// One is in a transaction block, or in a failed one, and the other is not.
    out_of_step: bool,
}

/// How a statement ended, on PostgreSQL and here.
pub struct Ended<'a> {
    /// Did it run on both, or fail on both?
    pub alike: bool,
    /// Did it run here?
    pub ran: bool,
    /// The transaction block afterwards, and the last command tag.
    pub theirs: (u8, &'a str),
    pub ours: (u8, &'a str),
}

/// Is it a relation that the statement makes or changes, or whose rows and errors are others without it?
fn changes_relation(statement: &Statement, mention: &Mention) -> bool {
    match mention.above() {
        ("InsertStmt" | "UpdateStmt" | "DeleteStmt" | "MergeStmt", "relation") | ("IntoClause", "rel") => true,
        ("CopyStmt", "relation") => statement.has("is_from"),
        ("IndexStmt", "relation") => {
            statement.has("unique") || statement.mentions.iter().any(|m| m.place().1 == "exclude_op_names")
        }
        ("TableLikeClause", _) => false,
        // Parents, partitions, and what a foreign key references: the errors and rows of both sides.
        _ if ["CreateStmt", "AlterTableStmt", "CreateForeignTableStmt", "CreateSchemaStmt"]
            .contains(&statement.root.as_str()) =>
        {
            true
        }
        ("ViewStmt", "view") | ("CompositeTypeStmt", "typevar") => true,
        ("CreateSeqStmt" | "AlterSeqStmt", "sequence") => true,
        ("RuleStmt" | "CreateTrigStmt" | "RefreshMatViewStmt" | "RenameStmt", "relation") => true,
        ("AlterObjectSchemaStmt" | "AlterOwnerStmt" | "ReplicaIdentityStmt", "relation") => true,
        ("CreatePolicyStmt" | "AlterPolicyStmt", "table") => true,
        ("TruncateStmt", "relations") | ("GrantStmt", "objects") => true,
        _ => false,
    }
}

/// Statements that change nothing by themselves.
const READS: &[&str] = &[
    "SelectStmt",
    "ExplainStmt",
    "VariableShowStmt",
    "FetchStmt",
    "ClosePortalStmt",
    "ExecuteStmt",
    "VacuumStmt",
    "ReindexStmt",
    "ClusterStmt",
    "LockStmt",
    "CommentStmt",
    "SecLabelStmt",
    "CheckPointStmt",
    "TransactionStmt",
    "VariableSetStmt",
    "CopyStmt",
    "InsertStmt",
    "UpdateStmt",
    "DeleteStmt",
    "MergeStmt",
];

fn changed(statement: &Statement) -> BTreeSet<&str> {
    let defines = !READS.contains(&statement.root.as_str());
    let is_changed = |mention: &&Mention| match mention.place() {
        ("RangeVar", "relname") => changes_relation(statement, mention),
        // A trigger's function is only called by it.
        ("CreateTrigStmt" | "CreateEventTrigStmt", "funcname") => false,
        ("ObjectWithArgs", "objname") => defines && !mention.is_under("CreateOpClassItem"),
        ("TypeName", "names") => {
            matches!(mention.above(), ("DropStmt", _) | ("RenameStmt" | "AlterOwnerStmt" | "AlterObjectSchemaStmt", _))
        }
        ("Constraint", "conname") => defines,
        ("RoleSpec", "rolename") => matches!(mention.above().0, "AlterRoleStmt" | "AlterRoleSetStmt" | "DropRoleStmt"),
        (_, field) => defines && mention.is_of_root() && names_itself(field),
    };
    statement.mentions.iter().filter(is_changed).map(|m| m.name.as_str()).collect()
}

/// Does it make something that was not there before?
fn makes(statement: &Statement) -> bool {
    const MAKE: &[&str] = &["CreateStmt", "CreateTableAsStmt", "ViewStmt", "CreateSeqStmt", "CompositeTypeStmt"];
    const MORE: &[&str] = &["DropStmt", "CreateEnumStmt", "CreateDomainStmt", "CreateRangeStmt", "CreateRoleStmt"];
    (MAKE.contains(&statement.root.as_str()) || MORE.contains(&statement.root.as_str()))
        && !statement.has("if_not_exists")
        && !statement.has("missing_ok")
        && !statement.mentions.iter().any(|m| matches!(m.above(), ("Constraint", _) | ("CreateStmt", "inh_relations")))
}

impl Differences {
    /// After a query string.
    pub fn after(&mut self, statements: &[Statement], ended: &Ended) {
        let blocks = |block: u8| block != b'I';
        let (theirs, ours) = (blocks(ended.theirs.0), blocks(ended.ours.0));
        if theirs && ours && self.before.is_none() && !self.out_of_step {
            self.before = Some(Box::new(Differences { before: None, ..self.clone() }));
        }
        statements.iter().for_each(|statement| self.one(statement, ended));
        self.out_of_step = ended.theirs.0 != ended.ours.0;
        if !theirs && !ours {
            self.end_of_block(ended);
        }
    }

    fn one(&mut self, statement: &Statement, ended: &Ended) {
        let changed: BTreeSet<String> = changed(statement).into_iter().map(str::to_string).collect();
        self.changed.extend(changed.iter().cloned());
        if !ended.alike {
            if !changed.is_empty() && !READS.contains(&statement.root.as_str()) {
                self.bound.extend(statement.named().into_iter().map(str::to_string));
            }
            self.names.extend(changed);
        } else if ended.ran {
            let reads = statement.named().into_iter().any(|name| self.names.contains(name) && !changed.contains(name));
            if reads {
                self.names.extend(changed);
            } else if makes(statement) {
                self.names.retain(|name| !changed.contains(name));
            }
        }
    }

    /// What a block did is undone on both, done on both, or on one of them.
    fn end_of_block(&mut self, ended: &Ended) {
        let (before, changed) = (self.before.take(), std::mem::take(&mut self.changed));
        let Some(before) = before else { return };
        match (ended.theirs.1, ended.ours.1) {
            ("ROLLBACK", "ROLLBACK") => *self = *before,
            ("COMMIT", "COMMIT") => {}
            _ => self.names.extend(changed),
        }
    }

    /// Does an answer to this say nothing? `error` is PostgreSQL's SQLSTATE.
    pub fn reach(&self, statements: &[Statement], error: Option<&str>) -> bool {
        const DEPENDENT_OBJECTS_STILL_EXIST: &str = "2BP01";
        let among = |names: &BTreeSet<String>| {
            statements.iter().any(|statement| statement.named().into_iter().any(|name| names.contains(name)))
        };
        self.out_of_step || among(&self.names) || (error == Some(DEPENDENT_OBJECTS_STILL_EXIST) && among(&self.bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(differences: &mut Differences, sql: &str) {
        let ended = Ended { alike: false, ran: false, theirs: (b'I', ""), ours: (b'I', "") };
        differences.after(&Statement::all(sql, false), &ended);
    }

    fn ran(differences: &mut Differences, sql: &str, block: u8, tag: &str) {
        let ended = Ended { alike: true, ran: true, theirs: (block, tag), ours: (block, tag) };
        differences.after(&Statement::all(sql, false), &ended);
    }

    fn reach(differences: &Differences, sql: &str) -> bool {
        differences.reach(&Statement::all(sql, false), None)
    }

    #[test]
    fn what_a_refused_statement_makes_or_changes_differs() {
        let mut differences = Differences::default();
        refused(&mut differences, "CREATE TABLE IF NOT EXISTS s.a (b int)");
        assert!(reach(&differences, "select * from A") && !reach(&differences, "select a.b from s.c a"));
        assert!(!reach(&differences, "with a as (select 1) select * from a"));
        assert!(reach(&differences, "select 'a'::regclass") && !reach(&differences, "select 'a'"));
        refused(&mut differences, "select l.x from l left join r on l.x = coalesce(r.x, -1)");
        assert!(!reach(&differences, "select * from l, r"));
        refused(&mut differences, "create index i on t using gist (x)");
        assert!(!reach(&differences, "select * from t"));
        refused(&mut differences, "create unique index i on t (x)");
        assert!(reach(&differences, "insert into t values (1)"));
        refused(&mut differences, "create table child (a int references parent, constraint z check (a > 1))");
        assert!(reach(&differences, "delete from parent"));
        assert!(reach(&differences, "select 1 from pg_constraint where conname = 'z'"));
        refused(&mut differences, "with w as (insert into u values (1) returning *) select * from w, v");
        assert!(reach(&differences, "table u") && !reach(&differences, "table v"));
        refused(&mut differences, "create trigger g before insert on k execute function f()");
        assert!(reach(&differences, "insert into k values (1)") && !reach(&differences, "select f()"));
    }

    #[test]
    fn what_is_made_of_it_differs_and_what_is_made_anew_does_not() {
        let mut differences = Differences::default();
        refused(&mut differences, "insert into t values (1)");
        ran(&mut differences, "create view v as select * from t", b'I', "CREATE VIEW");
        ran(&mut differences, "declare c cursor with hold for select * from v", b'I', "DECLARE CURSOR");
        assert!(reach(&differences, "fetch all in c"));
        ran(&mut differences, "drop table t cascade", b'I', "DROP TABLE");
        ran(&mut differences, "create table t (a int)", b'I', "CREATE TABLE");
        assert!(!reach(&differences, "select * from t") && reach(&differences, "select * from v"));
        refused(&mut differences, "create view w as select * from x");
        assert!(!reach(&differences, "drop table x"));
        assert!(differences.reach(&Statement::all("drop table x", false), Some("2BP01")));
    }

    #[test]
    fn blocks_are_undone_together() {
        let mut differences = Differences::default();
        ran(&mut differences, "begin", b'T', "BEGIN");
        ran(&mut differences, "insert into u values (1)", b'T', "INSERT 0 1");
        assert!(!reach(&differences, "select * from u"));
        // A failure here takes back what was done before.
        let ended = Ended { alike: false, ran: false, theirs: (b'T', "SELECT 1"), ours: (b'E', "") };
        differences.after(&Statement::all("select f()", false), &ended);
        assert!(reach(&differences, "select 1"));
        let ended = Ended { alike: true, ran: true, theirs: (b'I', "COMMIT"), ours: (b'I', "ROLLBACK") };
        differences.after(&Statement::all("commit", false), &ended);
        assert!(!reach(&differences, "select 1") && reach(&differences, "select * from u"));
        ran(&mut differences, "begin", b'T', "BEGIN");
        let ended = Ended { alike: false, ran: false, theirs: (b'T', "INSERT 0 1"), ours: (b'E', "") };
        differences.after(&Statement::all("insert into w values (1)", false), &ended);
        ran(&mut differences, "rollback", b'I', "ROLLBACK");
        assert!(reach(&differences, "select * from u") && !reach(&differences, "select * from w"));
    }
}
