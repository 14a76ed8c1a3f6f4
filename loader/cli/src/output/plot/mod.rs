//! Pictures of sizes, limits and plans, as SVG.
//!
//! [`histogram()`] and [`sizes()`], [`heat_map()`], [`fill()`]: the first and the third are coloured cells on two
//! [`scale`]s, so they are for two sets, which [`axes()`] checks; [`save`] writes files.

mod fill;
mod heat_map;
mod histogram;
mod scale;

use super::{Outcome, write};
pub(crate) use fill::fill;
pub(crate) use heat_map::heat_map;
pub(crate) use histogram::{histogram, sizes};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// What pictures are drawn on.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Writes what `draw` draws on white ground, once all of it is drawn.
fn save(path: &Path, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Outcome) -> Outcome {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    draw(&area)?;
    area.present()?;
    drop(area);
    write(path, svg.as_bytes())
}

/// The names of two sets; an error if there are more or fewer.
pub(crate) fn axes(sets: &[String]) -> Result<[&str; 2], String> {
    match sets {
        [up, across] => Ok([up, across]),
        _ => Err(format!("--plot: this picture has an axis for each of two sets, found {}", sets.join(", "))),
    }
}
