//! [`DataArgs`]: the data set that an example reads.

use clap::Args;
use graphpack_formats::{Fields, Pieces};
use graphpack_loader::schema::Field;
use graphpack_loader::{Column, Dtype, Level, Store, f16};
use std::error::Error;
use std::path::PathBuf;

/// The data set that an example reads.
#[derive(Args, Clone, Debug)]
pub struct DataArgs {
    /// A file or folder of any format, which is recognised from what is in it [default: generated graphs]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// A csv file with a header and a row of targets for each graph
    #[arg(long, value_name = "FILE", requires_all = ["data", "target"])]
    pub targets: Option<PathBuf>,
    /// What is learned: a field with one number for each graph, or a column of --targets [default: the only one, or y]
    #[arg(long, value_name = "NAME", requires = "data")]
    target: Option<String>,
}

impl DataArgs {
    /// Reads the first `most` graphs of the data set, if there is one, and calls their target `y`, as
    /// [`with_target`](Self::with_target) does.
    pub fn read(&self, most: usize) -> Result<Option<Store>, Box<dyn Error>> {
        let Some(path) = &self.data else { return Ok(None) };
        let mut pieces = Pieces::open(path, &Fields::default())?.first(most);
        if let (Some(csv), Some(column)) = (&self.targets, &self.target) {
            pieces = pieces.with_targets(csv, &[column])?;
        }
        let store = pieces.read()?;
        pieces.skipped().iter().take(10).for_each(|line| eprintln!("{}: {line}", path.display()));
        self.with_target(store).map(Some)
    }

    /// Calls the target `y` ([`with_target`]), unless several fields may be meant.
    pub fn with_target(&self, store: Store) -> Result<Store, Box<dyn Error>> {
        let targets = targets(&store);
        let found = match &self.target {
            Some(target) if !targets.contains(target) => {
                let found = if targets.is_empty() { "none".into() } else { targets.join(", ") };
                return Err(
                    format!("--target {target}: expected a field with a number per graph, found {found}").into()
                );
            }
            Some(target) => Some(target),
            None => targets.iter().find(|name| targets.len() == 1 || *name == "y"),
        };
        match found {
            Some(target) => with_target(store, target),
            None => Ok(store),
        }
    }
}

/// Calls a field of graphs `y`, float32 and NaN where it is missing. Of the other fields of graphs only cells are kept,
/// where any are periodic.
pub fn with_target(store: Store, target: &str) -> Result<Store, Box<dyn Error>> {
    let y = numbers(&store, target)?;
    let is_periodic = store.values::<bool>("pbc").is_ok_and(|pbc| pbc.contains(&true));
    let of_graphs = store.schema().fields().iter().filter(|field| field.level == Level::Graph);
    let of_graphs: Vec<_> = of_graphs.map(|field| field.name.clone()).collect();
    let store = store.with_names(|name| {
        let kept = !of_graphs.iter().any(|of| of == name) || (is_periodic && ["cell", "pbc"].contains(&name));
        kept.then(|| name.to_owned())
    })?;
    Ok(store.with_column(Column::new("y", Level::Graph, 1, y))?)
}

/// The fields that may be targets: those of graphs with one number.
pub fn targets(store: &Store) -> Vec<String> {
    let is_target = |field: &&Field| {
        field.level == Level::Graph
            && field.width == 1
            && !(field.dtype == Dtype::Bool && field.name.starts_with("has_"))
    };
    store.schema().fields().iter().filter(is_target).map(|field| field.name.clone()).collect()
}

/// The numbers of a target, NaN where it is missing.
fn numbers(store: &Store, target: &str) -> Result<Vec<f32>, graphpack_loader::Error> {
    let position = store.schema().position(target).map(|position| store.schema().fields()[position].dtype);
    let mut y: Vec<f32> = match position {
        Some(Dtype::F16) => store.values::<f16>(target)?.into_iter().map(f32::from).collect(),
        Some(Dtype::F64) => store.values::<f64>(target)?.into_iter().map(|y| y as f32).collect(),
        Some(Dtype::I64) => store.values::<i64>(target)?.into_iter().map(|y| y as f32).collect(),
        Some(Dtype::I32) => store.values::<i32>(target)?.into_iter().map(|y| y as f32).collect(),
        Some(Dtype::U8) => store.values::<u8>(target)?.into_iter().map(f32::from).collect(),
        Some(Dtype::Bool) => store.values::<bool>(target)?.into_iter().map(|y| f32::from(u8::from(y))).collect(),
        _ => store.values::<f32>(target)?,
    };
    if let Ok(has) = store.values::<bool>(&format!("has_{target}")) {
        y.iter_mut().zip(has).filter(|(_, has)| !has).for_each(|(y, _)| *y = f32::NAN);
    }
    Ok(y)
}
