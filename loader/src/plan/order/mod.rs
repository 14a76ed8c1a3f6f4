//! The epoch order: which graph sits in which place of which batch. For given data and options it is a function of
//! (seed, epoch).
//!
//! | file | what is in it |
//! |---|---|
//! | `schedule` | [`Schedule`]: makes the epoch order in the following two steps |
//! | `picking`, `draws` | first, which graphs the epoch has, and in which order |
//! | `division`, `plan_places`, `in_step`, `streamed` | then, how these graphs are divided into packs |
//! | `epoch_order` | [`EpochOrder`]: the graphs of each batch |

mod division;
mod draws;
mod epoch_order;
mod in_step;
mod picking;
mod plan_places;
mod schedule;
mod streamed;

pub(super) use division::Division;
pub(super) use draws::Draws;
pub(super) use epoch_order::EpochOrder;
pub(super) use picking::Picking;
pub(super) use plan_places::{Difference, PlanPlaces};
pub(super) use schedule::Schedule;
