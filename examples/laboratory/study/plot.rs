//! Draws a figure of several panels: lines with error bars, and heat maps.

use super::Outcome;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Name of a line, and its points: x, y and how far up and down the error bar goes.
pub(crate) type Line = (String, Vec<[f64; 3]>);

const COLORS: [RGBColor; 6] = [
    RGBColor(31, 90, 160),
    RGBColor(200, 80, 20),
    RGBColor(40, 130, 60),
    RGBColor(130, 60, 150),
    RGBColor(180, 20, 50),
    RGBColor(110, 90, 60),
];

/// What a panel shows. It decides whether the x axis is logarithmic and whether points are marked.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Outlines of histograms.
    Histogram,
    /// Values at a few batch sizes.
    BatchSizes,
    /// Values over training steps, on a logarithmic axis.
    Steps,
    /// Values that fall over training steps.
    Learning,
}

/// Draws a figure of several panels, row by row; none without panels.
pub(crate) fn panels(
    path: &Path,
    (rows, columns): (usize, usize),
    draw: impl Fn(&Area<'_>, usize, usize) -> Outcome<()>,
) -> Outcome<()> {
    if rows * columns == 0 {
        return Ok(());
    }
    let size = (380 * columns as u32, 260 * rows as u32);
    let area = SVGBackend::new(path, size).into_drawing_area();
    area.fill(&WHITE)?;
    for (number, panel) in area.split_evenly((rows, columns)).iter().enumerate() {
        draw(panel, number / columns, number % columns)?;
    }
    area.present()?;
    Ok(())
}

/// Draws a panel of lines through points.
pub(crate) fn lines(area: &Area<'_>, title: &str, (x, y): (&str, &str), kind: Kind, all: &[Line]) -> Outcome<()> {
    // Steps are drawn by their logarithms and labelled with the steps.
    let place = |value: f64| if kind == Kind::Steps { value.max(1.0).log10() } else { value };
    let points = || all.iter().flat_map(|(_, points)| points).map(|&[x, y, error]| (place(x), y + error));
    let (left, right, high) = points().fold((f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY), |range, (x, y)| {
        (range.0.min(x), range.1.max(x), range.2.max(y))
    });
    if !left.is_finite() || !high.is_finite() {
        return Ok(());
    }
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 15)).margin(8).x_label_area_size(34).y_label_area_size(48);
    let mut chart = builder.build_cartesian_2d(left..right.max(left + 1e-9), 0.0..(high * 1.1).max(1e-9))?;
    let label = |x: &f64| if kind == Kind::Steps { format!("{:.0}", 10_f64.powf(*x)) } else { format!("{x:.0}") };
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(WHITE).x_desc(x).y_desc(y).x_labels(5).y_labels(5).x_label_formatter(&label).draw()?;
    let marked = if kind == Kind::Histogram { 0 } else { 2 };
    for ((name, points), color) in all.iter().zip(COLORS.into_iter().cycle()) {
        let points = points.iter().map(|&[x, y, error]| (place(x), y, error));
        chart
            .draw_series(
                LineSeries::new(points.clone().map(|(x, y, _)| (x, y)), color.stroke_width(2)).point_size(marked),
            )?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], color));
        let bars = points.filter(|(.., error)| *error > 0.0);
        chart.draw_series(bars.map(|(x, y, error)| PathElement::new([(x, y - error), (x, y + error)], color)))?;
    }
    let corner = match kind {
        Kind::Steps => SeriesLabelPosition::UpperRight,
        Kind::Learning => SeriesLabelPosition::LowerLeft,
        Kind::Histogram | Kind::BatchSizes => SeriesLabelPosition::UpperLeft,
    };
    let mut legend = chart.configure_series_labels();
    legend.position(corner).border_style(BLACK).background_style(WHITE.mix(0.85)).draw()?;
    Ok(())
}

/// Draws a panel of numbers in squares, which are the darker the nearer `depth` of a number is to 1; NaN stays empty.
pub(crate) fn heat_map(
    area: &Area<'_>,
    title: &str,
    names: &[&str],
    value: impl Fn(usize, usize) -> f64,
    depth: impl Fn(f64) -> f64,
) -> Outcome<()> {
    let area = area.titled(title, ("sans-serif", 15))?;
    let (width, height) = area.dim_in_pixel();
    let side = names.len().max(1) as i32;
    let (left, top) = (90, 4);
    let [step_x, step_y] = [(width as i32 - left - 8) / side, (height as i32 - top - 24) / side];
    for (row, name) in names.iter().enumerate() {
        let [across, down] = [left + row as i32 * step_x + step_x / 2, top + row as i32 * step_y + step_y / 2];
        area.draw(&Text::new(*name, (left / 2, down), centred(&BLACK)))?;
        area.draw(&Text::new(*name, (across, top + side * step_y + 10), centred(&BLACK)))?;
        for column in 0..names.len() {
            let found = value(row, column);
            let corner = (left + column as i32 * step_x, top + row as i32 * step_y);
            let corners = [corner, (corner.0 + step_x - 1, corner.1 + step_y - 1)];
            if found.is_nan() {
                continue;
            }
            let depth = depth(found).clamp(0.0, 1.0);
            let color = COLORS[0].mix(0.08 + 0.8 * depth);
            area.draw(&Rectangle::new(corners, color.filled()))?;
            let ink = if depth > 0.5 { WHITE } else { BLACK };
            let middle = (corner.0 + step_x / 2, corner.1 + step_y / 2);
            area.draw(&Text::new(format!("{found:.3}"), middle, centred(&ink)))?;
        }
    }
    Ok(())
}

/// Text around its place.
fn centred(color: &RGBColor) -> TextStyle<'_> {
    TextStyle::from(("sans-serif", 12).into_font()).color(color).pos(Pos::new(HPos::Center, VPos::Center))
}
