//! Readers of `graphpack-formats`.

use crate::input::{files, folder, load};
use crate::{lmdb, zip};
use flate2::{Compression, write::ZlibEncoder};
use graphpack_formats::records::{Gather, Record, Records, Values};
use graphpack_formats::{Fields, OgbCsv, aselmdb, histogram_csv as csv, npz, sdf, smiles, targets, tu as tu_data, xyz};
use graphpack_loader::{Data, Edges, Error, Store};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use tempfile::TempDir;

/// Fields of atoms, and of molecules.
const ATOMS: [&str; 4] = ["z", "pos", "cell", "pbc"];
const MOLECULES: [&str; 2] = ["x", "edge_attr"];

/// A histogram that can be read is the same after writing and reading it again.
pub(crate) fn histogram_csv(bytes: &[u8]) {
    let folder = folder(&[("histogram.csv", bytes)]);
    let path = folder.path().join("histogram.csv");
    let Ok(histogram) = csv::read(&path) else { return };
    let mut again = Vec::new();
    csv::write(&histogram, &mut again).unwrap();
    fs::write(&path, again).unwrap();
    assert_eq!(csv::read(&path).unwrap(), histogram);
}

/// OGB's layout: `--- num-node-list` and so on are files in `raw`, `--- train` is a split.
pub(crate) fn ogb(bytes: &[u8]) {
    let folder = TempDir::new().unwrap();
    let (raw, split) = (folder.path().join("raw"), folder.path().join("split/any"));
    fs::create_dir_all(&raw).unwrap();
    fs::create_dir_all(&split).unwrap();
    let names = ["num-node-list", "num-edge-list", "edge", "node-feat", "edge-feat", "node_dfs_order", "graph-label"];
    for (name, contents) in files(bytes) {
        if names.contains(&name) {
            fs::write(raw.join(name).with_extension("csv"), contents).unwrap();
        } else if name == "train" {
            fs::write(split.join("train.csv"), contents).unwrap();
        }
    }
    for read in [OgbCsv::open, OgbCsv::open_directed] {
        if let Ok(data) = read(folder.path()) {
            assert!(load(data.store().clone()).is_none_or(|loaded| loaded), "edges were checked");
            if let Ok(train) = data.split("train") {
                load(train);
            }
        }
    }
}

/// `--- structures` is an XYZ file, `--- targets` a csv file with a column `y`.
pub(crate) fn xyz(bytes: &[u8]) {
    let folder = folder(&[]);
    let path = |name: &str| folder.path().join(name);
    let mut targets = false;
    for (name, contents) in files(bytes).filter(|(name, _)| ["structures", "targets"].contains(name)) {
        fs::write(path(name), contents).unwrap();
        targets |= name == "targets";
    }
    let records = xyz::records(path("structures"));
    let atoms = match targets {
        true => sound(records.and_then(|records| targets::join(records, path("targets"), &["y"])), &ATOMS),
        false => sound(records, &ATOMS),
    };
    let Some(atoms) = atoms else { return };
    connect(&atoms, &[Edges::FullyConnected, Edges::Radius(0.7), Edges::Nearest(3)]);
}

/// A csv file with a header; a first line without commas is a column of SMILES.
pub(crate) fn smiles(bytes: &[u8]) {
    let folder = folder(&[("molecules.csv", bytes)]);
    let path = folder.path().join("molecules.csv");
    sound(smiles::records(path, &smiles::SmilesOptions::default()), &MOLECULES);
}

/// An SDF file.
pub(crate) fn sdf(bytes: &[u8]) {
    let folder = folder(&[("molecules.sdf", bytes)]);
    for keeps_hydrogens in [false, true] {
        let options = sdf::SdfOptions { keeps_hydrogens, ..sdf::SdfOptions::default() };
        sound(sdf::records(folder.path().join("molecules.sdf"), &options), &MOLECULES);
    }
}

/// `--- 1`, `--- nextid` and so on are values of an LMDB database, which are compressed here; without such lines the
/// input is the file itself.
pub(crate) fn aselmdb(bytes: &[u8]) {
    let pairs: Vec<_> = files(bytes).map(|(key, json)| (key, compressed(json))).collect();
    let pairs: Vec<_> =
        pairs.iter().filter(|(key, _)| key.len() < 100).map(|(key, value)| (*key, &value[..])).collect();
    let bytes = if pairs.is_empty() { bytes.to_vec() } else { lmdb::lmdb(4096, &pairs) };
    let folder = folder(&[("a.aselmdb", &bytes)]);
    sound(aselmdb::records(folder.path().join("a.aselmdb")), &ATOMS);
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads graphs up to the first error: every field has its width for every row, and a name keeps its level and width.
/// Graphs of atoms and molecules have the fields `names`, and every number is finite. Returns the store of a file
/// without mistakes, which is sound, too.
fn sound(records: Result<impl Records, Error>, names: &[&str]) -> Option<Store> {
    let mut records = records.ok()?;
    let (mut gather, mut record, mut seen) =
        (Gather::new("input", Fields::default()), Record::default(), HashMap::new());
    while records.next(&mut record).ok()? {
        for field in &record.fields {
            assert_eq!(field.values.len(), record.rows(field.level) * field.width, "{}", field.name);
            let of = (field.level, field.width);
            assert_eq!(*seen.entry(field.name.to_string()).or_insert(of), of, "{}", field.name);
            if let (Values::F64(values), false) = (&field.values, names.is_empty()) {
                assert!(values.iter().all(|value| value.is_finite()), "{}", field.name);
            }
        }
        for name in names {
            assert!(record.field(name).is_some(), "{name}");
        }
        let nodes = record.nodes as i64;
        let mut ends = record.edges.iter().flatten().flatten();
        assert!(ends.all(|node| (0..nodes).contains(node)), "edges are between nodes");
        gather.push(&record).ok()?;
    }
    let store = gather.take().ok()?;
    assert!(load(store.clone()).is_none_or(|loaded| loaded), "records are sound");
    Some(store)
}

/// Connects atoms, unless there are too many for a quick test.
fn connect(atoms: &Store, all: &[Edges]) {
    let nodes = (0..atoms.len()).map(|graph| atoms.size(graph).unwrap()[0]).sum::<u32>();
    for &edges in all {
        let most = if edges == Edges::FullyConnected { 200 } else { 8 };
        if nodes <= most
            && let Ok(connected) = Data::from(atoms.clone()).connect(edges)
        {
            assert!(load(connected).is_none_or(|loaded| loaded), "edges are between atoms of the structure");
        }
    }
}

/// `--- z.npy` and so on are members of an npz file; without such lines the input is the file itself.
pub(crate) fn npz(bytes: &[u8]) {
    let members: Vec<_> = files(bytes).collect();
    let bytes = if members.is_empty() { bytes.to_vec() } else { zip::stored(&members) };
    let folder = folder(&[("structures.npz", &bytes)]);
    let path = folder.path().join("structures.npz");
    if let Some(atoms) = sound(npz::records(&path), &[]) {
        connect(&atoms, &[Edges::FullyConnected]);
    }
}

/// `--- A`, `--- graph_indicator` and so on are files `DS_A.txt` of a TU data set.
pub(crate) fn tu(bytes: &[u8]) {
    let folder = folder(&[]);
    let names = [
        "A",
        "graph_indicator",
        "graph_labels",
        "graph_attributes",
        "node_labels",
        "node_attributes",
        "edge_labels",
        "edge_attributes",
    ];
    for (name, contents) in files(bytes).filter(|(name, _)| names.contains(name)) {
        fs::write(folder.path().join(format!("DS_{name}.txt")), contents).unwrap();
    }
    sound(tu_data::records(folder.path()), &[]);
}
