//! States of a part of an expression: after which character which states follow.

use std::rc::Rc;

use super::Fault;
use super::parse::{Assertion, Node};

#[derive(Clone, Copy, Debug)]
pub enum State {
    /// A character of a set, then a state.
    Set(u32, u32),
    /// Any character, then a state.
    Any(u32),
    /// One state or the other.
    Split(u32, u32),
    Assert(Assertion, u32),
    Look(u32, u32),
    Match,
}

#[derive(Debug)]
pub struct Program {
    pub states: Vec<State>,
    pub start: u32,
    /// What is before and behind a place matters.
    pub asserts: bool,
    pub looks: bool,
}

/// States of a program; more is too complex.
const MOST: usize = 50_000;

impl Program {
    /// `anywhere`: what matches may begin later.
    pub fn new(node: &Node, anywhere: bool) -> Result<Program, Fault> {
        let mut program = Program { states: vec![State::Match], start: 0, asserts: false, looks: false };
        program.start = program.add(node, 0)?;
        if anywhere {
            let begin = program.push(State::Any(0))?;
            let split = program.push(State::Split(program.start, begin))?;
            program.states[begin as usize] = State::Any(split);
            program.start = split;
        }
        Ok(program)
    }

    fn push(&mut self, state: State) -> Result<u32, Fault> {
        if self.states.len() == MOST {
            return Err(Fault::TooBig);
        }
        self.states.push(state);
        Ok(self.states.len() as u32 - 1)
    }

    /// The states of a node, which `next` follows: gives the first one.
    fn add(&mut self, node: &Node, next: u32) -> Result<u32, Fault> {
        match node {
            Node::Empty => Ok(next),
            Node::Set(set) => self.push(State::Set(*set, next)),
            Node::Assert(assertion) => {
                self.asserts = true;
                self.push(State::Assert(*assertion, next))
            }
            Node::Look(look) => {
                self.looks = true;
                self.push(State::Look(*look, next))
            }
            Node::Concat(nodes) => nodes.iter().rev().try_fold(next, |next, node| self.add(node, next)),
            Node::Alternatives(nodes) => {
                let mut nodes = nodes.iter().rev();
                let last = nodes.next().expect("there are alternatives");
                let mut start = self.add(last, next)?;
                for node in nodes {
                    let other = self.add(node, next)?;
                    start = self.push(State::Split(other, start))?;
                }
                Ok(start)
            }
            Node::Repeat { node, least, most } => self.repeat(node, *least, *most, next),
        }
    }

    fn repeat(&mut self, node: &Rc<Node>, least: u16, most: Option<u16>, next: u32) -> Result<u32, Fault> {
        let mut start = match most {
            None => {
                let again = self.push(State::Split(next, next))?;
                let body = self.add(node, again)?;
                self.states[again as usize] = State::Split(body, next);
                again
            }
            Some(most) => {
                let mut start = next;
                for _ in least..most {
                    let body = self.add(node, start)?;
                    start = self.push(State::Split(body, next))?;
                }
                start
            }
        };
        for _ in 0..least {
            start = self.add(node, start)?;
        }
        Ok(start)
    }
}
