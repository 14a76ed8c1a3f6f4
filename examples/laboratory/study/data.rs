//! [`Graphs`]: structures as graphs, nine of ten of them to train on.

use super::Outcome;
use clap::Args;
use example_models::elements;
use graphpack_core::{Sample, Size};
use graphpack_loader::{Data, Edges, Store, clusters};
use std::sync::Arc;

/// The structures, and how they become graphs.
#[derive(Args, Clone, Debug)]
pub(crate) struct StudyArgs {
    /// Structures; without a target they are for batching alone
    #[command(flatten)]
    structures: example_models::DataArgs,
    /// Edges: full, radius:ANGSTROM or nearest:K
    #[arg(long, default_value = "full")]
    edges: Edges,
    /// Mean nodes and edges of the sample that dynamic shapes are estimated from [default: those of all graphs]
    #[arg(long, value_name = "NODES,EDGES", value_parser = mean)]
    sample_mean: Option<[f64; 2]>,
}

/// The graphs of a study.
pub(crate) struct Graphs {
    pub(crate) name: String,
    pub(crate) store: Arc<Store>,
    pub(crate) train: Data,
    pub(crate) sample: Sample,
    /// The atomic numbers in the data.
    pub(crate) elements: Vec<u8>,
    /// Mean and standard deviation of the target over the training graphs; `None` without targets.
    pub(crate) target: Option<[f64; 2]>,
}

impl StudyArgs {
    /// Reads the data, or generates 5,000 clusters if no file is named.
    pub(crate) fn load(&self, seed: u64) -> Outcome<Graphs> {
        let atoms = match self.structures.read(usize::MAX)? {
            Some(atoms) => atoms,
            None => clusters::generate(seed, 5000),
        };
        let store = Arc::new(Store::collect(Data::from(atoms).connect(self.edges)?)?);
        let train: Vec<u32> = (0..store.len() as u32).filter(|graph| graph % 10 != 9).collect();
        let sizes = || store.sizes();
        let mut sample = Sample::new();
        sizes().for_each(|size| sample.add(size));
        if let Some(mean) = self.sample_mean {
            let largest = sizes().fold(Size::new([0; 2]), |largest, size| largest.max_each(&size));
            let totals = mean.map(|mean| (mean * 1000.0).round() as u64);
            sample = Sample::from_totals(1000, &totals, largest);
        }
        let target = store.values::<f32>("y").ok().map(|y| {
            let chosen = || train.iter().map(|&graph| f64::from(y[graph as usize]));
            let mean = chosen().sum::<f64>() / train.len() as f64;
            let variance = chosen().map(|y| (y - mean) * (y - mean)).sum::<f64>() / train.len() as f64;
            [mean, variance.sqrt().max(f64::MIN_POSITIVE)]
        });
        let elements = elements(&store)?;
        let path = self.structures.data.as_ref().and_then(|path| path.file_name());
        let name = path.map_or_else(|| "generated clusters".into(), |name| name.to_string_lossy().into_owned());
        let train = Data::from(store.clone()).subset(train)?;
        Ok(Graphs { name, train, store, sample, elements, target })
    }
}

fn mean(text: &str) -> Result<[f64; 2], String> {
    let numbers = || {
        let (nodes, edges) = text.split_once(',')?;
        Some([nodes.trim().parse().ok()?, edges.trim().parse().ok()?])
    };
    numbers()
        .filter(|mean| mean.iter().all(|mean| (0.0..1e6).contains(mean)))
        .ok_or_else(|| format!("expected NODES,EDGES such as 17.98,311.5, found {text:?}"))
}
