//! Smaller statements than one: each lacks a part of it, or has something simpler in its place. What makes no sense any more
//! fails everywhere, and so is no difference.

use super::sql::{Expr, From, Group, Select, Statement, Type};

/// A list without one of its members, or with a smaller one.
fn of_list<T: Clone>(list: &[T], least: usize, smaller: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut found = Vec::new();
    for at in 0..list.len() {
        if list.len() > least {
            found.push(
                list.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, item)| item.clone()).collect(),
            );
        }
    }
    for (at, item) in list.iter().enumerate() {
        for new in smaller(item) {
            let mut changed = list.to_vec();
            changed[at] = new;
            found.push(changed);
        }
    }
    found
}

fn literal(ty: Type) -> Expr {
    let pattern = match ty {
        Type::Int => "1",
        Type::Big => "bigint '2'",
        Type::Text => "text 'a'",
        Type::Bool => "true",
    };
    Expr::of(ty, pattern, Vec::new())
}

fn expr(of: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let Expr::Of { ty, pattern, arguments, query } = of else { return vec![literal(of.ty())] };
    if !arguments.is_empty() || query.is_some() {
        found.push(literal(*ty));
    }
    found.extend(arguments.iter().filter(|argument| argument.ty() == *ty).cloned());
    for arguments in of_list(arguments, arguments.len(), expr) {
        found.push(Expr::Of { ty: *ty, pattern, arguments, query: query.clone() });
    }
    if let Some(query) = query {
        for smaller in select(query) {
            found.push(Expr::with_query(*ty, pattern, arguments.clone(), smaller));
        }
    }
    found.retain(|new| new != of);
    found
}

fn from(of: &From) -> Vec<From> {
    match of {
        From::Table { .. } => Vec::new(),
        From::Query { lateral, query, alias } => {
            let mut found = Vec::new();
            if *lateral {
                found.push(From::Query { lateral: false, query: query.clone(), alias: alias.clone() });
            }
            let smaller = select(query).into_iter().map(Box::new);
            found.extend(smaller.map(|query| From::Query { lateral: *lateral, query, alias: alias.clone() }));
            found
        }
        From::Function { call, alias } => {
            expr(call).into_iter().map(|call| From::Function { call, alias: alias.clone() }).collect()
        }
        From::Join { kind, left, right, on } => {
            let mut found = vec![(**left).clone(), (**right).clone()];
            let join = |kind, left: &From, right: &From, on: &[Expr]| From::Join {
                kind,
                left: Box::new(left.clone()),
                right: Box::new(right.clone()),
                on: on.to_vec(),
            };
            if *kind != "JOIN" && *kind != "CROSS JOIN" {
                found.push(join("JOIN", left, right, on));
            }
            if *kind == "FULL JOIN" {
                found.push(join("LEFT JOIN", left, right, on));
            }
            found.extend(from(left).iter().map(|left| join(kind, left, right, on)));
            found.extend(from(right).iter().map(|right| join(kind, left, right, on)));
            found.extend(of_list(on, 0, expr).iter().map(|on| join(kind, left, right, on)));
            found
        }
    }
}

fn group(of: &Group) -> Vec<Group> {
    let mut found = Vec::new();
    if of.all.is_some() || !of.sets.is_empty() {
        found.push(Group { by: of.by.clone(), ..Default::default() });
    }
    found.extend(of_list(&of.sets, 1, |_| Vec::new()).into_iter().map(|sets| Group { sets, ..of.clone() }));
    let sets = of.sets.is_empty();
    found.extend(
        of_list(&of.by, if sets { 1 } else { of.by.len() }, expr).into_iter().map(|by| Group { by, ..of.clone() }),
    );
    found
}

/// Smaller queries than one.
pub fn select(of: &Select) -> Vec<Select> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Select)| {
        let mut new = of.clone();
        change(&mut new);
        if new != *of {
            found.push(new);
        }
    };
    if let Some((_, other)) = &of.with_other {
        with(&|new| new.with_other = None);
        with(&|new| *new = (**other).clone());
        select(other).into_iter().filter(|smaller| smaller.targets.len() == of.targets.len()).for_each(|smaller| {
            with(&|new| new.with_other = of.with_other.as_ref().map(|(how, _)| (*how, Box::new(smaller.clone()))));
        });
    }
    with(&|new| (new.limit, new.offset) = (None, None));
    with(&|new| (new.order, new.limit, new.offset, new.distinct_on) = (None, None, None, 0));
    with(&|new| new.order = new.order.map(|_| 0));
    with(&|new| new.distinct = false);
    with(&|new| new.distinct_on = 0);
    with(&|new| (new.group, new.having) = (None, Vec::new()));
    of_list(&of.having, 0, expr).into_iter().for_each(|having| with(&|new| new.having.clone_from(&having)));
    let item = |(name, how, query): &(String, &'static str, Select)| {
        select(query).into_iter().map(|query| (name.clone(), *how, query)).collect()
    };
    of_list(&of.with, 0, item).into_iter().for_each(|list| with(&|new| new.with.clone_from(&list)));
    of_list(&of.from, 0, from).into_iter().for_each(|list| with(&|new| new.from.clone_from(&list)));
    of_list(&of.conditions, 0, expr).into_iter().for_each(|list| with(&|new| new.conditions.clone_from(&list)));
    of_list(&of.targets, 1, expr).into_iter().for_each(|list| with(&|new| new.targets.clone_from(&list)));
    if let Some(by) = &of.group {
        group(by).into_iter().for_each(|by| with(&|new| new.group = Some(by.clone())));
    }
    found
}

/// Smaller statements than one.
pub fn statement(of: &Statement) -> Vec<Statement> {
    match of {
        Statement::Select(query) => select(query).into_iter().map(Statement::Select).collect(),
        Statement::Update { table, set: (column, value), from: list, conditions } => {
            let update = |value: &Expr, from: &[From], conditions: &[Expr]| Statement::Update {
                table,
                set: (column, value.clone()),
                from: from.to_vec(),
                conditions: conditions.to_vec(),
            };
            let mut found: Vec<Statement> =
                of_list(list, 0, from).iter().map(|list| update(value, list, conditions)).collect();
            found.extend(of_list(conditions, 0, expr).iter().map(|conditions| update(value, list, conditions)));
            found.extend(expr(value).iter().map(|value| update(value, list, conditions)));
            found
        }
        Statement::Delete { table, using, conditions } => {
            let delete = |using: Vec<From>, conditions: Vec<Expr>| Statement::Delete { table, using, conditions };
            let mut found: Vec<Statement> =
                of_list(using, 0, from).into_iter().map(|using| delete(using, conditions.clone())).collect();
            found.extend(of_list(conditions, 0, expr).into_iter().map(|list| delete(using.clone(), list)));
            found
        }
        Statement::Merge { table, source, column, actions } => {
            let merge =
                |source: Select, actions: Vec<&'static str>| Statement::Merge { table, source, column, actions };
            let mut found: Vec<Statement> =
                of_list(actions, 1, |_| Vec::new()).into_iter().map(|actions| merge(source.clone(), actions)).collect();
            let sources = select(source).into_iter().filter(|smaller| smaller.group.is_some());
            found.extend(sources.map(|smaller| merge(smaller, actions.clone())));
            found
        }
    }
}
