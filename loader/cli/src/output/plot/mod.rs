//! Pictures of sizes, limits and plans, as SVG.
//!
//! A file per picture: [`histogram()`], [`heat_map()`], [`fill()`], [`sizes()`]. The first two are coloured cells on two
//! [`scale`]s, so they are for two sets, which [`axes()`] checks; [`svg`] writes files.

mod fill;
mod heat_map;
mod histogram;
mod scale;
mod sizes;
mod svg;

pub(crate) use fill::fill;
pub(crate) use heat_map::heat_map;
pub(crate) use histogram::histogram;
pub(crate) use sizes::sizes;
pub(crate) use svg::axes;
