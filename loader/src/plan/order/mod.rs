//! The epoch order: which graph sits in which place of which batch. For given data and options it is a function of
//! (seed, epoch).
//!
//! | file | what is in it |
//! |---|---|
//! | `schedule` | [`Schedule`]: which graphs the epoch has, in which order, and then how they are packed |
//! | `places` | how these graphs are divided into packs: by a plan, or as they come |
//! | `epoch_order` | [`EpochOrder`]: the graphs of each batch |

mod epoch_order;
mod places;
mod schedule;

pub(super) use epoch_order::EpochOrder;
pub(super) use places::{Difference, PlanPlaces};
pub(super) use schedule::{Division, Draws, Picking, Schedule};
