//! [`fill`]: how full containers are, one graph each and packed.

use super::scale::grouped;
use super::{Area, save};
use crate::output::Outcome;
use graphpack_core::{Histogram, Plan, Size};
use plotters::prelude::*;
use std::path::Path;

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

/// Shares of containers that are filled, each with the number of containers that have it.
type Shares = Vec<(f64, f64)>;

/// Draws the share of each set filled, with a container for each graph and after packing.
pub(crate) fn fill(path: &Path, sets: &[String], histogram: &Histogram, plan: &Plan) -> Outcome {
    let limits = plan.limits().size;
    let share = |size: &Size, k: usize| f64::from(size[k]) / f64::from(limits[k]);
    let before =
        |k: usize| histogram.entries().iter().map(move |(size, count)| (share(size, k), *count as f64)).collect();
    let after = |k: usize| plan.iter().map(move |pack| (share(&pack.size(), k), pack.repeat as f64)).collect();
    let before: Vec<Shares> = (0..sets.len()).map(before).collect();
    let after: Vec<Shares> = (0..sets.len()).map(after).collect();
    let (low, high) = (SeriesLabelPosition::LowerRight, SeriesLabelPosition::UpperLeft);
    let packs = format!("packed: {} packs", grouped(plan.packs()));
    let alone = format!("one graph each: {} containers", grouped(histogram.graphs()));
    let charts = [(alone, before, high), (packs, after, low)];
    save(path, (900, 420), |area| {
        for (half, (title, values, legend)) in area.split_evenly((1, 2)).iter().zip(charts) {
            chart(half, &title, sets, values, legend)?;
        }
        Ok(())
    })
}

/// Draws the shares of each set.
fn chart(area: &Area<'_>, title: &str, sets: &[String], values: Vec<Shares>, legend: SeriesLabelPosition) -> Outcome {
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
    for ((mut values, name), color) in values.into_iter().zip(sets).zip(COLORS) {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: f64 = values.iter().map(|(_, count)| count).sum();
        let mut seen = 0.0;
        let line = values.iter().flat_map(|(share, count)| {
            let from = seen;
            seen += count;
            [(100.0 * from / all, 100.0 * share), (100.0 * seen / all, 100.0 * share)]
        });
        let line = LineSeries::new(line.collect::<Vec<_>>(), color.stroke_width(2));
        chart.draw_series(line)?.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart.configure_series_labels().position(legend).background_style(WHITE).border_style(BLACK).draw()?;
    Ok(())
}
