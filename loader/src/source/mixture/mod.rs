//! Several data sets as one.
//!
//! | file | what is in it |
//! |---|---|
//! | `mixture` | [`Mixture`]: their graphs, and the weights that draw from each data set at a rate |
//! | `union` | [`Union`]: the schema that has what any of them has, what each of them lacks, and why they cannot be one |

mod mixture;
mod union;

pub(super) use mixture::{Mixture, weights_at, weights_of};
pub(crate) use union::MixtureError;
use union::{Lacking, Union};
