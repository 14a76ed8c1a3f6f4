//! [`heat_map`]: how full packs are under many limits, as in figure 5 of the paper; [`Cells`]: coloured rectangles over
//! two sets, with a bar that says what the colours mean.

use super::scale::{Scale, color_at};
use super::{Area, Svg, svg};
use crate::output::Outcome;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Values below this are drawn like it.
const LEAST: f64 = 50.0;

/// Draws how full packs are, a share from 0 to 1, over limits of two sets. The first set goes upwards, the second to
/// the right. Cells are pale where the share is only a bound: false at the end of an item.
pub(crate) fn heat_map(sets: [&str; 2], grid: &[([u32; 2], f64, bool)]) -> Svg {
    let axis = |k: usize| {
        let mut values: Vec<u32> = grid.iter().map(|(limits, ..)| limits[k]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let ends = [axis(0), axis(1)];
    let cell = |&([up, across], share, found): &([u32; 2], f64, bool)| Cell {
        from: [f64::from(across), f64::from(up)],
        to: [end(&ends[1], across), end(&ends[0], up)],
        value: 100.0 * share,
        pale: !found,
    };
    let framed = (0..grid.len()).filter(|&cell| grid[cell].2).max_by(|&a, &b| grid[a].1.total_cmp(&grid[b].1));
    let lowest = grid.iter().map(|(_, share, _)| 100.0 * share).fold(100.0, f64::min);
    let Some(([up, across], best, _)) = framed.map(|best| grid[best]) else {
        return Err("expected limits that were tried, found none".into());
    };
    let pale = if grid.iter().all(|cell| cell.2) { "" } else { "; pale: at most" };
    let below = if lowest < LEAST { format!("; less than {LEAST} % drawn as {LEAST} %") } else { String::new() };
    let least = ((lowest / 5.0).floor() * 5.0).max(LEAST);
    let scale = |k: usize| {
        let (first, last) = (ends[k][0], ends[k][ends[k].len() - 1]);
        Scale::linear(format!("limit of {}", sets[k]), f64::from(first), end(&ends[k], last))
    };
    let picture = Cells {
        title: format!(
            "How full packs are: best {:.1} % at {up} {}, {across} {} (framed){pale}{below}",
            100.0 * best,
            sets[0],
            sets[1]
        ),
        axes: [scale(1), scale(0)],
        colors: Scale::linear("filled", least, 100.0).unit(" %"),
        cells: grid.iter().map(cell).collect(),
        framed,
    };
    picture.svg("")
}

/// Where the cell of a limit ends: at the next limit; the last one is as wide as the one before.
fn end(limits: &[u32], limit: u32) -> f64 {
    let next = limits.partition_point(|&other| other <= limit);
    let width = |next: usize| f64::from(limits[next] - limits[next - 1]);
    match (limits.get(next), limits.len()) {
        (Some(&next), _) => f64::from(next),
        (None, 0 | 1) => f64::from(limit) + 1.0,
        (None, count) => f64::from(limit) + width(count - 1),
    }
}

const SIZE: (u32, u32) = (820, 560);
/// Room for the bar of colours, right of the axes.
const LEGEND: u32 = 96;
/// Rectangles that the bar of colours consists of.
const STEPS: i32 = 100;
/// How opaque the colour of a bound is.
const PALE: f64 = 0.4;

/// A picture of rectangles over two sets.
pub(super) struct Cells {
    pub(super) title: String,
    /// To the right and upwards.
    pub(super) axes: [Scale; 2],
    pub(super) colors: Scale,
    pub(super) cells: Vec<Cell>,
    /// The number of the cell that is framed, if one is.
    pub(super) framed: Option<usize>,
}

/// A rectangle from (right, up) to (right, up), and what its colour says.
pub(super) struct Cell {
    pub(super) from: [f64; 2],
    pub(super) to: [f64; 2],
    pub(super) value: f64,
    /// Whether the value is a bound.
    pub(super) pale: bool,
}

impl Cells {
    /// The picture with a caption below.
    pub(super) fn svg(&self, caption: &str) -> Svg {
        svg(SIZE, caption, |area| self.draw(area))
    }

    fn draw(&self, area: &Area<'_>) -> Outcome {
        let [across, up] = &self.axes;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .margin_right(LEGEND)
            .x_label_area_size(42)
            .y_label_area_size(60)
            .build_cartesian_2d(across.clone(), up.clone())?;
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc(&across.label)
            .y_desc(&up.label)
            .axis_desc_style(("sans-serif", 14))
            .label_style(("sans-serif", 12))
            .draw()?;
        let rectangle = |cell: &Cell, style| Rectangle::new([cell.from, cell.to].map(<(f64, f64)>::from), style);
        let color = |cell: &Cell| self.colors.color(cell.value).mix(if cell.pale { PALE } else { 1.0 });
        let filled = self.cells.iter().map(|cell| rectangle(cell, color(cell).filled()));
        chart.draw_series(filled)?;
        let framed = self.framed.and_then(|number| self.cells.get(number));
        chart.draw_series(framed.map(|cell| rectangle(cell, WHITE.stroke_width(2))))?;
        let (right, height) = chart.plotting_area().get_pixel_range();
        self.draw_legend(area, right.end + 20, height.start + 24, height.end)
    }

    /// Draws the bar of colours from `top` to `bottom`, its left side at `x`.
    fn draw_legend(&self, area: &Area<'_>, x: i32, top: i32, bottom: i32) -> Outcome {
        let (width, height) = (16, f64::from(bottom - top));
        let y = |place: f64| bottom - (place * height).round() as i32;
        for step in 0..STEPS {
            let [from, to] = [step, step + 1].map(|step| y(f64::from(step) / f64::from(STEPS)));
            let color = color_at((f64::from(step) + 0.5) / f64::from(STEPS));
            area.draw(&Rectangle::new([(x, to), (x + width, from)], color.filled()))?;
        }
        let style = |size| TextStyle::from(("sans-serif", size).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(self.colors.label.clone(), (x, top - 16), style(14)))?;
        for value in self.colors.ticks() {
            let y = y(self.colors.place(value));
            area.draw(&PathElement::new([(x + width, y), (x + width + 4, y)], BLACK))?;
            area.draw(&Text::new(self.colors.format_ext(&value), (x + width + 8, y), style(12)))?;
        }
        Ok(())
    }
}
