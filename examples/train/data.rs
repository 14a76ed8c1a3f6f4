//! [`Splits`]: the graphs that are trained on, validated and tested with, and what is known of them.

use super::Outcome;
use super::task::Task;
use clap::Args;
use example_models::{DataArgs, Features, elements, targets, with_target};
use graphpack_formats::{FileFormat, OgbCsv};
use graphpack_loader::{Connect, Data, Edges, Level, Random, molecules};

/// Fields of nodes and of edges that networks take, the first that there is.
const OF_NODES: [&str; 3] = ["x", "node_attributes", "z"];
const OF_EDGES: [&str; 2] = ["edge_attr", "edge_attributes"];

#[derive(Args)]
pub(crate) struct Input {
    #[command(flatten)]
    data: DataArgs,
    /// Connect atoms that are less than this far apart, in the unit of the file
    #[arg(long, value_name = "LENGTH", requires = "data")]
    cutoff: Option<f64>,
    /// Molecules to generate
    #[arg(long, default_value_t = 12_000, conflicts_with = "data")]
    #[arg(value_parser = clap::value_parser!(u32).range(100..))]
    graphs: u32,
}

pub(crate) struct Splits {
    /// Training, validation and test.
    pub(crate) splits: [Data; 3],
    /// What is known of nodes and of edges.
    pub(crate) features: [Features; 2],
    pub(crate) task: Task,
    /// The atomic numbers in structures whose edges have lengths; none in other graphs.
    pub(crate) elements: Vec<u8>,
    /// The fields and indices of batches.
    pub(crate) fields: Vec<String>,
}

impl Input {
    /// Reads the data set, or generates molecules. OGB's are split as they are; of others a tenth each is for
    /// validation and for test, by `seed`.
    pub(crate) fn read(&self, seed: u64) -> Outcome<Splits> {
        let (store, splits) = match &self.data.data {
            Some(path) if FileFormat::of(path)? == FileFormat::Ogb => {
                if self.data.targets.is_some() {
                    return Err("--targets: OGB's data sets have targets of their own, which --target names".into());
                }
                let data = OgbCsv::open(path)?;
                let mut graphs = Vec::new();
                for name in ["train", "valid", "test"] {
                    graphs.push(data.split_graphs(name)?);
                }
                let store = self.data.with_target((**data.store()).clone())?;
                (store, <[Vec<u32>; 3]>::try_from(graphs).unwrap_or_default())
            }
            Some(_) => {
                let store = self.data.read(usize::MAX)?.unwrap_or_else(|| molecules::generate(seed, 0));
                let graphs = split(seed, store.len() as u32);
                (store, graphs)
            }
            None => (with_target(molecules::generate(seed, self.graphs as usize), "y")?, split(seed, self.graphs)),
        };
        let is_one = |y: &Vec<f32>| y.len() == store.len();
        let Some(y) = store.values::<f32>("y").ok().filter(is_one) else {
            let found = targets(&store);
            let found = if found.is_empty() { "none".into() } else { found.join(", ") };
            return Err(
                format!("--target: expected the name of one field with a number per graph, found {found}").into()
            );
        };
        let task = Task::of(splits[0].iter().map(|&graph| y[graph as usize]));
        let nodes = Features::of(&store, Level::NODE, &OF_NODES)?;
        let of_edges = Features::of(&store, Level::EDGE, &OF_EDGES)?;
        let has_edges = store.schema().find_index("edge_index").is_some();
        let elements = elements(&store).unwrap_or_default();
        let (graphs, edges) = match self.cutoff {
            Some(_) if has_edges => return Err("--cutoff: expected atoms without edges, found edge_index".into()),
            Some(cutoff) => {
                let options = Connect::from(Edges::Radius(cutoff)).fields(["distance"]);
                (Data::from(store).connect(options)?, Features::Distances)
            }
            None if has_edges => (store.into(), of_edges),
            None => return Err("the graphs have no edges, expected --cutoff LENGTH, which connects near atoms".into()),
        };
        let mut fields = ["edge_index", "y", "z"].map(String::from).to_vec();
        for features in [&nodes, &edges] {
            match features {
                Features::Categories(field, _) | Features::Numbers(field, _) if !fields.contains(field) => {
                    fields.push(field.clone());
                }
                Features::Distances => fields.extend(["pos", "cell", "pbc", "distance"].map(String::from)),
                _ => {}
            }
        }
        let schema = graphs.schema();
        fields.retain(|field| schema.position(field).is_some() || schema.find_index(field).is_some());
        let elements = if edges == Features::Distances { elements } else { Vec::new() };
        let [train, valid, test] = splits.map(|split| graphs.subset(split));
        Ok(Splits { splits: [train?, valid?, test?], features: [nodes, edges], task, elements, fields })
    }
}

/// Numbers of graphs for training, validation and test.
fn split(seed: u64, graphs: u32) -> [Vec<u32>; 3] {
    let mut all: Vec<u32> = (0..graphs).collect();
    Random::new(seed, 0).shuffle(&mut all);
    let test = all.split_off(all.len() - all.len() / 10);
    let valid = all.split_off(all.len() - test.len());
    [all, valid, test]
}
