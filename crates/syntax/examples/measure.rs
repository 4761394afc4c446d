//! Microseconds a statement: `cargo run --release -p syntax --example measure`, over PostgreSQL's regression statements and
//! a short one. With a number: that many statements once, for valgrind.

use std::hint::black_box;
use std::time::Instant;

use syntax::parse;
use syntax::shape::{Cut, Shape};

#[path = "../tests/mutated/mutate.rs"]
#[allow(dead_code)]
mod mutate;

const SHORT: &str = "select v from k where id = 77";

/// The best of five rounds, in microseconds for each of `n`.
fn best(name: &str, n: usize, mut round: impl FnMut()) {
    let rounds = (0..5).map(|_| {
        let began = Instant::now();
        round();
        began.elapsed()
    });
    let best = rounds.min().unwrap_or_default();
    println!("{name}: {:.2} us", best.as_secs_f64() * 1e6 / n as f64);
}

fn main() {
    let texts = mutate::seeds();
    if let Some(n) = std::env::args().nth(1).and_then(|n| n.parse::<usize>().ok()) {
        for text in texts.iter().step_by(texts.len() / n) {
            let _ = black_box(parse(text));
        }
        return;
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} statements of {} bytes on average", texts.len(), bytes / texts.len());
    let mut cut = Cut::default();
    let each = |f: &mut dyn FnMut(&str)| texts.iter().for_each(|t| f(t));
    best("parse", texts.len(), || each(&mut |t| drop(black_box(parse(t)))));
    best("cut", texts.len(), || each(&mut |t| _ = black_box(cut.read(t))));
    println!("{SHORT}");
    const TIMES: usize = 100_000;
    best("parse", TIMES, || (0..TIMES).for_each(|_| drop(black_box(parse(black_box(SHORT))))));
    best("cut", TIMES, || (0..TIMES).for_each(|_| _ = black_box(cut.read(black_box(SHORT)))));
    let mut statements = parse(SHORT).unwrap_or_default();
    cut.read(SHORT);
    let shape = Shape::of(SHORT, &cut, &mut statements);
    best("key and values", TIMES, || {
        for _ in 0..TIMES {
            black_box(shape.key(SHORT, &cut));
            shape.values(SHORT, &cut).for_each(|v| _ = black_box(v));
        }
    });
}
