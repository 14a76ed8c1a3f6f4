//! [`Map`]: graphs that are changed by a function.

use super::graphs::Graphs;
use super::{Sizes, Worker};
use crate::error::BoxError;
use crate::layout::{Input, MapCall, Schema, Size, Slot};
use std::sync::Arc;

/// Changes a graph that is written.
type Change = dyn Fn(&mut Slot<'_>) -> Result<(), BoxError> + Send + Sync;

/// Graphs that are changed by a function once they are written: [`Data::map`](crate::Data::map).
pub(super) struct Map {
    graphs: Arc<dyn Graphs>,
    name: String,
    change: Arc<Change>,
    /// What derived sets are made from, which the function finds written.
    inputs: Vec<Input>,
}

impl Map {
    pub(super) fn new(graphs: Arc<dyn Graphs>, name: &str, change: Arc<Change>) -> Self {
        let inputs = Input::all(graphs.schema(), &graphs.derived_from());
        Self { graphs, name: name.to_owned(), change, inputs }
    }

    fn change(&self, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        slot.change(MapCall { name: &self.name, inputs: &self.inputs }, &*self.change)
    }
}

impl Graphs for Map {
    fn of(&self) -> Option<&dyn Graphs> {
        Some(&*self.graphs)
    }

    fn schema(&self) -> &Schema {
        self.graphs.schema()
    }

    fn len(&self) -> usize {
        self.graphs.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.graphs.size(graph)
    }

    fn sizes(&self) -> Result<Arc<Sizes>, BoxError> {
        self.graphs.sizes()
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        self.graphs.write(graph, slot, worker)?;
        if self.inputs.is_empty() { self.change(slot) } else { Ok(()) }
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        self.graphs.write_derived(graph, slot)?;
        if self.inputs.is_empty() { Ok(()) } else { self.change(slot) }
    }

    fn maps(&self) -> Vec<(String, String)> {
        let mut maps = self.graphs.maps();
        maps.push((String::new(), self.name.clone()));
        maps
    }
}
