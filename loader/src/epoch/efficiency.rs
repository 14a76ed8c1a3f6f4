//! [`Efficiency`]: how full batches are.

/// Real rows / all rows of batches, as fractions from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Efficiency {
    /// One fraction per set, in the order of the schema: nodes, edges.
    pub components: Vec<f64>,
    /// Real graphs / all graphs.
    pub graphs: f64,
}
