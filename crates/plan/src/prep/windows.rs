//! The windows that are used, each once: what `WINDOW` defines in vain is left out, and `OVER (…)` written twice is one
//! (PostgreSQL's `select_active_windows` and what its analysis does). Functions for which no frame matters get the one that
//! costs least (`optimize_window_clauses`).

use analyze::query::*;
use catalog::Catalog;
use types::{Oid, oid};

use crate::manip::{mutate, visit};

/// Leaves the windows that functions have, and numbers the functions anew.
pub fn select_active(catalog: Catalog<'_>, query: &mut Query) {
    if query.windows.is_empty() {
        return;
    }
    if !query.has_window_functions {
        query.windows.clear();
        return;
    }
    optimize(catalog, query);
    let windows = std::mem::take(&mut query.windows);
    let mut kept: Vec<WindowClause> = Vec::with_capacity(windows.len());
    // Where each window is now, once it was used.
    let mut places: Vec<Option<u32>> = vec![None; windows.len()];
    let mut number = |expr: &mut Expr, depth: u32| {
        if let Expr::WindowFunc(call) = expr
            && depth == 0
        {
            let index = call.window.0 as usize;
            let place = *places[index].get_or_insert_with(|| {
                let window = &windows[index];
                let same = |other: &WindowClause| {
                    other.partition == window.partition && other.order == window.order && other.frame == window.frame
                };
                let place = kept.iter().position(same).unwrap_or_else(|| {
                    kept.push(window.clone());
                    kept.len() - 1
                });
                place as u32
            });
            call.window = WindowIndex(place);
        }
        depth == 0
    };
    for target in &mut query.targets {
        mutate(&mut number, &mut target.expr, 0);
    }
    query.windows = kept;
}

/// The name of a function's support function; empty: it has none.
pub fn support_function(catalog: Catalog<'_>, function: Oid) -> &str {
    let support = catalog.function(function).and_then(|row| catalog.function(row.prosupport));
    support.map_or("", |row| &row.proname)
}

/// Does a function with such a support function count rows, whatever the frame (`SupportRequestOptimizeWindowClause`)?
pub fn counts_rows(support: &str) -> bool {
    matches!(
        support,
        "window_row_number_support"
            | "window_rank_support"
            | "window_dense_rank_support"
            | "window_percent_rank_support"
            | "window_cume_dist_support"
            | "window_ntile_support"
    )
}

fn optimize(catalog: Catalog<'_>, query: &mut Query) {
    let mut optimized = vec![true; query.windows.len()];
    let mut look = |expr: &Expr, depth: u32| {
        if let Expr::WindowFunc(call) = expr
            && depth == 0
        {
            optimized[call.window.0 as usize] &= counts_rows(support_function(catalog, call.function));
        }
        depth == 0
    };
    for target in &query.targets {
        visit(&mut look, &target.expr, 0);
    }
    for (window, _) in query.windows.iter_mut().zip(optimized).filter(|(_, optimized)| *optimized) {
        window.frame = WindowFrame {
            mode: FrameMode::Rows,
            start: FrameBound::UnboundedPreceding,
            end: FrameBound::CurrentRow,
            exclusion: FrameExclusion::NoOthers,
            written: true,
            between: false,
            start_in_range: oid::INVALID,
            end_in_range: oid::INVALID,
        };
    }
}
