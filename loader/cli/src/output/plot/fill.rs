//! [`fill`]: how full containers are, one graph each and packed.

use super::scale::grouped;
use super::{Area, Svg, svg};
use crate::output::Outcome;
use graphpack_core::{Plan, Size};
use plotters::prelude::*;

/// Colours of sets, in their order.
const COLORS: [RGBColor; 8] = [
    RGBColor(120, 10, 10),
    RGBColor(20, 60, 130),
    RGBColor(10, 110, 50),
    RGBColor(220, 120, 0),
    RGBColor(120, 60, 160),
    RGBColor(0, 140, 160),
    RGBColor(200, 60, 120),
    RGBColor(110, 110, 110),
];

/// Steps from empty to full, finer than a pixel: a plan may have a million distinct packs.
const STEPS: usize = 1000;

/// How full containers are of a set.
struct Filled {
    /// The number of containers at each step.
    steps: Vec<f64>,
    mean: f64,
}

/// Draws the share of each set filled, with a container for each graph and after packing, and a caption below.
pub fn fill(sets: &[String], plan: &Plan, caption: &str) -> Svg {
    let (limits, histogram) = (plan.limits().size, plan.histogram());
    let alone = filled(&limits, histogram.entries().iter().copied());
    let packed = filled(&limits, plan.iter().map(|pack| (pack.size(), pack.repeat)));
    let (low, high) = (SeriesLabelPosition::LowerRight, SeriesLabelPosition::UpperLeft);
    let packs = format!("packed: {} packs", grouped(plan.packs()));
    let graphs = format!("one graph each: {} containers", grouped(histogram.graphs()));
    svg((900, 420), caption, |area| {
        let charts = [(graphs, alone, high), (packs, packed, low)];
        for (half, (title, filled, legend)) in area.split_evenly((1, 2)).iter().zip(charts) {
            chart(half, &title, sets, &filled, legend)?;
        }
        Ok(())
    })
}

/// How full containers are of each set, given the rows in them and how many there are.
fn filled(limits: &Size, containers: impl Iterator<Item = (Size, u64)>) -> Vec<Filled> {
    let empty = |_| Filled { steps: vec![0.0; STEPS + 1], mean: 0.0 };
    let mut sets: Vec<_> = limits.as_slice().iter().map(empty).collect();
    let mut all = 0.0;
    for (size, count) in containers {
        let count = count as f64;
        all += count;
        for (k, filled) in sets.iter_mut().enumerate() {
            let share = f64::from(size[k]) / f64::from(limits[k]);
            filled.steps[((share * STEPS as f64).round() as usize).min(STEPS)] += count;
            filled.mean += (share - filled.mean) * count / all;
        }
    }
    sets
}

/// Draws the shares of each set.
fn chart(area: &Area<'_>, title: &str, sets: &[String], filled: &[Filled], legend: SeriesLabelPosition) -> Outcome {
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .margin_right(24)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..100.0_f64, 0.0..100.0_f64)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("% of containers, emptiest first")
        .y_desc("% filled")
        .x_label_formatter(&|share| format!("{share:.0}"))
        .y_label_formatter(&|share| format!("{share:.0}"))
        .draw()?;
    for ((Filled { steps, mean }, name), color) in filled.iter().zip(sets).zip(COLORS) {
        let all: f64 = steps.iter().sum();
        let mut seen = 0.0;
        let line = steps.iter().enumerate().filter(|(_, count)| **count > 0.0).flat_map(|(step, count)| {
            let (from, share) = (seen, 100.0 * step as f64 / STEPS as f64);
            seen += count;
            [(100.0 * from / all, share), (100.0 * seen / all, share)]
        });
        let line = LineSeries::new(line.collect::<Vec<_>>(), color.stroke_width(2));
        let label = format!("{name}: {:.1} %", 100.0 * mean);
        chart.draw_series(line)?.label(label).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart.configure_series_labels().position(legend).background_style(WHITE).border_style(BLACK).draw()?;
    Ok(())
}
