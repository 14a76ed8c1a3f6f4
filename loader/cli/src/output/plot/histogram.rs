//! [`histogram`]: how many graphs have which size, as in figure 2 of the paper, but with the largest; [`sizes`]: that
//! picture, or bars if there is one set.

use super::heat_map::{Cell, Cells};
use super::scale::{Scale, grouped};
use super::{Svg, svg};
use graphpack_core::Histogram;
use plotters::prelude::*;
use std::collections::BTreeMap;

/// The most cells along an axis, about.
const CELLS: u32 = 150;
/// Axes are logarithmic where the largest graph exceeds 99 % of the graphs by this factor: nearly all would share a few
/// cells.
const SKEWED: u32 = 10;
/// The most bars.
const BARS: u32 = 150;

/// Draws the number of graphs of each size, on a logarithmic scale of colours. The first set goes upwards, the second
/// to the right. A caption is below.
pub(crate) fn histogram(sets: [&str; 2], histogram: &Histogram, caption: &str) -> Svg {
    let largest: [u32; 2] = histogram.largest().first();
    let skewed = (0..2).any(|k| largest[k] / SKEWED > most_are_below(histogram, k).max(1));
    let starts = largest.map(|largest| starts(largest, skewed));
    let mut counts: BTreeMap<[usize; 2], u64> = BTreeMap::new();
    for (size, count) in histogram.entries() {
        let [up, across] = size.first();
        let number = |starts: &[u64], value: u32| starts.partition_point(|&start| start <= value.into()) - 1;
        *counts.entry([number(&starts[1], across), number(&starts[0], up)]).or_default() += count;
    }
    let cell = |(&[across, up], &count): (&[usize; 2], &u64)| {
        let corner = |ahead: usize| [starts[1][across + ahead] as f64, starts[0][up + ahead] as f64];
        Cell { from: corner(0), to: corner(1), value: count as f64, pale: false }
    };
    let axis = |k: usize| {
        let label = format!("{} (largest: {})", sets[k], grouped(u64::from(largest[k])));
        let end = starts[k].last().map_or(1.0, |&end| end as f64);
        if skewed { Scale::logarithmic(label, 0.0, end) } else { Scale::linear(label, 0.0, end) }
    };
    let most = counts.values().copied().max().unwrap_or(1);
    let (graphs, sizes) = (grouped(histogram.graphs()), grouped(histogram.entries().len() as u64));
    let [up, across] = starts.each_ref().map(|starts| starts[1]);
    let names = sets.join(" x ");
    let cells = if skewed { String::new() } else { format!(", in cells of {up} x {across} ({names})") };
    let picture = Cells {
        title: format!("{graphs} graphs of {sizes} sizes{cells}"),
        axes: [axis(1), axis(0)],
        colors: Scale::logarithmic("graphs", 1.0, most as f64),
        cells: counts.iter().map(cell).collect(),
        framed: None,
    };
    picture.svg(caption)
}

/// The value that 99 % of the graphs do not exceed.
fn most_are_below(histogram: &Histogram, set: usize) -> u32 {
    let sizes = histogram.entries().iter();
    let mut values: Vec<(u32, u64)> = sizes.map(|(size, count)| (size[set], *count)).collect();
    values.sort_unstable();
    let mut seen = 0;
    let enough = |(_, count): &&(u32, u64)| {
        seen += count;
        seen as f64 >= 0.99 * histogram.graphs() as f64
    };
    values.iter().find(enough).map_or(0, |(value, _)| *value)
}

/// Where the cells along an axis start, and where the last one ends: beyond the largest value.
fn starts(largest: u32, logarithmic: bool) -> Vec<u64> {
    let largest = u64::from(largest);
    let step = largest.div_ceil(CELLS.into()).max(1);
    let ratio = (largest as f64).ln_1p() / f64::from(CELLS);
    let next = |start: u64| start + if logarithmic { (start as f64 * ratio.exp_m1()) as u64 } else { step }.max(1);
    let mut starts = vec![0];
    while let Some(&start) = starts.last().filter(|&&start| start <= largest) {
        starts.push(next(start));
    }
    starts
}

/// Draws the number of graphs of each size in the first two sets, or with bars if there is one, and a caption below.
pub fn sizes<'a>(sets: &[String], sizes: impl Iterator<Item = (&'a [u32], u64)>, caption: &str) -> Svg {
    if let [up, across, ..] = sets {
        let counts = sizes.map(|(size, count)| ([size[0], size[1]], count));
        return histogram([up, across], &Histogram::from_counts(counts)?, caption);
    }
    let sizes: Vec<(u32, u64)> = sizes.map(|(size, count)| (size[0], count)).collect();
    let most = sizes.iter().map(|(size, _)| *size).max().unwrap_or(0);
    let width = (most / BARS + 1).max(1);
    let mut bars = vec![0_u64; (most / width + 1) as usize];
    sizes.iter().for_each(|(size, count)| bars[(size / width) as usize] += count);
    let name = sets.first().map_or("nodes", String::as_str);
    let (graphs, highest) = (bars.iter().sum::<u64>(), bars.iter().copied().max().unwrap_or(1));
    svg((900, 420), caption, |area| {
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{} graphs", grouped(graphs)), ("sans-serif", 16))
            .margin(8)
            .margin_right(24)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(
                Scale::linear(name, 0.0, f64::from(most) + f64::from(width)),
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

#[cfg(test)]
mod tests {
    use super::histogram;
    use graphpack_core::Histogram;

    /// The text of the picture, line by line.
    fn texts(counts: &[([u32; 2], u64)]) -> Vec<String> {
        let sizes = Histogram::from_counts(counts.iter().copied()).expect("few graphs");
        let svg = histogram(["nodes", "edges"], &sizes, "").expect("it is drawn");
        let lines = svg.lines().filter(|line| !line.starts_with('<'));
        lines.map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn the_largest_size_is_named_and_colours_have_numbers() {
        let texts = texts(&[([23, 50], 1200), ([222, 470], 1), ([205, 502], 1)]);
        for text in [
            "1,202 graphs of 3 sizes, in cells of 2 x 4 (nodes x edges)",
            "nodes (largest: 222)",
            "edges (largest: 502)",
            "200",
            "500",
            "graphs",
            "1,000",
        ] {
            assert!(texts.iter().any(|line| line == text), "{text}: {texts:?}");
        }
    }

    #[test]
    fn one_huge_graph_leaves_room_for_the_others() {
        let texts = texts(&[([20, 40], 500), ([30, 60], 499), ([36_123, 72_244], 1), ([1, 0], 5)]);
        for text in ["nodes (largest: 36,123)", "edges (largest: 72,244)", "10", "100", "20,000"] {
            assert!(texts.iter().any(|line| line == text), "{text}: {texts:?}");
        }
    }
}
