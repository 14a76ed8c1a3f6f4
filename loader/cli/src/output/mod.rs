//! What a subcommand shows: [`print`] results, [`write()`] files, values [`by_set`], the [`contents`] of a data set and a
//! [`census`] of its graphs, [`progress`] on a terminal, [`plot`]s, [`edge_cut`] of parts, [`limits_table`], [`advised`]
//! ways of batching, how good a [`sample`] batches are.

mod advised;
mod by_set;
mod census;
mod contents;
mod edge_cut;
mod limits_table;
pub(crate) mod plot;
mod print;
mod progress;
mod sample;
mod write;

pub(crate) use advised::{Refused, advised, advised_object, shape_object};
pub(crate) use by_set::{by_set, by_x, listed};
pub(crate) use census::Census;
pub(crate) use contents::contents;
pub(crate) use edge_cut::EdgeCut;
pub(crate) use limits_table::LimitsTable;
pub(crate) use print::{Outcome, PrintError, complain, keep_to_results, left_out, note, print, remark};
pub(crate) use progress::{bar, graphs, graphs_read, spinner};
pub(crate) use sample::sample;
pub(crate) use write::write;
