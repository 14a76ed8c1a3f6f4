//! Pictures of sizes, limits and plans, as SVG, which notebooks show, too.
//!
//! [`histogram()`] and [`sizes()`], [`heat_map()`], [`fill()`]: the first and the third are coloured cells on two
//! [`scale`]s, so they are for two sets, which [`axes()`] checks; [`save`] writes files.

mod fill;
mod heat_map;
mod histogram;
mod scale;

use super::{Outcome, write};
pub use fill::fill;
pub(crate) use heat_map::heat_map;
pub(crate) use histogram::histogram;
pub use histogram::sizes;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// What pictures are drawn on.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The text of a picture, or why it cannot be drawn.
type Svg = Result<String, Box<dyn Error>>;

/// Pixels of the letters of the caption.
const LETTERS: u32 = 12;
/// Pixels of the width of a letter: monospace fonts have 0.6 of the height, 7.2, and some a little more.
const CHARACTER: u32 = 8;
/// Pixels from line to line: one and a half letters, as text is set to be read.
const LINE: u32 = LETTERS * 3 / 2;

/// Returns what `draw` draws on white ground, with lines of `caption` below it.
fn svg((width, height): (u32, u32), caption: &str, draw: impl FnOnce(&Area<'_>) -> Outcome) -> Svg {
    let lines = lines(caption, (width / CHARACTER) as usize);
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (width, height + LINE * lines.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    draw(&area.clone().shrink((0, 0), (width, height)))?;
    for (line, top) in lines.into_iter().zip((height..).step_by(LINE as usize)) {
        area.draw(&Text::new(line, (12, top as i32), ("monospace", LETTERS)))?;
    }
    area.present()?;
    drop(area);
    Ok(svg)
}

/// Breaks text at spaces into lines of at most `width` characters.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Writes a picture into a file.
pub(crate) fn save(path: &Path, picture: Svg) -> Outcome {
    write(path, picture?.as_bytes())
}

/// The names of two sets; an error if there are more or fewer.
pub(crate) fn axes(sets: &[String]) -> Result<[&str; 2], String> {
    match sets {
        [up, across] => Ok([up, across]),
        _ => Err(format!("--plot: this picture has an axis for each of two sets, found {}", sets.join(", "))),
    }
}
