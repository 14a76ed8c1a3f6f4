//! The epoch order: which graph sits in which place of which batch. For given data and options it is a function of
//! (seed, epoch).
//!
//! | file | what is in it |
//! |---|---|
//! | `draws` | [`Schedule`]: which graphs the epoch has, in which order, and then how they are packed |
//! | `division`, `places` | how these graphs are divided into packs: by a plan, or as they come |
//! | `epoch_order` | [`EpochOrder`]: the graphs of each batch |

mod division;
mod draws;
mod epoch_order;
mod places;

pub(super) use division::Division;
pub(super) use draws::{Draws, Picking, Schedule};
pub(super) use epoch_order::EpochOrder;
pub(super) use places::{Difference, PlanPlaces};
