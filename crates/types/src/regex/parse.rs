//! The tree of an expression (`regcomp.c`).
//!
//! There are two: of [`Node`]s, which says what texts match, and of [`Part`]s, whose match is taken apart where that makes a
//! difference: where there are groups, back references, or different preferences.

use std::rc::Rc;

use super::Fault;
use super::flags::{Flags, Options, Syntax};
use super::lex::{Lexer, Token};
use super::set::CharSet;
use crate::text::classes::Class;

/// What texts match.
#[derive(Debug)]
pub enum Node {
    /// The empty text.
    Empty,
    /// A character of a set, by its number.
    Set(u32),
    Assert(Assertion),
    /// Whether a text matches from here, or up to here; by the number of the look.
    Look(u32),
    Concat(Vec<Rc<Node>>),
    Alternatives(Vec<Rc<Node>>),
    Repeat {
        node: Rc<Node>,
        least: u16,
        most: Option<u16>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    LineBegin,
    LineEnd,
    TextBegin,
    TextEnd,
    WordBegin,
    WordEnd,
    WordBoundary,
    NoWordBoundary,
}

/// `(?=…)` and its like.
#[derive(Debug)]
pub struct Look {
    pub ahead: bool,
    pub positive: bool,
    pub node: Rc<Node>,
}

/// What a match is taken apart by.
#[derive(Debug)]
pub struct Part {
    pub kind: PartKind,
    pub flags: Flags,
    /// The group that it is.
    pub capture: Option<usize>,
    pub node: Rc<Node>,
    /// Its number among all parts, which programs are kept by.
    pub id: usize,
}

#[derive(Debug)]
pub enum PartKind {
    /// Nothing within is of interest.
    Leaf,
    Concat(Box<Part>, Box<Part>),
    Alternatives(Vec<Part>),
    Repeat {
        part: Box<Part>,
        least: u16,
        most: Option<u16>,
    },
    BackReference {
        group: usize,
        least: u16,
        most: Option<u16>,
    },
    /// A group around a group.
    Group(Box<Part>),
}

/// An expression that was read.
#[derive(Debug)]
pub struct Tree {
    pub root: Part,
    pub sets: Vec<CharSet>,
    pub looks: Vec<Look>,
    pub groups: usize,
    pub parts: usize,
    pub options: Options,
    /// Words' ends are asked for.
    pub words: bool,
}

/// Groups within groups.
const MOST_LEVELS: usize = 250;
/// Parts that are taken apart, which the search of a match nests.
const MOST_PARTS: usize = 1000;

struct Parser {
    lexer: Lexer,
    token: Token,
    sets: Vec<CharSet>,
    looks: Vec<Look>,
    /// What the groups match that are closed, from 1.
    groups: Vec<Option<Rc<Node>>>,
    parts: usize,
    words: bool,
    level: usize,
}

pub fn parse(pattern: &str, options: Options) -> Result<Tree, Fault> {
    let lexer = Lexer::new(pattern, options)?;
    let mut parser = Parser {
        lexer,
        token: Token::Start,
        sets: Vec::new(),
        looks: Vec::new(),
        groups: vec![None],
        parts: 0,
        words: false,
        level: 0,
    };
    parser.advance()?;
    let root = parser.alternatives(false, false)?;
    Ok(Tree {
        root,
        sets: parser.sets,
        looks: parser.looks,
        groups: parser.groups.len() - 1,
        parts: parser.parts,
        options: parser.lexer.options,
        words: parser.words,
    })
}

/// What stands in a branch, before it has a quantifier.
enum Atom {
    /// `^` and the like, which take none.
    Constraint(Node),
    Plain(Part),
    Capturing(Part),
    BackReference(usize),
}

/// A piece of a branch that is taken apart, what stands before it, and what the two of them prefer.
struct Messy {
    before: Vec<Rc<Node>>,
    before_flags: Flags,
    part: Part,
    flags: Flags,
}

fn concat(mut nodes: Vec<Rc<Node>>) -> Rc<Node> {
    match nodes.len() {
        0 => Rc::new(Node::Empty),
        1 => nodes.remove(0),
        _ => Rc::new(Node::Concat(nodes)),
    }
}

fn repeat(node: &Rc<Node>, least: u16, most: Option<u16>) -> Rc<Node> {
    match (least, most) {
        (1, Some(1)) => node.clone(),
        (0, Some(0)) => Rc::new(Node::Empty),
        _ => Rc::new(Node::Repeat { node: node.clone(), least, most }),
    }
}

impl Parser {
    fn advance(&mut self) -> Result<(), Fault> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    fn part(&mut self, kind: PartKind, flags: Flags, node: Rc<Node>) -> Result<Part, Fault> {
        let id = self.parts;
        self.parts += 1;
        Ok(Part { kind, flags, capture: None, node, id })
    }

    fn leaf(&mut self, flags: Flags, node: Rc<Node>) -> Result<Part, Fault> {
        self.part(PartKind::Leaf, flags, node)
    }

    fn concat_part(&mut self, flags: Flags, left: Part, right: Part) -> Result<Part, Fault> {
        let node = concat(vec![left.node.clone(), right.node.clone()]);
        self.part(PartKind::Concat(Box::new(left), Box::new(right)), flags, node)
    }

    /// Branches, to the end or the parenthesis that closes them. Within a look nothing is captured.
    fn alternatives(&mut self, nested: bool, in_look: bool) -> Result<Part, Fault> {
        self.level += 1;
        if self.level > MOST_LEVELS {
            return Err(Fault::TooBig);
        }
        let mut branches = vec![self.branch(nested, in_look)?];
        while self.token == Token::Bar {
            self.advance()?;
            branches.push(self.branch(nested, in_look)?);
        }
        self.level -= 1;
        match (nested, self.token) {
            (true, Token::Close) | (false, Token::End) => {}
            _ => return Err(Fault::Parenthesis),
        }
        if branches.len() == 1 {
            return Ok(branches.remove(0));
        }
        let mut flags = Flags::LONGER;
        for branch in &branches {
            flags = flags.or(flags.or(branch.flags).up());
        }
        let node = Rc::new(Node::Alternatives(branches.iter().map(|branch| branch.node.clone()).collect()));
        let kind = if flags.is_messy() { PartKind::Alternatives(branches) } else { PartKind::Leaf };
        self.part(kind, flags, node)
    }

    /// Whether the branch ends here.
    fn branch_ends(&self, nested: bool) -> bool {
        match self.token {
            Token::End | Token::Bar => true,
            // Outside of groups it is a fault, or a character.
            Token::Close => nested,
            _ => false,
        }
    }

    fn branch(&mut self, nested: bool, in_look: bool) -> Result<Part, Fault> {
        let (mut before, mut before_flags) = (Vec::new(), Flags::NONE);
        let mut messy: Vec<Messy> = Vec::new();
        while !self.branch_ends(nested) {
            let atom = match self.atom(in_look)? {
                Atom::Constraint(node) => {
                    before.push(Rc::new(node));
                    continue;
                }
                other => other,
            };
            let (least, most, greedy) = self.quantifier()?;
            if most == Some(0) {
                before.push(Rc::new(Node::Empty));
                continue;
            }
            let preference = match greedy {
                None => Flags::NONE,
                Some(true) => Flags::LONGER,
                Some(false) => Flags::SHORTER,
            };
            if let Atom::Plain(part) = &atom {
                let flags = before_flags.or(preference).or(part.flags);
                if !flags.up().is_messy() {
                    before.push(repeat(&part.node, least, most));
                    before_flags = flags;
                    continue;
                }
            }
            let (part, flags) = self.quantified(atom, least, most, preference)?;
            messy.push(Messy {
                before: std::mem::take(&mut before),
                before_flags: std::mem::take(&mut before_flags),
                part,
                flags,
            });
            if messy.len() > MOST_PARTS {
                return Err(Fault::TooBig);
            }
        }
        let mut rest = match before.is_empty() && !messy.is_empty() {
            true => None,
            false => Some(self.leaf(before_flags, concat(before))?),
        };
        while let Some(piece) = messy.pop() {
            rest = Some(self.before_rest(piece, rest)?);
        }
        Ok(rest.expect("there is a piece or nothing before one"))
    }

    /// Puts a messy piece and what stands before it in front of the rest of the branch.
    fn before_rest(&mut self, piece: Messy, rest: Option<Part>) -> Result<Part, Fault> {
        let Messy { before, before_flags, part, flags } = piece;
        let Some(rest) = rest else {
            if before.is_empty() {
                return Ok(part);
            }
            let flags = before_flags.or(before_flags.combine(part.flags));
            let before = self.leaf(before_flags, concat(before))?;
            return self.concat_part(flags, before, part);
        };
        let flags = flags.or(flags.combine(rest.flags));
        let all = before_flags.or(before_flags.combine(flags));
        if before.is_empty() {
            return self.concat_part(all, part, rest);
        }
        let leaves = matches!((&part.kind, &rest.kind), (PartKind::Leaf, PartKind::Leaf));
        let plain =
            leaves && part.capture.is_none() && rest.capture.is_none() && !part.flags.or(rest.flags).up().is_messy();
        let behind = match plain {
            true => {
                let node = concat(vec![part.node.clone(), rest.node.clone()]);
                self.leaf(part.flags.combine(rest.flags), node)?
            }
            false => self.concat_part(flags, part, rest)?,
        };
        let before = self.leaf(before_flags, concat(before))?;
        self.concat_part(all, before, behind)
    }

    /// A messy atom with its quantifier, and what the two of them prefer.
    fn quantified(
        &mut self,
        atom: Atom,
        least: u16,
        most: Option<u16>,
        preference: Flags,
    ) -> Result<(Part, Flags), Fault> {
        let part = match atom {
            Atom::Constraint(_) => unreachable!("constraints have no quantifier"),
            Atom::Plain(part) | Atom::Capturing(part) => part,
            Atom::BackReference(group) => {
                let node = self.groups[group].as_ref().expect("it was looked at").clone();
                let node = repeat(&without_constraints(&node), least, most);
                let kind = PartKind::BackReference { group, least, most };
                let flags = preference.combine(Flags::BACK_REFERENCE);
                return Ok((self.part(kind, Flags::BACK_REFERENCE.or(flags), node)?, flags));
            }
        };
        let flags = preference.combine(part.flags);
        let own = part.flags.and(Flags::LONGER.or(Flags::SHORTER).or(Flags::MIXED));
        if (least, most) == (1, Some(1)) && (preference == Flags::NONE || own == Flags::NONE || preference == own) {
            return Ok((part, flags));
        }
        let kept = part.flags.has(Flags::CAPTURE.or(Flags::BACK_REFERENCE));
        let repeated = if !kept {
            self.leaf(flags, repeat(&part.node, least, most))?
        } else if least > 0 && !part.flags.has(Flags::BACK_REFERENCE) {
            // What the groups of the last time are matters, and nothing of the times before.
            let before = repeat(&part.node, least - 1, most.map(|most| most - 1));
            let before = self.leaf(flags.preference(), before)?;
            self.concat_part(flags, before, part)?
        } else {
            let node = repeat(&part.node, least, most);
            self.part(PartKind::Repeat { part: Box::new(part), least, most }, flags, node)?
        };
        Ok((repeated, flags))
    }

    /// How often, at least and at most, and whether as often as can be; `None`: it has no preference.
    fn quantifier(&mut self) -> Result<(u16, Option<u16>, Option<bool>), Fault> {
        match self.token {
            Token::Repeat { least, most, greedy } => {
                self.advance()?;
                Ok((least, most, Some(greedy)))
            }
            Token::Brace => {
                let bound = self.lexer.bound()?;
                self.advance()?;
                Ok((bound.least, bound.most, bound.greedy))
            }
            _ => Ok((1, Some(1), None)),
        }
    }

    fn set(&mut self, set: CharSet) -> Result<Node, Fault> {
        let number = match self.sets.iter().position(|other| *other == set) {
            Some(number) => number,
            None => {
                if self.sets.len() == 10_000 {
                    return Err(Fault::TooBig);
                }
                self.sets.push(set);
                self.sets.len() - 1
            }
        };
        Ok(Node::Set(number as u32))
    }

    fn plain(&mut self, set: CharSet) -> Result<Atom, Fault> {
        let node = self.set(set)?;
        self.advance()?;
        Ok(Atom::Plain(self.leaf(Flags::NONE, Rc::new(node))?))
    }

    fn constraint(&mut self, assertion: Assertion) -> Result<Atom, Fault> {
        use Assertion::*;
        self.words |= matches!(assertion, WordBegin | WordEnd | WordBoundary | NoWordBoundary);
        self.advance()?;
        Ok(Atom::Constraint(Node::Assert(assertion)))
    }

    fn atom(&mut self, in_look: bool) -> Result<Atom, Fault> {
        let options = self.lexer.options;
        match self.token {
            Token::Caret => self.constraint(Assertion::LineBegin),
            Token::Dollar => self.constraint(Assertion::LineEnd),
            Token::TextBegin => self.constraint(Assertion::TextBegin),
            Token::TextEnd => self.constraint(Assertion::TextEnd),
            Token::WordBegin => self.constraint(Assertion::WordBegin),
            Token::WordEnd => self.constraint(Assertion::WordEnd),
            Token::WordBoundary => self.constraint(Assertion::WordBoundary),
            Token::NoWordBoundary => self.constraint(Assertion::NoWordBoundary),
            Token::Look { ahead, positive } => {
                self.advance()?;
                let node = self.alternatives(true, true)?.node;
                self.advance()?;
                self.looks.push(Look { ahead, positive, node });
                Ok(Atom::Constraint(Node::Look(self.looks.len() as u32 - 1)))
            }
            Token::Char(c) => self.plain(CharSet::character(c, options)),
            Token::Close if options.syntax == Syntax::Extended => self.plain(CharSet::one(u32::from(b')'))),
            Token::Close => Err(Fault::Parenthesis),
            Token::Any => {
                let all = CharSet::any();
                self.plain(if options.newline_stops { all.without(u32::from(b'\n')) } else { all })
            }
            Token::Class { class, negated } => {
                let set = CharSet::class(class, options);
                self.plain(if negated { set.complement() } else { set })
            }
            Token::Bracket { negated } => {
                let set = self.bracket(negated)?;
                self.plain(set)
            }
            Token::Open { captures } => self.group(captures && !in_look, in_look),
            Token::BackReference(group) => {
                if in_look || self.groups.get(group).is_none_or(Option::is_none) {
                    return Err(Fault::BackReference);
                }
                self.advance()?;
                Ok(Atom::BackReference(group))
            }
            Token::Repeat { .. } | Token::Brace => Err(Fault::Operand),
            Token::Start | Token::End | Token::Bar => unreachable!("the branch has ended"),
        }
    }

    fn group(&mut self, captures: bool, in_look: bool) -> Result<Atom, Fault> {
        let number = self.groups.len();
        if captures {
            self.groups.push(None);
            self.lexer.groups = number;
        }
        self.advance()?;
        let mut part = self.alternatives(true, in_look)?;
        self.advance()?;
        if !captures {
            return Ok(Atom::Plain(part));
        }
        let node = part.node.clone();
        if part.capture.is_some() {
            let flags = part.flags.or(Flags::CAPTURE);
            part = self.part(PartKind::Group(Box::new(part)), flags, node.clone())?;
        }
        part.flags = part.flags.or(Flags::CAPTURE);
        part.capture = Some(number);
        self.groups[number] = Some(node);
        Ok(Atom::Capturing(part))
    }

    /// The set of `[…]`, of which the first bracket was read.
    fn bracket(&mut self, negated: bool) -> Result<CharSet, Fault> {
        let options = self.lexer.options;
        let mut set = CharSet::default();
        let mut first = true;
        loop {
            let item = self.item(first)?;
            first = false;
            let begin = match item {
                Item::End => break,
                Item::Range => return Err(Fault::Range),
                Item::Class(class, negated) => {
                    let class = CharSet::class(class, options);
                    set.join(&if negated { class.complement() } else { class });
                    continue;
                }
                Item::Equal(c) => {
                    set.join(&CharSet::character(c, options));
                    continue;
                }
                Item::Char(c) => c,
            };
            // Behind a character, `-` is a range unless it is the last one.
            if !self.lexer.at_range() {
                set.join(&CharSet::character(begin, options));
                continue;
            }
            self.lexer.take();
            let end = match self.item(false)? {
                Item::Char(c) => c,
                Item::Range => u32::from(b'-'),
                _ => return Err(Fault::Range),
            };
            if begin > end {
                return Err(Fault::Range);
            }
            set.join(&CharSet::range(begin, end, options)?);
        }
        if !negated {
            return Ok(set);
        }
        if options.newline_stops {
            set.join(&CharSet::one(u32::from(b'\n')));
        }
        Ok(set.complement())
    }

    /// What comes next within brackets.
    fn item(&mut self, first: bool) -> Result<Item, Fault> {
        let c = self.lexer.take().ok_or(Fault::Bracket)?;
        match c {
            ']' if !first => Ok(Item::End),
            '\\' if self.lexer.options.syntax == Syntax::Advanced => match self.lexer.escape()? {
                Token::Char(c) => Ok(Item::Char(c)),
                Token::Class { class, negated } => Ok(Item::Class(class, negated)),
                _ => Err(Fault::Escape),
            },
            '-' if !first && self.lexer.peek() != Some(']') => Ok(Item::Range),
            '[' => match self.lexer.peek() {
                None => Err(Fault::Bracket),
                Some(mark @ ('.' | '=' | ':')) => {
                    self.lexer.take();
                    self.element(mark)
                }
                Some(_) => Ok(Item::Char(c as u32)),
            },
            c => Ok(Item::Char(c as u32)),
        }
    }

    /// `[:class:]`, `[.c.]`, `[=c=]`, behind the first mark.
    fn element(&mut self, mark: char) -> Result<Item, Fault> {
        let name = self.lexer.element(mark)?;
        match (mark, &name[..]) {
            (':', _) => {
                let class = Class::named(&name.iter().collect::<String>()).ok_or(Fault::Class)?;
                Ok(Item::Class(class, false))
            }
            (_, []) => Err(Fault::Collation),
            ('.', [c]) => Ok(Item::Char(*c as u32)),
            (_, [c]) => Ok(Item::Equal(*c as u32)),
            _ => Err(Fault::Unsupported),
        }
    }
}

/// What stands within brackets.
enum Item {
    End,
    Range,
    Char(u32),
    Class(Class, bool),
    Equal(u32),
}

/// What a back reference may match: as the group, but wherever it is.
fn without_constraints(node: &Rc<Node>) -> Rc<Node> {
    let all = |nodes: &[Rc<Node>]| nodes.iter().map(without_constraints).collect();
    match &**node {
        Node::Empty | Node::Set(_) => node.clone(),
        Node::Assert(_) | Node::Look(_) => Rc::new(Node::Empty),
        Node::Concat(nodes) => Rc::new(Node::Concat(all(nodes))),
        Node::Alternatives(nodes) => Rc::new(Node::Alternatives(all(nodes))),
        Node::Repeat { node, least, most } => {
            Rc::new(Node::Repeat { node: without_constraints(node), least: *least, most: *most })
        }
    }
}
