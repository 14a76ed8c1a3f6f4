//! A file per subcommand: its arguments, and `run`. [`command`] lists them.

mod advise;
mod assign;
mod chunk;
mod chunk_input;
mod command;
mod convert;
mod dispatch;
mod histogram;
mod inspect;
mod libtorch;
mod limits;
mod partition;
mod partition_export;
mod partition_inspect;
mod partition_verify;
mod plan;
mod shapes;
mod verify;

pub(crate) use command::Command;
