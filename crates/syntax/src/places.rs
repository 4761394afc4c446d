//! Trees that differ only in where they stand in the text are the same (`equal`).

use crate::nodes::{Node, WindowDef};
use crate::value::Constant;

/// Are two windows defined in the same way, whatever their names are?
pub fn is_same_window(a: &WindowDef, b: &WindowDef) -> bool {
    let definition = |window: &WindowDef| {
        let mut definition = WindowDef { name: None, ..window.clone() };
        definition.forget_places("");
        definition
    };
    definition(a) == definition(b)
}

/// What trees are made of.
pub(crate) trait Places {
    /// Forgets where it stands; `field` is the name that its node has for it.
    fn forget_places(&mut self, field: &str);
}

impl Places for i32 {
    fn forget_places(&mut self, field: &str) {
        if ["location", "list_start", "list_end"].iter().any(|place| field.ends_with(place)) {
            *self = -1;
        }
    }
}

macro_rules! placeless {
    ($($type:ty),*) => {
        $(impl Places for $type {
            fn forget_places(&mut self, _: &str) {}
        })*
    };
}

placeless!(u32, i64, bool, char, Box<str>, Constant);

impl<T: Places> Places for Option<T> {
    fn forget_places(&mut self, field: &str) {
        if let Some(inner) = self {
            inner.forget_places(field);
        }
    }
}

impl<T: Places> Places for Box<T> {
    fn forget_places(&mut self, field: &str) {
        (**self).forget_places(field);
    }
}

impl Places for Box<[Node]> {
    fn forget_places(&mut self, field: &str) {
        self.iter_mut().for_each(|node| node.forget_places(field));
    }
}

impl Places for Vec<Node> {
    fn forget_places(&mut self, field: &str) {
        self.iter_mut().for_each(|node| node.forget_places(field));
    }
}
