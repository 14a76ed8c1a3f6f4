//! Which graph sits in which place of which batch: a function of (seed, epoch) alone.
//!
//! | file | what is in it |
//! |---|---|
//! | `schedule` | [`Schedule`]: how an epoch comes about |
//! | `picking`, `draws` | first, the graphs of the epoch in the order in which they are offered |
//! | `grouping`, `plan_places`, `streamed` | then, how they are divided into packs |
//! | `epoch_order` | [`EpochOrder`]: the graphs of each batch |

mod draws;
mod epoch_order;
mod grouping;
mod picking;
mod plan_places;
mod schedule;
mod streamed;

pub(super) use draws::Draws;
pub(super) use epoch_order::EpochOrder;
pub(super) use grouping::Grouping;
pub(super) use picking::Picking;
pub(super) use plan_places::PlanPlaces;
pub(super) use schedule::Schedule;
