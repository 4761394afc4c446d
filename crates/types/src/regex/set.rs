//! Sets of characters, and the classes ("colors") of characters that the sets of an expression do not tell apart.

use std::collections::HashMap;

use super::Fault;
use super::flags::Options;
use crate::text::classes::Class;
use crate::text::{lower, upper};

/// Code points in ranges, which are in order and do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CharSet(Vec<(u32, u32)>);

const LAST: u32 = 0x10_ffff;

impl CharSet {
    /// A character. What is none may be written, and matches nothing.
    pub fn one(c: u32) -> CharSet {
        CharSet(if c <= LAST { vec![(c, c)] } else { vec![] })
    }

    pub fn any() -> CharSet {
        CharSet(vec![(0, LAST)])
    }

    /// A character, in both cases if case does not matter.
    pub fn character(c: u32, options: Options) -> CharSet {
        let mut set = CharSet::one(c);
        if let Some(c) = char::from_u32(c).filter(|c| options.has_cases(*c)) {
            set.add(lower(c) as u32, lower(c) as u32);
            set.add(upper(c) as u32, upper(c) as u32);
        }
        set.normal()
    }

    pub fn range(begin: u32, end: u32, options: Options) -> Result<CharSet, Fault> {
        let mut set = CharSet(if begin <= LAST { vec![(begin, end.min(LAST))] } else { vec![] });
        if options.any_case {
            let mut others = 0;
            for c in (begin..=end.min(LAST)).filter_map(char::from_u32).filter(|c| options.has_cases(*c)) {
                for other in [lower(c) as u32, upper(c) as u32] {
                    if !(begin..=end).contains(&other) {
                        others += 1;
                        set.add(other, other);
                    }
                }
            }
            // PostgreSQL has room for so many.
            if others > 100_000 {
                return Err(Fault::TooBig);
            }
        }
        Ok(set.normal())
    }

    pub fn class(class: Class, options: Options) -> CharSet {
        let cases = options.any_case && matches!(class, Class::Lower | Class::Upper);
        let mut ranges = if cases { Class::Alpha } else { class }.ranges();
        if options.ascii {
            ranges.retain(|(begin, _)| *begin < 0x80);
            ranges.iter_mut().for_each(|(_, end)| *end = 0x7f.min(*end));
        }
        CharSet(ranges).normal()
    }

    fn add(&mut self, begin: u32, end: u32) {
        self.0.push((begin, end));
    }

    pub fn join(&mut self, other: &CharSet) {
        self.0.extend(&other.0);
        let joined = std::mem::take(self).normal();
        *self = joined;
    }

    fn normal(mut self) -> CharSet {
        self.0.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (begin, end) in self.0 {
            match out.last_mut() {
                Some(last) if begin <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => out.push((begin, end)),
            }
        }
        CharSet(out)
    }

    pub fn complement(&self) -> CharSet {
        let mut out = Vec::with_capacity(self.0.len() + 1);
        let mut next = 0;
        for &(begin, end) in &self.0 {
            if begin > next {
                out.push((next, begin - 1));
            }
            next = end + 1;
        }
        if next <= LAST {
            out.push((next, LAST));
        }
        CharSet(out)
    }

    pub fn without(&self, c: u32) -> CharSet {
        let mut others = self.complement();
        others.join(&CharSet::one(c));
        others.complement()
    }
}

/// A number for each class of characters that are the same to all sets.
#[derive(Debug)]
pub struct Colors {
    ascii: [u16; 128],
    /// Where a color begins, for all of Unicode.
    begins: Vec<(u32, u16)>,
    pub count: usize,
    /// For each color, whether each set has it.
    members: Vec<Vec<bool>>,
}

impl Colors {
    pub fn new(sets: &[CharSet]) -> Result<Colors, Fault> {
        let mut bounds: Vec<u32> = vec![0];
        for set in sets {
            bounds.extend(set.0.iter().flat_map(|&(begin, end)| [begin, end + 1]));
        }
        bounds.retain(|bound| *bound <= LAST);
        bounds.sort_unstable();
        bounds.dedup();
        // Which sets each piece is in.
        let mut pieces: Vec<Vec<u32>> = vec![Vec::new(); bounds.len()];
        let mut work = 0;
        for (number, set) in sets.iter().enumerate() {
            for &(begin, end) in &set.0 {
                let first = bounds.partition_point(|bound| *bound < begin);
                let last = bounds.partition_point(|bound| *bound <= end);
                work += last - first;
                pieces[first..last].iter_mut().for_each(|piece| piece.push(number as u32));
            }
            if work > 10_000_000 {
                return Err(Fault::TooBig);
            }
        }
        let mut numbers: HashMap<&[u32], u16> = HashMap::new();
        let mut members = Vec::new();
        let mut begins: Vec<(u32, u16)> = Vec::new();
        for (bound, piece) in bounds.iter().zip(&pieces) {
            let next = numbers.len();
            let color = *numbers.entry(piece).or_insert(u16::try_from(next).unwrap_or(u16::MAX));
            if color == u16::MAX {
                return Err(Fault::TooBig);
            }
            if usize::from(color) == members.len() {
                let mut member = vec![false; sets.len()];
                piece.iter().for_each(|set| member[*set as usize] = true);
                members.push(member);
                if members.len() * sets.len() > 50_000_000 {
                    return Err(Fault::TooBig);
                }
            }
            if begins.last().is_none_or(|(_, last)| *last != color) {
                begins.push((*bound, color));
            }
        }
        let mut colors = Colors { ascii: [0; 128], begins, count: members.len(), members };
        for c in 0..128 {
            colors.ascii[c as usize] = colors.search(c);
        }
        Ok(colors)
    }

    fn search(&self, c: u32) -> u16 {
        self.begins[self.begins.partition_point(|(begin, _)| *begin <= c) - 1].1
    }

    #[inline]
    pub fn of(&self, c: char) -> u16 {
        match self.ascii.get(c as usize) {
            Some(color) => *color,
            None => self.search(c as u32),
        }
    }

    /// Whether characters of a color are in a set.
    #[inline]
    pub fn has(&self, set: u32, color: u16) -> bool {
        self.members[usize::from(color)][set as usize]
    }
}
