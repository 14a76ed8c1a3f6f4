//! [`Counted`]: graphs of which only the sizes are known.

use crate::layout::{Schema, SchemaError, Size, Slot};
use crate::source::{Source, SourceError};

/// The graphs of a histogram: sizes without contents, to plan batches with. Its batches cannot be made.
pub struct Counted {
    schema: Schema,
    /// Each size, and the number of graphs up to and with it.
    sizes: Vec<(Size, u64)>,
}

impl Counted {
    /// Graphs of these sets, of each size as many as its count says.
    pub fn new(
        sets: impl IntoIterator<Item = impl AsRef<str>>,
        counts: impl IntoIterator<Item = (Size, u64)>,
    ) -> Result<Self, SchemaError> {
        let mut all = 0_u64;
        let mut until = |(size, count): (Size, u64)| {
            all = all.saturating_add(count);
            (size, all)
        };
        let sizes = counts.into_iter().filter(|(_, count)| *count > 0).map(&mut until).collect();
        let sets: Vec<_> = sets.into_iter().collect();
        let schema = Schema::of(&sets.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        schema.check()?;
        Ok(Self { schema, sizes })
    }
}

impl Source for Counted {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.last().map_or(0, |(_, until)| usize::try_from(*until).unwrap_or(usize::MAX))
    }

    fn size(&self, graph: usize) -> Size {
        self.sizes[self.sizes.partition_point(|(_, until)| *until <= graph as u64)].0
    }

    fn write(&self, _graph: usize, _slot: &mut Slot<'_>) -> Result<(), SourceError> {
        Err("a histogram has no contents of graphs".into())
    }
}
