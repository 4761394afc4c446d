//! Bars for a comparison, lines for a knob.

use plotters::prelude::*;

use super::{Line, Section};
use crate::error::{Error, Result};

/// Narrow, so that it stays readable on a phone.
const WIDTH: u32 = 480;
const OURS: RGBColor = RGBColor(0, 110, 180);
const THEIRS: [RGBColor; 5] = [
    RGBColor(150, 150, 150),
    RGBColor(200, 120, 40),
    RGBColor(90, 140, 90),
    RGBColor(150, 90, 150),
    RGBColor(110, 110, 60),
];

/// The section's chart as an SVG that takes the width it is given; `None` if it compares nothing.
pub fn of(section: &Section) -> Result<Option<String>> {
    let failed = |e: &dyn std::fmt::Display| Error::program(format!("drawing a chart: {e}"));
    let mut svg = String::new();
    match section.lines() {
        Some((knob, lines)) if !lines.is_empty() => {
            draw_lines(&mut svg, knob, section.experiment.unit, &lines).map_err(|e| failed(&e))?
        }
        Some(_) => return Ok(None),
        None if section.variants.is_empty() => return Ok(None),
        None => draw_bars(&mut svg, section).map_err(|e| failed(&e))?,
    }
    // Scale with the page.
    let (head, rest) = svg.split_once("viewBox").ok_or_else(|| failed(&"no viewBox"))?;
    let start = head.find("<svg").unwrap_or(0);
    Ok(Some(format!("<svg role=\"img\" style=\"width:100%;height:auto;max-width:{WIDTH}px\" xmlns=\"http://www.w3.org/2000/svg\" viewBox{rest}").replace(&head[..start], "")))
}

type Drawn<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn colour(system: &str, index: usize) -> RGBColor {
    if system.ends_with("auto") {
        RGBColor(0, 160, 140)
    } else if system.starts_with("Inflight") {
        OURS
    } else {
        THEIRS[index % THEIRS.len()]
    }
}

fn draw_bars(svg: &mut String, section: &Section) -> Drawn<()> {
    let best = section.best();
    let (unit, more) = (section.experiment.unit, section.experiment.more_is_better());
    let rows = best.len() as i32;
    let root = SVGBackend::with_string(svg, (WIDTH, 40 + 44 * rows as u32)).into_drawing_area();
    let longest = best.iter().map(|v| v.figure.median).fold(0.0, f64::max);
    let font = |size: i32| ("sans-serif", size).into_font();
    // Names stand above their bars, whose whole width is the page's.
    let scale = f64::from(WIDTH - 150) / longest.max(1e-9);
    root.draw(&Text::new(
        format!("{}: {unit}, {} is better", section.profile, if more { "more" } else { "less" }),
        (6, 6),
        font(15),
    ))?;
    for (index, variant) in best.iter().enumerate() {
        let top = 34 + 44 * index as i32;
        let name = variant.system.clone();
        root.draw(&Text::new(name, (6, top), font(15)))?;
        let right = 6 + (variant.figure.median * scale).round().max(1.0) as i32;
        let fill = colour(&variant.system, index).filled();
        root.draw(&Rectangle::new([(6, top + 18), (right, top + 36)], fill))?;
        let ratio = variant.ratio.filter(|r| *r > 1.005).map_or(String::new(), |r| format!("  ({r:.1}x)"));
        root.draw(&Text::new(format!("{:.0} {unit}{ratio}", variant.figure.median), (right + 6, top + 19), font(15)))?;
    }
    root.present()?;
    Ok(())
}

fn draw_lines(svg: &mut String, knob: &str, unit: &str, lines: &[Line]) -> Drawn<()> {
    let root = SVGBackend::with_string(svg, (WIDTH, 380)).into_drawing_area();
    let points = || lines.iter().flat_map(|(_, points)| points);
    let right = points().map(|p| p.0).fold(0.0, f64::max);
    let top = points().map(|p| p.1).fold(0.0, f64::max) * 1.1;
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..right.max(1.0) * 1.03, 0.0..top.max(1.0))?;
    let text = ("sans-serif", 15);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(knob)
        .y_desc(unit)
        .label_style(text)
        .axis_desc_style(text)
        .draw()?;
    for (index, (system, points)) in lines.iter().enumerate() {
        let colour = colour(system, index);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(system)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        chart.draw_series(points.iter().map(|p| Circle::new(*p, 3, colour.filled())))?;
    }
    chart.configure_series_labels().label_font(text).background_style(WHITE.mix(0.85)).draw()?;
    root.present()?;
    Ok(())
}
