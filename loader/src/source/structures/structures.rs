//! [`Structures`]: atoms with positions, in molecules or crystals.

use crate::layout::{Level, Schema};
use crate::source::{Column, ConnectOptions, Connected, DerivedError, Edges, GraphError, Store, StoreError};

/// Atoms with positions, in molecules or crystals, before they are connected by edges.
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

    /// Returns a store of the atoms, with `z`, `pos`, `y` if there are targets, and `cell` if any structure is periodic.
    pub fn to_store(&self) -> Result<Store, StoreError> {
        let periodic = self.cells.iter().any(Option::is_some);
        let z = self.z.iter().map(|&z| i64::from(z)).collect();
        let mut columns = vec![
            Column::new("z", Level::NODE, 1, z),
            Column::new("pos", Level::NODE, 3, self.pos.as_flattened().to_vec()),
        ];
        if self.tasks > 0 {
            columns.push(Column::new("y", Level::Graph, self.tasks, self.y.clone()));
        }
        if periodic {
            let cells = self.cells.iter().flat_map(|cell| cell.unwrap_or_default().into_iter().flatten());
            columns.push(Column::new("cell", Level::Graph, 9, cells.collect::<Vec<f64>>()));
        }
        let fields = columns.iter().map(|column| column.field().clone()).collect();
        Store::of_sets(Schema::from_parts(["nodes"], fields, vec![])?, vec![self.ptr.clone()], vec![], columns)
    }

    /// Connects the atoms and returns a store of one graph per structure: that of [`Connected`] in memory.
    pub fn connect(&self, edges: Edges) -> Result<Store, ConnectError> {
        let options = ConnectOptions::new(edges);
        let options =
            if self.cells.iter().any(Option::is_some) { options.fields(["distance", "shift"]) } else { options };
        Ok(Store::collect(&Connected::with(self.to_store()?, options)?)?)
    }
}

/// Structures cannot be connected.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The edges of a structure cannot be counted.
    #[error(transparent)]
    Edges(#[from] DerivedError),
    /// The edges of a structure cannot be written.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The columns do not make a store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

graphpack_core::debug_is_display!(ConnectError);
