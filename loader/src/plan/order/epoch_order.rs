//! [`EpochOrder`]: the graphs of each batch of an epoch.

/// The graphs of one epoch, batch after batch.
#[derive(Default)]
pub(crate) struct EpochOrder {
    graphs: Vec<u32>,
    /// Where each batch ends in `graphs`.
    ends: Vec<usize>,
    /// The batches in the order in which they are handed over, where it is not that of `graphs`.
    sequence: Option<Vec<u32>>,
}

impl EpochOrder {
    /// No batch yet, with memory for so many graphs.
    pub(super) fn with_capacity(graphs: usize) -> Self {
        Self { graphs: Vec::with_capacity(graphs), ..Self::default() }
    }

    /// Adds graphs to the batch that is open.
    pub(super) fn extend(&mut self, graphs: &[u32]) {
        self.graphs.extend_from_slice(graphs);
    }

    /// Ends the batch that is open.
    pub(super) fn close(&mut self) {
        self.ends.push(self.graphs.len());
    }

    /// Keeps only every end `per_batch` apart, and the last: that many packs become one batch.
    pub(super) fn merge(mut self, per_batch: usize) -> Self {
        self.ends = self.ends.chunks(per_batch).filter_map(|batch| batch.last().copied()).collect();
        self
    }

    /// Hands batches over in another order: `places[i]` is the batch that comes i-th, counted as they come now.
    pub(crate) fn rearrange(&mut self, places: &[u32]) {
        let before = self.sequence.take();
        let batch = |&place: &u32| before.as_ref().map_or(place, |sequence| sequence[place as usize]);
        self.sequence = Some(places.iter().map(batch).collect());
    }

    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The graphs of batch `step`; none after the last.
    pub(crate) fn batch(&self, step: usize) -> &[u32] {
        if step >= self.len() {
            return &[];
        }
        let batch = self.sequence.as_ref().map_or(step, |sequence| sequence[step] as usize);
        let start = if batch == 0 { 0 } else { self.ends[batch - 1] };
        &self.graphs[start..self.ends[batch]]
    }
}
