//! What a command changed of a definition, put onto the definition that is there now.
//!
//! A definition is put as a whole, as the session saw it, and two sessions may change different parts of one: CREATE INDEX of
//! the same table beside CREATE INDEX, or COMMENT beside ANALYZE. PostgreSQL has a row for each part. Here each change remembers
//! the definition that it was made from, and what differs between the two is done to the definition of now.
//!
//! # Rules
//! * A part that the command left alone is as it is now; a part that nobody else has changed is as the command wants it. Where
//!   both changed the same value the later commit counts: the commands' locks keep two from meaning the same part.
//! * Members of a list are the same if they have the same oid, else the same name (columns, options). Lists of other things are
//!   one value.
//!
//! It works on definitions as JSON, so that a new field or kind of object needs nothing here, and only where another session
//! has changed the same definition meanwhile.

use serde_json::{Map, Value};

use super::{Catalog, Change};

/// A change of the catalog in a transaction that has not committed yet.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    change: Change,
    /// What it was made from, as a change that would put that; `None`: the object is new, or dropped.
    before: Option<Change>,
}

impl Pending {
    pub fn new(change: Change, before: Option<Change>) -> Pending {
        if let Some(before) = &before {
            assert_eq!(before.object(), change.object(), "a definition is made from one of the same object");
        }
        Pending { change, before }
    }

    /// The change to what exists now; `None`: the object is gone.
    pub fn onto(&self, catalog: &Catalog) -> Option<Change> {
        let Some(before) = &self.before else { return Some(self.change.clone()) };
        let now = catalog.put_again(&self.change)?;
        if now.is_same(before) || now == *before {
            return Some(self.change.clone());
        }
        let value = |change: &Change| serde_json::to_value(change).expect("catalog changes are plain data");
        let merged = merge(&value(before), &value(&self.change), &value(&now));
        Some(serde_json::from_value(merged).expect("parts of definitions make definitions"))
    }
}

fn merge(before: &Value, after: &Value, now: &Value) -> Value {
    if after == before {
        return now.clone();
    }
    if now == before {
        return after.clone();
    }
    match (before, after, now) {
        (Value::Object(before), Value::Object(after), Value::Object(now)) => merge_fields(before, after, now).into(),
        (Value::Array(before), Value::Array(after), Value::Array(now)) => {
            merge_lists(before, after, now).unwrap_or_else(|| after.clone()).into()
        }
        _ => after.clone(),
    }
}

/// The same for what may not be there.
fn merge_part(before: Option<&Value>, after: Option<&Value>, now: Option<&Value>) -> Option<Value> {
    match (before, after, now) {
        _ if after == before => now.cloned(),
        (Some(before), Some(after), Some(now)) => Some(merge(before, after, now)),
        // A part that another session has dropped has nothing left to be changed.
        (Some(_), Some(_), None) => None,
        _ => after.cloned(),
    }
}

fn merge_fields(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    now: &Map<String, Value>,
) -> Map<String, Value> {
    let names = now.keys().chain(after.keys().filter(|name| !now.contains_key(*name)));
    let field = |name: &String| Some((name.clone(), merge_part(before.get(name), after.get(name), now.get(name))?));
    names.filter_map(field).collect()
}

/// `None` where members have no identity.
fn merge_lists(before: &[Value], after: &[Value], now: &[Value]) -> Option<Vec<Value>> {
    let identity = [before, after, now].into_iter().flatten().try_fold(None, |all, member| {
        let identity = Identity::of(member)?;
        (all.is_none() || all == Some(identity)).then_some(Some(identity))
    })??;
    let find = |list: &'_ [Value], key: &Value| list.iter().find(|member| identity.key(member) == key).cloned();
    let added = after.iter().filter(|member| find(now, identity.key(member)).is_none());
    let merged = now.iter().chain(added).filter_map(|member| {
        let key = identity.key(member);
        merge_part(find(before, key).as_ref(), find(after, key).as_ref(), find(now, key).as_ref())
    });
    Some(merged.collect())
}

/// What tells members of a list apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Identity {
    Oid,
    Name,
    /// The first of a pair: options and their values.
    First,
}

impl Identity {
    fn of(member: &Value) -> Option<Identity> {
        match member {
            Value::Object(fields) if fields.contains_key("oid") => Some(Identity::Oid),
            Value::Object(fields) if fields.contains_key("name") => Some(Identity::Name),
            Value::Array(pair) if pair.len() == 2 && pair.iter().all(Value::is_string) => Some(Identity::First),
            _ => None,
        }
    }

    fn key(self, member: &Value) -> &Value {
        match self {
            Identity::Oid => &member["oid"],
            Identity::Name => &member["name"],
            Identity::First => &member[0],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::merge;

    #[test]
    fn parts_that_differ_come_together() {
        let before =
            json!({"name": "t", "comment": null, "indexes": [{"oid": 1, "name": "a"}, {"oid": 2, "name": "b"}]});
        let after = json!({"name": "t", "comment": "c", "indexes": [{"oid": 1, "name": "a"}, {"oid": 3, "name": "c"}]});
        let now = json!({"name": "u", "comment": null,
            "indexes": [{"oid": 1, "name": "x"}, {"oid": 2, "name": "b"}, {"oid": 4, "name": "d"}]});
        let merged = json!({"name": "u", "comment": "c",
            "indexes": [{"oid": 1, "name": "x"}, {"oid": 4, "name": "d"}, {"oid": 3, "name": "c"}]});
        assert_eq!(merge(&before, &after, &now), merged);
    }

    #[test]
    fn options_are_known_by_their_names() {
        let (before, after) = (json!([["fillfactor", "70"]]), json!([["fillfactor", "70"], ["a", "1"]]));
        let now = json!([["fillfactor", "80"], ["b", "2"]]);
        assert_eq!(merge(&before, &after, &now), json!([["fillfactor", "80"], ["b", "2"], ["a", "1"]]));
        assert_eq!(merge(&before, &json!([]), &now), json!([["b", "2"]]), "what is reset is gone");
    }

    #[test]
    fn what_was_dropped_meanwhile_stays_dropped() {
        let before = json!([{"oid": 1, "comment": null}]);
        let after = json!([{"oid": 1, "comment": "c"}]);
        assert_eq!(merge(&before, &after, &json!([])), json!([]));
    }

    #[test]
    fn other_lists_are_one_value() {
        let (before, after, now) = (json!([1, 2]), json!([1, 2, 3]), json!([0]));
        assert_eq!(merge(&before, &after, &now), after);
    }
}
