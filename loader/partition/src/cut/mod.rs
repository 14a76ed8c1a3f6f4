//! A graph, cut into parts.
//!
//! | file | what is in it |
//! |---|---|
//! | `cut` | [`Cut`]: a graph, cut by an assignment, and the way back to original ids |
//! | `part` | [`Part`]: nodes and edges of one part, and the HALO around them; [`Parts`]: those of a cut, one after the other |
//! | `book` | [`PartitionBook`]: which part owns which node and edge |
//! | `check` | [`PartError`]: how a part and a book can disagree |

mod book;
pub(crate) mod check;
mod cut;
mod part;

pub use book::{Location, PartitionBook};
pub(crate) use check::PartError;
pub use cut::Cut;
pub use part::{Part, Parts};
