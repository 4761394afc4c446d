//! The deterministic simulator: the whole engine on one thread, over a simulated disk, with everything that happens decided
//! by a seed.
//!
//! The disk delays and reorders, tears writes at sectors, loses what was not flushed when the power goes, and fails; the
//! scheduler lets tasks go on in any order; the [`model`] knows what must be there. `cargo run -p sim -- --seed N` runs
//! one seed again, exactly as before.

mod clients;
mod columns;
mod definitions;
mod draws;
mod executor;
mod model;
mod run;
mod seeds;
mod table;

pub use run::{Bug, Report, run};
pub use seeds::run_many;
