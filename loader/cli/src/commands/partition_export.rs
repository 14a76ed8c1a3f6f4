//! `graphpack partition export`: writes a graph as other partitioners read it.

use crate::arguments::{Replace, check_outside, graph_folder};
use crate::output::{Outcome, print, spinner};
use clap::ValueEnum;
use graphpack_partition::EdgeType;
use graphpack_partition::assign::{GraphFormat, write_for_parmetis, write_for_partitioner};
use graphpack_partition::chunked::ChunkedGraph;
use std::path::PathBuf;

/// Write a graph as other partitioners read it; `graphpack assign --from` reads what they write
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("outputs").multiple(true)))]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// For which partitioner
    #[arg(long, value_enum)]
    format: Format,
    /// The file to write, or for ParMETIS the folder
    #[arg(long, value_name = "PATH", group = "outputs")]
    out: PathBuf,
    #[command(flatten)]
    replace: Replace,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Text of METIS, KaHIP and KaMinPar; the graph must fit into memory
    Metis,
    /// Binary file of ParHIP and KaMinPar; the graph must fit into memory
    Parhip,
    /// Files of DGL's pm_dglpart3; the graph is streamed
    Parmetis,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let (out, outputs, inputs) = (args.out.display(), [("--out", Some(&*args.out))], [graph_folder(&args.input)]);
    match args.format {
        Format::Parmetis => {
            args.replace.expect_none("--format parmetis")?;
            check_outside(&outputs, &inputs)?;
        }
        Format::Metis | Format::Parhip => args.replace.check(&outputs, &inputs)?,
    }
    let spinner = spinner("reading");
    let graph = ChunkedGraph::open(&args.input)?;
    // Metadata may list files of other folders.
    if !matches!(args.format, Format::Parmetis) {
        args.replace.check(&outputs, &graph.files().collect::<Vec<_>>())?;
    }
    let format = match args.format {
        Format::Metis => GraphFormat::Metis,
        Format::Parhip => GraphFormat::Parhip,
        Format::Parmetis => {
            write_for_parmetis(&graph, &args.out)?;
            spinner.finish_and_clear();
            return Ok(print(format_args!("{out}: parmetis_nfiles.txt and parmetis_efiles.txt list all files"))?);
        }
    };
    let graph = graph.to_memory_with(|_| false)?;
    spinner.set_message("writing");
    let written = write_for_partitioner(&graph, &args.out, format)?;
    spinner.finish_and_clear();
    print(format_args!("{out}: {} nodes, the edges of all types in both directions", graph.nodes()))?;
    let loops = |edges: &EdgeType| {
        let is_loop = |(source, target): &(&i64, &i64)| source == target && edges.name[0] == edges.name[2];
        edges.sources.iter().zip(&edges.targets).filter(is_loop).count()
    };
    let loops = graph.edge_types.iter().map(loops).sum::<usize>();
    let merged = graph.edges().saturating_sub(loops + written);
    if loops > 0 {
        print(format_args!("  self-loops: {loops} left out"))?;
    }
    if merged > 0 {
        print(format_args!("  edges between nodes that another edge joins, in either direction: {merged} left out"))?;
    }
    Ok(())
}
