//! What a subcommand shows: [`print`] results, progress and files; [`tables`] and [`plot`]s; a [`census`] of what a
//! data set has, and [`statistics`].

mod census;
pub(crate) mod plot;
mod print;
pub(crate) mod statistics;
mod tables;

pub(crate) use census::{Census, contents};
pub(crate) use print::{
    Outcome, PrintError, bar, graphs, graphs_read, keep_to_results, left_out, note, print, remark, remark_not_served,
    spinner, write,
};
pub(crate) use tables::{EdgeCut, LimitsTable, by_set, by_x, listed, sample};
