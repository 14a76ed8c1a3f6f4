//! [`Input`]: what `graphpack chunk` writes, as flags or the folder of a data set of OGB have it.

use crate::arguments::typed_files::{EdgeFile, FeatureFile, only_edge, only_node};
use graphpack_formats::compressed;
use graphpack_partition::chunked::{ChunkFormat, ChunkedFeature};
use graphpack_partition::{Array, ArrayType};
use std::error::Error;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The files of a graph.
pub(crate) struct Input {
    /// Types of nodes whose number is known.
    pub(crate) nodes: Vec<Nodes>,
    pub(crate) edges: Vec<EdgeFile>,
    pub(crate) node_features: Vec<FeatureFile<String>>,
    pub(crate) edge_features: Vec<FeatureFile<[String; 3]>>,
    /// Type, name and a bool for each node.
    pub(crate) masks: Vec<(String, String, Array)>,
}

/// The number of nodes of a type.
#[derive(Clone)]
pub(crate) struct Nodes {
    pub(crate) kind: String,
    pub(crate) count: usize,
    /// Where the number comes from, unless it follows from the edges.
    pub(crate) by: Option<String>,
}

impl Nodes {
    pub(crate) fn by_flag(kind: &str, count: usize) -> Self {
        Self { kind: kind.to_owned(), count, by: Some(format!("--nodes {kind}={count}")) }
    }
}

/// Bytes of the longest list of types or numbers that is read as a whole.
const LONGEST: u64 = 1 << 20;

impl Input {
    /// Whether the number of nodes of a type is known before edges are read.
    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.nodes.iter().any(|nodes| nodes.kind == kind) || self.node_features.iter().any(|file| file.kind == kind)
    }

    /// A node property data set of OGB: the folder with `raw/` and `split/`, as `ogb.io.read_graph_raw` reads it.
    pub(crate) fn of_ogb(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let raw = folder.join("raw");
        let mut input =
            Self { nodes: vec![], edges: vec![], node_features: vec![], edge_features: vec![], masks: vec![] };
        if raw.join("data.npz").exists() {
            let path = raw.join("data.npz");
            let hint = "unzip it, then --edges edge_index.npy --node-feature feat=node_feat.npy take what is in it";
            return Err(format!("{}: large arrays are not read from npz: {hint}", path.display()).into());
        }
        let dictionary = compressed::existing(&raw.join("num-node-dict.csv.gz"));
        if dictionary.exists() {
            input.typed(&raw, &dictionary)?;
        } else {
            let (path, text) = text(&raw, "num-node-list.csv.gz")?;
            input.nodes.push(nodes(only_node(), &text, &path)?);
            input.edges.push(EdgeFile { kind: only_edge(), path: compressed::existing(&raw.join("edge.csv.gz")) });
            for (name, path) in features(&raw, "node")? {
                input.node_features.push(FeatureFile { kind: only_node(), name, path });
            }
            for (name, path) in features(&raw, "edge")? {
                input.edge_features.push(FeatureFile { kind: only_edge(), name, path });
            }
        }
        input.split(&folder.join("split"))?;
        Ok(input)
    }

    /// Several types of nodes and edges, as in ogbn-mag.
    fn typed(&mut self, raw: &Path, dictionary: &Path) -> Result<(), Box<dyn Error>> {
        let (path, counts) = text(raw, "num-node-dict.csv.gz")?;
        let mut lines = counts.lines();
        let [Some(types), Some(counts), None] = [lines.next(), lines.next(), lines.next()] else {
            let found = counts.lines().count();
            return Err(format!("{}: {found} lines, expected names and numbers of one graph", path.display()).into());
        };
        let (types, counts): (Vec<&str>, Vec<&str>) = (types.split(',').collect(), counts.split(',').collect());
        if types.len() != counts.len() {
            let (path, types, counts) = (path.display(), types.len(), counts.len());
            return Err(format!("{path}: names of {types} types of nodes, but {counts} numbers").into());
        }
        for (kind, count) in types.into_iter().zip(counts) {
            self.nodes.push(nodes(kind.trim().into(), count, dictionary)?);
            for folder in ["node-feat", "node-label"] {
                for (name, path) in features(&raw.join(folder).join(kind.trim()), "node")? {
                    self.node_features.push(FeatureFile { kind: kind.trim().into(), name, path });
                }
            }
        }
        self.nodes.sort_by(|one, other| one.kind.cmp(&other.kind));
        let (path, triplets) = text(raw, "triplet-type-list.csv.gz")?;
        for (line, triplet) in triplets.lines().enumerate() {
            let names: Vec<String> = triplet.split(',').map(|name| name.trim().to_owned()).collect();
            let kind: [String; 3] = names.try_into().map_err(|_| {
                format!("{}, line {}: {triplet:?}, expected source, relation, target", path.display(), line + 1)
            })?;
            let folder = raw.join("relations").join(kind.join("___"));
            self.edges.push(EdgeFile { kind: kind.clone(), path: compressed::existing(&folder.join("edge.csv.gz")) });
            for (name, path) in features(&folder, "edge")? {
                self.edge_features.push(FeatureFile { kind: kind.clone(), name, path });
            }
        }
        self.edges.sort_by(|one, other| one.kind.cmp(&other.kind));
        Ok(())
    }

    /// Makes masks of the lists of nodes of a split, which is `split/NAME/train.csv.gz`, or `split/NAME/TYPE/` where
    /// there are several types.
    fn split(&mut self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let splits = folders(folder)?;
        let [split] = &splits[..] else {
            let names: Vec<_> = splits.iter().filter_map(|split| split.file_name()?.to_str()).collect();
            let several = || format!("{}: expected one split, found {}", folder.display(), names.join(", "));
            return if splits.is_empty() { Ok(()) } else { Err(several().into()) };
        };
        for Nodes { kind, count, .. } in &self.nodes {
            let within = if split.join(kind).is_dir() { split.join(kind) } else { split.clone() };
            for (name, file) in [("train_mask", "train"), ("val_mask", "valid"), ("test_mask", "test")] {
                let path = compressed::existing(&within.join(file).with_extension("csv.gz"));
                if !path.exists() || (self.nodes.len() > 1 && within == *split) {
                    continue;
                }
                let mut mask = Vec::new();
                mask.try_reserve_exact(*count).map_err(|error| format!("{count} nodes of type {kind}: {error}"))?;
                mask.resize(*count, 0);
                let listed = ChunkedFeature::open(name, ChunkFormat::Csv { delimiter: b',' }, vec![path.clone()])?;
                if listed.rows() > 0 && (listed.element() != ArrayType::I64 || listed.row() != [1]) {
                    return Err(format!("{}: expected the number of a node in each line", path.display()).into());
                }
                for range in listed.ranges(1 << 16) {
                    let (rows, array) = range?;
                    for (row, node) in rows.zip(array.bytes().as_chunks().0) {
                        let node = i64::from_le_bytes(*node);
                        let place =
                            usize::try_from(node).ok().and_then(|node| mask.get_mut(node)).ok_or_else(|| {
                                let line = row + 1;
                                format!(
                                    "{}, line {line}: node {node}, expected 0 to {count} (exclusive)",
                                    path.display()
                                )
                            })?;
                        *place = 1;
                    }
                }
                self.masks.push((kind.clone(), name.into(), Array::new(ArrayType::Bool, vec![*count], mask)?));
            }
        }
        Ok(())
    }
}

/// The contents of a small file, and its path.
fn text(folder: &Path, name: &str) -> Result<(PathBuf, String), Box<dyn Error>> {
    let path = compressed::existing(&folder.join(name));
    let mut text = String::new();
    let read = compressed::open(&path)?.take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    if text.len() as u64 > LONGEST {
        return Err(format!("{}: more than {LONGEST} bytes", path.display()).into());
    }
    Ok((path, text))
}

/// The number of nodes of a type; there must be one graph.
fn nodes(kind: String, text: &str, path: &Path) -> Result<Nodes, String> {
    let wrong = |_| {
        let (path, lines, first) = (path.display(), text.lines().count(), text.lines().next().unwrap_or_default());
        match lines {
            0 | 1 => format!("{path}: expected the number of nodes of one graph, found {first:?}"),
            _ => format!(
                "{path}: expected one graph, found {lines} lines, one for each graph: graphpack convert reads those"
            ),
        }
    };
    let count = text.trim().parse().map_err(wrong)?;
    Ok(Nodes { kind, count, by: Some(format!("{}: {count}", path.display())) })
}

/// Names and paths of the features in a folder: `LEVEL-NAME.csv.gz` and `LEVEL_NAME.csv.gz`, in order.
fn features(folder: &Path, level: &str) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".csv");
        let name = name.and_then(|name| name.strip_prefix(level)?.strip_prefix(['-', '_']));
        if let Some(name) = name {
            found.push((name.to_owned(), path));
        }
    }
    found.sort();
    Ok(found)
}

/// The folders in a folder, in order.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.into_iter().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}
