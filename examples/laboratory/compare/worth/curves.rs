//! Draws what is learned: training loss and scores of validation and test graphs over epochs, a line with a band for
//! each way.

use super::task::{RATES, TASKS};
use super::{Row, Task};
use laboratory::statistics::mean_and_interval;
use plotters::prelude::*;
use std::path::Path;
use xtask::run::Outcome;

const COLORS: [RGBColor; 5] = [
    RGBColor(31, 90, 160),
    RGBColor(200, 80, 20),
    RGBColor(40, 130, 60),
    RGBColor(130, 60, 150),
    RGBColor(110, 90, 60),
];

/// The area of a picture, or a part of it.
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The mean after an epoch, from which to which the band goes.
type Point = [f64; 3];

/// Width and height of a panel.
const PANEL: (u32, u32) = (330, 290);

/// Height of the line below a task's panels that names the ways.
const LEGEND: u32 = 24;

/// Draws the runs at the same rate of the ways that are compared: a row of panels per task. No picture without runs.
pub(super) fn draw(path: &Path, rows: &[Row]) -> Outcome {
    let tasks: Vec<&Task> = TASKS.iter().filter(|task| rows.iter().any(|row| row.run[0] == task.name)).collect();
    if tasks.is_empty() {
        return Ok(());
    }
    let draw = || -> Result<(), Box<dyn std::error::Error>> {
        let (width, height) = (3 * PANEL.0, PANEL.1 + LEGEND);
        let area = SVGBackend::new(path, (width, tasks.len() as u32 * height)).into_drawing_area();
        area.fill(&WHITE)?;
        for (task, area) in tasks.iter().zip(area.split_evenly((tasks.len(), 1))) {
            let (above, below) = area.split_vertically(PANEL.1);
            let panels = above.split_evenly((1, 3));
            // Of a loss that falls by powers of ten, one run at its peak would hide all others. Lines end where one is
            // NaN.
            let losses = lines(task, rows, |row| row.loss.clamp(f64::MIN_POSITIVE, f64::MAX).ln());
            panel(&panels[0], &format!("{}: training loss", task.name), &losses, f64::exp)?;
            for (place, (area, graphs)) in panels[1..].iter().zip(["validation", "test"]).enumerate() {
                let score = format!("{} of {graphs}", task.metric.replace('_', " "));
                panel(area, &score, &lines(task, rows, |row| row.scores[place]), |score| score)?;
            }
            for ((way, color), place) in task.compared.iter().zip(COLORS).zip(0..) {
                let (x, y) = (20 + place * 195, LEGEND as i32 / 2);
                below.draw(&PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)))?;
                let runs = runs(task, way, rows, 0).count();
                below.draw(&Text::new(format!("{way} ({runs} runs)"), (x + 24, y - 6), ("sans-serif", 12)))?;
            }
        }
        Ok(area.present()?)
    };
    draw().map_err(|error| format!("{}: {error}", path.display()))
}

/// The epochs with this number of the runs of a way.
fn runs<'a>(task: &Task, way: &str, rows: &'a [Row], epoch: u64) -> impl Iterator<Item = &'a Row> {
    let run = [task.name, way, RATES[0]].map(String::from);
    rows.iter().filter(move |row| row.run == run && row.epoch == epoch)
}

/// The line of each way; each point is over the runs that have the epoch.
fn lines(task: &Task, rows: &[Row], value: impl Fn(&Row) -> f64) -> Vec<Vec<Point>> {
    let line = |way: &&str| {
        let at = |epoch: u64| runs(task, way, rows, epoch).map(&value).collect::<Vec<f64>>();
        let points = (0..task.epochs).map(at).filter(|values| !values.is_empty()).map(|values| {
            let (mean, half) = mean_and_interval(&values);
            // The interval of one run is not known.
            let half = half.filter(|half| half.is_finite()).unwrap_or(0.0);
            [mean, mean - half, mean + half]
        });
        points.take_while(|point| point.iter().all(|place| place.is_finite())).collect()
    };
    task.compared.iter().map(line).collect()
}

/// Draws lines with bands; `shown` is the number at a place of the vertical axis.
fn panel(
    area: &Area<'_>,
    title: &str,
    lines: &[Vec<Point>],
    shown: impl Fn(f64) -> f64,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let all = || lines.iter().flatten().flatten().copied();
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let epochs = lines.iter().map(Vec::len).max().unwrap_or(0);
    if !(low.is_finite() && high.is_finite()) {
        return Ok(());
    }
    let margin = 0.05 * (high - low).max(1e-9);
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 15)).margin(8).x_label_area_size(34).y_label_area_size(48);
    let mut chart = builder.build_cartesian_2d(0.9..epochs as f64 + 0.1, low - margin..high + margin)?;
    let mut mesh = chart.configure_mesh();
    let label = |place: &f64| format!("{:.3}", shown(*place));
    mesh.light_line_style(WHITE)
        .x_desc("epoch")
        .x_labels(epochs)
        .x_label_formatter(&|epoch| format!("{epoch:.0}"))
        .y_labels(5)
        .y_label_formatter(&label)
        .draw()?;
    for (points, color) in lines.iter().zip(COLORS).filter(|(points, _)| !points.is_empty()) {
        let at = |of: usize| points.iter().enumerate().map(move |(epoch, point)| (epoch as f64 + 1.0, point[of]));
        let band: Vec<(f64, f64)> = at(1).chain(at(2).rev()).collect();
        chart.draw_series([Polygon::new(band, color.mix(0.15))])?;
        chart.draw_series(LineSeries::new(at(0), color.stroke_width(2)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Row;
    use super::super::task::{RATES, TASKS};
    use super::draw;

    #[test]
    fn each_way_with_runs_has_a_line_and_a_band() {
        let row = |way: &str, seed: u64, epoch: u64| Row {
            run: [TASKS[1].name, way, RATES[0]].map(String::from),
            seed,
            epoch,
            counts: [1; 4],
            seconds: 1.0,
            loss: 1.0 / (epoch + 1) as f64 + 0.01 * seed as f64,
            scores: [0.5 - 0.01 * (epoch + seed) as f64; 2],
            wait_share: 0.0,
            megabytes: 1,
            between_batches: 1.0,
        };
        let ways = &TASKS[1].compared[..2];
        let rows: Vec<Row> =
            ways.iter().flat_map(|way| (0..6).map(move |place| row(way, place % 2, place / 2))).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("worth.svg");
        draw(&path, &[]).unwrap();
        assert!(!path.exists());
        draw(&path, &rows).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for way in ways {
            assert_eq!(text.matches(&format!("{way} (2 runs)")).count(), 1, "{text}");
        }
        assert_eq!(text.matches("<polygon").count(), 3 * ways.len(), "{text}");
        assert!(draw(&folder.path().join("missing/worth.svg"), &rows).is_err());
    }
}
