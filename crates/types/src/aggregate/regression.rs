//! `regr_…`, `covar_pop`, `covar_samp` and `corr`: what is gathered over pairs of numbers. The dependent one comes first.

use arrow_array::ArrayRef;

use super::Aggregate;
use super::states::{State, States, Take, part};
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::float::arithmetic::{double, overflow};
use crate::oid;
use crate::repr::Repr;
use crate::sql::float8;

/// `name: least number of pairs, result;` of a state.
macro_rules! aggregates {
    ($($name:ident: $least:literal, $result:expr;)*) => {
        pub const AGGREGATES: &[Aggregate] = &[$(Aggregate {
            name: stringify!($name),
            arguments: &[oid::FLOAT8, oid::FLOAT8],
            result: oid::FLOAT8,
            decimals: false,
            start: |_| {
                States::<Pairs, (float8, float8)>::boxed(|state, out| {
                    let result: fn(&Pairs) -> Option<f64> = $result;
                    out.put::<float8, _>(if state.count < $least { None } else { result(state) });
                    Ok(())
                })
            },
        }),*];
    };
}

aggregates! {
    regr_sxx: 1.0, |s| Some(s.xx);
    regr_syy: 1.0, |s| Some(s.yy);
    regr_sxy: 1.0, |s| Some(s.xy);
    regr_avgx: 1.0, |s| Some(s.x / s.count);
    regr_avgy: 1.0, |s| Some(s.y / s.count);
    covar_pop: 1.0, |s| Some(s.xy / s.count);
    covar_samp: 2.0, |s| Some(s.xy / (s.count - 1.0));
    corr: 1.0, |s| (s.xx != 0.0 && s.yy != 0.0).then(|| s.xy / (s.xx * s.yy).sqrt());
    regr_r2: 1.0, |s| match (s.xx == 0.0, s.yy == 0.0) {
        (true, _) => None,
        // All points are on a horizontal line.
        (_, true) => Some(1.0),
        _ => Some((s.xy * s.xy) / (s.xx * s.yy)),
    };
    regr_slope: 1.0, |s| (s.xx != 0.0).then(|| s.xy / s.xx);
    regr_intercept: 1.0, |s| (s.xx != 0.0).then(|| (s.y - s.x * s.xy / s.xx) / s.count);
}

/// Sums, and sums of products of the differences from the means (`float8_regr_accum`).
#[derive(Clone, Default)]
struct Pairs {
    count: f64,
    x: f64,
    xx: f64,
    y: f64,
    yy: f64,
    xy: f64,
}

impl State for Pairs {
    const PARTS: &'static [Repr] = &[Repr::Float8; 6];

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        for (part, value) in parts.iter_mut().zip([self.count, self.x, self.xx, self.y, self.yy, self.xy]) {
            part.put::<float8, _>(Some(value));
        }
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let [count, x, xx, y, yy, xy] = [0, 1, 2, 3, 4, 5].map(|number| part::<float8>(parts, number, row));
        let other = Pairs { count, x, xx, y, yy, xy };
        if self.count == 0.0 {
            *self = other;
        } else if count > 0.0 {
            let all = self.count + count;
            let (apart_x, apart_y) = (self.x / self.count - x / count, self.y / self.count - y / count);
            let merged = |a: f64, b: f64, product: f64| {
                let merged = a + b + self.count * count * product / all;
                let overflows = merged.is_infinite() && !a.is_infinite() && !b.is_infinite();
                if overflows { Err(overflow()) } else { Ok(merged) }
            };
            *self = Pairs {
                count: all,
                x: double::add(self.x, x)?,
                xx: merged(self.xx, xx, apart_x * apart_x)?,
                y: double::add(self.y, y)?,
                yy: merged(self.yy, yy, apart_y * apart_y)?,
                xy: merged(self.xy, xy, apart_x * apart_y)?,
            };
        }
        Ok(())
    }
}

impl Take<(float8, float8)> for Pairs {
    fn add(&mut self, (y, x): (f64, f64)) -> Result<()> {
        let before = self.clone();
        self.count += 1.0;
        self.x += x;
        self.y += y;
        if before.count == 0.0 {
            if !x.is_finite() {
                (self.xx, self.xy) = (f64::NAN, f64::NAN);
            }
            if !y.is_finite() {
                (self.yy, self.xy) = (f64::NAN, f64::NAN);
            }
            return Ok(());
        }
        let (apart_x, apart_y) = (x * self.count - self.x, y * self.count - self.y);
        let scale = 1.0 / (self.count * before.count);
        self.xx += apart_x * apart_x * scale;
        self.yy += apart_y * apart_y * scale;
        self.xy += apart_x * apart_y * scale;
        let (finite_x, finite_y) =
            (!before.x.is_infinite() && !x.is_infinite(), !before.y.is_infinite() && !y.is_infinite());
        let infinite_x = self.x.is_infinite() || self.xx.is_infinite();
        let infinite_y = self.y.is_infinite() || self.yy.is_infinite();
        if infinite_x && finite_x || infinite_y && finite_y || self.xy.is_infinite() && finite_x && finite_y {
            return Err(overflow());
        }
        for sum in [&mut self.xx, &mut self.yy, &mut self.xy] {
            if sum.is_infinite() {
                *sum = f64::NAN;
            }
        }
        Ok(())
    }
}
