//! Matching by sets of states: each set of states that texts lead to is one state here, made when it is first needed and
//! kept, with the ones that follow it by the colors of characters.
//!
//! A set is what a character has led to, before anything that needs no character: whether that is open (the end of a word,
//! a look) depends on the character that follows. So a step tells also whether a match ends before its character.

use std::collections::HashMap;
use std::rc::Rc;

use super::parse::Assertion;
use super::program::{Program, State};
use super::search::Regex;

/// What is before or behind a place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// The text's begin or end.
    Edge,
    Newline,
    Word,
    Other,
}

/// A place in a text that is being matched.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub regex: &'a Regex,
    pub text: &'a [char],
    pub at: usize,
}

impl Place<'_> {
    fn before(self) -> Neighbour {
        match self.at {
            0 => Neighbour::Edge,
            at => self.regex.neighbour(self.regex.colors.of(self.text[at - 1])),
        }
    }
}

type Key = (Rc<[u32]>, Neighbour);

/// The states so far.
#[derive(Debug, Default)]
struct Known {
    sets: Vec<Key>,
    numbers: HashMap<Key, u32>,
    /// For each state and color, and the text's end: the next state, and whether a match ends before it; [`UNKNOWN`].
    steps: Vec<u32>,
    memory: usize,
}

const UNKNOWN: u32 = u32::MAX;

/// The empty set: nothing matches any more.
const DEAD: u32 = 0;

/// Bytes of the known states of an expression, beyond which a part that needs another forgets its own.
const MOST_MEMORY: usize = 4 << 20;

#[derive(Debug)]
pub struct Dfa {
    program: Program,
    colors: usize,
    known: Known,
    /// How often states have been forgotten.
    generation: u32,
    /// States that the closure has seen, and in which round.
    seen: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
    /// Where the last match that ends somewhere was asked for ([`Dfa::ends_at`]).
    progress: Option<Progress>,
}

#[derive(Clone, Copy, Debug)]
struct Progress {
    epoch: u64,
    generation: u32,
    at: usize,
    state: u32,
}

impl Dfa {
    pub fn new(program: Program, colors: usize) -> Dfa {
        let seen = vec![0; program.states.len()];
        let mut dfa = Dfa {
            program,
            colors,
            known: Known::default(),
            generation: 0,
            seen,
            round: 0,
            stack: Vec::new(),
            progress: None,
        };
        dfa.forget();
        dfa
    }

    fn forget(&mut self) {
        self.known = Known::default();
        self.generation += 1;
        self.number(Rc::from([]), Neighbour::Other);
    }

    /// The state of a set.
    fn number(&mut self, set: Rc<[u32]>, before: Neighbour) -> u32 {
        // What is before does not matter to most expressions.
        let before = if self.program.asserts && !set.is_empty() { before } else { Neighbour::Other };
        let key = (set, before);
        if let Some(number) = self.known.numbers.get(&key) {
            return *number;
        }
        let number = self.known.sets.len() as u32;
        self.known.memory += 8 * key.0.len() + 4 * (self.colors + 1) + 128;
        self.known.steps.extend(std::iter::repeat_n(UNKNOWN, self.colors + 1));
        self.known.sets.push(key.clone());
        self.known.numbers.insert(key, number);
        number
    }

    fn start(&mut self, place: Place<'_>) -> u32 {
        self.number(Rc::from([self.program.start]), place.before())
    }

    /// The state that follows, and whether a match ends here.
    #[inline]
    fn step(&mut self, state: u32, place: Place<'_>) -> (u32, bool) {
        let color = place.text.get(place.at).map(|c| place.regex.colors.of(*c));
        let column = color.map_or(self.colors, usize::from);
        let slot = state as usize * (self.colors + 1) + column;
        match self.known.steps[slot] {
            UNKNOWN => self.unknown_step(state, slot, color, place),
            step => (step >> 1, step & 1 == 1),
        }
    }

    fn unknown_step(&mut self, state: u32, slot: usize, color: Option<u16>, place: Place<'_>) -> (u32, bool) {
        let (set, before) = self.known.sets[state as usize].clone();
        let behind = color.map_or(Neighbour::Edge, |color| place.regex.neighbour(color));
        let mut next = Vec::new();
        let mut matches = false;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.extend(set.iter());
        while let Some(number) = stack.pop() {
            if std::mem::replace(&mut self.seen[number as usize], self.round) == self.round {
                continue;
            }
            match self.program.states[number as usize] {
                State::Match => matches = true,
                State::Split(a, b) => stack.extend([b, a]),
                State::Assert(assertion, then) if place.regex.holds(assertion, before, behind) => stack.push(then),
                State::Look(look, then) if place.regex.look(look, place) => stack.push(then),
                State::Assert(..) | State::Look(..) => {}
                State::Set(set, then) if color.is_some_and(|color| place.regex.colors.has(set, color)) => {
                    next.push(then);
                }
                State::Any(then) if color.is_some() => next.push(then),
                State::Set(..) | State::Any(_) => {}
            }
        }
        self.stack = stack;
        next.sort_unstable();
        next.dedup();
        let regex = place.regex;
        let forgotten = regex.memory.get() > MOST_MEMORY;
        if forgotten {
            regex.memory.set(regex.memory.get().saturating_sub(self.known.memory));
            self.forget();
        }
        let memory = self.known.memory;
        let next = self.number(next.into(), behind);
        regex.memory.set(regex.memory.get() + self.known.memory - memory);
        // What a look sees depends on the place.
        if !forgotten && !self.program.looks {
            self.known.steps[slot] = next << 1 | u32::from(matches);
        }
        (next, matches)
    }

    /// Where the longest match ends that begins at a place and does not go beyond `limit`.
    pub fn longest(&mut self, mut place: Place<'_>, limit: usize) -> Option<usize> {
        let mut state = self.start(place);
        let mut last = None;
        loop {
            let (next, matches) = self.step(state, place);
            if matches {
                last = Some(place.at);
            }
            if place.at == limit || next == DEAD {
                return last;
            }
            state = next;
            place.at += 1;
        }
    }

    /// Where the shortest match ends that begins at a place and ends within bounds.
    pub fn shortest(&mut self, mut place: Place<'_>, least: usize, limit: usize) -> Option<usize> {
        let mut state = self.start(place);
        loop {
            let (next, matches) = self.step(state, place);
            if matches && place.at >= least {
                return Some(place.at);
            }
            if place.at == limit || next == DEAD {
                return None;
            }
            state = next;
            place.at += 1;
        }
    }

    /// For a program of what may begin anywhere: where the first match ends, and from where on it may have begun.
    pub fn first_end(&mut self, mut place: Place<'_>) -> Option<(usize, usize)> {
        let mut state = self.start(place);
        let mut cold = place.at;
        loop {
            let (next, matches) = self.step(state, place);
            if matches {
                return Some((place.at, cold));
            }
            if place.at == place.text.len() {
                return None;
            }
            state = next;
            place.at += 1;
            if *self.known.sets[state as usize].0 == [self.program.start] {
                cold = place.at;
            }
        }
    }

    /// For a program of what may begin anywhere: whether a match ends here. Goes on from where it was asked last.
    pub fn ends_at(&mut self, place: Place<'_>) -> bool {
        let epoch = place.regex.epoch();
        let from = self.progress.filter(|p| (p.epoch, p.generation) == (epoch, self.generation) && p.at <= place.at);
        let (mut state, mut at) = match from {
            Some(progress) => (progress.state, progress.at),
            None => (self.start(Place { at: 0, ..place }), 0),
        };
        while at < place.at {
            state = self.step(state, Place { at, ..place }).0;
            at += 1;
        }
        self.progress = Some(Progress { epoch, generation: self.generation, at, state });
        self.step(state, place).1
    }
}

impl Regex {
    /// Whether what stands between two neighbours is open.
    fn holds(&self, assertion: Assertion, before: Neighbour, behind: Neighbour) -> bool {
        use Neighbour::{Edge, Newline, Word};
        let lines = self.tree.options.newline_anchors;
        match assertion {
            Assertion::TextBegin => before == Edge,
            Assertion::TextEnd => behind == Edge,
            Assertion::LineBegin => before == Edge || (lines && before == Newline),
            Assertion::LineEnd => behind == Edge || (lines && behind == Newline),
            Assertion::WordBegin => before != Word && behind == Word,
            Assertion::WordEnd => before == Word && behind != Word,
            Assertion::WordBoundary => (before == Word) != (behind == Word),
            Assertion::NoWordBoundary => (before == Word) == (behind == Word),
        }
    }
}
