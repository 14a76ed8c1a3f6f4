//! [`EdgeFormats`]: the formats in which the edges of a part are saved.

/// The formats in which the edges of a part are saved, DGL's `graph_formats`, at least one. DGL makes those that it needs
/// and does not find, once in each process that loads the part.
///
/// A list takes 16 bytes per edge; each of the others takes that, too, and 8 per node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFormats {
    /// A list of sources and targets.
    pub coo: bool,
    /// By source.
    pub csr: bool,
    /// By target, as neighbours are sampled.
    pub csc: bool,
}

/// A list alone.
impl Default for EdgeFormats {
    fn default() -> Self {
        Self { coo: true, csr: false, csc: false }
    }
}

impl EdgeFormats {
    /// Which edges cannot be saved in.
    pub(super) const NONE: Self = Self { coo: false, csr: false, csc: false };

    /// Formats by DGL's names: `coo`, `csr`, `csc`. `None` if there is another name, or none.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut formats = Self::NONE;
        for name in names {
            match name {
                "coo" => formats.coo = true,
                "csr" => formats.csr = true,
                "csc" => formats.csc = true,
                _ => return None,
            }
        }
        (formats != Self::NONE).then_some(formats)
    }

    /// Bytes per edge and per node that are in memory while a part is written, beside its sources and targets.
    pub(crate) fn bytes(self) -> usize {
        if self.csr || self.csc { 16 } else { 0 }
    }
}
