//! [`DataSet`]: one data set of a mixture.

use std::ops::Range;

/// One data set of a [mix](crate::Data::mix).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// The numbers of its graphs in the mixture.
    pub graphs: Range<u64>,
}
