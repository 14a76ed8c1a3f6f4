//! [`Sizes`]: the size of every graph: a list of distinct sizes, and a number into it for each graph.

use crate::fingerprint::mix;
use crate::layout::{Shape, Size};
use graphpack_core::Histogram;
use std::collections::HashMap;

/// The size of every graph of some data. Data sets have far fewer sizes than graphs, so a graph takes four bytes.
#[derive(Default)]
pub(crate) struct Sizes {
    /// Distinct sizes, ascending.
    distinct: Vec<Size>,
    /// The position of each graph's size among them.
    size_numbers: Vec<u32>,
}

impl Sizes {
    /// Asks for the size of each of `graphs` graphs, in their order. Errors at the first that has none, with its
    /// number.
    pub(super) fn read<E>(graphs: usize, size: impl Fn(usize) -> Result<Size, E>) -> Result<Self, (usize, E)> {
        let (mut found, mut distinct, mut size_numbers) = (HashMap::new(), Vec::new(), Vec::new());
        // Not reserved: a source may count billions of graphs without having them.
        for graph in 0..graphs {
            let size = size(graph).map_err(|error| (graph, error))?;
            size_numbers.push(*found.entry(size).or_insert_with(|| {
                distinct.push(size);
                distinct.len() as u32 - 1
            }));
        }
        let mut order: Vec<u32> = (0..distinct.len() as u32).collect();
        order.sort_unstable_by_key(|&number| distinct[number as usize]);
        let mut place = vec![0; distinct.len()];
        order.iter().enumerate().for_each(|(sorted, &number)| place[number as usize] = sorted as u32);
        size_numbers.iter_mut().for_each(|number| *number = place[*number as usize]);
        distinct.sort_unstable();
        Ok(Self { distinct, size_numbers })
    }

    /// Returns the sizes that graphs have after they are trimmed to `most`.
    pub(crate) fn trimmed(&self, most: &Size) -> Self {
        let trimmed = self.distinct.iter().map(|size| size.min_each(most)).collect::<Vec<_>>();
        let mut distinct = trimmed.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let place = |size: &Size| distinct.partition_point(|other| other < size) as u32;
        let places: Vec<u32> = trimmed.iter().map(place).collect();
        let size_numbers = self.size_numbers.iter().map(|&number| places[number as usize]).collect();
        Self { distinct, size_numbers }
    }

    /// Returns a hash of the sizes and of how many graphs have each.
    pub(crate) fn fingerprint(&self) -> u64 {
        let all: Vec<u32> = (0..self.graphs() as u32).collect();
        self.distinct.iter().zip(self.counts(&all)).fold(self.sets() as u64, |hash, (size, graphs)| {
            size.as_slice().iter().fold(mix(hash, graphs), |hash, &rows| mix(hash, rows.into()))
        })
    }

    /// Number of graphs.
    pub(crate) fn graphs(&self) -> usize {
        self.size_numbers.len()
    }

    /// Number of sets.
    pub(crate) fn sets(&self) -> usize {
        self.distinct.first().map_or(0, Size::sets)
    }

    /// The distinct sizes, ascending.
    pub(crate) fn distinct(&self) -> &[Size] {
        &self.distinct
    }

    /// The most rows of each set that a graph has.
    pub(crate) fn largest(&self) -> Size {
        let none = Size::of(self.sets(), |_| 0);
        self.distinct.iter().fold(none, |largest, size| largest.max_each(size))
    }

    /// The position of a graph's size among the distinct ones.
    pub(crate) fn size_number(&self, graph: u32) -> usize {
        self.size_numbers[graph as usize] as usize
    }

    /// The size of a graph.
    pub(crate) fn of(&self, graph: u32) -> &Size {
        &self.distinct[self.size_number(graph)]
    }

    /// Counts the graphs of each distinct size; a graph may occur more than once.
    pub(crate) fn counts(&self, graphs: &[u32]) -> Vec<u64> {
        let mut counts = vec![0; self.distinct.len()];
        graphs.iter().for_each(|&graph| counts[self.size_number(graph)] += 1);
        counts
    }

    /// Counts the graphs of each distinct size, of all graphs that fit `most`.
    pub(crate) fn counts_that_fit(&self, most: &Size) -> Vec<u64> {
        let fitting: Vec<u32> = (0..self.graphs() as u32).filter(|&graph| self.of(graph).fits(most)).collect();
        self.counts(&fitting)
    }

    /// Returns the histogram of `counts`, one for each distinct size, for core.
    pub(crate) fn histogram(&self, counts: &[u64]) -> Histogram {
        let sizes = self.distinct.iter().copied().zip(counts.iter().copied());
        // Cannot overflow: an epoch has fewer than 2^32 graphs.
        Histogram::from_counts(sizes).unwrap_or_default()
    }

    /// Returns the histogram of all graphs.
    pub(crate) fn histogram_of_all(&self) -> Histogram {
        self.histogram(&self.counts(&(0..self.graphs() as u32).collect::<Vec<_>>()))
    }

    /// Returns the number of rows that `graphs` have together.
    pub(crate) fn rows<'a>(&self, graphs: impl IntoIterator<Item = &'a u32>) -> Shape {
        let none = Shape::of(self.sets(), 0, |_| 0);
        graphs.into_iter().fold(none, |rows, &graph| rows.with_graph(self.of(graph)))
    }
}
