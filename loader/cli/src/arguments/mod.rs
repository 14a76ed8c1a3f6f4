//! Arguments that several subcommands have, and parsers of single ones.
//!
//! - [`data_set`]: a data set of many graphs, [`reading`]: how it is read; [`targets`]: labels beside it;
//!   [`histogram_file`]: their sizes; [`set`]: one of their sets by its name;
//! - [`packer`]: what packs them; [`plan_file`]: where the plan is written; [`sample`]: how good a sample of the data
//!   set their batches are; [`cost`]: what a step costs, [`step_cost`]: in milliseconds;
//! - [`method`]: how nodes are assigned to parts, [`kaminpar`]: one of the ways; [`parts`]: how many; [`parts_folder`]:
//!   where they are written;
//! - [`needs`]: options that have an effect only beside another;
//! - [`typed_files`]: files of edges and features, by type; [`written`]: files that are written; [`format`]: text or JSON.

mod cost;
mod data_set;
mod format;
mod histogram_file;
mod kaminpar;
mod method;
mod needs;
mod packer;
mod parts;
mod parts_folder;
mod plan_file;
mod reading;
mod sample;
mod set;
mod step_cost;
mod targets;
pub(crate) mod typed_files;
mod written;

pub(crate) use cost::{CostArgs, of_each, parse_each};
pub(crate) use data_set::{DataSetArgs, explained};
pub(crate) use format::Format;
pub(crate) use histogram_file::HistogramFile;
pub(crate) use method::{Algorithm, Method, TWO_STEPS, in_one_step};
pub(crate) use needs::check_needs;
pub(crate) use packer::PackerArgs;
pub(crate) use parts::{assignment_in, config_of, graph_folder, parts_of, parts_range};
pub(crate) use parts_folder::PartsFolder;
pub(crate) use plan_file::PlanFile;
pub(crate) use reading::ReadArgs;
pub(crate) use sample::SampleArgs;
pub(crate) use set::{once, position};
pub(crate) use step_cost::{StepCostArgs, parse_number};
pub(crate) use targets::TargetArgs;
pub(crate) use written::{Replace, check_ending, check_outside, ends_in};
