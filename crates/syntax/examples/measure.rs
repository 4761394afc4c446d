//! Microseconds a statement: `cargo run --release -p syntax --example measure`, over PostgreSQL's regression statements and
//! a short one. With a number: that many statements once, for valgrind.

use std::hint::black_box;
use std::time::{Duration, Instant};

use syntax::parse;
use syntax::shape::{Cut, Shape};

#[path = "../tests/mutated/mutate.rs"]
#[allow(dead_code)]
mod mutate;

const SHORT: &str = "select v from k where id = 77";

/// The sum of each text's best of five, on average, in microseconds: what else the machine does is left out.
fn best(name: &str, texts: &[String], mut work: impl FnMut(&str)) {
    let mut sum = Duration::ZERO;
    for text in texts {
        let once = |_| {
            let began = Instant::now();
            work(black_box(text));
            began.elapsed()
        };
        sum += (0..5).map(once).min().unwrap_or_default();
    }
    println!("{name}: {:.2} us", sum.as_secs_f64() * 1e6 / texts.len() as f64);
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
    measure(&texts);
    println!("{SHORT}");
    measure(&vec![SHORT.to_string(); 10_000]);
}

fn measure(texts: &[String]) {
    let mut cut = Cut::default();
    best("clock", texts, |_| {});
    best("parse", texts, |t| drop(black_box(parse(t))));
    best("cut", texts, |t| _ = black_box(cut.read(t)));
    if !cut.read(&texts[0]) {
        return;
    }
    let shape = Shape::of(&texts[0], &cut, &mut parse(&texts[0]).unwrap_or_default());
    best("cut, key and values of the first", texts, |_| {
        black_box(cut.read(&texts[0]));
        black_box(shape.key(&texts[0], &cut));
        shape.values(&texts[0], &cut).for_each(|v| _ = black_box(v));
    });
}
