//! [`Structures`]: atoms with positions, in molecules or crystals.

use super::{Edges, EdgesError, neighbours};
use crate::layout::Level;
use crate::source::{Column, Store, StoreError};

/// Atoms with positions, in molecules or crystals, before they are connected by edges.
///
/// ```
/// use graphpack_loader::{Edges, Source, Structures};
///
/// // Generated structures of QM9's sizes.
/// let store = Structures::generate(1, 100).connect(Edges::FullyConnected)?;
/// let size = store.size(0);
/// assert_eq!(size[1], size[0] * (size[0] - 1));
/// # Ok::<(), graphpack_loader::ConnectError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Structures {
    /// Where the atoms of each structure start, and their number at the end.
    ptr: Vec<u64>,
    /// Atomic numbers.
    z: Vec<u8>,
    /// Positions, usually in angstrom.
    pos: Vec<[f32; 3]>,
    /// The three vectors of a crystal's cell; `None` for a molecule.
    cells: Vec<Option<[[f64; 3]; 3]>>,
    names: Vec<String>,
    /// Targets, structure after structure.
    y: Vec<f32>,
    /// Number of targets per structure.
    tasks: usize,
}

impl Default for Structures {
    fn default() -> Self {
        Self::new()
    }
}

impl Structures {
    /// Returns an empty list of structures.
    pub fn new() -> Self {
        let (z, pos, cells, names, y) = Default::default();
        Self { ptr: vec![0], z, pos, cells, names, y, tasks: 0 }
    }

    /// Adds a structure: its name, atomic number and position of each atom, and the vectors of its cell if it is
    /// periodic.
    pub fn push(
        &mut self,
        name: impl Into<String>,
        atoms: impl IntoIterator<Item = (u8, [f32; 3])>,
        cell: Option<[[f64; 3]; 3]>,
    ) {
        for (z, pos) in atoms {
            self.z.push(z);
            self.pos.push(pos);
        }
        self.ptr.push(self.z.len() as u64);
        self.cells.push(cell);
        self.names.push(name.into());
    }

    /// Number of structures.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are no structures.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Atomic numbers of a structure.
    pub fn z(&self, structure: usize) -> &[u8] {
        &self.z[self.ptr[structure] as usize..self.ptr[structure + 1] as usize]
    }

    /// Positions of the atoms of a structure.
    pub fn pos(&self, structure: usize) -> &[[f32; 3]] {
        &self.pos[self.ptr[structure] as usize..self.ptr[structure + 1] as usize]
    }

    /// The name of a structure; in an XYZ file, its comment line.
    pub fn name(&self, structure: usize) -> &str {
        &self.names[structure]
    }

    /// Sets the targets: `y` has `tasks` numbers per structure, structure after structure. Errors if there are more or
    /// fewer.
    pub fn set_targets(&mut self, tasks: usize, y: Vec<f32>) -> Result<(), StoreError> {
        if self.len().checked_mul(tasks) != Some(y.len()) {
            let (rows, width, found) = (self.len(), tasks, y.len());
            return Err(StoreError::Values { field: "y".into(), rows, width, found });
        }
        (self.y, self.tasks) = (y, tasks);
        Ok(())
    }

    /// Keeps the first `count` structures, or all if there are fewer.
    #[must_use]
    pub fn first(mut self, count: usize) -> Self {
        let count = count.min(self.len());
        self.ptr.truncate(count + 1);
        let atoms = self.ptr.last().map_or(0, |&atoms| atoms as usize);
        self.z.truncate(atoms);
        self.pos.truncate(atoms);
        self.cells.truncate(count);
        self.names.truncate(count);
        self.y.truncate(count * self.tasks);
        self
    }

    /// Connects the atoms and returns one graph per structure, with these fields: `z` int64 `[nodes, 1]`, `pos` float32
    /// `[nodes, 3]`, `distance` float32 `[edges, 1]`, `y` float32 `[graphs, tasks]` if there are targets, and `shift`
    /// float32 `[edges, 3]` if any structure is periodic. The vector from target to source is then
    /// `pos[source] + shift - pos[target]`.
    ///
    /// While this runs, each edge takes at least 20 bytes (32 with shifts): 800 MB for the 40 million edges of QM9
    /// fully connected. In the store it takes 6 (18) if no structure has more than 256 atoms.
    pub fn connect(&self, edges: Edges) -> Result<Store, ConnectError> {
        let periodic = self.cells.iter().any(Option::is_some);
        let mut edge_ptr = vec![0];
        let mut edge_index = [Vec::new(), Vec::new()];
        let (mut distances, mut shifts) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        for (structure, cell) in self.cells.iter().enumerate() {
            found.clear();
            neighbours::find(edges, self.pos(structure), cell.as_ref(), &mut found)
                .map_err(|problem| ConnectError::Edges { structure, name: self.names[structure].clone(), problem })?;
            for edge in &found {
                edge_index[0].push(i64::from(edge.source));
                edge_index[1].push(i64::from(edge.target));
                distances.push(edge.distance as f32);
                if periodic {
                    shifts.extend(edge.shift.map(|component| component as f32));
                }
            }
            edge_ptr.push(distances.len() as u64);
        }
        let z = self.z.iter().map(|&z| i64::from(z)).collect();
        let mut columns = vec![
            Column::new("z", Level::NODE, 1, z),
            Column::new("pos", Level::NODE, 3, self.pos.as_flattened().to_vec()),
            Column::new("distance", Level::EDGE, 1, distances),
        ];
        if periodic {
            columns.push(Column::new("shift", Level::EDGE, 3, shifts));
        }
        if self.tasks > 0 {
            columns.push(Column::new("y", Level::Graph, self.tasks, self.y.clone()));
        }
        Ok(Store::new(self.ptr.clone(), edge_ptr, edge_index, columns)?)
    }
}

/// Structures cannot be connected.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The edges of a structure cannot be computed.
    #[error("structure {structure} ({name:?}): {problem}")]
    Edges {
        /// Number of the structure, from 0.
        structure: usize,
        /// Its name.
        name: String,
        /// Why not.
        #[source]
        problem: EdgesError,
    },
    /// The columns do not make a store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

graphpack_core::debug_is_display!(ConnectError);
