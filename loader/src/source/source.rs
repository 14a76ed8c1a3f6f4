//! [`Source`]: graphs of your own; [`Worker`]: what a thread that writes them keeps.

use crate::error::BoxError;
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use std::any::Any;

/// Graphs of your own: their number, the size of each, and how one is written into a batch. [`Data`](crate::Data) are
/// made of it, for a [`Loader`](crate::Loader) or for other data.
///
/// Worker threads write graphs concurrently. What each thread needs for itself, such as a connection to a database, is
/// a [state](Worker::state) of its [`Worker`].
///
/// [`Slot`] has an example of nodes and edges. Here graphs are proteins with ligands, and contacts between the two:
///
/// ```
/// use graphpack_loader::{Dtype, Loader, Options, Schema, Size, Slot, Source, BoxError, Worker};
///
/// struct Complexes(Schema);
///
/// impl Source for Complexes {
///     fn schema(&self) -> &Schema {
///         &self.0
///     }
///     fn len(&self) -> usize {
///         100
///     }
///     fn size(&self, graph: usize) -> Result<Size, BoxError> {
///         Ok(Size::new([graph as u32 % 7 + 2, 2, 3])) // rows of protein, ligand and contacts
///     }
///     fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
///         let residues = graph % 7 + 2;
///         slot.set("protein.x", &vec![0.5_f32; 4 * residues])?;
///         slot.set("affinity", &[graph as f32])?;
///         // Rows are counted within the graph. The batch has them shifted, as `[2, contacts]`.
///         Ok(slot.set_index("contact_index", &[&[0_u32, 1, 1], &[0, 0, 1]])?)
///     }
/// }
///
/// let schema = Schema::of(&["protein", "ligand", "contacts"])
///     .field("protein.x", "protein", Dtype::F32, &[4])
///     .field("affinity", "graph", Dtype::F32, &[]) // `[graphs]` in batches
///     .index("contact_index", "contacts", &["protein", "ligand"]);
/// let loader = Loader::new(Complexes(schema), Options::graphs(16).extra(["protein_batch"]))?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let contacts = batch.index::<i64>("contact_index")?;
///     let protein_of_each_residue = batch.get::<i64>("protein_batch")?;
///     assert_eq!(protein_of_each_residue[contacts[0][3] as usize], 1); // the second graph's first contact
/// #      let affinity = batch.layout().find("affinity").map(|array| &batch.layout().arrays()[array])?;
/// #      assert_eq!((affinity.rows, affinity.width), (batch.shape().graphs(), None));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::len_without_is_empty, reason = "a loader asks for the number; `Data` has both")]
pub trait Source: Send + Sync + 'static {
    /// The sets, fields and indices that each graph has.
    fn schema(&self) -> &Schema;

    /// Number of graphs.
    fn len(&self) -> usize;

    /// Returns how many rows of each set graph `graph` has: (nodes, directed edges) by default. Asked once for each
    /// graph, in their order, when data are made of the source.
    fn size(&self, graph: usize) -> Result<Size, BoxError>;

    /// Writes graph `graph` into `slot`. Every field and every index must be written: the slot still holds bytes of an
    /// earlier batch.
    ///
    /// An error, a panic or a field that is not written ends the epoch, unless [`OnError`](crate::OnError) says to call
    /// this again, with an empty slot, or to leave the graph out. A source that wants to leave a graph out returns an
    /// error, therefore: one that it gives no rows ([`Slot::shrink`]) stays a graph of the batch, with its labels and
    /// its place in `graph_mask`.
    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError>;

    /// Prepares for `graphs`, which this worker writes next, one after the other; the default does nothing. A source in
    /// files may read them here, all together, into a state of the worker. An error ends the epoch, as one of
    /// [`write`](Self::write) does; if [`OnError`](crate::OnError) says otherwise, this is called for each graph alone.
    fn prepare(&self, _graphs: &[usize], _worker: &mut Worker) -> Result<(), BoxError> {
        Ok(())
    }

    /// Returns a hash that tells data sets apart. A saved state resumes only on data with the same. `sizes` is a hash
    /// of the schema, the numbers and the sizes of all graphs, which the default returns. A source that can read
    /// contents at little cost should [mix](crate::extend::mix) in some.
    fn fingerprint(&self, sizes: u64) -> u64 {
        sizes
    }

    /// Returns the number of graph `graph` in the data set, as `graph_ids` and messages show it; `graph` by default.
    fn number(&self, graph: usize) -> u64 {
        graph as u64
    }
}

/// What a thread that writes graphs keeps from one graph to the next, and from epoch to epoch: states of a source's
/// own.
///
/// ```
/// use graphpack_loader::{BoxError, Worker};
/// use std::fs::File;
///
/// /// Opens the file once for each thread that writes graphs.
/// fn file(worker: &mut Worker) -> Result<&mut File, BoxError> {
///     worker.state(|| Ok(File::open("records")?))
/// }
/// # assert!(file(&mut Worker::default()).is_err());
/// ```
#[derive(Default)]
pub struct Worker {
    /// States, each with the place and the source that it is of.
    states: Vec<(Key, Box<dyn Any + Send>)>,
    /// Those of the source that is asked now.
    now: Key,
    /// The graphs that it is to prepare for. Kept here so that no batch allocates a list.
    pub(super) graphs: Vec<usize>,
}

/// Where among mixed data a source is, and its address.
type Key = (u64, usize);

impl Worker {
    /// Returns this worker's state of type `T`, which `make` makes first if there is none. Each source has its own,
    /// also where several are [mixed](crate::Data::mix); sources that another source calls itself share that one's
    /// states. A loader keeps states over its epochs, unless graphs are [drawn again](crate::Data::each_epoch) for each
    /// epoch; an error or a panic of the source drops them, so that a connection that broke is opened again.
    pub fn state<T: Send + 'static>(&mut self, make: impl FnOnce() -> Result<T, BoxError>) -> Result<&mut T, BoxError> {
        let own = |(key, state): &(Key, Box<dyn Any + Send>)| *key == self.now && state.is::<T>();
        let place = match self.states.iter().position(own) {
            Some(place) => place,
            None => {
                self.states.push((self.now, Box::new(make()?)));
                self.states.len() - 1
            }
        };
        // It has just been found by its type, or made.
        self.states[place].1.downcast_mut().ok_or_else(|| "a worker's state is of another type".into())
    }

    /// Returns the worker for this source, which stays where it is as long as the worker is used.
    pub(super) fn of<S: ?Sized>(&mut self, source: &S) -> &mut Self {
        self.now.1 = std::ptr::from_ref(source).addr();
        self
    }

    /// Calls `work` for one of the parts of mixed data. A source that is in several prepares for the graphs of each
    /// alone, and so has a state in each.
    pub(super) fn in_part<T>(&mut self, part: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.now.0;
        self.now.0 = mix(outside, part as u64);
        let outcome = work(self);
        self.now.0 = outside;
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::Worker;

    #[test]
    fn each_source_and_type_has_a_state_of_its_own() {
        let mut worker = Worker::default();
        let sources = [1, 2];
        *worker.of(&sources[0]).state(|| Ok(1_u32)).expect("it is made") += 1;
        assert_eq!(worker.of(&sources[1]).state(|| Ok(7_u32)).ok(), Some(&mut 7));
        assert_eq!(worker.of(&sources[0]).state(|| Err("there is one".into())).ok(), Some(&mut 2_u32));
        assert!(worker.state::<u64>(|| Err("cannot be made".into())).is_err());
        assert_eq!(worker.state(|| Ok(3_u64)).ok(), Some(&mut 3));
    }
}
