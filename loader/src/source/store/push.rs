//! Fills a store graph by graph: with graphs from memory, or with those of batches.

use super::bytes::Bytes;
use super::column::LocalIndex;
use super::offsets::Offsets;
use super::store::Room;
use super::{Column, Store, StoreError};
use crate::error::{BoxError, Error};
use crate::layout::{BatchGraph, GraphDraw, GraphSpan, Progress, Schema, Shape, Size, Slot};

impl Store {
    /// Returns a store without graphs.
    ///
    /// ```
    /// use graphpack_loader::{Dtype, Schema, Store};
    ///
    /// let schema = Schema::of(&["nodes", "edges"])
    ///     .field("x", "nodes", Dtype::F32, &[2])
    ///     .index("edge_index", "edges", &["nodes", "nodes"]);
    /// let mut data = Store::new(schema);
    /// data.push(&[3, 1], |to| {
    ///     to.set("x", &[0.5_f32, 1.0, 0.1, 0.2, 0.3, 0.4])?;
    ///     Ok(to.set_index("edge_index", &[&[0_u32], &[2]])?)
    /// })?;
    /// assert_eq!((data.len(), data.edges(0)?), (1, (vec![0], vec![2])));
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    pub fn new(schema: Schema) -> Self {
        let columns = schema.fields().iter().map(|field| Column::from_parts(field.clone(), Bytes::new(&[])));
        let indices = schema.indices().iter().map(|index| LocalIndex::narrow(&vec![Vec::new(); index.width()], 0));
        let (ptr, indices) = (vec![Offsets::from_vec(&[0]); schema.sets().len()], indices.collect());
        let columns = columns.collect();
        Self { schema, ptr, indices, columns, map: None, origin: None, room: None }
    }

    /// Appends a graph that has `size` rows of each set, and whose fields and indices `write` writes. Errors, and
    /// changes nothing, if the schema is none, the graph does not belong to it, or `write` errors. A mapped file is
    /// copied into memory first.
    pub fn push(
        &mut self,
        size: &[usize],
        write: impl FnOnce(&mut Slot<'_>) -> Result<(), BoxError>,
    ) -> Result<(), Error> {
        self.schema.check()?;
        let graph = self.len();
        let sets = self.schema.sets();
        if size.len() != sets.len() {
            return Err(StoreError::Size { graph, found: size.to_vec(), expected: sets.to_vec() }.into());
        }
        let too_large = || Error::from(StoreError::TooLarge { graph, size: size.to_vec() });
        if size.iter().any(|&rows| u32::try_from(rows).is_err()) {
            return Err(too_large());
        }
        let size = Size::of(size.len(), |set| size[set] as u32);
        let before = Shape::of(size.sets(), 0, |_| 0);
        let room = self.room.take().filter(|room| GraphSpan::new(&before, &size).fits(&room.layout.shape()));
        let mut room = room.or_else(|| Room::new(&self.schema, &size)).ok_or_else(too_large)?;
        let draw = GraphDraw { number: graph as u64, ..GraphDraw::default() };
        let bytes = bytemuck::cast_slice_mut(&mut room.memory);
        let mut progress = Progress::new(&size);
        let mut slot = Slot::new(bytes, &room.layout, &before, &draw, &mut progress);
        let written = write(&mut slot).and_then(|()| Ok(slot.check()?));
        let outcome = match written {
            Ok(()) => self.append(&slot.graph()),
            Err(error) => Err(StoreError::Write { graph, problem: error.to_string() }.into()),
        };
        self.room = Some(room);
        outcome
    }

    /// Appends a graph of a batch. Errors, and changes nothing, unless the batch is of the same schema and carries all
    /// its fields and indices. A mapped file is copied into memory first.
    pub fn push_graph(&mut self, graph: &BatchGraph<'_>) -> Result<(), Error> {
        if graph.layout().schema() != self.schema() {
            let (expected, found) = (names(self.schema()), names(graph.layout().schema()));
            return Err(StoreError::Fields { expected, found }.into());
        }
        self.append(graph)
    }

    /// Appends a graph of this schema.
    fn append(&mut self, graph: &BatchGraph<'_>) -> Result<(), Error> {
        self.check_pages_of(0..self.len())?;
        let rows = self.schema.fields().iter().map(|field| graph.row_bytes(&field.name)).collect::<Result<Vec<_>, _>>();
        let entries = self.schema.indices().iter().map(|index| graph.index(&index.name)).collect::<Result<Vec<_>, _>>();
        let (rows, entries) = (rows?, entries?);
        let size = graph.size();
        for ((of, index), columns) in self.schema.indices().iter().zip(&mut self.indices).zip(&entries) {
            let largest = of.targets.iter().map(|&set| size[usize::from(set)]).max();
            index.push(columns, largest.unwrap_or_default().into());
        }
        self.columns.iter_mut().zip(rows).for_each(|(column, rows)| column.push(rows));
        self.ptr.iter_mut().enumerate().for_each(|(set, ptr)| ptr.push(size[set]));
        (self.map, self.origin) = (None, None);
        Ok(())
    }
}

/// The names of all fields and indices.
pub(super) fn names(schema: &Schema) -> Vec<String> {
    let fields = schema.fields().iter().map(|field| &field.name);
    fields.chain(schema.indices().iter().map(|index| &index.name)).cloned().collect()
}

#[cfg(test)]
#[allow(unsafe_code, reason = "a test maps a file of its own")]
mod tests {
    use super::*;
    use crate::{Loader, Options};
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn after_a_push_nothing_is_in_the_mapped_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let store = |edges: usize| {
            Store::of_columns(vec![0, 2], vec![0, edges as u64], [vec![1; edges], vec![1; edges]], vec![])
                .expect("a graph")
        };
        store(3).save(&path).expect("it is written");
        // SAFETY: the file changes below, but the store has copied its bytes before.
        let mut mapped = unsafe { Store::map(&path) }.expect("a store");
        let batch = Loader::new(store(0), Options::default())
            .expect("a loader")
            .epoch(0)
            .next()
            .expect("a batch")
            .expect("a graph");
        batch.graphs().for_each(|graph| mapped.push_graph(&graph).expect("the same schema"));
        let bytes = path.metadata().expect("a file").len() as usize;
        File::options().write(true).open(&path).expect("a file").write_all(&vec![0; bytes]).expect("it is written");
        assert_eq!((mapped.len(), mapped.edges(0).expect("a graph")), (2, (vec![1; 3], vec![1; 3])));
    }
}
