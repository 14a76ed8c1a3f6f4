//! Pairs of consecutive edges as a [`Rule`]; [`LineGraphs`]: which of them a line graph has.

use super::adjacency::{Adjacency, Pairs};
use super::derived::{DerivedError, Rule, extended};
use crate::error::{BoxError, Error};
use crate::layout::{Index, Level, Schema, Slot};
use std::cell::RefCell;

thread_local! {
    /// Serves all graphs that a worker writes, so that nothing is allocated per graph.
    static ADJACENCY: RefCell<Adjacency> = RefCell::new(Adjacency::new());
}

impl Rule for Pairs {
    fn set(&self) -> &'static str {
        match self {
            Self::Triplets => "triplets",
            Self::LineGraph { .. } => "line_edges",
        }
    }

    /// Errors unless `edge_index` belongs to a set and has two columns into one set.
    fn schema(&self, source: &Schema) -> Result<Schema, Error> {
        let edge_index = source.find_index(Index::EDGE_INDEX).map(|index| &source.indices()[index]);
        let edges = match edge_index.map(|index| (index.level, &*index.targets)) {
            Some((Level::Set(edges), &[nodes, other])) if nodes == other => edges,
            _ => return Err(self.no_edge_index(source)),
        };
        let index = Index::new(self.index(), Level::Set(source.sets().len() as u8), [edges; 2]);
        extended(source, self.set(), [], index)
    }

    fn inputs(&self) -> Vec<&str> {
        vec![Index::EDGE_INDEX]
    }

    fn number(&self) -> u64 {
        match self {
            Self::Triplets => 1,
            Self::LineGraph { backtracking: true } => 2,
            Self::LineGraph { backtracking: false } => 3,
        }
    }

    fn count(&self, slot: &Slot<'_>) -> Result<u64, BoxError> {
        ADJACENCY.with_borrow_mut(|adjacency| {
            adjacency.read(slot)?;
            Ok(adjacency.count(*self))
        })
    }

    fn write(&self, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let set = slot.schema().sets().iter().position(|set| set == self.set()).unwrap_or_default();
        let carried = slot.carries(self.index());
        match slot.carries(Index::EDGE_INDEX) {
            false => slot.set_index::<u32>(self.index(), &[])?,
            true => ADJACENCY.with_borrow_mut(|adjacency| {
                adjacency.read(slot)?;
                if carried {
                    let rows = adjacency.rows(*self, slot.size()[set] as usize);
                    slot.shrink_at(set, rows[0].len())?;
                    return slot.set_index(self.index(), &rows);
                }
                slot.shrink_at(set, adjacency.count(*self) as usize)?;
                slot.set_index::<u32>(self.index(), &[])
            })?,
        }
        Ok(())
    }
}

impl Pairs {
    fn no_edge_index(self, schema: &Schema) -> Error {
        let described = schema.indices().iter().map(|index| {
            let targets: Vec<_> = index.targets.iter().map(|&set| schema.level_name(Level::Set(set))).collect();
            format!("{:?} of {} into {}", index.name, schema.level_name(index.level), targets.join(", "))
        });
        let found: Vec<_> = described.collect();
        let found = if found.is_empty() { "none".into() } else { found.join("; ") };
        DerivedError::EdgeIndex { set: self.set(), found }.into()
    }
}

/// Which line graphs: the options of [`Data::line_graphs`](crate::Data::line_graphs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct LineGraphs {
    pub(in crate::source) backtracking: bool,
}

/// All pairs, as `dgl.line_graph(g)` has them.
impl Default for LineGraphs {
    fn default() -> Self {
        Self { backtracking: true }
    }
}

impl LineGraphs {
    /// Sets whether the edge u to v is followed by its inverse, v to u (default: true).
    pub fn backtracking(mut self, backtracking: bool) -> Self {
        self.backtracking = backtracking;
        self
    }
}
