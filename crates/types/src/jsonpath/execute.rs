//! A path is followed in a value (`jsonpath_exec.c`).
//!
//! Errors that PostgreSQL suppresses in predicates and for `silent` are [`Failure::Soft`]. A step that gets no list to put its
//! results into only says whether there is one, and stops at the first.

use error::sqlstate;

use super::item::Item;
use super::path::{Kind, LAST_LEVEL, Method, Node, Operator, Path};
use crate::error::Error;
use crate::jsonb::layout::Shape;
use crate::jsonb::{Value, View};
use crate::numeric::Numeric;
use crate::regex::compiled;
use crate::text::utf8;

/// Steps in each other at most.
const MOST_LEVELS: usize = 6000;

#[derive(Debug)]
pub enum Failure {
    /// It makes a predicate unknown, and is no error where it is silenced.
    Soft(Error),
    Hard(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Hard(error)
    }
}

pub type Followed<T> = std::result::Result<T, Failure>;

/// The list for results; `None`: it is only asked whether there are any.
type Found<'f, 'a> = Option<&'f mut Vec<Item<'a>>>;

pub fn soft<T>(code: &'static str, message: impl Into<String>) -> Followed<T> {
    Err(Failure::Soft(Error::new(code, message)))
}

/// What a path is followed in.
pub struct Execution<'a> {
    lax: bool,
    document: View<'a>,
    root: Value<'a>,
    current: Item<'a>,
    variables: Option<View<'a>>,
    /// What is not there is no error: as in lax paths, and below `.**`.
    ignores_structure: bool,
    /// Elements of the array that subscripts are of.
    array_size: usize,
    level: usize,
}

/// Follows a path. Gives whether there is a result; with a list, results are in it, also those before an error.
pub fn execute<'a>(path: &Path, json: View<'a>, variables: Option<View<'a>>, found: Found<'_, 'a>) -> Followed<bool> {
    let root = json.root();
    let mut execution = Execution {
        lax: path.lax,
        document: json,
        root,
        current: Item::Value(root),
        variables,
        ignores_structure: path.lax,
        array_size: 0,
        level: 0,
    };
    if path.lax || found.is_some() {
        return execution.follow(&path.first, Item::Value(root), found);
    }
    // A strict path is followed to its end, so that all errors are found.
    let mut all = Vec::new();
    execution.follow(&path.first, Item::Value(root), Some(&mut all))?;
    Ok(!all.is_empty())
}

impl<'a> Execution<'a> {
    pub fn follow(&mut self, node: &Node, item: Item<'a>, found: Found<'_, 'a>) -> Followed<bool> {
        self.step(node, item, found, self.lax)
    }

    /// Goes on behind a step.
    pub fn next(&mut self, next: Option<&Node>, item: Item<'a>, found: Found<'_, 'a>) -> Followed<bool> {
        match (next, found) {
            (Some(next), found) => self.follow(next, item, found),
            (None, Some(found)) => {
                found.push(item);
                Ok(true)
            }
            (None, None) => Ok(true),
        }
    }

    /// `unwrap`: a step that is not for arrays is done with their elements.
    fn step(&mut self, node: &Node, item: Item<'a>, found: Found<'_, 'a>, unwrap: bool) -> Followed<bool> {
        self.level += 1;
        if self.level > MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded").into());
        }
        let result = self.step_of_kind(node, item, found, unwrap);
        self.level -= 1;
        result
    }

    fn step_of_kind(&mut self, node: &Node, item: Item<'a>, found: Found<'_, 'a>, unwrap: bool) -> Followed<bool> {
        let next = node.next.as_deref();
        match &node.kind {
            Kind::Null => self.next(next, Item::Value(Value::Null), found),
            Kind::Bool(value) => self.next(next, Item::bool(*value), found),
            Kind::Number(value) => self.next(next, Item::Number(value.clone()), found),
            Kind::String(text) => self.next(next, Item::Text(text.clone()), found),
            Kind::Variable(name) => {
                let value = self.variable(name)?;
                self.next(next, value, found)
            }
            Kind::Root => self.next(next, Item::Value(self.root), found),
            Kind::Current => self.next(next, self.current.clone(), found),
            Kind::Last => {
                let last = self.array_size as i64 - 1;
                self.next(next, Item::Number(whole(last)), found)
            }
            Kind::AnyArray => self.any_element(next, item, found),
            Kind::AnyKey => self.any_member(node, item, found, unwrap),
            Kind::Any(first, last) => self.any(next, item, found, (*first, *last)),
            Kind::Index(ranges) => self.index(next, item, found, ranges),
            Kind::Key(name) => self.key(node, item, found, unwrap, name),
            Kind::Filter(_) if unwrap && item.container(Shape::Array).is_some() => {
                self.unwrapped(Some(node), &item, found, false)
            }
            Kind::Filter(condition) => match self.condition(condition, item.clone())? {
                Some(true) => self.next(next, item, found),
                _ => Ok(false),
            },
            Kind::Binary(operator, left, right) if operator.is_arithmetic() => {
                let result = self.compute(*operator, left, right, item)?;
                self.next(next, result, found)
            }
            Kind::Signed(minus, operand) => self.signed(next, *minus, operand, item, found),
            Kind::Binary(..) | Kind::Not(_) | Kind::IsUnknown(_) | Kind::Exists(_) | Kind::LikeRegex(..) => {
                let result = self.predicate(node, &item)?.map_or(Item::Value(Value::Null), Item::bool);
                self.next(next, result, found)
            }
            Kind::Method(Method::Type) => self.next(next, Item::Text(item.type_name().into()), found),
            Kind::Method(Method::Size) => self.size(next, &item, found),
            // Those that are not for arrays.
            _ if unwrap && item.container(Shape::Array).is_some() => self.unwrapped(Some(node), &item, found, false),
            Kind::Method(Method::KeyValue) => self.keyvalue(next, &item, found),
            _ => {
                let result = self.method(&node.kind, item)?;
                self.next(next, result, found)
            }
        }
    }

    /// The document that the path is followed in.
    pub fn document(&self) -> View<'a> {
        self.document
    }

    fn keyvalue(&mut self, next: Option<&Node>, item: &Item<'a>, mut found: Found<'_, 'a>) -> Followed<bool> {
        if let Item::Pair(_) = item {
            return Err(Error::unsupported("jsonpath method .keyvalue() of what it gives").into());
        }
        let Some(object) = item.container(Shape::Object) else {
            let message = "jsonpath item method .keyvalue() can only be applied to an object";
            return soft(sqlstate::SQL_JSON_OBJECT_NOT_FOUND, message);
        };
        if next.is_none() && found.is_none() {
            return Ok(!object.is_empty());
        }
        let mut result = false;
        for pair in self.pairs(object)? {
            result = self.next(next, pair, found.as_deref_mut())?;
            if result && found.is_none() {
                break;
            }
        }
        Ok(result)
    }

    fn variable(&self, name: &str) -> Followed<Item<'a>> {
        let missing = || {
            let message = format!("could not find jsonpath variable \"{name}\"");
            Failure::Hard(Error::new(sqlstate::UNDEFINED_OBJECT, message))
        };
        self.variables.and_then(|all| all.field(name.as_bytes())).map(Item::Value).ok_or_else(missing)
    }

    /// A step is done with the elements of an array; without a step they are results.
    fn unwrapped(
        &mut self,
        node: Option<&Node>,
        array: &Item<'a>,
        found: Found<'_, 'a>,
        unwrap: bool,
    ) -> Followed<bool> {
        match array {
            Item::Value(Value::Container(view)) => self.all(node, *view, found, (1, 1), 1, false, unwrap),
            _ => Ok(false),
        }
    }

    /// What is in a container, to some levels (`executeAnyItem`).
    #[expect(clippy::too_many_arguments, reason = "what one level hands to the next")]
    fn all(
        &mut self,
        node: Option<&Node>,
        view: View<'a>,
        mut found: Found<'_, 'a>,
        (first, last): (u32, u32),
        level: u32,
        ignores_structure: bool,
        unwrap: bool,
    ) -> Followed<bool> {
        if level as usize > MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded").into());
        }
        let mut result = false;
        if level > last {
            return Ok(false);
        }
        let values: &mut dyn Iterator<Item = Value<'a>> = match view.shape() {
            Shape::Object => &mut view.pairs().map(|(_, value)| value),
            _ => &mut view.elements(),
        };
        for value in values {
            let is_leaf = !matches!(value, Value::Container(_));
            let leaves_only = first == LAST_LEVEL && last == LAST_LEVEL;
            if level >= first || leaves_only && is_leaf {
                result = match (node, found.as_deref_mut()) {
                    (Some(node), found) => {
                        let before = self.ignores_structure;
                        self.ignores_structure |= ignores_structure;
                        let result = self.step(node, Item::Value(value), found, unwrap);
                        self.ignores_structure = before;
                        result?
                    }
                    (None, Some(found)) => {
                        found.push(Item::Value(value));
                        true
                    }
                    (None, None) => return Ok(true),
                };
                if result && found.is_none() {
                    return Ok(true);
                }
            }
            if let Value::Container(inner) = value
                && level < last
            {
                let levels = (first, last);
                result = self.all(node, inner, found.as_deref_mut(), levels, level + 1, ignores_structure, unwrap)?;
                if result && found.is_none() {
                    return Ok(true);
                }
            }
        }
        Ok(result)
    }

    fn any_element(&mut self, next: Option<&Node>, item: Item<'a>, found: Found<'_, 'a>) -> Followed<bool> {
        if item.container(Shape::Array).is_some() {
            return self.unwrapped(next, &item, found, self.lax);
        }
        if self.lax {
            return self.next(next, item, found);
        }
        let message = "jsonpath wildcard array accessor can only be applied to an array";
        self.missing(sqlstate::SQL_JSON_ARRAY_NOT_FOUND, message)
    }

    /// What is not there is an error, unless errors of this kind are ignored.
    fn missing(&self, code: &'static str, message: impl Into<String>) -> Followed<bool> {
        if self.ignores_structure { Ok(false) } else { soft(code, message) }
    }

    fn any_member(&mut self, node: &Node, item: Item<'a>, found: Found<'_, 'a>, unwrap: bool) -> Followed<bool> {
        if let Some(object) = item.container(Shape::Object) {
            return self.all(node.next.as_deref(), object, found, (1, 1), 1, false, self.lax);
        }
        if let Item::Pair(pair) = item {
            let (mut found, mut result) = (found, false);
            for field in pair.fields() {
                result = self.next(node.next.as_deref(), field, found.as_deref_mut())?;
                if result && found.is_none() {
                    break;
                }
            }
            return Ok(result);
        }
        if unwrap && item.container(Shape::Array).is_some() {
            return self.unwrapped(Some(node), &item, found, false);
        }
        let message = "jsonpath wildcard member accessor can only be applied to an object";
        self.missing(sqlstate::SQL_JSON_OBJECT_NOT_FOUND, message)
    }

    fn any(
        &mut self,
        next: Option<&Node>,
        item: Item<'a>,
        mut found: Found<'_, 'a>,
        levels: (u32, u32),
    ) -> Followed<bool> {
        let mut result = false;
        if levels.0 == 0 {
            let before = std::mem::replace(&mut self.ignores_structure, true);
            let here = self.next(next, item.clone(), found.as_deref_mut());
            self.ignores_structure = before;
            result = here?;
            if result && found.is_none() {
                return Ok(true);
            }
        }
        match item {
            Item::Value(Value::Container(view)) => self.all(next, view, found, levels, 1, true, self.lax),
            Item::Pair(_) => Err(Error::unsupported("what is below the results of .keyvalue() in a jsonpath").into()),
            _ => Ok(result),
        }
    }

    fn key(&mut self, node: &Node, item: Item<'a>, found: Found<'_, 'a>, unwrap: bool, name: &str) -> Followed<bool> {
        let object = item.container(Shape::Object);
        let pair = if let Item::Pair(pair) = &item { Some(pair) } else { None };
        if object.is_some() || pair.is_some() {
            let of_object = object.and_then(|object| object.field(name.as_bytes())).map(Item::Value);
            return match of_object.or_else(|| pair?.field(name.as_bytes())) {
                Some(value) => self.next(node.next.as_deref(), value, found),
                None => {
                    let message = || format!("JSON object does not contain key \"{name}\"");
                    if self.ignores_structure {
                        Ok(false)
                    } else {
                        soft(sqlstate::SQL_JSON_MEMBER_NOT_FOUND, message())
                    }
                }
            };
        }
        if unwrap && item.container(Shape::Array).is_some() {
            return self.unwrapped(Some(node), &item, found, false);
        }
        let message = "jsonpath member accessor can only be applied to an object";
        self.missing(sqlstate::SQL_JSON_MEMBER_NOT_FOUND, message)
    }

    fn index(
        &mut self,
        next: Option<&Node>,
        item: Item<'a>,
        mut found: Found<'_, 'a>,
        ranges: &[(Node, Option<Node>)],
    ) -> Followed<bool> {
        let array = item.container(Shape::Array);
        if array.is_none() && !self.lax {
            let message = "jsonpath array accessor can only be applied to an array";
            return self.missing(sqlstate::SQL_JSON_ARRAY_NOT_FOUND, message);
        }
        let size = array.map_or(1, |array| array.len());
        let outer = std::mem::replace(&mut self.array_size, size);
        let mut result = Ok(false);
        for (from, to) in ranges {
            result = self.range(next, &item, found.as_deref_mut(), (from, to.as_ref()), size);
            match result {
                Ok(false) => {}
                Ok(true) if found.is_some() => {}
                _ => break,
            }
        }
        self.array_size = outer;
        result
    }

    /// The elements of one range of subscripts.
    fn range(
        &mut self,
        next: Option<&Node>,
        item: &Item<'a>,
        mut found: Found<'_, 'a>,
        (from, to): (&Node, Option<&Node>),
        size: usize,
    ) -> Followed<bool> {
        let from = self.subscript(from, item.clone())?;
        let to = to.map_or(Ok(from), |to| self.subscript(to, item.clone()))?;
        if !self.ignores_structure && (from < 0 || from > to || i64::from(to) >= size as i64) {
            return soft(sqlstate::INVALID_SQL_JSON_SUBSCRIPT, "jsonpath array subscript is out of bounds");
        }
        let mut result = false;
        for at in i64::from(from).max(0)..=i64::from(to).min(size as i64 - 1) {
            let element = match item.container(Shape::Array) {
                Some(array) => array.element_from(at).map(Item::Value),
                None => Some(item.clone()),
            };
            let Some(element) = element else { continue };
            result = self.next(next, element, found.as_deref_mut())?;
            if result && found.is_none() {
                break;
            }
        }
        Ok(result)
    }

    fn subscript(&mut self, node: &Node, item: Item<'a>) -> Followed<i32> {
        let mut found = Vec::new();
        self.follow(node, item, Some(&mut found))?;
        let number = match found.as_slice() {
            [one] => one.number(),
            _ => None,
        };
        let Some(number) = number else {
            let message = "jsonpath array subscript is not a single numeric value";
            return soft(sqlstate::INVALID_SQL_JSON_SUBSCRIPT, message);
        };
        let whole = match &*number {
            Numeric::Finite(decimal) => decimal.truncate(0).value.to_i64().and_then(|value| i32::try_from(value).ok()),
            _ => None,
        };
        match whole {
            Some(whole) => Ok(whole),
            None => {
                let message = "jsonpath array subscript is out of integer range";
                soft(sqlstate::INVALID_SQL_JSON_SUBSCRIPT, message)
            }
        }
    }

    fn size(&mut self, next: Option<&Node>, item: &Item<'a>, found: Found<'_, 'a>) -> Followed<bool> {
        let size = match item.container(Shape::Array) {
            Some(array) => array.len() as i64,
            None if self.lax => 1,
            None => {
                let message = "jsonpath item method .size() can only be applied to an array";
                return self.missing(sqlstate::SQL_JSON_ARRAY_NOT_FOUND, message);
            }
        };
        self.next(next, Item::Number(whole(size)), found)
    }

    /// What a step gives; arrays as their elements if the path is lax.
    fn operands(&mut self, node: &Node, item: Item<'a>, unwrap: bool) -> Followed<Vec<Item<'a>>> {
        let mut found = Vec::new();
        self.follow(node, item, Some(&mut found))?;
        if !unwrap || !self.lax || !found.iter().any(|item| item.container(Shape::Array).is_some()) {
            return Ok(found);
        }
        let mut out = Vec::new();
        for item in found {
            match item.container(Shape::Array) {
                Some(array) => out.extend(array.elements().map(Item::Value)),
                None => out.push(item),
            }
        }
        Ok(out)
    }

    fn compute(&mut self, operator: Operator, left: &Node, right: &Node, item: Item<'a>) -> Followed<Item<'a>> {
        // Both operands come before either is looked at.
        let found = [self.operands(left, item.clone(), true)?, self.operands(right, item, true)?];
        let number = |operand: usize, side: &str| match found[operand].as_slice() {
            [one] if let Some(number) = one.number() => Ok(number),
            _ => {
                let text = operator.text();
                let message = format!("{side} operand of jsonpath operator {text} is not a single numeric value");
                soft(sqlstate::SINGLETON_SQL_JSON_ITEM_REQUIRED, message)
            }
        };
        let (a, b) = (number(0, "left")?, number(1, "right")?);
        let result = match operator {
            Operator::Add => a.add(&b),
            Operator::Subtract => a.subtract(&b),
            Operator::Multiply => a.multiply(&b),
            Operator::Divide => a.divide(&b),
            _ => a.remainder(&b),
        };
        result.map(Item::Number).map_err(Failure::Soft)
    }

    fn signed(
        &mut self,
        next: Option<&Node>,
        minus: bool,
        operand: &Node,
        item: Item<'a>,
        mut found: Found<'_, 'a>,
    ) -> Followed<bool> {
        let mut result = false;
        let asks_only = found.is_none() && next.is_none();
        for operand in self.operands(operand, item, true)? {
            let Some(number) = operand.number() else {
                if asks_only {
                    continue;
                }
                let sign = if minus { "-" } else { "+" };
                let message = format!("operand of unary jsonpath operator {sign} is not a numeric value");
                return soft(sqlstate::SQL_JSON_NUMBER_NOT_FOUND, message);
            };
            let number = number.into_owned();
            let number = if minus { number.negate() } else { number };
            if self.next(next, Item::Number(number), found.as_deref_mut())? {
                result = true;
                if found.is_none() {
                    return Ok(true);
                }
            }
        }
        Ok(result)
    }

    /// A condition of a filter, in which `@` is the item.
    fn condition(&mut self, node: &Node, item: Item<'a>) -> Followed<Option<bool>> {
        let outer = std::mem::replace(&mut self.current, item.clone());
        let result = self.predicate(node, &item);
        self.current = outer;
        result
    }

    /// True, false or unknown (`executeBoolItem`).
    fn predicate(&mut self, node: &Node, item: &Item<'a>) -> Followed<Option<bool>> {
        self.level += 1;
        if self.level > MOST_LEVELS {
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded").into());
        }
        let result = match &node.kind {
            Kind::Binary(Operator::And, left, right) => self.connected(left, right, item, false),
            Kind::Binary(Operator::Or, left, right) => self.connected(left, right, item, true),
            Kind::Not(argument) => Ok(self.predicate(argument, item)?.map(|value| !value)),
            Kind::IsUnknown(argument) => Ok(Some(self.predicate(argument, item)?.is_none())),
            Kind::Binary(Operator::StartsWith, left, right) => {
                self.for_pairs(left, Some(right), item, false, |a, b| {
                    Ok(a.text().zip(b.text()).map(|(a, b)| a.starts_with(b)))
                })
            }
            Kind::Binary(operator, left, right) => {
                self.for_pairs(left, Some(right), item, true, |a, b| Ok(compared(*operator, a, b)))
            }
            Kind::LikeRegex(operand, pattern) => self.for_pairs(operand, None, item, false, |a, _| {
                let Some(text) = a.text() else { return Ok(None) };
                let text: Vec<char> = utf8(text)?.chars().collect();
                let regex = compiled(&pattern.text, pattern.options)?;
                regex.begin();
                regex.is_match(&text).map(Some)
            }),
            Kind::Exists(argument) => self.exists(argument, item),
            // Only predicates are conditions.
            _ => Ok(None),
        };
        self.level -= 1;
        result
    }

    /// `&&`, or `||` if what decides is true.
    fn connected(&mut self, left: &Node, right: &Node, item: &Item<'a>, decides: bool) -> Followed<Option<bool>> {
        let left = self.predicate(left, item)?;
        if left == Some(decides) {
            return Ok(left);
        }
        let right = self.predicate(right, item)?;
        Ok(if right == Some(!decides) { left } else { right })
    }

    fn exists(&mut self, argument: &Node, item: &Item<'a>) -> Followed<Option<bool>> {
        let result = match self.lax {
            true => self.follow(argument, item.clone(), None),
            false => {
                let mut found = Vec::new();
                self.follow(argument, item.clone(), Some(&mut found)).map(|_| !found.is_empty())
            }
        };
        unknown_if_soft(result)
    }

    /// What holds for a pair of what both operands give; for each of the left one, if there is no other
    /// (`executePredicate`).
    fn for_pairs(
        &mut self,
        left: &Node,
        right: Option<&Node>,
        item: &Item<'a>,
        unwrap_right: bool,
        holds: impl Fn(&Item<'a>, &Item<'a>) -> crate::error::Result<Option<bool>>,
    ) -> Followed<Option<bool>> {
        let left = unknown_if_soft(self.operands(left, item.clone(), true))?;
        let Some(left) = left else { return Ok(None) };
        let right = match right {
            Some(right) => unknown_if_soft(self.operands(right, item.clone(), unwrap_right))?,
            None => Some(vec![Item::Value(Value::Null)]),
        };
        let Some(right) = right else { return Ok(None) };
        let (mut unknown, mut found) = (false, false);
        for a in &left {
            for b in &right {
                match holds(a, b)? {
                    Some(true) if self.lax => return Ok(Some(true)),
                    Some(true) => found = true,
                    None if !self.lax => return Ok(None),
                    None => unknown = true,
                    Some(false) => {}
                }
            }
        }
        Ok(if found {
            Some(true)
        } else if unknown {
            None
        } else {
            Some(false)
        })
    }
}

/// An error that a predicate suppresses.
fn unknown_if_soft<T>(result: Followed<T>) -> Followed<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Soft(_)) => Ok(None),
        Err(hard) => Err(hard),
    }
}

pub fn whole(value: i64) -> Numeric {
    Numeric::Finite(crate::numeric::value::Decimal::whole(crate::numeric::whole::Whole::Small(value.into())))
}

/// Null is different from all else; other values of different kinds, and containers, do not compare.
fn compared(operator: Operator, a: &Item<'_>, b: &Item<'_>) -> Option<bool> {
    if a.is_null() != b.is_null() {
        return Some(operator == Operator::NotEqual);
    }
    let order = a.compare(b)?;
    Some(match operator {
        Operator::Equal => order.is_eq(),
        Operator::NotEqual => order.is_ne(),
        Operator::Less => order.is_lt(),
        Operator::LessEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}
