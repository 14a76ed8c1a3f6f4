//! Draws the figures of the batching study, in its layout, from the measurements.

use super::Outcome;
use super::statistics::{Contents, Statistics};
use super::training::{Run, Timings};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Name and points of a line.
type Line = (String, Vec<(f64, f64)>);

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
enum Kind {
    /// Outlines of histograms.
    Histogram,
    /// Values at a few batch sizes.
    BatchSizes,
    /// Values over training steps, on a logarithmic axis.
    Steps,
}

/// Draws a figure of several panels, row by row.
fn panels(
    path: &Path,
    (rows, columns): (usize, usize),
    draw: impl Fn(&Area<'_>, usize, usize) -> Outcome<()>,
) -> Outcome<()> {
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
fn lines(area: &Area<'_>, title: &str, (x, y): (&str, &str), kind: Kind, all: &[Line]) -> Outcome<()> {
    // Steps are drawn by their logarithms and labelled with the steps.
    let place = |value: f64| if kind == Kind::Steps { value.max(1.0).log10() } else { value };
    let points = || all.iter().flat_map(|(_, points)| points).map(|&(x, y)| (place(x), y));
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
    for ((name, points), color) in all.iter().zip(COLORS) {
        let points = points.iter().map(|&(x, y)| (place(x), y));
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(marked))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], color));
    }
    let corner = if kind == Kind::Steps { SeriesLabelPosition::UpperRight } else { SeriesLabelPosition::UpperLeft };
    chart.configure_series_labels().position(corner).border_style(BLACK).draw()?;
    Ok(())
}

/// Returns the outline of a histogram of at most 60 bins.
fn outline(counts: &BTreeMap<usize, u64>) -> Vec<(f64, f64)> {
    let (Some((&low, _)), Some((&high, _))) = (counts.first_key_value(), counts.last_key_value()) else {
        return Vec::new();
    };
    let width = (high - low + 1).div_ceil(60);
    let total: u64 = counts.values().sum();
    let mut bins: BTreeMap<usize, u64> = (0..=(high - low) / width).map(|bin| (bin, 0)).collect();
    for (&value, &count) in counts {
        *bins.entry((value - low) / width).or_default() += count;
    }
    let outline = bins.into_iter().flat_map(|(bin, count)| {
        let share = 100.0 * count as f64 / total.max(1) as f64;
        let start = (low + bin * width) as f64;
        [(start, share), (start + width as f64, share)]
    });
    outline.collect()
}

/// Figure 1: nodes and edges per graph, and per batch before padding. Figure 3: distinct shapes by batch size, and
/// graphs per batch.
pub(crate) fn batches(
    folder: &Path,
    graphs: [&BTreeMap<usize, u64>; 2],
    shown: u32,
    all: &[(Statistics, Contents)],
) -> Outcome<()> {
    let of = |k: fn(&Contents) -> &BTreeMap<usize, u64>| -> Vec<Line> {
        // The static algorithms differ only in padding, so one of them stands for all.
        let others = ["static-constant", "static-64"];
        let chosen = all.iter().filter(|(row, _)| row.batch_size == shown && !others.contains(&row.algorithm.as_str()));
        chosen.map(|(row, contents)| (row.algorithm.clone(), outline(k(contents)))).collect()
    };
    panels(&folder.join("figure1.svg"), (2, 2), |area, row, column| {
        let what = ["nodes", "edges"][row];
        if column == 0 {
            let line = [("data".to_owned(), outline(graphs[row]))];
            return lines(area, &format!("{what} per graph"), (what, "% of graphs"), Kind::Histogram, &line);
        }
        let contents = of(if row == 0 { |contents| &contents.nodes } else { |contents| &contents.edges });
        lines(
            area,
            &format!("{what} per batch of size {shown}, before padding"),
            (what, "% of batches"),
            Kind::Histogram,
            &contents,
        )
    })?;
    panels(&folder.join("figure3.svg"), (1, 2), |area, _, column| {
        if column == 1 {
            let title = format!("real graphs per batch of size {shown}");
            return lines(area, &title, ("graphs", "% of batches"), Kind::Histogram, &of(|contents| &contents.graphs));
        }
        let shapes =
            by_algorithm(all.iter().map(|(row, _)| (&row.algorithm, row.batch_size, row.distinct_shapes as f64)));
        lines(area, "distinct shapes", ("batch size", "shapes"), Kind::BatchSizes, &shapes)
    })
}

/// Figure 2: running average of the combined time. Figure 4: batching, update and combined time by batch size.
/// Figure 5: speedup per graph over the slowest algorithm other than static-constant. Then the test error by step.
pub(crate) fn runs(folder: &Path, shown: u32, all: &[Run]) -> Outcome<()> {
    let mut models: Vec<&str> = all.iter().map(|run| run.timings.model.as_str()).collect();
    models.dedup();
    if models.is_empty() {
        return Ok(());
    }
    let of = |model: &str| all.iter().filter(|run| run.timings.model == model).collect::<Vec<_>>();
    let curves = |name: &str, what: &str, points: fn(&Run) -> &[(usize, f64)]| {
        panels(&folder.join(name), (1, models.len()), |area, _, column| {
            let chosen = of(models[column]).into_iter().filter(|run| run.timings.batch_size == shown);
            let line = |run: &Run| points(run).iter().map(|&(step, value)| (step as f64, value)).collect();
            let all: Vec<Line> = chosen.map(|run| (run.timings.algorithm.clone(), line(run))).collect();
            lines(area, &format!("{}, batch size {shown}", models[column]), ("steps", what), Kind::Steps, &all)
        })
    };
    curves("figure2.svg", "running average, ms per step", |run| &run.running_average)?;
    curves("rmse.svg", "test RMSE", |run| &run.test_rmse)?;
    let over_sizes = |model: &str, value: &dyn Fn(&Timings) -> f64| {
        let rows = of(model).into_iter().map(|run| &run.timings);
        by_algorithm(rows.map(|row| (&row.algorithm, row.batch_size, value(row))))
    };
    panels(&folder.join("figure4.svg"), (3, models.len()), |area, row, column| {
        let (name, value): (_, &dyn Fn(&Timings) -> f64) = match row {
            0 => ("batching", &|row| row.batching_ms_mean),
            1 => ("update", &|row| row.update_ms_mean),
            _ => ("combined", &|row| row.combined_ms_mean),
        };
        let title = format!("{}: {name}", models[column]);
        lines(area, &title, ("batch size", "mean ms per step"), Kind::BatchSizes, &over_sizes(models[column], value))
    })?;
    panels(&folder.join("figure5.svg"), (1, models.len()), |area, _, column| {
        let runs = of(models[column]);
        let slowest = |size: u32| {
            let rows = runs.iter().map(|run| &run.timings);
            let others = rows.filter(|row| row.batch_size == size && row.algorithm != "static-constant");
            others.map(Timings::ms_per_graph).fold(0.0, f64::max)
        };
        let speedup = |row: &Timings| slowest(row.batch_size) / row.ms_per_graph();
        let title = format!("{}: speedup per graph over the slowest", models[column]);
        lines(area, &title, ("batch size", "times"), Kind::BatchSizes, &over_sizes(models[column], &speedup))
    })
}

/// Groups values by algorithm into lines over batch sizes.
fn by_algorithm<'a>(values: impl Iterator<Item = (&'a String, u32, f64)>) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for (name, size, value) in values {
        let place = all.iter().position(|(other, _)| other == name);
        let place = place.unwrap_or_else(|| {
            all.push((name.clone(), Vec::new()));
            all.len() - 1
        });
        all[place].1.push((f64::from(size), value));
    }
    all
}
