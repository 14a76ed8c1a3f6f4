//! [`NewIds`]: the new id of each node.

use super::DispatchError;
use crate::{Assignment, ChunkedNodes, PartitionBook};

/// The new id of each node, in 4 bytes per node besides the 2 of the assignment.
pub(crate) struct NewIds<'a> {
    assignment: &'a Assignment,
    /// The book without edges.
    book: PartitionBook,
    /// The position of each node among those of its type and part.
    within: Vec<Vec<u32>>,
    /// The global id of the first node of each type and part.
    starts: Vec<Vec<i64>>,
}

impl<'a> NewIds<'a> {
    pub(crate) fn new(types: &[ChunkedNodes], assignment: &'a Assignment) -> Result<Self, DispatchError> {
        let counts: Vec<Vec<usize>> = (0..types.len()).map(|kind| assignment.counts(kind)).collect();
        for (kind, counts) in types.iter().zip(&counts) {
            if let Some(part) = counts.iter().position(|&count| count > u32::MAX as usize) {
                return Err(DispatchError::TooLarge { part, kind: kind.name().to_owned(), most: u32::MAX });
            }
        }
        let within = assignment.owners().iter().map(|owners| {
            let mut next = vec![0; assignment.parts()];
            let place = |&part: &u16| {
                let next = &mut next[usize::from(part)];
                *next += 1;
                *next - 1
            };
            owners.iter().map(place).collect()
        });
        let names = types.iter().map(|kind| kind.name().to_owned()).collect();
        let book = PartitionBook::new(names, &counts, Vec::new(), &[]);
        let start = |kind| (0..assignment.parts()).map(|part| book.node_range(kind, part).start).collect();
        // A graph without types of nodes has a book without parts.
        let starts = (0..types.len()).map(start).collect();
        Ok(Self { assignment, within: within.collect(), starts, book })
    }

    pub(crate) fn book(&self) -> &PartitionBook {
        &self.book
    }

    pub(crate) fn owners(&self, kind: usize) -> &[u16] {
        &self.assignment.owners()[kind]
    }

    /// The position of a node among those of its type and part.
    pub(crate) fn within(&self, kind: usize, node: usize) -> u32 {
        self.within[kind][node]
    }

    /// The global id of a node.
    pub(crate) fn global(&self, kind: usize, node: usize) -> i64 {
        self.starts[kind][usize::from(self.owners(kind)[node])] + i64::from(self.within[kind][node])
    }
}
