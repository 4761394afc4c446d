//! Compiled expressions: a tree of nodes in which everything is looked up.

use analyze::query::{BooleanTestKind, SqlValue};
use types::{Argument, BaseType, Function, Oid, Reader, Repr};

use crate::evaluate::any::{AnyOf, AnyOfArray, AnyOfMembers};
use crate::evaluate::array::{ArrayNode, CoerceNode, SubscriptNode};
use crate::evaluate::compare::Comparison;
use crate::evaluate::row::RowNode;
use crate::evaluate::row_call::RowCall;
use crate::wait::Waiting;

#[derive(Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    pub children: Vec<Node>,
    /// How its values lie in columns.
    pub repr: Repr,
    /// Something in it has to wait.
    pub waits: bool,
    /// It cannot fail and costs little, so that it may be evaluated for rows that do not need it.
    pub cheap: bool,
    /// Levels of nodes from here.
    pub depth: usize,
}

/// What a node does. Where nothing else is said, its children are evaluated first, all of them for all rows.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The same in all rows.
    Constant(Argument),
    /// A column of the batch.
    Column(usize),
    /// What a [`Kind::Let`] around has computed.
    Local(usize),
    /// `$n`, from 0.
    External(usize),
    Exec(usize),
    /// The second child, with the value of the first one as a local.
    Let,
    /// AND or OR of the children, each for the rows that those before have not decided.
    Junction {
        and: bool,
    },
    /// Conditions and results in turn, then a result.
    Case,
    Coalesce,
    /// The arguments of both sides in turn.
    RowCompare {
        columns: Vec<RowColumn>,
        accept: fn(std::cmp::Ordering) -> bool,
    },

    Call(CallNode),
    /// A comparison of native values.
    Compare(Comparison),
    Decimal(DecimalOperator),
    DecimalCompare(DecimalComparison),
    ToNumeric,
    /// Into a decimal that has room for all values of the child, which is a decimal or an integer.
    Rescale {
        precision: u8,
        scale: i8,
    },
    /// Into a decimal, rounded; fails where there is no room.
    ToDecimal {
        precision: u8,
        scale: i8,
    },
    /// Integers of 32 bits with or without a sign.
    Reinterpret,
    Not,
    /// IS DISTINCT FROM, by an equality.
    Distinct(CallNode),
    NullIf(CallNode),
    NullTest {
        is_null: bool,
    },
    BooleanTest(BooleanTestKind),
    MinMax {
        greatest: bool,
        compare: CallNode,
    },
    /// A conversion through text.
    ThroughText {
        output: Option<&'static BaseType>,
        input: Option<Reader>,
    },
    /// A name that the session has.
    SessionName(SqlValue),
    AnyOf(AnyOf),
    AnyOfArray(AnyOfArray),
    AnyOfMembers(Box<AnyOfMembers>),
    Array(ArrayNode),
    Subscript(SubscriptNode),
    /// A `name` is an array of 64 of `"char"`, too; the other children are its subscripts.
    CharOfName,
    /// The first child is the value, then come its subscripts, and what is assigned.
    JsonbSubscript {
        assigns: bool,
    },
    ArrayCoerce(CoerceNode),
    Row(RowNode),
    RowCall(RowCall),
    /// A field of a row, from 0.
    Field(usize),
    RowNullTest {
        is_null: bool,
    },
    /// What has to wait.
    Waiting(Waiting),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub(crate) struct CallNode {
    pub function: &'static Function,
    pub arguments: Box<[Oid]>,
    pub result: Oid,
    /// As [`types::Call`] has it.
    pub variadic: bool,
    pub volatile: bool,
}

/// A pair of columns of a comparison of rows.
#[derive(Debug)]
pub(crate) struct RowColumn {
    /// Gives -1, 0 or 1.
    pub compare: CallNode,
}

/// A comparison of two decimals, or of one with a `numeric` that is the same in all rows and may be one.
#[derive(Debug)]
pub(crate) struct DecimalComparison {
    /// Takes their order.
    pub accept: fn(std::cmp::Ordering) -> bool,
    /// For a `numeric` that is no decimal.
    pub call: CallNode,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum DecimalOperator {
    Add,
    Subtract,
    Multiply,
}

impl Node {
    pub fn new(kind: Kind, children: Vec<Node>, repr: Repr) -> Node {
        let cheap = matches!(
            kind,
            Kind::Constant(_)
                | Kind::Column(_)
                | Kind::Local(_)
                | Kind::External(_)
                | Kind::Exec(_)
                | Kind::Compare(_)
                | Kind::DecimalCompare(_)
                | Kind::Reinterpret
                | Kind::Junction { .. }
                | Kind::Not
                | Kind::NullTest { .. }
                | Kind::BooleanTest(_)
        );
        Node {
            repr,
            waits: matches!(kind, Kind::Waiting(_)) || children.iter().any(|child| child.waits),
            cheap: cheap && children.iter().all(|child| child.cheap),
            depth: 1 + children.iter().map(|child| child.depth).max().unwrap_or(0),
            kind,
            children,
        }
    }

    pub fn leaf(kind: Kind, repr: Repr) -> Node {
        Node::new(kind, Vec::new(), repr)
    }

    /// The value, if it is the same wherever and whenever it is evaluated.
    pub fn constant(&self) -> Option<&Argument> {
        match &self.kind {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }

    pub fn is_null_constant(&self) -> bool {
        self.constant().is_some_and(|value| value.array().is_null(0))
    }
}
