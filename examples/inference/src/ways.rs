//! [`Way`]: which graphs share a batch, and which shapes a model must take for it.

use crate::Outcome;
use crate::inputs::Sums;
use clap::ValueEnum;
use graphpack_loader::{Data, Loader, Options, Shape, Shapes};
use std::collections::BTreeSet;
use std::fmt;

/// A way to batch graphs for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// One graph, padded to the largest
    One,
    /// Packs with room for the largest graph alone
    Packs1,
    /// Packs of about 8 graphs
    Packs8,
    /// Packs of about 32 graphs
    Packs32,
    /// Packs of about 128 graphs
    Packs128,
    /// Packs of about 8 graphs in one of at most three shapes
    Ladder,
    /// Dynamic axes, one graph
    Dynamic1,
    /// Dynamic axes, 32 graphs
    Dynamic32,
}

impl Way {
    /// What the loader is asked for. It makes batches on the thread that takes them: one thread does all.
    fn options(self) -> Options {
        let options = match self {
            Self::One => Options::exactly(1),
            Self::Packs1 => Options::graphs(1),
            Self::Packs8 => Options::graphs(8),
            Self::Packs32 => Options::graphs(32),
            Self::Packs128 => Options::graphs(128),
            Self::Ladder => Options::graphs(8).shapes(Shapes::Few(3)),
            Self::Dynamic1 => Options::exactly(1).shapes(Shapes::Exact),
            Self::Dynamic32 => Options::exactly(32).shapes(Shapes::Exact),
        };
        options.workers(0)
    }

    /// Whether one model takes all shapes.
    fn is_dynamic(self) -> bool {
        matches!(self, Self::Dynamic1 | Self::Dynamic32)
    }

    /// A loader of the first `graphs` graphs of a data set, in the shapes that all of it has.
    pub fn loader(self, data: &Data, graphs: usize) -> Outcome<Loader> {
        let first: Vec<u32> = (0..graphs as u32).collect();
        let options = self.options();
        let options = if self.is_dynamic() { options } else { options.sized_for(data.clone()) };
        Ok(Loader::new(data.subset(first)?, options)?)
    }

    /// The names of the models that the batches of a data set take.
    pub fn models(self, data: &Data, sums: Sums) -> Outcome<BTreeSet<String>> {
        let shapes = self.loader(data, data.len())?.shapes(0)?;
        Ok(shapes.into_iter().map(|(shape, _)| self.model(sums, shape)).collect())
    }

    /// The name of the model that takes batches of a shape, as export.py writes it: `scatter-225x505x9`,
    /// `matrix-dynamic`.
    pub fn model(self, sums: Sums, shape: Shape) -> String {
        if self.is_dynamic() {
            return format!("{sums}-dynamic");
        }
        format!("{sums}-{}x{}x{}", shape.nodes(), shape.edges(), shape.graphs())
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "one graph, padded to the largest",
            Self::Packs1 => "packs with room for the largest graph",
            Self::Packs8 => "packs of about 8 graphs",
            Self::Packs32 => "packs of about 32 graphs",
            Self::Packs128 => "packs of about 128 graphs",
            Self::Ladder => "packs of about 8 graphs, at most three shapes",
            Self::Dynamic1 => "dynamic axes, one graph",
            Self::Dynamic32 => "dynamic axes, 32 graphs",
        })
    }
}
