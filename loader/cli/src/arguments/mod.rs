//! Arguments that several subcommands have, and parsers of single ones.
//!
//! - [`data_set`]: a data set of many graphs, labels beside it, how it is read, and its sizes;
//! - [`packer`]: what packs them, where the plan is written, and how good a sample of the data set their batches are;
//! - [`cost`]: costs and other numbers by the names of sets;
//! - [`parts`]: how nodes are assigned to parts, how many there are, and where they are written;
//! - [`check_needs`]: options that have an effect only beside another;
//! - [`typed_files`]: files of edges and features, by type; [`written`]: files that are written, text or JSON.

mod cost;
mod data_set;
mod packer;
mod parts;
pub(crate) mod typed_files;
mod written;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, ValueEnum};
pub(crate) use cost::{CostArgs, of_each, once, parse_each, parse_named, position};
pub(crate) use data_set::{DataSetArgs, HistogramFile, ReadArgs, TargetArgs, explained};
pub(crate) use packer::{Chosen, PackerArgs, PlanFile, SampleArgs};
pub(crate) use parts::{
    Algorithm, Method, PartsFolder, TWO_STEPS, assignment_in, config_of, graph_folder, in_one_step, parts_of,
    parts_range,
};
pub(crate) use written::{Format, Replace, check_ending, check_outside, ends_in};

/// The name of a choice on the command line.
pub(crate) fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// A subcommand or, if it is empty, all that have the option; an option; and the option or group that it needs.
///
/// `requires` of clap does not say it: clap drops that where what is required conflicts with an option that is given,
/// so that `--histogram H --target y` would ignore the target.
const NEEDS: [(&str, &str, &str); 16] = [
    ("", "targets", "target"),
    ("", "target", "targets"),
    ("plan", "targets", "sample"),
    ("plan", "batching", "sample"),
    ("plan", "packs_per_batch", "sample"),
    ("plan", "epochs", "sample"),
    ("plan", "seed", "sample"),
    ("convert", "seed", "molecules"),
    ("", "halo", "parts"),
    ("", "original_ids", "parts"),
    ("limits", "budget", "memory"),
    ("limits", "memory", "budget"),
    // What an epoch costs, which no search of limits but that within a budget compares.
    ("limits", "step_cost", "budget"),
    ("limits", "margin", "probe"),
    ("", "feature_format", "featured"),
    ("", "force", "outputs"),
];

/// Errors if an option is given without one that it needs.
pub(crate) fn check_needs(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let is_given =
        |id: &str| matches.ids().any(|found| found == id) && matches.value_source(id) == Some(ValueSource::CommandLine);
    let is_of = |of: &str| of.is_empty() || of == command.get_name();
    let missing = NEEDS.iter().find(|(of, option, needed)| is_of(of) && is_given(option) && !is_given(needed));
    if let Some((_, option, needed)) = missing {
        let text = format!("{} has no effect without {}", flag(command, option), flags(command, needed));
        return Err(command.error(ErrorKind::MissingRequiredArgument, text));
    }
    match matches.subcommand() {
        Some((name, matches)) => {
            command.find_subcommand_mut(name).map_or(Ok(()), |command| check_needs(command, matches))
        }
        None => Ok(()),
    }
}

/// An option as it is written.
fn flag(command: &Command, id: &str) -> String {
    let found = command.get_arguments().find(|arg| arg.get_id() == id);
    found.and_then(|arg| arg.get_long()).map_or_else(|| id.to_owned(), |long| format!("--{long}"))
}

/// An option, or those of a group.
fn flags(command: &Command, id: &str) -> String {
    match command.get_groups().find(|group| group.get_id() == id) {
        Some(group) => group.get_args().map(|arg| flag(command, arg.as_str())).collect::<Vec<_>>().join(" or "),
        None => flag(command, id),
    }
}
