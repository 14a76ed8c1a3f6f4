//! [`Connect`]: how atoms are connected, and what of it is written.

use super::edges::Edges;
use std::path::PathBuf;

/// How atoms are connected, and what of it is written, for [`Data::connect`](crate::Data::connect). [`Edges`] alone will do.
#[derive(Clone, Debug)]
#[must_use]
pub struct Connect {
    pub(super) edges: Edges,
    pub(super) margin: Option<f64>,
    pub(super) fields: Option<Vec<String>>,
    pub(super) pos: String,
    pub(super) cell: Option<(String, String)>,
    pub(in crate::source) cache: Option<PathBuf>,
}

/// Connects atoms by this rule: positions are `pos`; cells are `cell` and `pbc`, if the data have them.
impl From<Edges> for Connect {
    fn from(edges: Edges) -> Self {
        Self { edges, margin: None, fields: None, pos: "pos".into(), cell: None, cache: None }
    }
}

impl Connect {
    /// Counts the edges within a radius that is larger by this length, so that a map may move atoms: none are lost
    /// as long as no two come nearer to each other by more than that. Should there still be more edges than were counted,
    /// the longest are left out, and [`Report::left_out`](crate::Report::left_out) counts them; without a margin, they are
    /// an error. A rule without a radius takes no margin.
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = Some(margin);
        self
    }

    /// Writes these of the fields `distance`, `cell_offsets` and `shift`, beside `edge_index`. Otherwise all are written;
    /// only `distance` if the data have no cells.
    pub fn fields(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Takes the positions of atoms from this field.
    pub fn positions(mut self, field: impl Into<String>) -> Self {
        self.pos = field.into();
        self
    }

    /// Takes the vectors of the cell, and which of them are periodic, from these fields.
    pub fn cells(mut self, cell: impl Into<String>, pbc: impl Into<String>) -> Self {
        self.cell = Some((cell.into(), pbc.into()));
        self
    }

    /// Keeps the number of edges of every graph in a file. They are read from there the next time, unless the file is of
    /// other data or another rule, or damaged: then they are counted again and the file is replaced. Counts follow from
    /// the data alone, so that an error would only ask the user to delete the file.
    pub fn cache(mut self, path: impl Into<PathBuf>) -> Self {
        self.cache = Some(path.into());
        self
    }
}
