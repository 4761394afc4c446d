//! The windows that are used, each once: what `WINDOW` defines in vain is left out, and `OVER (…)` written twice is one
//! (PostgreSQL's `select_active_windows` and what its analysis does).

use analyze::query::*;

use crate::manip::mutate;

/// Leaves the windows that functions have, and numbers the functions anew.
pub fn select_active(query: &mut Query) {
    if query.windows.is_empty() {
        return;
    }
    if !query.has_window_functions {
        query.windows.clear();
        return;
    }
    let windows = std::mem::take(&mut query.windows);
    let mut kept: Vec<WindowClause> = Vec::with_capacity(windows.len());
    // Where each window is now, once somebody used it.
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
