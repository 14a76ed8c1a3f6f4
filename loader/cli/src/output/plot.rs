//! What people would rather look at than read, as SVG.

use graphpack_core::search::Candidate;
use graphpack_core::{Histogram, Plan};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

use crate::output::Outcome;
/// Lower left and upper right in (edges, nodes), and a value from 0 to 1.
type Cell = ([f64; 2], [f64; 2], f64);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Dark where `share` is 1, white where it is 0.
fn shade(share: f64) -> RGBColor {
    let [low, high] = [(255.0, 250.0, 240.0), (120.0, 10.0, 10.0)];
    let at = |low: f64, high: f64| (low + (high - low) * share.clamp(0.0, 1.0)) as u8;
    RGBColor(at(low.0, high.0), at(low.1, high.1), at(low.2, high.2))
}

fn area(path: &Path, size: (u32, u32)) -> Result<Area<'_>, Box<dyn Error>> {
    let area = SVGBackend::new(path, size).into_drawing_area();
    area.fill(&WHITE)?;
    Ok(area)
}

/// Rectangles of (edges, nodes), each with a value from 0 to 1, under axes in edges and nodes.
fn cells(area: &Area<'_>, title: &str, cells: &[Cell]) -> Outcome {
    let end =
        |from: fn(f64, f64) -> f64, pick: &dyn Fn(&Cell) -> f64, start: f64| cells.iter().map(pick).fold(start, from);
    let (left, right) = (end(f64::min, &|c| c.0[0], f64::MAX), end(f64::max, &|c| c.1[0], f64::MIN));
    let (low, high) = (end(f64::min, &|c| c.0[1], f64::MAX), end(f64::max, &|c| c.1[1], f64::MIN));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(left..right, low..high)?;
    chart.configure_mesh().disable_mesh().x_desc("edges").y_desc("nodes").draw()?;
    chart.draw_series(
        cells
            .iter()
            .map(|(from, to, value)| Rectangle::new([(from[0], from[1]), (to[0], to[1])], shade(*value).filled())),
    )?;
    Ok(())
}

/// Harmonic mean of the efficiencies over limits of nodes and edges; values below 50 % are drawn as 50 %, as in figure 5 of the paper.
pub(crate) fn heat_map(path: &Path, grid: &[Candidate<2>]) -> Outcome {
    let axis = |k: usize| {
        let mut values: Vec<u32> = grid.iter().map(|candidate| candidate.limits.size.0[k]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let (nodes, edges) = (axis(0), axis(1));
    let to = |axis: &[u32], value: u32| {
        let next = axis.partition_point(|&other| other <= value);
        axis.get(next).map_or(f64::from(value) + 1.0, |&next| f64::from(next))
    };
    let rectangles: Vec<_> = grid
        .iter()
        .map(|candidate| {
            let [n, e] = candidate.limits.size.0;
            ([f64::from(e), f64::from(n)], [to(&edges, e), to(&nodes, n)], (candidate.score() - 0.5) * 2.0)
        })
        .collect();
    let best = grid.iter().max_by(|a, b| a.score().total_cmp(&b.score()));
    let title = best.map_or(String::new(), |best| {
        format!(
            "harmonic mean, best {:.1} % at {} x {}",
            100.0 * best.score(),
            best.limits.size.0[0],
            best.limits.size.0[1]
        )
    });
    let area = area(path, (760, 560))?;
    cells(&area, &title, &rectangles)?;
    Ok(area.present()?)
}

/// Number of graphs of each size, on a logarithmic scale; sizes so large that fewer than 0.1 % of the graphs exceed them are not drawn (figure 2).
pub(crate) fn histogram(path: &Path, histogram: &Histogram<2>) -> Outcome {
    let most = |k: usize| {
        let mut values: Vec<(u32, u64)> = histogram.entries().iter().map(|(size, count)| (size.0[k], *count)).collect();
        values.sort_unstable();
        let mut seen = 0;
        let enough = |(_, count): &&(u32, u64)| {
            seen += count;
            seen as f64 >= 0.999 * histogram.graphs() as f64
        };
        values.iter().find(enough).map_or(1, |(value, _)| *value)
    };
    let (nodes, edges) = (most(0), most(1));
    let largest = histogram.entries().iter().map(|(_, count)| *count).max().unwrap_or(1) as f64;
    // At most 150 bins a side.
    let bin = |value: u32, most: u32| f64::from(value / most.div_ceil(150).max(1) * most.div_ceil(150).max(1));
    let width = |most: u32| f64::from(most.div_ceil(150).max(1));
    let drawn = histogram.entries().iter().filter(|(size, _)| size.0[0] <= nodes && size.0[1] <= edges);
    let rectangles: Vec<_> = drawn
        .map(|(size, count)| {
            let at = [bin(size.0[1], edges), bin(size.0[0], nodes)];
            (at, [at[0] + width(edges), at[1] + width(nodes)], 0.15 + 0.85 * (*count as f64).ln_1p() / largest.ln_1p())
        })
        .collect();
    let area = area(path, (760, 560))?;
    let title =
        format!("{} graphs of {} sizes (dark: many, logarithmic)", histogram.graphs(), histogram.entries().len());
    cells(&area, &title, &rectangles)?;
    Ok(area.present()?)
}

/// Share of nodes and edges filled, before packing (a container for each graph) and after.
pub(crate) fn fill(path: &Path, histogram: &Histogram<2>, plan: &Plan<2>) -> Outcome {
    let limits = plan.limits().size.0.map(f64::from);
    let share = |sum: u64, k: usize| sum as f64 / limits[k];
    let mut before: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    let mut after = before.clone();
    for k in 0..2 {
        before[k]
            .extend(histogram.entries().iter().map(|(size, count)| (share(u64::from(size.0[k]), k), *count as f64)));
        after[k].extend(plan.iter().map(|pack| (share(pack.size()[k], k), pack.repeat as f64)));
    }
    let area = area(path, (900, 420))?;
    let halves = area.split_evenly((1, 2));
    let packs = format!("packed: {} packs", plan.packs());
    let alone = format!("one graph each: {} containers", histogram.graphs());
    for (half, (title, values)) in halves.iter().zip([(alone, before), (packs, after)]) {
        let mut chart = ChartBuilder::on(half)
            .caption(title, ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..100.0_f64, 0.0..100.0_f64)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("% of containers, emptiest first")
            .y_desc("% filled")
            .draw()?;
        for (mut values, (name, color)) in
            values.into_iter().zip([("nodes", RGBColor(120, 10, 10)), ("edges", RGBColor(20, 60, 130))])
        {
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
        chart.configure_series_labels().position(SeriesLabelPosition::LowerRight).border_style(BLACK).draw()?;
    }
    Ok(area.present()?)
}
