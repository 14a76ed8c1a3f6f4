//! Several data sets as one.
//!
//! | file | what is in it |
//! |---|---|
//! | `mixture` | [`Mixture`]: their graphs, and the weights that draw from each data set at a rate |
//! | `union` | [`Union`]: the schema that has what any of them has, and what each of them lacks |
//! | `error` | [`MixtureError`]: data sets that contradict each other, rates that do not fit them; [`MixedGraphError`] |

mod error;
mod mixture;
mod union;

use error::MixedError;
pub(crate) use error::{MixedGraphError, MixtureError};
pub(super) use mixture::{Mixture, weights_at, weights_of};
use union::{Lacking, Union};
