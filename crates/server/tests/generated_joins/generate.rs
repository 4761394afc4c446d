//! Statements that make sense, made of a seed. Each has one answer, whatever its plan is: what LIMIT and DISTINCT ON leave is
//! ordered by all columns, windows count peers, aggregates that gather say in which order, changes do not depend on which of
//! several partners a row meets; nothing in them fails for some rows.

use super::random::Random;
use super::sql::{Expr, From, Group, Select, Statement, Type};
use super::tables::{CHANGED, TABLES};
use Type::{Big, Bool, Int, Text};

/// An entry of FROM with its columns.
#[derive(Clone)]
struct Entry {
    alias: String,
    columns: Vec<(String, Type)>,
}

type Scope = Vec<Entry>;

struct Make {
    random: Random,
    names: usize,
    /// Relations that may come yet.
    relations: usize,
    /// Of the large table.
    large: usize,
    /// WITH's queries.
    shared: Vec<Entry>,
    /// What was computed already: it comes again in other places, where it may be another value.
    computed: Vec<Expr>,
}

/// The statement with a number.
pub fn statement(seed: u64, number: u64) -> Statement {
    let random = Random::of(seed, number);
    let mut make = Make { random, names: 0, relations: 7, large: 2, shared: Vec::new(), computed: Vec::new() };
    match make.random.below(12) {
        0 => make.update(),
        1 => make.delete(),
        2 => make.merge(),
        _ => Statement::Select(make.whole()),
    }
}

fn table_columns() -> Vec<(String, Type)> {
    [("id", Int), ("a", Int), ("b", Big), ("c", Text)].map(|(name, ty)| (name.to_string(), ty)).to_vec()
}

impl Make {
    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}{}", self.names)
    }

    fn ty(&mut self) -> Type {
        self.random.pick(&[Int, Int, Int, Big, Big, Text, Text])
    }

    // Expressions.

    fn column(&mut self, ty: Type, scope: &[Entry]) -> Option<Expr> {
        let of = |entry: &Entry| {
            let (alias, columns) = (entry.alias.clone(), entry.columns.clone());
            columns.into_iter().filter(move |column| column.1 == ty).map(move |(name, ty)| (alias.clone(), name, ty))
        };
        let all: Vec<(String, String, Type)> = scope.iter().flat_map(of).collect();
        if all.is_empty() {
            return None;
        }
        let (table, name, ty) = all[self.random.below(all.len())].clone();
        Some(Expr::Column { ty, table, name })
    }

    fn literal(&mut self, ty: Type) -> Expr {
        let pattern = match ty {
            Int => self.random.pick(&["0", "1", "2", "3", "5", "8", "NULL::int"]),
            Big => self.random.pick(&["bigint '0'", "bigint '1'", "bigint '3'", "bigint '5'"]),
            Text => self.random.pick(&["text 'a'", "text 'b'", "text 'e'", "text ''"]),
            Bool => self.random.pick(&["true", "false", "NULL::bool"]),
        };
        Expr::of(ty, pattern, Vec::new())
    }

    /// A value: mostly a column, sometimes computed, `depth` deep at most.
    fn value(&mut self, ty: Type, scope: &[Entry], depth: usize) -> Expr {
        if depth > 0
            && self.random.one_in(3)
            && let Some(again) = self.again(ty, scope)
        {
            return again;
        }
        if depth == 0 || self.random.below(10) < 6 {
            return match self.column(ty, scope) {
                Some(column) if !self.random.one_in(12) => column,
                _ => self.literal(ty),
            };
        }
        self.computed(ty, scope, depth - 1)
    }

    /// Something that was computed before of what is in scope here.
    fn again(&mut self, ty: Type, scope: &[Entry]) -> Option<Expr> {
        let known = |table: &str| scope.iter().any(|entry| entry.alias == table);
        let fits = |expr: &&Expr| expr.ty() == ty && is_over(expr, &known);
        let all: Vec<Expr> = self.computed.iter().filter(fits).cloned().collect();
        if all.is_empty() { None } else { Some(all[self.random.below(all.len())].clone()) }
    }

    fn computed(&mut self, ty: Type, scope: &[Entry], depth: usize) -> Expr {
        let made = self.new_value(ty, scope, depth);
        self.computed.push(made.clone());
        made
    }

    fn new_value(&mut self, ty: Type, scope: &[Entry], depth: usize) -> Expr {
        let (pattern, types): (&'static str, &[Type]) = match ty {
            Int => self.random.pick(&[
                ("coalesce($, 0)", [Int].as_slice()),
                ("coalesce($, $)", &[Int, Int]),
                ("nullif($, 2)", &[Int]),
                ("$ + 1", &[Int]),
                ("$ - $", &[Int, Int]),
                ("$ + $", &[Int, Int]),
                ("$ % 4", &[Int]),
                ("abs($)", &[Int]),
                ("length($)", &[Text]),
                ("($ % 1000)::int", &[Big]),
                ("greatest($, $)", &[Int, Int]),
                ("CASE WHEN $ THEN $ ELSE $ END", &[Bool, Int, Int]),
            ]),
            Big => self.random.pick(&[
                ("coalesce($, 0)", [Big].as_slice()),
                ("coalesce($, 3)", &[Big]),
                ("nullif($, 3)", &[Big]),
                ("$ + $", &[Int, Big]),
                ("$::bigint", &[Int]),
                ("least($, $)", &[Big, Big]),
                ("CASE WHEN $ THEN $ END", &[Bool, Big]),
            ]),
            Text => self.random.pick(&[
                ("coalesce($, 'a')", [Text].as_slice()),
                ("nullif($, 'b')", &[Text]),
                ("upper($)", &[Text]),
                ("$ || $", &[Text, Text]),
                ("$::text", &[Int]),
                ("CASE WHEN $ THEN $ ELSE $ END", &[Bool, Text, Text]),
            ]),
            Bool => return self.condition(scope, depth),
        };
        let arguments = types.iter().map(|ty| self.value(*ty, scope, depth)).collect();
        Expr::of(ty, pattern, arguments)
    }

    /// A condition without queries.
    fn condition(&mut self, scope: &[Entry], depth: usize) -> Expr {
        let ty = self.ty();
        match self.random.below(if depth == 0 { 8 } else { 11 }) {
            0 | 1 => {
                let other = if ty == Int && self.random.one_in(3) { Big } else { ty };
                let pattern = self.random.pick(&["$ = $", "$ = $", "$ < $", "$ <> $", "$ >= $"]);
                let arguments = vec![self.value(ty, scope, depth), self.value(other, scope, depth)];
                Expr::of(Bool, pattern, arguments)
            }
            2 | 3 => {
                let pattern = self.random.pick(&["$ = $", "$ < $", "$ <> $", "$ >= $", "$ >= $"]);
                let value = self.value(ty, scope, 1);
                let literal = self.literal(ty);
                Expr::of(Bool, pattern, vec![value, literal])
            }
            4 => Expr::of(Bool, "$ IS NULL", vec![self.value(ty, scope, depth)]),
            5 => Expr::of(Bool, "$ IS NOT NULL", vec![self.value(ty, scope, depth)]),
            6 => Expr::of(Bool, "$ IN (1, 2, 3, 7)", vec![self.value(Int, scope, depth)]),
            7 => {
                let arguments = vec![self.value(ty, scope, depth), self.value(ty, scope, depth)];
                let pattern = self.random.pick(&["$ IS NOT DISTINCT FROM $", "$ IS DISTINCT FROM $"]);
                Expr::of(Bool, pattern, arguments)
            }
            8 => Expr::of(Bool, "NOT $", vec![self.condition(scope, depth - 1)]),
            9 => {
                let arguments = vec![self.condition(scope, depth - 1), self.condition(scope, depth - 1)];
                Expr::of(Bool, "$ OR $", arguments)
            }
            _ => {
                let value = self.value(Int, scope, 1);
                Expr::of(Bool, "$ BETWEEN 1 AND 5", vec![value])
            }
        }
    }

    /// A condition with a query in it.
    fn sublink(&mut self, scope: &[Entry]) -> Expr {
        let ty = self.ty();
        match self.random.below(7) {
            0 | 1 => {
                let pattern = self.random.pick(&["EXISTS (#)", "EXISTS (#)", "NOT EXISTS (#)"]);
                let query = self.below(scope, &[ty]);
                Expr::with_query(Bool, pattern, Vec::new(), query)
            }
            2..5 => {
                let pattern = self.random.pick(&["$ IN (#)", "$ IN (#)", "$ NOT IN (#)", "$ = ANY (#)"]);
                let value = self.value(ty, scope, 1);
                let query = self.below(scope, &[ty]);
                Expr::with_query(Bool, pattern, vec![value], query)
            }
            _ => {
                let pattern = self.random.pick(&["$ = (#)", "$ >= (#)", "$ < (#)"]);
                let value = self.value(Int, scope, 1);
                let mut query = self.below(scope, &[]);
                let inner = entries(&query.from);
                let argument = self.value(Int, &inner, 1);
                (query.group, query.having, query.distinct) = (None, Vec::new(), false);
                query.targets =
                    vec![Expr::of(Int, self.random.pick(&["max($)", "min($)", "count($)"]), vec![argument])];
                Expr::with_query(Bool, pattern, vec![value], query)
            }
        }
    }

    /// A query in an expression or in FROM; it may use what is around.
    fn below(&mut self, around: &[Entry], types: &[Type]) -> Select {
        let saved = std::mem::replace(&mut self.relations, 2);
        let count = 1 + usize::from(self.random.one_in(3));
        let query = self.select(around, types, count, false);
        self.relations = saved;
        query
    }

    // FROM.

    fn leaf(&mut self, around: &[Entry], lateral: bool) -> (From, Scope) {
        self.relations = self.relations.saturating_sub(1);
        let alias = self.name("t");
        let choice = self.random.below(20);
        if choice == 0 && !self.shared.is_empty() {
            let shared = self.shared[self.random.below(self.shared.len())].clone();
            let entry = Entry { alias: alias.clone(), columns: shared.columns };
            return (From::Table { table: shared.alias, alias }, vec![entry]);
        }
        if choice < 4 && self.relations > 0 {
            let types: Vec<Type> = (0..1 + self.random.below(3)).map(|_| self.ty()).collect();
            let lateral = lateral && self.random.one_in(2);
            let query = self.below(if lateral { around } else { &[] }, &types);
            let columns = (1..).zip(&types).map(|(at, ty)| (format!("c{at}"), *ty)).collect();
            let entry = Entry { alias: alias.clone(), columns };
            return (From::Query { lateral, query: Box::new(query), alias }, vec![entry]);
        }
        if choice == 4 {
            let last = if lateral { self.value(Int, around, 0) } else { self.literal(Int) };
            let call = Expr::of(Int, "generate_series(1,$)", vec![Expr::of(Int, "least($,4)", vec![last])]);
            let entry = Entry { alias: alias.clone(), columns: vec![("c1".to_string(), Int)] };
            return (From::Function { call, alias }, vec![entry]);
        }
        let mut table = self.random.pick(TABLES);
        if table == "none" && !self.random.one_in(4) || table == "many" && self.large == 0 {
            table = self.random.pick(&["few", "several", "more"]);
        }
        self.large -= usize::from(table == "many");
        let entry = Entry { alias: alias.clone(), columns: table_columns() };
        (From::Table { table: table.to_string(), alias }, vec![entry])
    }

    /// So many relations, joined. What is to the left of a part may be used in it, if `lateral`.
    fn tree(&mut self, count: usize, around: &[Entry], lateral: bool) -> (From, Scope) {
        if count <= 1 {
            return self.leaf(around, lateral);
        }
        let kinds = ["JOIN", "LEFT JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"];
        let kind = self.random.pick(&kinds);
        let first = 1 + self.random.below(count - 1);
        let (left, mut scope) = self.tree(first, around, lateral);
        let sideways = lateral && matches!(kind, "JOIN" | "LEFT JOIN") && self.random.one_in(2);
        let visible: Scope = if sideways { around.iter().chain(&scope).cloned().collect() } else { Vec::new() };
        let (right, more) = self.tree(count - first, &visible, sideways);
        let on = match (&right, scope.len()) {
            (From::Table { table, .. }, 2..) if TABLES.contains(&table.as_str()) && self.random.one_in(3) => {
                self.star(&scope, &more[0])
            }
            _ => self.join_condition(&scope, &more, kind),
        };
        scope.extend(more);
        (From::Join { kind, left: Box::new(left), right: Box::new(right), on }, scope)
    }

    fn key(&mut self, ty: Type, scope: &[Entry]) -> Expr {
        if self.random.below(10) < 7
            && let Some(column) = self.column(ty, scope)
        {
            return column;
        }
        self.computed(ty, scope, 1)
    }

    /// A type of which both have columns, if there is one.
    fn common_ty(&mut self, left: &[Entry], right: &[Entry]) -> Type {
        let has = |scope: &[Entry], ty| scope.iter().any(|entry| entry.columns.iter().any(|column| column.1 == ty));
        let mut ty = self.ty();
        for _ in 0..8 {
            if has(left, ty) && has(right, ty) {
                break;
            }
            ty = self.ty();
        }
        ty
    }

    fn equality(&mut self, left: &[Entry], right: &[Entry]) -> Expr {
        let ty = self.common_ty(left, right);
        let other = if ty != Text && self.random.one_in(4) { self.random.pick(&[Int, Big]) } else { ty };
        let mut sides = vec![self.key(ty, left), self.key(other, right)];
        if self.random.one_in(2) {
            sides.reverse();
        }
        Expr::of(Bool, "$ = $", sides)
    }

    /// A table that is found by the two columns of an index, of which others have the first, and two of them together the
    /// second.
    fn star(&mut self, others: &[Entry], table: &Entry) -> Vec<Expr> {
        let of =
            |entry: &Entry, ty, name: &str| Expr::Column { ty, table: entry.alias.clone(), name: name.to_string() };
        let (name, ty, second, other) = self.random.pick(&[
            ("a", Int, "b", Big),
            ("a", Int, "b", Big),
            ("b", Big, "id", Int),
            ("b", Big, "c", Text),
        ]);
        let at = self.random.below(others.len());
        let (one, two) = (&others[at..=at], &others[(at + 1) % others.len()..][..1]);
        let (key, same) = (self.value(ty, one, 1), self.value(ty, two, 0));
        let found = of(table, ty, name);
        let mut on = vec![Expr::of(Bool, "$ = $", vec![key.clone(), found.clone()])];
        match self.random.below(4) {
            0 => {}
            1 => on.push(Expr::of(Bool, "$ = $", vec![found, same])),
            _ => on.push(Expr::of(Bool, "$ = $", vec![same, key])),
        }
        let pattern = if other == Text { "coalesce($, $)" } else { "$ + $" };
        let part = if other == Text { Text } else { Int };
        let together = Expr::of(other, pattern, vec![self.value(part, one, 0), self.value(other, two, 0)]);
        on.push(Expr::of(Bool, "$ = $", vec![of(table, other, second), together]));
        on
    }

    fn join_condition(&mut self, left: &[Entry], right: &[Entry], kind: &str) -> Vec<Expr> {
        let mut on = vec![self.equality(left, right)];
        while self.random.one_in(5) {
            on.push(self.equality(left, right));
        }
        if kind != "FULL JOIN" && self.random.one_in(3) {
            let scope: Scope = match self.random.below(4) {
                0 => left.to_vec(),
                1 | 2 => right.to_vec(),
                _ => left.iter().chain(right).cloned().collect(),
            };
            on.push(self.condition(&scope, 2));
        }
        on
    }

    // Queries.

    /// A statement's own query.
    fn whole(&mut self) -> Select {
        let mut with = Vec::new();
        while self.random.one_in(6) && with.len() < 2 {
            let types: Vec<Type> = (0..1 + self.random.below(3)).map(|_| self.ty()).collect();
            let query = self.below(&[], &types);
            let name = self.name("w");
            let columns = (1..).zip(&types).map(|(at, ty)| (format!("c{at}"), *ty)).collect();
            with.push((name.clone(), self.random.pick(&["", "MATERIALIZED ", "NOT MATERIALIZED "]), query));
            self.shared.push(Entry { alias: name, columns });
        }
        let types: Vec<Type> = (0..1 + self.random.below(4)).map(|_| self.ty()).collect();
        let count = self.random.pick(&[1, 2, 2, 3, 3, 3, 4, 4, 5]);
        let mut query = self.select(&[], &types, count, true);
        query.with = with;
        query
    }

    /// A query of these types, over so many relations.
    fn select(&mut self, around: &[Entry], types: &[Type], count: usize, top: bool) -> Select {
        let mut query = Select::default();
        let mut scope: Scope = Vec::new();
        let mut rest = count;
        while rest > 0 {
            let part = if self.random.below(10) < 7 { rest } else { 1 + self.random.below(rest) };
            let visible: Scope = around.iter().chain(&scope).cloned().collect();
            let (from, more) = self.tree(part, &visible, true);
            if !scope.is_empty() {
                let condition = self.equality(&scope, &more);
                query.conditions.push(condition);
            }
            query.from.push(from);
            scope.extend(more);
            rest -= part;
        }
        self.conditions(&mut query, &scope, around, top);
        let grouped = self.random.one_in(if top { 3 } else { 6 });
        if grouped && !types.is_empty() && self.random.one_in(4) {
            self.grouped_by_position(&mut query, &scope, types);
        } else if grouped {
            self.grouped(&mut query, &scope, types);
        } else {
            query.targets = types.iter().map(|ty| self.value(*ty, &scope, 2)).collect();
            if self.random.one_in(5) {
                let at = self.random.below(types.len());
                if types.get(at) == Some(&Big) {
                    query.targets[at] = self.window(&scope);
                }
            }
        }
        if types.is_empty() {
            query.targets = vec![Expr::of(Int, "1", Vec::new())];
        }
        self.finish(&mut query, types, around, top);
        query
    }

    fn conditions(&mut self, query: &mut Select, scope: &[Entry], around: &[Entry], top: bool) {
        if !around.is_empty() && self.random.one_in(2) {
            query.conditions.push(self.equality(around, scope));
        }
        // What joins are by, equal to a constant: other members of theirs are so then, or not.
        let joined = sides(&query.from);
        if !joined.is_empty() && self.random.one_in(3) {
            let side = joined[self.random.below(joined.len())].clone();
            let literal = self.literal(side.ty());
            query.conditions.push(Expr::of(Bool, "$ = $", vec![side, literal]));
        }
        while self.random.one_in(3) && query.conditions.len() < 4 {
            let mut visible = scope.to_vec();
            if self.random.one_in(3) {
                visible.extend_from_slice(around);
            }
            query.conditions.push(self.condition(&visible, 2));
        }
        if self.random.one_in(if top { 3 } else { 8 }) && self.relations > 0 {
            query.conditions.push(self.sublink(scope));
        }
    }

    /// GROUP BY 1, 2: targets may be the same, and are keys of their own.
    fn grouped_by_position(&mut self, query: &mut Select, scope: &[Entry], types: &[Type]) {
        let keys = 1 + self.random.below(types.len());
        for (at, ty) in types.iter().enumerate() {
            let same = query.targets.iter().take(keys).find(|target| target.ty() == *ty).cloned();
            let target = match same {
                Some(same) if at < keys && self.random.one_in(2) => same,
                _ if at < keys => self.key(*ty, scope),
                _ => self.aggregate(*ty, scope),
            };
            query.targets.push(target);
        }
        let by = ["1", "2", "3", "4"].iter().take(keys).map(|position| Expr::of(Int, position, Vec::new()));
        let mut group = Group { by: by.collect(), ..Default::default() };
        self.sets(&mut group);
        query.group = Some(group);
    }

    /// Grouping sets, of several keys sometimes.
    fn sets(&mut self, group: &mut Group) {
        if group.by.len() < 2 || !self.random.one_in(2) {
            return;
        }
        match self.random.below(4) {
            0 => group.all = Some("ROLLUP"),
            1 => group.all = Some("CUBE"),
            _ => {
                let all: Vec<usize> = (0..group.by.len()).collect();
                for _ in 0..1 + self.random.below(3) {
                    let most = self.random.below(all.len() + 1);
                    group.sets.push(self.random.some(&all, most));
                }
                group.sets.push(all);
            }
        }
    }

    /// GROUP BY, its aggregates, HAVING.
    fn grouped(&mut self, query: &mut Select, scope: &[Entry], types: &[Type]) {
        let mut group = Group::default();
        for _ in 0..self.random.below(4) {
            let ty = self.ty();
            let by = self.value(ty, scope, 2);
            // A number would be a target's.
            if matches!(&by, Expr::Of { arguments, .. } if arguments.is_empty()) || group.by.contains(&by) {
                continue;
            }
            group.by.push(by);
        }
        self.sets(&mut group);
        let sets = group.all.is_some() || !group.sets.is_empty();
        for ty in types {
            let own: Vec<Expr> = group.by.iter().filter(|by| by.ty() == *ty).cloned().collect();
            let target = match own.is_empty() || self.random.one_in(3) {
                true => self.aggregate(*ty, scope),
                false => own[self.random.below(own.len())].clone(),
            };
            query.targets.push(target);
        }
        if sets && types.first() == Some(&Int) && self.random.one_in(3) {
            query.targets[0] = Expr::of(Int, "GROUPING($)", vec![group.by[0].clone()]);
        }
        if self.random.one_in(4) {
            let aggregate = self.aggregate(Big, scope);
            query.having.push(Expr::of(Bool, self.random.pick(&["$ > 1", "$ <= 5", "$ IS NOT NULL"]), vec![aggregate]));
        } else if self.random.one_in(6)
            && let Some(by) = group.by.first()
        {
            query.having.push(Expr::of(Bool, "$ IS NOT NULL", vec![by.clone()]));
        }
        query.group = (!group.by.is_empty() || self.random.one_in(4)).then_some(group);
    }

    fn aggregate(&mut self, ty: Type, scope: &[Entry]) -> Expr {
        let of = |make: &mut Make, pattern, argument| {
            let argument = make.value(argument, scope, 1);
            Expr::of(ty, pattern, vec![argument])
        };
        match ty {
            Int => {
                let pattern = self.random.pick(&["max($)", "min($)", "count(DISTINCT $)::int"]);
                of(self, pattern, Int)
            }
            Big => {
                let choice = self.random.below(5);
                match choice {
                    0 => Expr::of(Big, "count(*)", Vec::new()),
                    1 => of(self, "count($)", Text),
                    2 => of(self, "sum($)", Int),
                    3 => of(self, "max($)", Big),
                    _ => {
                        let condition = self.condition(scope, 1);
                        Expr::of(Big, "count(*) FILTER (WHERE $)", vec![condition])
                    }
                }
            }
            Text => {
                let value = self.value(Text, scope, 1);
                match self.random.below(3) {
                    0 => Expr::of(Text, "string_agg($, ',' ORDER BY $)", vec![value.clone(), value]),
                    1 => Expr::of(Text, "string_agg(DISTINCT $, ',' ORDER BY $)", vec![value.clone(), value]),
                    _ => Expr::of(Text, "min($)", vec![value]),
                }
            }
            Bool => {
                let condition = self.condition(scope, 1);
                Expr::of(Bool, "bool_or($)", vec![condition])
            }
        }
    }

    fn window(&mut self, scope: &[Entry]) -> Expr {
        let (ty, other) = (self.ty(), self.ty());
        let (by, order) = (self.value(ty, scope, 1), self.value(other, scope, 1));
        match self.random.below(4) {
            0 => Expr::of(Big, "rank() OVER (PARTITION BY $ ORDER BY $ DESC)", vec![by, order]),
            1 => Expr::of(Big, "dense_rank() OVER (ORDER BY $, $)", vec![by, order]),
            2 => Expr::of(Big, "count(*) OVER (PARTITION BY $)", vec![by]),
            _ => {
                let value = self.value(Int, scope, 1);
                Expr::of(Big, "sum($) OVER (PARTITION BY $ ORDER BY $)", vec![value, by, order])
            }
        }
    }

    /// DISTINCT, set operations, ORDER BY, LIMIT.
    fn finish(&mut self, query: &mut Select, types: &[Type], around: &[Entry], top: bool) {
        // PostgreSQL sorts by the first only of targets that are the same, though grouping sets make them different.
        let sets = query.group.as_ref().is_some_and(|group| group.all.is_some() || !group.sets.is_empty());
        let twice = query.targets.iter().enumerate().any(|(at, target)| query.targets[..at].contains(target));
        query.distinct = !(sets && twice) && self.random.one_in(7);
        if !types.is_empty() && self.random.one_in(if top { 10 } else { 15 }) && self.relations > 0 {
            let how = self.random.pick(&["UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL"]);
            let count = 1 + self.random.below(2);
            let mut other = self.select(around, types, count, false);
            (other.order, other.limit, other.offset, other.with_other) = (None, None, None, None);
            other.distinct_on = 0;
            query.with_other = Some((how, Box::new(other)));
        }
        let not_known_again = |target: &Expr| match target {
            Expr::Of { arguments, .. } => arguments.is_empty(),
            Expr::Column { .. } => false,
        };
        if !(sets && twice) && self.random.one_in(3) {
            query.order = Some(self.random.below(query.targets.len() + 1));
            if self.random.one_in(3) {
                query.limit = Some(self.random.below(12));
                query.offset = self.random.one_in(3).then(|| self.random.below(4));
            }
            if query.with_other.is_none() && !query.distinct && self.random.one_in(5) {
                let on = 1 + self.random.below(query.targets.len());
                if !query.targets[..on].iter().any(not_known_again) {
                    query.distinct_on = on;
                }
            }
        }
    }

    // Changes.

    /// What a change joins its table with, and by what.
    fn partners(&mut self, own: &Entry) -> (Vec<From>, Vec<Expr>) {
        let count = self.random.pick(&[0, 1, 1, 2, 3]);
        let (mut list, mut conditions, mut scope) = (Vec::new(), Vec::new(), vec![own.clone()]);
        if count > 0 {
            let (from, more) = self.tree(count, &[], true);
            conditions.push(self.equality(&scope, &more));
            list.push(from);
            scope.extend(more);
        }
        while self.random.one_in(2) {
            conditions.push(self.condition(&scope, 2));
        }
        if self.random.one_in(4) {
            conditions.push(self.sublink(&scope));
        }
        (list, conditions)
    }

    fn target(&mut self) -> (&'static str, Entry) {
        let table = self.random.pick(CHANGED);
        (table, Entry { alias: "t".to_string(), columns: table_columns() })
    }

    fn update(&mut self) -> Statement {
        let (table, own) = self.target();
        let (from, conditions) = self.partners(&own);
        let (column, ty) = self.random.pick(&[("b", Big), ("c", Text)]);
        let value = self.value(ty, std::slice::from_ref(&own), 2);
        Statement::Update { table, set: (column, value), from, conditions }
    }

    fn delete(&mut self) -> Statement {
        let (table, own) = self.target();
        let (using, conditions) = self.partners(&own);
        Statement::Delete { table, using, conditions }
    }

    fn merge(&mut self) -> Statement {
        let (table, _) = self.target();
        let (column, ty) = self.random.pick(&[("id", Int), ("a", Int), ("b", Big)]);
        let count = 1 + self.random.below(3);
        let (from, scope) = self.tree(count, &[], true);
        let mut key = self.key(ty, &scope);
        if matches!(&key, Expr::Of { arguments, .. } if arguments.is_empty()) {
            key = Expr::of(ty, "abs($)", vec![key]);
        }
        let mut source = Select { from: vec![from], ..Default::default() };
        if self.random.one_in(2) {
            source.conditions.push(self.condition(&scope, 2));
        }
        source.targets = vec![key.clone(), self.aggregate(Int, &scope)];
        source.group = Some(Group { by: vec![key], ..Default::default() });
        let all = [
            "WHEN MATCHED AND s.c2 > 4 THEN DELETE",
            "WHEN MATCHED AND t.c IS NULL THEN DO NOTHING",
            "WHEN MATCHED THEN UPDATE SET b = s.c2",
            "WHEN NOT MATCHED BY SOURCE AND t.a < 4 THEN UPDATE SET c = 'z'",
            "WHEN NOT MATCHED BY SOURCE AND t.b = 3 THEN DELETE",
            "WHEN NOT MATCHED AND s.c1 IS NOT NULL THEN INSERT VALUES (1000 + s.c1, coalesce(s.c2, 0), s.c1, 'm')",
        ];
        let most = 1 + self.random.below(3);
        let actions = self.random.some(&all, most);
        Statement::Merge { table, source, column, actions }
    }
}

/// Is an expression of columns of such tables alone?
fn is_over(expr: &Expr, known: &dyn Fn(&str) -> bool) -> bool {
    match expr {
        Expr::Column { table, .. } => known(table),
        Expr::Of { arguments, query, .. } => {
            query.is_none() && arguments.iter().all(|argument| is_over(argument, known))
        }
    }
}

/// What the joins of a list are by.
fn sides(from: &[From]) -> Vec<Expr> {
    fn add(from: &From, found: &mut Vec<Expr>) {
        let From::Join { left, right, on, .. } = from else { return };
        add(left, found);
        add(right, found);
        for condition in on {
            if let Expr::Of { pattern: "$ = $", arguments, .. } = condition {
                found.extend_from_slice(arguments);
            }
        }
    }
    let mut found = Vec::new();
    from.iter().for_each(|from| add(from, &mut found));
    found
}

/// The plain tables that a list has.
fn entries(from: &[From]) -> Scope {
    fn add(from: &From, found: &mut Scope) {
        match from {
            From::Table { table, alias } if TABLES.contains(&table.as_str()) => {
                found.push(Entry { alias: alias.clone(), columns: table_columns() });
            }
            From::Join { left, right, .. } => {
                add(left, found);
                add(right, found);
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    from.iter().for_each(|from| add(from, &mut found));
    found
}
