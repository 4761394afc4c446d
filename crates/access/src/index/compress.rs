//! Long values of keys made shorter so that they still compare as they did: an arithmetic coder whose models know only what came
//! before in the value. Two values agree up to their first difference, and so do the models; there the smaller value gets the
//! lower part of what is left. What is coded is a byte at a time, bit by bit from the highest, and before each byte whether there
//! is one: the end is below everything. (Arithmetic coding keeps order where its alphabet is in order: Witten, Neal and Cleary,
//! 1987; the mixing of contexts that compresses better does too, but takes longer.)

/// The models of bits: one for each place in a byte behind the two bytes before it.
const SLOTS: usize = 1 << 14;
/// From so many bits on a model learns no slower.
const SURE: u32 = 1023;
/// How much of the way to what it was a model goes, in 65536ths, after so many bits.
const STEPS: [i64; SURE as usize + 1] = {
    let mut steps = [0; SURE as usize + 1];
    let mut bits = 0;
    while bits < steps.len() {
        steps[bits] = (1 << 17) / (2 * bits as i64 + 3);
        bits += 1;
    }
    steps
};
/// The range has at least so many bits.
const LEAST: u32 = 1 << 24;

/// The chance that a bit is 0, in 22 bits, and behind it in 10 of how many bits it knows.
#[derive(Clone, Copy)]
struct Model(u32);

impl Model {
    const NEW: Model = Model(1 << 31);

    /// In 65536ths.
    fn zero(self) -> u32 {
        (self.0 >> 16).clamp(1, (1 << 16) - 1)
    }

    fn learn(&mut self, bit: bool) {
        let (chance, known) = (i64::from(self.0 >> 10), self.0 & SURE);
        let goal = if bit { 0 } else { (1 << 22) - 1 };
        let chance = chance + (((goal - chance) * STEPS[known as usize]) >> 16);
        self.0 = (chance as u32) << 10 | (known + 1).min(SURE);
    }
}

/// The lower end of what is left is `low`, behind the bytes in `out`.
struct Coder<'a> {
    out: &'a mut Vec<u8>,
    begin: usize,
    low: u64,
    range: u32,
}

impl Coder<'_> {
    fn code(&mut self, model: &mut Model, bit: bool) {
        let lower = ((u64::from(self.range) * u64::from(model.zero())) >> 16) as u32;
        if bit {
            self.low += u64::from(lower);
            self.range -= lower;
        } else {
            self.range = lower;
        }
        model.learn(bit);
        self.carry();
        while self.range < LEAST {
            self.shift();
            self.range <<= 8;
        }
    }

    /// Adds what `low` has beyond its 32 bits to the bytes before.
    fn carry(&mut self) {
        if self.low >> 32 == 0 {
            return;
        }
        self.low &= u64::from(u32::MAX);
        for byte in self.out[self.begin..].iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }

    fn shift(&mut self) {
        self.out.push((self.low >> 24) as u8);
        self.low = (self.low << 8) & u64::from(u32::MAX);
    }
}

/// Appends the code of a value's bytes. Codes compare as what they are of; one may be the beginning of another.
pub fn compress(value: &[u8], out: &mut Vec<u8>) {
    let begin = out.len();
    let mut coder = Coder { out, begin, low: 0, range: u32::MAX };
    let mut models = vec![Model::NEW; SLOTS];
    let mut goes_on = Model::NEW;
    let mut before = 0u32;
    for &byte in value {
        coder.code(&mut goes_on, true);
        let context = before.wrapping_mul(0x9e37_79b1) >> 16;
        let mut node = 1u32;
        for place in (0..8).rev() {
            let bit = byte >> place & 1 == 1;
            let slot = (context ^ node.wrapping_mul(0x0101)) as usize % SLOTS;
            coder.code(&mut models[slot], bit);
            node = node << 1 | u32::from(bit);
        }
        before = (before << 8 | u32::from(byte)) & 0xffff;
    }
    coder.code(&mut goes_on, false);
    for _ in 0..4 {
        coder.shift();
    }
    // Those that nothing follows need not be there.
    while coder.out.len() > begin && coder.out.last() == Some(&0) {
        coder.out.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code(value: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        compress(value, &mut out);
        out
    }

    proptest! {
        #[test]
        fn codes_compare_as_their_values(
            a in proptest::collection::vec(0u8..4, 0..300),
            b in proptest::collection::vec(0u8..4, 0..300),
            same in proptest::collection::vec(any::<u8>(), 0..300),
            times in 1usize..20,
        ) {
            let with = |rest: &[u8]| [&same.repeat(times)[..], rest].concat();
            let (a, b) = (with(&a), with(&b));
            prop_assert_eq!(code(&a).cmp(&code(&b)), a.cmp(&b));
        }
    }

    #[test]
    fn neighbours_are_apart() {
        let long = b"abcd".repeat(50_000);
        let mut other = long.clone();
        for value in [&long[..], &long[..199_999], &[&long[..], b"\0"].concat(), &[&long[..], b"\xff"].concat()] {
            other.clear();
            other.extend_from_slice(value);
            *other.last_mut().unwrap() += u8::from(value.last() != Some(&0xff));
            assert_eq!(code(value).cmp(&code(&other)), value.cmp(&other));
        }
        let ends: Vec<Vec<u8>> = (0..300).map(|length| code(&[0xff, 0].repeat(length))).collect();
        assert!(ends.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn what_repeats_becomes_short() {
        for (value, most) in [(b"a".repeat(1_000_000), 300), (b"abcd".repeat(50_000), 100)] {
            assert!(code(&value).len() < most, "{} bytes of {}", code(&value).len(), value.len());
        }
        let text = include_str!("compress.rs").as_bytes();
        assert!(code(text).len() < text.len() * 2 / 3, "{} bytes of {}", code(text).len(), text.len());
    }
}
