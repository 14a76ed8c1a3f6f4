//! Dispatching a graph that is written below TMPDIR, beside a cut in memory.

use graphpack_loader::Random;
use graphpack_partition::chunked::{ChunkFormat, ChunkOptions, ChunkedGraph, ChunkedWriter};
use graphpack_partition::dgl::PartitionWriter;
use graphpack_partition::{Array, ArrayType, Assignment, Cut, Dispatch, LargeGraph, NodeType};
use std::fs;
use std::path::Path;
use std::time::Instant;
use tempfile::TempDir;

/// Seconds and memory of 50,000,000 edges.
pub(crate) fn table() {
    const NODES: usize = 5_000_000;
    const EDGES: usize = 50_000_000;
    let folder = TempDir::new().unwrap();
    let chunks = folder.path().join("chunks");
    generate(&chunks, NODES, EDGES, false);
    let node = NodeType { name: "_N".into(), nodes: NODES, features: Vec::new() };
    let nodes = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: Vec::new() };
    let assignment = Assignment::random(&nodes, 4, 1).unwrap();
    let graph = ChunkedGraph::open(&chunks).unwrap();
    println!("| | seconds | per million edges | peak memory |");
    println!("|---|---|---|---|");
    let row = |name: &str, out: &Path, work: &dyn Fn()| {
        peak_memory();
        let start = Instant::now();
        work();
        let seconds = start.elapsed().as_secs_f64();
        let per_million = 1e3 * seconds / (EDGES as f64 / 1e6);
        let peak = peak_memory();
        let text = peak.map_or_else(|| "unknown".into(), |gib| format!("{gib:.2} GiB"));
        println!("| {name} | {seconds:.1} | {per_million:.0} ms | {text} |");
        fs::remove_dir_all(out).unwrap();
        peak
    };
    for threads in [1, 2, 4] {
        let out = folder.path().join(format!("parts{threads}"));
        row(&format!("two steps, {threads} threads"), &out, &|| {
            Dispatch::new().threads(threads).run(&graph, &assignment, &out, &|_| {}).unwrap();
        });
    }
    let out = folder.path().join("parts");
    row("one step", &out, &|| {
        let graph = graph.to_memory().unwrap();
        let cut = Cut::new(&graph, &assignment, 1).unwrap();
        let writer = PartitionWriter::create(&out, "g", "random", 1, cut.book().clone()).unwrap();
        cut.parts().for_each(|part| writer.write_part(&part).unwrap());
        writer.write_config().unwrap();
    });

    // Each range that is read is of one part or two.
    let sorted = folder.path().join("sorted");
    fs::remove_dir_all(&chunks).unwrap();
    generate(&sorted, NODES, EDGES, true);
    let graph = ChunkedGraph::open(&sorted).unwrap();
    let assignment = Assignment::new(64, vec![(0..NODES).map(|node| (node * 64 / NODES) as u16).collect()]).unwrap();
    let peak = row("two steps, 1 thread, contiguous assignment, 64 parts", &out, &|| {
        Dispatch::new().run(&graph, &assignment, &out, &|_| {}).unwrap();
    });
    assert!(peak.is_none_or(|gib| gib < 2.0), "{peak:?} GiB, expected less than 2");
}

/// What original ids add where there are many parts.
pub(crate) fn original_ids() {
    const NODES: usize = 5_000_000;
    let folder = TempDir::new().unwrap();
    let chunks = folder.path().join("chunks");
    generate(&chunks, NODES, NODES, false);
    let graph = ChunkedGraph::open(&chunks).unwrap();
    let node = NodeType { name: "_N".into(), nodes: NODES, features: Vec::new() };
    let nodes = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: Vec::new() };
    println!("| parts | threads | seconds | with original ids |");
    println!("|---|---|---|---|");
    for parts in [4, 64, 512] {
        let assignment = Assignment::random(&nodes, parts, 1).unwrap();
        for threads in [1, 2] {
            let seconds = [false, true].map(|save| {
                let out = folder.path().join("parts");
                let start = Instant::now();
                let dispatch = Dispatch::new().threads(threads).save_orig_ids(save);
                dispatch.run(&graph, &assignment, &out, &|_| {}).unwrap();
                let seconds = start.elapsed().as_secs_f64();
                fs::remove_dir_all(&out).unwrap();
                seconds
            });
            println!("| {parts} | {threads} | {:.2} | {:.2} |", seconds[0], seconds[1]);
        }
    }
}

/// Random ends, or targets in ascending order; 16 chunks of numpy; 16 numbers per node, one per edge.
fn generate(folder: &Path, nodes: usize, edges: usize, sorted: bool) {
    let options = ChunkOptions::new(16).edges(ChunkFormat::Numpy);
    let mut writer = ChunkedWriter::create(folder, "g", vec![("_N".into(), nodes)], options).unwrap();
    let name = ["_N", "_E", "_N"].map(String::from);
    let mut random = Random::new(1, 0);
    let mut end = || i64::from(random.below(nodes as u32));
    let mut sink = writer.edge_type(&name, edges).unwrap();
    for edge in 0..edges {
        let (source, target) = (end(), end());
        sink.push(source, if sorted { (edge * nodes / edges) as i64 } else { target }).unwrap();
    }
    sink.finish().unwrap();
    let mut sink = writer.node_feature("_N", "x", ArrayType::F32, &[16]).unwrap();
    for _ in 0..nodes / 1000 {
        sink.push(&zeros(vec![1000, 16])).unwrap();
    }
    sink.finish().unwrap();
    let mut sink = writer.edge_feature(&name, "w", ArrayType::F32, &[]).unwrap();
    for _ in 0..edges / 1000 {
        sink.push(&zeros(vec![1000])).unwrap();
    }
    sink.finish().unwrap();
    writer.finish().unwrap();
}

fn zeros(shape: Vec<usize>) -> Array {
    let bytes = 4 * shape.iter().product::<usize>();
    Array::new(ArrayType::F32, shape, vec![0; bytes]).unwrap()
}

/// GiB since the last call, where Linux tells.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let _ = fs::write("/proc/self/clear_refs", "5");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    peak.map(|kib: u64| kib as f64 / f64::from(1 << 20))
}
