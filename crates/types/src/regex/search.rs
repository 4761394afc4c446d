//! The match in a text, and what the parts of the expression match there (`regexec.c`).

use std::cell::{Cell, OnceCell, RefCell};

use super::dfa::{Dfa, Neighbour, Place};
use super::flags::{Flags, Options};
use super::parse::{self, Node, Part, PartKind, Tree};
use super::program::Program;
use super::set::{CharSet, Colors};
use crate::error::Result;
use crate::memory::reserve;
use crate::text::classes::Class;

/// Where the match and its groups begin and end, in characters; the match itself is the first.
pub type Captures = Vec<Option<(usize, usize)>>;

/// A compiled expression. What it learns of texts it keeps, so that it belongs to one thread.
#[derive(Debug)]
pub struct Regex {
    pub(super) tree: Tree,
    pub(super) colors: Colors,
    neighbours: Vec<Neighbour>,
    /// Of the whole expression, beginning anywhere.
    anywhere: RefCell<Dfa>,
    parts: Vec<OnceCell<RefCell<Dfa>>>,
    looks: Vec<RefCell<Dfa>>,
    /// The number of the text that is searched.
    epoch: Cell<u64>,
    /// Bytes of the states that the programs know.
    pub(super) memory: Cell<usize>,
}

impl Regex {
    pub fn new(pattern: &str, options: Options) -> Result<Regex> {
        let mut tree = parse::parse(pattern, options)?;
        let own = tree.sets.len();
        // Colors do not mix what neighbours are told apart by.
        tree.sets.push(CharSet::one(u32::from(b'\n')));
        if tree.words {
            tree.sets.push(CharSet::class(Class::Word, tree.options));
        }
        let colors = Colors::new(&tree.sets)?;
        let neighbour = |color: usize| match color as u16 {
            color if colors.has(own as u32, color) => Neighbour::Newline,
            color if tree.words && colors.has(own as u32 + 1, color) => Neighbour::Word,
            _ => Neighbour::Other,
        };
        let neighbours = (0..colors.count).map(neighbour).collect();
        let dfa = |node: &Node, anywhere| Ok(RefCell::new(Dfa::new(Program::new(node, anywhere)?, colors.count)));
        let anywhere = dfa(&tree.root.node, true)?;
        let looks = tree.looks.iter().map(|look| dfa(&look.node, !look.ahead)).collect::<Result<_>>()?;
        let parts = (0..tree.parts).map(|_| OnceCell::new()).collect();
        Ok(Regex { tree, colors, neighbours, anywhere, parts, looks, epoch: Cell::new(0), memory: Cell::new(0) })
    }

    /// Groups that capture.
    pub fn groups(&self) -> usize {
        self.tree.groups
    }

    pub(super) fn neighbour(&self, color: u16) -> Neighbour {
        self.neighbours[usize::from(color)]
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch.get()
    }

    /// Whether a look is open at a place.
    pub(super) fn look(&self, number: u32, place: Place<'_>) -> bool {
        let look = &self.tree.looks[number as usize];
        let mut dfa = self.looks[number as usize].borrow_mut();
        let there = match look.ahead {
            true => dfa.shortest(place, place.at, place.text.len()).is_some(),
            false => dfa.ends_at(place),
        };
        there == look.positive
    }

    /// Another text will be searched.
    pub fn begin(&self) {
        self.epoch.set(self.epoch.get() + 1);
    }

    /// Whether there is a match.
    pub fn is_match(&self, text: &[char]) -> Result<bool> {
        self.begin();
        if self.tree.root.flags.has(Flags::BACK_REFERENCE) {
            return Ok(self.find(text, 0)?.is_some());
        }
        Ok(self.anywhere.borrow_mut().first_end(Place { regex: self, text, at: 0 }).is_some())
    }

    /// The first match that begins at a character or behind it.
    pub fn find(&self, text: &[char], from: usize) -> Result<Option<Captures>> {
        let mut search = Search { regex: self, text, captures: vec![None; self.tree.groups + 1] };
        // Where the first match ends at the earliest, it began at most. Only with back references it may be none after all: then it
        // is looked for behind that, and not at the very end of the text any more (`cfindloop`).
        let mut close = from;
        loop {
            let found = self.anywhere.borrow_mut().first_end(Place { regex: self, text, at: close });
            let Some((end, cold)) = found else { return Ok(None) };
            for begin in cold..=end {
                if let Some(end) = search.at(begin)? {
                    search.captures[0] = Some((begin, end));
                    return Ok(Some(search.captures));
                }
            }
            close = end + 1;
            if close >= text.len() {
                return Ok(None);
            }
        }
    }

    fn dfa(&self, part: &Part) -> Result<&RefCell<Dfa>> {
        let cell = &self.parts[part.id];
        if let Some(dfa) = cell.get() {
            return Ok(dfa);
        }
        let dfa = Dfa::new(Program::new(&part.node, false)?, self.colors.count);
        Ok(cell.get_or_init(|| RefCell::new(dfa)))
    }
}

/// A text that is searched, and the groups so far.
struct Search<'a> {
    regex: &'a Regex,
    text: &'a [char],
    captures: Captures,
}

impl Search<'_> {
    fn longest(&self, part: &Part, begin: usize, limit: usize) -> Result<Option<usize>> {
        let place = Place { regex: self.regex, text: self.text, at: begin };
        Ok(self.regex.dfa(part)?.borrow_mut().longest(place, limit))
    }

    fn shortest(&self, part: &Part, begin: usize, least: usize, limit: usize) -> Result<Option<usize>> {
        let place = Place { regex: self.regex, text: self.text, at: begin };
        Ok(self.regex.dfa(part)?.borrow_mut().shortest(place, least, limit))
    }

    fn matches(&self, part: &Part, begin: usize, end: usize) -> Result<bool> {
        Ok(self.longest(part, begin, end)? == Some(end))
    }

    /// Where the match ends that begins here; sets the groups.
    fn at(&mut self, begin: usize) -> Result<Option<usize>> {
        let root = &self.regex.tree.root;
        let shorter = root.flags.has(Flags::SHORTER);
        let (mut least, mut limit) = (begin, self.text.len());
        loop {
            let end = match shorter {
                true => self.shortest(root, begin, least, limit)?,
                false => self.longest(root, begin, limit)?,
            };
            let Some(end) = end else { return Ok(None) };
            self.captures.fill(None);
            if self.dissect(root, begin, end)? {
                return Ok(Some(end));
            }
            // The next one of the same begin.
            match shorter {
                true if end == limit => return Ok(None),
                true => least = end + 1,
                false if end == begin => return Ok(None),
                false => limit = end - 1,
            }
        }
    }

    /// Forgets what the groups within a part have matched.
    fn clear(&mut self, part: &Part) {
        if !part.flags.has(Flags::CAPTURE) {
            return;
        }
        if let Some(group) = part.capture {
            self.captures[group] = None;
        }
        match &part.kind {
            PartKind::Leaf | PartKind::BackReference { .. } => {}
            PartKind::Concat(left, right) => {
                self.clear(left);
                self.clear(right);
            }
            PartKind::Alternatives(parts) => parts.iter().for_each(|part| self.clear(part)),
            PartKind::Repeat { part, .. } | PartKind::Group(part) => self.clear(part),
        }
    }

    /// Whether a part matches this text really, and which groups then are where. Its program has said that it may.
    fn dissect(&mut self, part: &Part, begin: usize, end: usize) -> Result<bool> {
        let matches = match &part.kind {
            PartKind::Leaf => true,
            PartKind::Group(inner) => self.dissect(inner, begin, end)?,
            PartKind::Concat(left, right) => self.concat(left, right, begin, end)?,
            PartKind::Alternatives(parts) => self.alternatives(parts, begin, end)?,
            PartKind::BackReference { group, least, most } => self.back_reference(*group, *least, *most, begin, end),
            PartKind::Repeat { part, least, most } => match part.flags.has(Flags::SHORTER) {
                true => self.repeat_shorter(part, *least, *most, begin, end)?,
                false => self.repeat_longer(part, *least, *most, begin, end)?,
            },
        };
        if let Some(group) = part.capture.filter(|_| matches) {
            self.captures[group] = Some((begin, end));
        }
        Ok(matches)
    }

    fn concat(&mut self, left: &Part, right: &Part, begin: usize, end: usize) -> Result<bool> {
        let shorter = left.flags.has(Flags::SHORTER);
        let mut next = match shorter {
            true => self.shortest(left, begin, begin, end)?,
            false => self.longest(left, begin, end)?,
        };
        while let Some(middle) = next {
            if self.matches(right, middle, end)?
                && self.dissect(left, begin, middle)?
                && self.dissect(right, middle, end)?
            {
                return Ok(true);
            }
            if middle == if shorter { end } else { begin } {
                break;
            }
            next = match shorter {
                true => self.shortest(left, begin, middle + 1, end)?,
                false => self.longest(left, begin, middle - 1)?,
            };
            self.clear(left);
            self.clear(right);
        }
        Ok(false)
    }

    fn alternatives(&mut self, parts: &[Part], begin: usize, end: usize) -> Result<bool> {
        for part in parts {
            if self.matches(part, begin, end)? && self.dissect(part, begin, end)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn back_reference(&self, group: usize, least: u16, most: Option<u16>, begin: usize, end: usize) -> bool {
        let Some((from, to)) = self.captures[group] else { return false };
        let wanted = &self.text[from..to];
        if wanted.is_empty() {
            return begin == end;
        }
        if begin == end {
            return least == 0;
        }
        let times = (end - begin) / wanted.len();
        (end - begin).is_multiple_of(wanted.len())
            && times >= usize::from(least)
            && most.is_none_or(|most| times <= usize::from(most))
            && self.text[begin..end].chunks(wanted.len()).all(|part| self.regex.tree.options.are_alike(part, wanted))
    }

    /// Verifies the matches of a repeated part, from the first one that is not verified on. Gives the one that fails.
    fn verify(&mut self, part: &Part, ends: &[usize], verified: &mut usize) -> Result<Option<usize>> {
        for number in *verified + 1..ends.len() {
            // Only the last one's groups stay.
            self.clear(part);
            if !self.dissect(part, ends[number - 1], ends[number])? {
                return Ok(Some(number));
            }
            *verified = number;
        }
        Ok(None)
    }

    /// A repeated part: each time as long as can be. Where it may match nothing at all, that is tried last, so that its groups
    /// are set if they can be. Empty matches only make up the least number.
    fn repeat_longer(&mut self, part: &Part, least: u16, most: Option<u16>, begin: usize, end: usize) -> Result<bool> {
        let fewest = usize::from(least).max(1);
        let limit_count = most.map_or(end - begin, |most| (end - begin).min(most.into())).max(fewest);
        // The ends of the matches, behind the begin of the first one.
        let mut ends = vec![begin];
        let (mut verified, mut limit) = (0, end);
        'search: loop {
            let number = ends.len();
            let before = ends[number - 1];
            if let Some(found) = self.longest(part, before, limit)? {
                reserve(&mut ends, 1)?;
                ends.push(found);
                verified = verified.min(number - 1);
                if found != end {
                    let empty = found == before && (number >= fewest || fewest - number < end - found);
                    if number < limit_count && !empty {
                        limit = end;
                        continue;
                    }
                    if number >= limit_count {
                        ends.pop();
                    }
                } else if number >= fewest {
                    match self.verify(part, &ends, &mut verified)? {
                        None => return Ok(true),
                        Some(failed) => ends.truncate(failed + 1),
                    }
                }
            }
            // A shorter match of the last one, or of the one before it.
            while ends.len() > 1 {
                let number = ends.len() - 1;
                let (last, before) = (ends[number], ends[number - 1]);
                ends.pop();
                if last > before {
                    limit = last - 1;
                    if limit > before || (number < fewest && fewest - number >= end - before) {
                        continue 'search;
                    }
                }
            }
            return Ok(least == 0 && begin == end);
        }
    }

    /// As [`Search::repeat_longer`], each time as short as can be.
    fn repeat_shorter(&mut self, part: &Part, least: u16, most: Option<u16>, begin: usize, end: usize) -> Result<bool> {
        if least == 0 && begin == end {
            return Ok(true);
        }
        let fewest = usize::from(least).max(1);
        let limit_count = most.map_or(end - begin, |most| (end - begin).min(most.into())).max(fewest);
        let mut ends = vec![begin];
        let (mut verified, mut from) = (0, begin);
        'search: loop {
            let number = ends.len();
            let before = ends[number - 1];
            if from == before && from != end && (number >= fewest || fewest - number < end - from) {
                from += 1;
            }
            if number >= limit_count {
                from = end;
            }
            if let Some(found) = self.shortest(part, before, from, end)? {
                reserve(&mut ends, 1)?;
                ends.push(found);
                verified = verified.min(number - 1);
                if found != end {
                    if number < limit_count {
                        from = found;
                        continue;
                    }
                    ends.pop();
                } else if number >= fewest {
                    match self.verify(part, &ends, &mut verified)? {
                        None => return Ok(true),
                        Some(failed) => ends.truncate(failed + 1),
                    }
                }
            }
            while ends.len() > 1 {
                let last = ends.pop().expect("there is one");
                if last < end {
                    from = last + 1;
                    continue 'search;
                }
            }
            return Ok(false);
        }
    }
}
