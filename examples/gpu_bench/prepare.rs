//! Writes the two data sets that are measured, as stores, which Python reads, too.

use super::Outcome;
use example_models::DataArgs;
use graphpack_formats::OgbCsv;
use graphpack_loader::{Column, Connected, Dtype, Edges, Field, Level, Source, Store, clusters, molecules};
use std::path::{Path, PathBuf};

/// Writes molecules like those of ogbg-molhiv and structures like those of QM9; generates those that no files are given
/// for
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for molecules.safetensors and structures.safetensors
    out: PathBuf,
    /// Folder of a data set in OGB's raw layout; its training graphs are taken
    #[arg(long, value_name = "DIR")]
    ogb: Option<PathBuf>,
    /// Structures
    #[command(flatten)]
    structures: DataArgs,
    /// Number of structures, and of molecules if they are generated
    #[arg(long, default_value_t = 8000)]
    graphs: usize,
}

/// Angstrom.
const RADIUS: f64 = 4.0;

pub(crate) fn run(args: &Args) -> Outcome {
    std::fs::create_dir_all(&args.out)?;
    let molecules = match &args.ogb {
        Some(folder) => OgbCsv::open(folder)?.split("train")?.to_store()?,
        None => molecules::generate(0, args.graphs),
    };
    let atoms = match args.structures.read(args.graphs)? {
        Some(atoms) => atoms,
        None => clusters::generate(0, args.graphs),
    };
    save(&molecules, &args.out.join("molecules.safetensors"))?;
    save(&Store::collect(&Connected::new(atoms, Edges::Radius(RADIUS))?)?, &args.out.join("structures.safetensors"))
}

/// Saves a store with categories in one byte each, as they are copied to the device.
fn save(store: &Store, path: &Path) -> Outcome {
    let (mut ptr_node, mut ptr_edge) = (vec![0], vec![0]);
    let mut edge_index = [Vec::new(), Vec::new()];
    let (mut nodes, mut edges) = (0, 0);
    for graph in 0..store.len() {
        let [n, e] = store.size(graph).exact().0.map(u64::from);
        (nodes, edges) = (nodes + n, edges + e);
        ptr_node.push(nodes);
        ptr_edge.push(edges);
        let (sources, targets) = store.edges(graph);
        edge_index[0].extend(sources);
        edge_index[1].extend(targets);
    }
    // Edges have their distances, so positions are not needed.
    let fields = store.schema().fields().iter().filter(|field| field.name != "pos");
    let columns = fields.map(|field| narrow(store, field)).collect::<Outcome<_>>()?;
    Store::new(ptr_node, ptr_edge, edge_index, columns)?.save(path)?;
    println!("{} graphs in {}", store.len(), path.display());
    Ok(())
}

fn narrow(store: &Store, field: &Field) -> Outcome<Column> {
    let Field { name, level, dtype, width, .. } = field;
    Ok(match dtype {
        Dtype::F32 => Column::new(name, *level, *width, store.values::<f32>(name)?),
        Dtype::I64 if *level != Level::Graph => {
            let values = store.values::<i64>(name)?.into_iter().map(u8::try_from).collect::<Result<Vec<_>, _>>()?;
            Column::new(name, *level, *width, values)
        }
        Dtype::I64 => {
            let values = store.values::<i64>(name)?.into_iter().map(|value| value as f32).collect::<Vec<_>>();
            Column::new(name, *level, *width, values)
        }
        other => return Err(format!("{name:?} is of {other}, expected float32 or int64").into()),
    })
}
