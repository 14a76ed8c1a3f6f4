//! `cargo xtask lab worth`: what each way of batching saves in training, and whether it changes what is learned.
//!
//! | file | what is in it |
//! |---|---|
//! | `worth` | the command: runs what has not been run yet |
//! | `task` | [`Task`]: a network and its data; [`task::Cell`]: a run of it |
//! | `rows` | [`Row`]: an epoch of a run, as it stands in the csv file |
//! | `report` | the tables |

mod report;
mod rows;
mod task;
#[expect(clippy::module_inception, reason = "the command and its folder")]
mod worth;

use rows::Row;
use task::Task;
pub(crate) use worth::run;
