//! What a subcommand shows: [`print`] results, progress and files, values [`by_set`] and what a data set has, a
//! [`census`] of its graphs, [`plot`]s, [`edge_cut`] of parts, [`limits_table`], [`advised`] ways of batching.

mod advised;
mod by_set;
mod census;
mod edge_cut;
mod limits_table;
pub(crate) mod plot;
mod print;

pub(crate) use advised::{Refused, advised, advised_object, shape_object};
pub(crate) use by_set::{by_set, by_x, listed, sample};
pub(crate) use census::{Census, contents};
pub(crate) use edge_cut::EdgeCut;
pub(crate) use limits_table::LimitsTable;
pub(crate) use print::{
    Outcome, PrintError, bar, graphs, graphs_read, keep_to_results, left_out, note, print, remark, spinner, write,
};
