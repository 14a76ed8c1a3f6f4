//! [`PartitionConfig`]: the JSON file of a partition, and where the files are that it names.

use super::DglError;
use super::keys::{Keys, PartFiles, TypeKeys};
use super::output::save;
use crate::PartitionBook;
use crate::files::{self, Entries, plain};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::PrettyFormatter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The contents of `NAME.json`: names, how the graph was cut, the ids of each part, and the paths of its files.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionConfig {
    /// Name of the graph.
    pub graph_name: String,
    /// How it was cut: `metis`, `random`; empty if the file does not say.
    pub part_method: String,
    /// Hops of the HALO; 1, DGL's default, if the file does not say.
    pub halo_hops: usize,
    /// Types of nodes and edges, and their ids in each part.
    pub book: PartitionBook,
    /// Files of each part.
    pub parts: Vec<PartFiles>,
}

impl PartitionConfig {
    /// Reads a JSON file as DGL writes it since 1.0. Ranges of ids must follow each other part by part, and within a
    /// part type by type. Unknown keys are ignored.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let io = file_error(path);
        let text = files::expect(path).and_then(|()| fs::read(path)).map_err(io)?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| io(error.into()))?;
        let file = Keys::new(path, &value)?;
        let nodes = file.types(&TypeKeys::NODES)?;
        let edges = file.types(&TypeKeys::EDGES)?;
        let mut edge_types = Vec::new();
        for name in edges.names {
            let expected = "names as source:relation:target (DGL's change_etype_to_canonical_etype.py makes them)";
            edge_types.push(triple(&name).ok_or_else(|| file.wrong("etypes", expected, name))?);
        }
        let parts = file.size("num_parts")?;
        let files = (0..parts).map(|part| file.part(part)).collect::<Result<_, _>>()?;
        Ok(Self {
            graph_name: file.text("graph_name")?,
            part_method: file.optional("part_method", Keys::text)?.unwrap_or_default(),
            halo_hops: file.optional("halo_hops", Keys::size)?.unwrap_or(1),
            book: PartitionBook::new(nodes.names, &nodes.counts, edge_types, &edges.counts),
            parts: files,
        })
    }

    /// Writes a JSON file as DGL does, under a temporary name until it is complete.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (book, parts) = (&self.book, self.parts.len());
        let map = |names: &[String], range: &dyn Fn(usize, usize) -> Range<i64>| {
            let ranges =
                |kind: usize| (0..parts).map(|part| range(kind, part)).map(|ids| [ids.start, ids.end]).collect();
            Entries(
                names.iter().enumerate().map(|(kind, name)| (name.clone(), ranges(kind))).collect::<Vec<(_, Vec<_>)>>(),
            )
        };
        let numbers = |names: &[String]| Entries(names.iter().cloned().zip(0_usize..).collect());
        let part_files = self.parts.iter().enumerate().map(|(part, files)| (format!("part-{part}"), files));
        let file = File {
            graph_name: &self.graph_name,
            num_nodes: book.nodes(),
            num_edges: book.edges(),
            part_method: &self.part_method,
            num_parts: parts,
            halo_hops: self.halo_hops,
            node_map: map(book.node_types(), &|kind, part| book.node_range(kind, part)),
            edge_map: map(book.edge_names(), &|kind, part| book.edge_range(kind, part)),
            ntypes: numbers(book.node_types()),
            etypes: numbers(book.edge_names()),
            parts: Entries(part_files.collect()),
        };
        save(path.as_ref(), |output| output.bytes(python(&file)?.as_bytes())).map(drop)
    }

    /// The files of a part; `config` is the path of the JSON file.
    pub(super) fn files(&self, config: &Path, part: usize) -> Result<[PathBuf; 3], Error> {
        let missing = || Error::from(DglError::NoPart { path: config.to_owned(), part, parts: self.parts.len() });
        let PartFiles { node_feats, edge_feats, part_graph } = self.parts.get(part).ok_or_else(missing)?;
        Ok([node_feats, edge_feats, part_graph].map(|file| beside(config, file)))
    }
}

/// Source, relation and target, if the name has them.
fn triple(name: &str) -> Option<[String; 3]> {
    let names: Vec<String> = name.split(':').map(str::to_owned).collect();
    names.try_into().ok()
}

/// The keys of the JSON file, in DGL's order.
#[derive(Serialize)]
struct File<'a> {
    graph_name: &'a str,
    num_nodes: usize,
    num_edges: usize,
    part_method: &'a str,
    num_parts: usize,
    halo_hops: usize,
    node_map: Entries<Vec<[i64; 2]>>,
    edge_map: Entries<Vec<[i64; 2]>>,
    ntypes: Entries<usize>,
    etypes: Entries<usize>,
    #[serde(flatten)]
    parts: Entries<&'a PartFiles>,
}

/// Writes as Python's `json.dump(..., indent=4)` does: characters beyond ASCII, which are in texts alone, are escaped.
fn python(value: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"    ")))?;
    let mut escaped = String::new();
    for character in String::from_utf8_lossy(&text).chars() {
        if matches!(character, ' '..='~' | '\n') {
            escaped.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        }
    }
    Ok(escaped)
}

/// The path of a file that the JSON file `config` names.
pub(super) fn beside(config: &Path, file: &str) -> PathBuf {
    config.parent().unwrap_or(Path::new("")).join(file)
}

/// The npy files of all types below the folder of the JSON file, of nodes and of edges: `node_map.npy` and
/// `edge_map.npy` if there is one type, else `node_map/TYPE.npy` and `edge_map/SOURCE+RELATION+TARGET.npy`.
pub(crate) fn map_files(folder: &Path, book: &PartitionBook) -> [Vec<PathBuf>; 2] {
    let files = |map: &str, names: Vec<String>| match names.as_slice() {
        [_] => vec![folder.join(map).with_extension("npy")],
        names => names.iter().map(|name| folder.join(map).join(format!("{name}.npy"))).collect(),
    };
    let of_edges = book.edge_types().iter().map(|name| name.each_ref().map(|name| plain(name)).join("+"));
    let of_nodes = book.node_types().iter().map(|name| plain(name));
    [files("node_map", of_nodes.collect()), files("edge_map", of_edges.collect())]
}

#[cfg(test)]
mod tests {
    use super::python;
    use crate::files::Entries;

    #[test]
    fn text_is_what_python_writes() {
        let value = Entries(vec![("b".into(), vec!["ü😀\"\\\n\u{7f}\u{1}"]), ("a".into(), Vec::new())]);
        // print(json.dumps({"b": ["ü😀\"\\\n\x7f\x01"], "a": []}, indent=4))
        let expected = r#"{
    "b": [
        "\u00fc\ud83d\ude00\"\\\n\u007f\u0001"
    ],
    "a": []
}"#;
        assert_eq!(python(&value).expect("memory takes it"), expected);
    }
}
