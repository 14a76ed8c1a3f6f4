//! [`Batches`]: the ways of batching that are compared.

use super::graphs::{Collate, Graphs, Molecules};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::DatasetError;
use burn::tensor::Device;
use clap::ValueEnum;
use graphpack_adapters::graphpack_loader::{Grouping, Loader, Options, Order, Shapes, Store};
use graphpack_adapters::{BurnBatch, BurnError, BurnLoader};
use std::error::Error;
use std::sync::Arc;

const SEED: u64 = 42;

/// How graphs are batched; batches of all ways have about the same number of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    /// graphpack's packs, in one shape
    Packed,
    /// jraph: graphs in random order until one does not fit, in one shape
    Dynamic,
    /// padded to multiples of 64
    #[value(name = "static-64")]
    Static64,
    /// as they are
    Unpadded,
    /// as they are, by burn's own DataLoader with one thread and a batcher written by hand
    Dataloader,
}

/// Batches as tensors on a device.
pub(crate) enum Batches {
    Packed(Box<BurnLoader>),
    Burn(Arc<dyn DataLoader<Graphs>>),
}

impl Batches {
    pub(crate) fn new(
        way: Way,
        store: Store,
        size: u32,
        ahead: usize,
        device: &Device,
    ) -> Result<Self, Box<dyn Error>> {
        let options = match way {
            Way::Packed => Options::graphs(size),
            Way::Dynamic => Options::graphs(size).grouping(Grouping::InOrder),
            Way::Static64 => Options::exactly(size).shapes(Shapes::Multiple(64)),
            Way::Unpadded => Options::exactly(size).shapes(Shapes::Exact),
            Way::Dataloader => {
                let loader = DataLoaderBuilder::new(Collate).batch_size(size as usize).shuffle(SEED).num_workers(1);
                return Ok(Self::Burn(loader.set_device(device.clone()).build(Molecules::of(&store)?)));
            }
        };
        let options = options.order(Order::Shuffled).seed(SEED);
        let loader = BurnLoader::new(Loader::new(store, options)?, device.clone()).ahead(ahead).narrow();
        Ok(Self::Packed(Box::new(loader)))
    }

    /// The batches of the next epoch.
    pub(crate) fn epoch(&self) -> Box<dyn Iterator<Item = Result<Made, DatasetError>> + '_> {
        match self {
            Self::Packed(loader) => {
                Box::new(loader.iter().map(|batch| batch.map(|batch| Made::Packed(Box::new(batch)))))
            }
            Self::Burn(loader) => {
                Box::new(loader.iter().map(|graphs| graphs.map(|graphs| Made::Burn(Box::new(graphs)))))
            }
        }
    }
}

/// A batch, whoever made it.
pub(crate) enum Made {
    Packed(Box<BurnBatch>),
    Burn(Box<Graphs>),
}

impl Made {
    pub(crate) fn graphs(self) -> Result<Graphs, BurnError> {
        match self {
            Self::Packed(batch) => Graphs::of(&batch),
            Self::Burn(graphs) => Ok(*graphs),
        }
    }
}
