//! Random numbers (PostgreSQL's `pseudorandomfuncs.c` and `pg_prng.c`): a generator of each session's own, which gives the
//! same numbers as PostgreSQL's for the same seed.

use std::sync::{Mutex, PoisonError};

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    random[context]() -> float8 = |context| draw(context, Generator::double);
    random[context](int4, int4) -> int4 = |context, least: i32, most: i32| {
        Result::Ok(between(context, least.into(), most.into())? as i32)
    };
    random[context](int8, int8) -> int8 = between;
    random_normal[context](float8, float8) -> float8 = |context, mean: f64, deviation: f64| {
        Result::Ok(deviation * draw(context, Generator::normal)? + mean)
    };
    setseed[context](float8) -> void = seed;
};

/// xoroshiro128**, by Blackman and Vigna.
#[derive(Clone, Debug)]
pub struct Generator {
    state: [u64; 2],
}

impl Generator {
    /// With a seed that cannot be known.
    pub fn new() -> Result<Generator> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|_| Error::new(sqlstate::INTERNAL_ERROR, "could not generate random values"))?;
        Ok(Generator::of(u64::from_ne_bytes(bytes)))
    }

    /// Two words of splitmix64 are not both 0: the one is a permutation of what the other is one of.
    pub fn of(mut seed: u64) -> Generator {
        let mut next = || {
            seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let value = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            value ^ value >> 31
        };
        Generator { state: [next(), next()] }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [first, second] = self.state;
        let mixed = first ^ second;
        self.state = [first.rotate_left(24) ^ mixed ^ mixed << 16, mixed.rotate_left(37)];
        first.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
    }

    /// From 0, below 1.
    fn double(&mut self) -> f64 {
        (self.next_u64() >> 12) as f64 / (1_u64 << 52) as f64
    }

    /// Of mean 0 and deviation 1, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (first, second) = (1.0 - self.double(), 1.0 - self.double());
        (-2.0 * first.ln()).sqrt() * (2.0 * std::f64::consts::PI * second).sin()
    }

    /// From 0 to `most`: numbers of as many bits, until one is not greater.
    fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        loop {
            let value = self.next_u64() >> most.leading_zeros();
            if value <= most {
                return value;
            }
        }
    }
}

/// A session's generator, once something is drawn or a seed given.
pub type Shared = Mutex<Option<Generator>>;

/// Sessions with none of their own draw from this one.
static ANYBODYS: Shared = Mutex::new(None);

fn draw<T>(context: &Context, number: impl FnOnce(&mut Generator) -> T) -> Result<T> {
    let shared = context.session.generator().unwrap_or(&ANYBODYS);
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let generator = match &mut *shared {
        Some(generator) => generator,
        none => none.insert(Generator::new()?),
    };
    Ok(number(generator))
}

fn between(context: &Context, least: i64, most: i64) -> Result<i64> {
    if least > most {
        return Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "lower bound must be less than or equal to upper bound",
        ));
    }
    let offset = draw(context, |generator| generator.up_to(most.wrapping_sub(least) as u64))?;
    Ok(least.wrapping_add(offset as i64))
}

fn seed(context: &Context, seed: f64) -> Result<()> {
    if !(-1.0..=1.0).contains(&seed) {
        let shown = crate::aggregate::six_digits(seed);
        return Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("setseed parameter {shown} is out of allowed range [-1,1]"),
        ));
    }
    // As many bits as a double is exact with.
    let seed = (((1_u64 << 52) - 1) as f64 * seed) as i64;
    let own = context.session.generator().ok_or_else(|| Error::unsupported("setseed()"))?;
    *own.lock().unwrap_or_else(PoisonError::into_inner) = Some(Generator::of(seed as u64));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_seed_are_postgresqls() {
        let mut generator = Generator::of((((1_u64 << 52) - 1) as f64 * 0.5) as u64);
        let doubles = [generator.double(), generator.double(), generator.normal()];
        assert_eq!(doubles, [0.9851677175347999, 0.825301858027981, -0.45134209986141144]);
        let integers = [generator.up_to(9), generator.up_to(1_000_000), generator.up_to(i64::MAX as u64 * 2)];
        assert_eq!(integers, [2, 163_786, 267_897_317_804_600_503 + i64::MAX as u64]);
    }
}
