//! The epoch order: which graph sits in which place of which batch. For given data and options it is a function of
//! (seed, epoch).
//!
//! | file | what is in it |
//! |---|---|
//! | `schedule` | [`Schedule`]: the way from graphs to batches, of which the other files are steps |
//! | `picking` | which graphs the epoch has, in which order |
//! | `places` | how these graphs are divided into packs: by a plan, or as they come |
//! | `epoch_order` | [`EpochOrder`]: the graphs of each batch |

mod epoch_order;
mod picking;
mod places;
mod schedule;

pub(super) use epoch_order::EpochOrder;
pub(super) use picking::{Draws, Picking};
pub(super) use places::{Difference, PlanPlaces};
pub(super) use schedule::{Division, Schedule};
