//! [`sizes`]: how many graphs have which size, in one or two sets.

use super::scale::{Scale, grouped};
use super::{histogram, svg};
use crate::output::Outcome;
use graphpack_core::Histogram;
use plotters::prelude::*;
use std::path::Path;

/// The most bars.
const BARS: u32 = 150;

/// Draws the number of graphs of each size in the first two sets, or with bars if there is one.
pub(crate) fn sizes<'a>(path: &Path, sets: &[String], sizes: impl Iterator<Item = (&'a [u32], u64)>) -> Outcome {
    if let [up, across, ..] = sets {
        let counts = sizes.map(|(size, count)| ([size[0], size[1]], count));
        return histogram(path, [up, across], &Histogram::from_counts(counts)?);
    }
    let sizes: Vec<(u32, u64)> = sizes.map(|(size, count)| (size[0], count)).collect();
    let most = sizes.iter().map(|(size, _)| *size).max().unwrap_or(0);
    let width = (most / BARS + 1).max(1);
    let mut bars = vec![0_u64; (most / width + 1) as usize];
    sizes.iter().for_each(|(size, count)| bars[(size / width) as usize] += count);
    let name = sets.first().map_or("nodes", String::as_str);
    let (graphs, highest) = (bars.iter().sum::<u64>(), bars.iter().copied().max().unwrap_or(1));
    svg::save(path, (900, 420), |area| {
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{} graphs", grouped(graphs)), ("sans-serif", 16))
            .margin(8)
            .margin_right(24)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(
                Scale::linear(name, 0.0, f64::from(most + width)),
                Scale::linear("graphs", 0.0, highest as f64),
            )?;
        let label = format!("{name} (largest: {})", grouped(u64::from(most)));
        chart.configure_mesh().light_line_style(WHITE).x_desc(label).y_desc("graphs").draw()?;
        let color = RGBColor(20, 60, 130);
        let bar = |(number, count): (usize, &u64)| {
            let from = number as f64 * f64::from(width);
            Rectangle::new([(from, 0.0), (from + f64::from(width), *count as f64)], color.filled())
        };
        chart.draw_series(bars.iter().enumerate().filter(|(_, count)| **count > 0).map(bar))?;
        Ok(())
    })
}
