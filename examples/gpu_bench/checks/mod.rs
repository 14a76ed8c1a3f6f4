//! Checks that must hold on a device before its times mean anything.
//!
//! | file | what it has |
//! |---|---|
//! | `run` | all checks, one after the other; a new check is called there |
//! | `report` | the line of each check |
//! | `losses`, `capture` | losses on the device against the CPU; captured steps against others |
//! | `buffers`, `segments` | memory of batches; segment operations |
//! | `refusals`, `trained` | steps that are refused; the loss of `./train` |

mod buffers;
mod capture;
mod losses;
pub(crate) mod refusals;
mod report;
mod run;
mod segments;
pub(crate) mod trained;

pub(crate) use run::{Args, run};
