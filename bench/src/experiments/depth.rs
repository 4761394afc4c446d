//! E2: the knob by hand, against the one that turns itself.

use super::scan::{COUNT, SERIAL};
use crate::error::Result;
use crate::run::{Contender, Stage};

pub fn run(stage: &mut Stage) -> Result<()> {
    let mut contenders = Vec::new();
    for depth in ["1", "4", "16", "32", "64", "128"] {
        let knob = ("effective_io_concurrency", depth);
        if let Some(postgres) = stage.bench.find(18) {
            let method = postgres.best_method();
            contenders.push(Contender::new(postgres, method, &[("io_method", method), knob]));
        }
        if let Some(inflight) = stage.bench.inflight() {
            contenders.push(Contender::new(inflight, "", &[knob]));
        }
    }
    contenders.extend(stage.bench.find(18).map(Contender::defaults));
    if let Some(inflight) = stage.bench.inflight() {
        contenders.push(Contender::new(inflight, "auto", &[]));
    }
    for contender in &contenders {
        stage.load(&contender.software)?;
    }
    for round in 0..stage.bench.repeat {
        stage.limit(crate::fio::SCAN, round)?;
        for contender in &contenders {
            stage.cold(contender, round, &[SERIAL.into()], COUNT)?;
        }
    }
    Ok(())
}
