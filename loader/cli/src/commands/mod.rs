//! A file per subcommand: its arguments, and `run`. [`Command`] lists them.

mod assign;
mod chunk;
mod chunk_input;
mod convert;
mod device_needs;
mod dispatch;
mod histogram;
mod inspect;
mod libtorch;
mod limits;
mod limits_probe;
mod partition;
mod partition_export;
mod partition_inspect;
mod partition_verify;
mod plan;
mod shapes;
mod verify;

use crate::output::Outcome;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Assign(assign::Args),
    Chunk(chunk::Args),
    Convert(convert::Args),
    DeviceNeeds(device_needs::Args),
    Dispatch(dispatch::Args),
    Histogram(histogram::Args),
    Inspect(inspect::Args),
    Libtorch(libtorch::Args),
    Limits(limits::Args),
    Partition(partition::Command),
    Plan(plan::Args),
    Shapes(shapes::Args),
    Verify(verify::Args),
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        match self {
            Self::Assign(args) => assign::run(args),
            Self::Chunk(args) => chunk::run(args),
            Self::Convert(args) => convert::run(args),
            Self::DeviceNeeds(args) => device_needs::run(args),
            Self::Dispatch(args) => dispatch::run(args),
            Self::Histogram(args) => histogram::run(args),
            Self::Inspect(args) => inspect::run(args),
            Self::Libtorch(args) => libtorch::run(args),
            Self::Limits(args) => limits::run(args),
            Self::Partition(command) => command.run(),
            Self::Plan(args) => plan::run(args),
            Self::Shapes(args) => shapes::run(args),
            Self::Verify(args) => verify::run(args),
        }
    }
}
