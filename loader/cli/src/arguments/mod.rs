//! Arguments that several subcommands have, and parsers of single ones.
//!
//! - [`data_set`]: a data set of many graphs, and labels beside it; [`reading`]: how it is read; [`histogram_file`]: its sizes;
//! - [`packer`]: what packs them; [`plan_file`]: where the plan is written; [`sample`]: how good a sample of the data
//!   set their batches are; [`sets`]: costs and other numbers by the
//!   names of sets; [`step_cost`]: what a step takes, in milliseconds;
//! - [`method`]: how nodes are assigned to parts; [`parts`]: how many, and where they are written;
//! - [`needs`]: options that have an effect only beside another;
//! - [`typed_files`]: files of edges and features, by type; [`written`]: files that are written, text or JSON.

mod data_set;
mod histogram_file;
mod method;
mod needs;
mod packer;
mod parts;
mod plan_file;
mod reading;
mod sample;
mod sets;
mod step_cost;
pub(crate) mod typed_files;
mod written;

pub(crate) use data_set::{DataSetArgs, TargetArgs, explained};
pub(crate) use histogram_file::HistogramFile;
pub(crate) use method::{Algorithm, Method, TWO_STEPS, in_one_step};
pub(crate) use needs::check_needs;
pub(crate) use packer::PackerArgs;
pub(crate) use parts::{PartsFolder, assignment_in, config_of, graph_folder, parts_of, parts_range};
pub(crate) use plan_file::PlanFile;
pub(crate) use reading::ReadArgs;
pub(crate) use sample::SampleArgs;
pub(crate) use sets::{CostArgs, of_each, once, parse_each, position};
pub(crate) use step_cost::{StepCostArgs, parse_number};
pub(crate) use written::{Format, Replace, check_ending, check_outside, ends_in};
