//! Portals of all statements that are read by turns, each answer compared with that of a fresh statement.

use super::client::{Client, Rows};
use super::random::Random;
use super::sorted;
use super::statements::STATEMENTS;

/// Settings that give the same statements other plans.
pub const WAYS: &[&str] = &[
    "",
    "set plan_cache_mode = force_generic_plan",
    "set plan_cache_mode = force_custom_plan",
    "set enable_hashjoin = off; set enable_mergejoin = off; set enable_hashagg = off",
    "set enable_nestloop = off; set enable_hashjoin = off; set plan_cache_mode = force_generic_plan",
    "set enable_indexscan = off; set enable_indexonlyscan = off; set enable_nestloop = off",
    "set enable_seqscan = off; set enable_sort = off; set plan_cache_mode = force_generic_plan",
];

/// A portal that is being read.
struct Open {
    name: String,
    statement: usize,
    set: usize,
    rows: Vec<String>,
}

/// Sessions' executions of all statements, with the answers that fresh statements gave.
pub struct Play<'a> {
    pub client: &'a mut Client,
    pub random: &'a mut Random,
    pub answers: &'a [[Vec<String>; 3]],
    pub way: &'static str,
}

impl Play<'_> {
    fn right(&self, statement: usize, set: usize, rows: &[String], all: bool) {
        let (known, asked) = (&self.answers[statement][set], &STATEMENTS[statement]);
        let right = match (asked.is_ordered(), all) {
            (true, true) => rows == known,
            (true, false) => known.starts_with(rows),
            (false, true) => sorted(rows.to_vec()) == sorted(known.clone()),
            (false, false) => rows.iter().all(|row| known.contains(row)),
        };
        assert!(right, "{}; {}\nis {known:?},\nnot {rows:?}", self.way, asked.text(set));
    }

    pub fn name(statement: usize) -> String {
        format!("s{statement}")
    }

    fn open(&mut self, number: usize, statement: usize, set: usize) -> Open {
        let name = format!("p{number}");
        let parameters = STATEMENTS[statement].parameters[set];
        self.client.bind(&name, &Self::name(statement), parameters).unwrap();
        Open { name, statement, set, rows: Vec::new() }
    }

    /// Reads on; says whether that was all.
    fn read(&mut self, open: &mut Open, most: i32) -> bool {
        let Rows { rows, suspended } = self.client.fetch(&open.name, most).unwrap();
        open.rows.extend(rows);
        self.right(open.statement, open.set, &open.rows, !suspended);
        !suspended
    }

    /// Executes a statement from beginning to end, beside what is open.
    fn whole(&mut self, statement: usize) {
        let set = self.random.below(3);
        let found = self.client.run(&Self::name(statement), STATEMENTS[statement].parameters[set]).unwrap();
        self.right(statement, set, &found.rows, true);
    }

    /// Opens portals of all statements with all parameters, some of each at once, and reads them row by row in any order.
    pub fn all(&mut self) {
        let mut waiting: Vec<(usize, usize)> =
            (0..STATEMENTS.len()).flat_map(|s| (0..3).map(move |set| (s, set))).collect();
        // Those of a statement stay near each other: they are open at once.
        for at in 0..waiting.len() {
            let other = (at + self.random.below(8)).min(waiting.len() - 1);
            waiting.swap(at, other);
        }
        let (mut open, mut number): (Vec<Open>, usize) = (Vec::new(), 0);
        self.client.rows("begin");
        while !waiting.is_empty() || !open.is_empty() {
            if open.is_empty() || (open.len() < 12 && !waiting.is_empty() && self.random.one_in(3)) {
                let (statement, set) = waiting.pop().expect("the loop goes on for one of both");
                open.push(self.open(number, statement, set));
                number += 1;
                continue;
            }
            let at = self.random.below(open.len());
            let mut portal = open.swap_remove(at);
            if self.random.one_in(10) {
                self.whole(portal.statement);
            }
            let most = if self.random.one_in(8) { 3 } else { 1 };
            let done = self.read(&mut portal, most);
            if done {
                assert_eq!(self.client.fetch(&portal.name, 1), Ok(Rows::default()), "behind the end");
            }
            if done || self.random.one_in(30) {
                self.client.close(&portal.name);
            } else {
                open.push(portal);
            }
        }
        self.client.rows("commit");
    }
}
