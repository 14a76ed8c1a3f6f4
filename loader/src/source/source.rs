//! [`Source`]: anything that has graphs.

use super::DataSet;
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use std::error::Error;
use std::sync::Arc;

/// Anything that has graphs: it knows their number and the size of each, and writes one graph into a batch.
///
/// `size` must always return the same for a graph, because plans are made from it. Worker threads call `write`
/// concurrently.
///
/// [`Slot`] has an example of nodes and edges. Here graphs are proteins with ligands, and contacts between the two:
///
/// ```
/// use graphpack_loader::{Dtype, Loader, Options, Schema, Size, Slot, Source, SourceError};
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
///     fn size(&self, graph: usize) -> Size {
///         Size::new([graph as u32 % 7 + 2, 2, 3]) // rows of protein, ligand and contacts
///     }
///     fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
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
pub trait Source: Send + Sync + 'static {
    /// The sets, fields and indices that each graph has.
    fn schema(&self) -> &Schema;

    /// Number of graphs.
    fn len(&self) -> usize;

    /// Whether there are no graphs.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many rows of each set graph `graph` has: (nodes, directed edges) by default.
    fn size(&self, graph: usize) -> Size;

    /// Writes graph `graph` into `slot`. Every field and every index must be written, except those of sets that
    /// [`write_derived`](Self::write_derived) writes: the slot still holds bytes of an earlier batch.
    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError>;

    /// Writes what follows from the rest of graph `graph`, after [maps](crate::Data::map) changed it; the default does nothing.
    /// [`Slot::index`] reads what is there, and [`Slot::shrink`] lets a set have fewer rows than `size` said.
    fn write_derived(&self, _graph: usize, _slot: &mut Slot<'_>) -> Result<(), SourceError> {
        Ok(())
    }

    /// The sets that [`write_derived`](Self::write_derived) writes, each with a field or an index that it reads for them, so
    /// that batches with rows of the set carry what it needs; none by default. A source around another returns those of the
    /// other.
    fn derived_from(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    /// A prefetch hint that graph `graph` will be written soon; the default does nothing. A source in memory may call
    /// [`will_read`](crate::will_read).
    fn will_write(&self, _graph: usize) {}

    /// A hint that this thread will write `graphs` next; the default does nothing. A source in files may read them here,
    /// all together. What cannot be read becomes an error of [`write`](Self::write), which also gets graphs that were not
    /// announced.
    fn will_write_all(&self, _graphs: Graphs<'_>) {}

    /// Errors if the data of `graphs` changed after the loader was built, as files may that others can write to. The
    /// default does not. Called before and after each batch.
    fn check(&self, _graphs: Graphs<'_>) -> Result<(), SourceError> {
        Ok(())
    }

    /// Returns a hash that tells data sets apart; a saved state only resumes on data with the same fingerprint. The
    /// default covers the fields, the numbers and the sizes of graphs. A source that can read contents at little cost
    /// should mix in some ([`fingerprint`](crate::fingerprint)).
    fn fingerprint(&self) -> u64 {
        self.sizes_fingerprint()
    }

    /// Returns a hash that differs once any graph does, for caches of what follows from the contents: of all contents, or of
    /// the lengths of files and when they were changed. The default is [`fingerprint`](Self::fingerprint), which may have
    /// only samples.
    fn contents_fingerprint(&self) -> u64 {
        self.fingerprint()
    }

    /// Returns a checksum of all contents of all graphs, if the source has one without reading them: a saved state that has
    /// one, too, only resumes on data with the same. `None` by default. A source around others returns one that follows
    /// from theirs.
    fn checksum(&self) -> Option<u64> {
        None
    }

    /// Returns a hash of the fields and of the number and size of every graph, for [`fingerprint`](Self::fingerprint)
    /// to begin with.
    fn sizes_fingerprint(&self) -> u64 {
        let start = mix(self.schema().fingerprint(), self.len() as u64);
        (0..self.len()).fold(start, |hash, graph| {
            let size = self.size(graph);
            // Two sets at a time: saved states have this hash.
            let pairs = (0..size.sets())
                .step_by(2)
                .map(|set| (size[set], if set + 1 < size.sets() { size[set + 1] } else { 0 }));
            pairs.fold(mix(hash, self.number(graph)), |hash, (a, b)| mix(hash, u64::from(a) << 32 | u64::from(b)))
        })
    }

    /// Returns the number of graph `graph` in the data set, as `graph_ids` and messages show it. It differs from
    /// `graph` in a [subset](crate::Data::subset).
    fn number(&self, graph: usize) -> u64 {
        graph as u64
    }

    /// The data sets that this is a [mix](crate::Data::mix) of, whose graphs a [`Report`](crate::Report) counts by
    /// their [`number`](Self::number); none by default.
    fn data_sets(&self) -> &[DataSet] {
        &[]
    }

    /// The names of the [maps](crate::Data::map) that change graphs, in their order; none by default.
    fn maps(&self) -> Vec<String> {
        Vec::new()
    }
}

/// All methods of a [`Source`] that is another in all but its type: `$source`, an expression of `$self`. None is left to
/// its default, or what the other does instead would be lost.
macro_rules! same_source {
    ($self:ident => $source:expr) => {
        fn schema(&$self) -> &$crate::Schema {
            $source.schema()
        }

        fn len(&$self) -> usize {
            $source.len()
        }

        fn is_empty(&$self) -> bool {
            $source.is_empty()
        }

        fn size(&$self, graph: usize) -> $crate::Size {
            $source.size(graph)
        }

        fn write(&$self, graph: usize, slot: &mut $crate::Slot<'_>) -> Result<(), $crate::SourceError> {
            $source.write(graph, slot)
        }

        fn write_derived(&$self, graph: usize, slot: &mut $crate::Slot<'_>) -> Result<(), $crate::SourceError> {
            $source.write_derived(graph, slot)
        }

        fn derived_from(&$self) -> Vec<(&str, &str)> {
            $source.derived_from()
        }

        fn will_write(&$self, graph: usize) {
            $source.will_write(graph);
        }

        fn will_write_all(&$self, graphs: $crate::Graphs<'_>) {
            $source.will_write_all(graphs);
        }

        fn check(&$self, graphs: $crate::Graphs<'_>) -> Result<(), $crate::SourceError> {
            $source.check(graphs)
        }

        fn fingerprint(&$self) -> u64 {
            $source.fingerprint()
        }

        fn contents_fingerprint(&$self) -> u64 {
            $source.contents_fingerprint()
        }

        fn checksum(&$self) -> Option<u64> {
            $source.checksum()
        }

        fn sizes_fingerprint(&$self) -> u64 {
            $source.sizes_fingerprint()
        }

        fn number(&$self, graph: usize) -> u64 {
            $source.number(graph)
        }

        fn data_sets(&$self) -> &[$crate::DataSet] {
            $source.data_sets()
        }

        fn maps(&$self) -> Vec<String> {
            $source.maps()
        }
    };
}

impl<S: Source + ?Sized> Source for Arc<S> {
    same_source!(self => (**self));
}

/// Graphs of a source, such as those of a batch: a function that calls another one with each. A source around another
/// passes on one that changes the numbers, without a list of them:
///
/// ```
/// use graphpack_loader::{Graphs, Source};
///
/// fn will_write_the_second_half(source: &dyn Source, graphs: Graphs<'_>) {
///     let half = source.len() / 2;
///     source.will_write_all(&|each| graphs(&mut |graph| each(half + graph)));
/// }
/// ```
pub type Graphs<'a> = &'a dyn Fn(&mut dyn FnMut(usize));

/// The error of a source that cannot write a graph.
pub type SourceError = Box<dyn Error + Send + Sync>;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn a_source_around_another_passes_every_method_on() {
        let names = |text: &'static str| {
            let end = text.find("\n}\n").expect("the end of the item");
            let methods = text[..end].split("fn ").skip(1).filter(|rest| rest.contains('('));
            methods.filter_map(|rest| rest.split(['(', '<']).next()).collect::<BTreeSet<_>>()
        };
        let (_, text) = include_str!("source.rs").split_once("\npub trait Source").expect("the trait");
        let (_, forwarded) = text.split_once("\nmacro_rules! same_source").expect("the macro");
        assert_eq!(names(text), names(forwarded));
        assert!(names(text).len() > 10, "{:?}", names(text));
    }
}
