//! [`PartitionConfig`]: the JSON file of a partition.

use super::DglError;
use super::output::save;
use crate::PartitionBook;
use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

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

/// Files of a part, as paths below the folder of the JSON file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartFiles {
    /// Features of its nodes.
    pub node_feats: String,
    /// Features of its edges.
    pub edge_feats: String,
    /// Its nodes and edges.
    pub part_graph: String,
}

/// DGL's names where there is only one type.
const ONE_NODE_TYPE: &str = "_N";
const ONE_EDGE_TYPE: &str = "_N:_E:_N";

impl PartitionConfig {
    /// Reads a JSON file. Ranges of ids must follow each other part by part, and within a part type by type. Unknown
    /// keys are ignored.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, DglError> {
        let path = path.as_ref();
        let io = |source| DglError::Io { path: path.to_owned(), source };
        if !fs::metadata(path).map_err(io)?.is_file() {
            return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")));
        }
        let text = fs::read(path).map_err(io)?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| io(error.into()))?;
        let file = Keys { path };
        let Value::Object(root) = &value else {
            return Err(file.wrong("the file", "an object", &value));
        };
        let nodes = file.map(root, "node_map", "ntypes", ONE_NODE_TYPE, "num_nodes")?;
        let edges = file.map(root, "edge_map", "etypes", ONE_EDGE_TYPE, "num_edges")?;
        let triple = |name: &String| {
            let names: Vec<String> = name.split(':').map(str::to_owned).collect();
            <[String; 3]>::try_from(names).map_err(|_| file.wrong("etypes", "names as source:relation:target", name))
        };
        let edge_types = edges.0.iter().map(triple).collect::<Result<Vec<_>, _>>()?;
        let parts = file.size(root, "num_parts")?;
        Ok(Self {
            graph_name: file.text(root, "", "graph_name")?,
            part_method: if root.contains_key("part_method") {
                file.text(root, "", "part_method")?
            } else {
                String::new()
            },
            halo_hops: if root.contains_key("halo_hops") { file.size(root, "halo_hops")? } else { 1 },
            book: PartitionBook::new(nodes.0, &nodes.1, edge_types, &edges.1),
            parts: (0..parts).map(|part| file.part(root, part)).collect::<Result<_, _>>()?,
        })
    }

    /// Writes a JSON file as DGL does, under a temporary name until it is complete.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), DglError> {
        let (book, parts) = (&self.book, self.parts.len());
        let edge_types: Vec<String> = book.edge_types().iter().map(|name| name.join(":")).collect();
        let map = |names: &[String], range: &dyn Fn(usize, usize) -> Range<i64>| {
            let ranges =
                |kind: usize| (0..parts).map(|part| range(kind, part)).map(|ids| [ids.start, ids.end]).collect();
            InOrder(
                names.iter().enumerate().map(|(kind, name)| (name.clone(), ranges(kind))).collect::<Vec<(_, Vec<_>)>>(),
            )
        };
        let numbers = |names: &[String]| InOrder(names.iter().cloned().zip(0_usize..).collect());
        let part_files = self.parts.iter().enumerate().map(|(part, files)| (format!("part-{part}"), files));
        let file = File {
            graph_name: &self.graph_name,
            num_nodes: book.nodes(),
            num_edges: book.edges(),
            part_method: &self.part_method,
            num_parts: parts,
            halo_hops: self.halo_hops,
            node_map: map(book.node_types(), &|kind, part| book.node_range(kind, part)),
            edge_map: map(&edge_types, &|kind, part| book.edge_range(kind, part)),
            ntypes: numbers(book.node_types()),
            etypes: numbers(&edge_types),
            parts: InOrder(part_files.collect()),
        };
        save(path.as_ref(), |output| output.bytes(python(&file)?.as_bytes()))
    }

    /// The files of a part; `config` is the path of the JSON file.
    pub(super) fn files(&self, config: &Path, part: usize) -> Result<[PathBuf; 3], DglError> {
        let folder = config.parent().unwrap_or(Path::new(""));
        let missing = || DglError::NoPart { path: config.to_owned(), part, parts: self.parts.len() };
        let PartFiles { node_feats, edge_feats, part_graph } = self.parts.get(part).ok_or_else(missing)?;
        Ok([node_feats, edge_feats, part_graph].map(|file| folder.join(file)))
    }
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
    node_map: InOrder<Vec<[i64; 2]>>,
    edge_map: InOrder<Vec<[i64; 2]>>,
    ntypes: InOrder<usize>,
    etypes: InOrder<usize>,
    #[serde(flatten)]
    parts: InOrder<&'a PartFiles>,
}

/// An object whose keys keep their order.
struct InOrder<V>(Vec<(String, V)>);

impl<V: Serialize> Serialize for InOrder<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
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

/// A JSON file whose keys are looked up.
struct Keys<'a> {
    path: &'a Path,
}

impl Keys<'_> {
    fn wrong(&self, key: &str, expected: impl ToString, found: impl ToString) -> DglError {
        let mut found = found.to_string();
        if let Some((end, _)) = found.char_indices().nth(60) {
            found.truncate(end);
            found.push_str("...");
        }
        DglError::Key { path: self.path.to_owned(), key: key.to_owned(), expected: expected.to_string(), found }
    }

    fn get<'a>(&self, map: &'a Map<String, Value>, key: &str, expected: &str) -> Result<&'a Value, DglError> {
        map.get(key).ok_or_else(|| self.wrong(key, expected, "missing"))
    }

    fn size(&self, map: &Map<String, Value>, key: &str) -> Result<usize, DglError> {
        let expected = "a number that is not negative";
        let value = self.get(map, key, expected)?;
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.wrong(key, expected, value))
    }

    fn text(&self, map: &Map<String, Value>, around: &str, key: &str) -> Result<String, DglError> {
        let full = format!("{around}{key}");
        let value = map.get(key).ok_or_else(|| self.wrong(&full, "a text", "missing"))?;
        value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(&full, "a text", value))
    }

    fn part(&self, root: &Map<String, Value>, part: usize) -> Result<PartFiles, DglError> {
        let key = format!("part-{part}");
        let value = self.get(root, &key, "an object")?;
        let files = value.as_object().ok_or_else(|| self.wrong(&key, "an object", value))?;
        let file = |name: &str| {
            let file = self.text(files, &format!("{key}."), name)?;
            let inside = |component| matches!(component, Component::Normal(_) | Component::CurDir);
            if !Path::new(&file).components().all(inside) {
                return Err(self.wrong(&format!("{key}.{name}"), "a path beneath the folder of this file", file));
            }
            Ok(file)
        };
        Ok(PartFiles {
            node_feats: file("node_feats")?,
            edge_feats: file("edge_feats")?,
            part_graph: file("part_graph")?,
        })
    }

    /// Returns the names of types by number, and the number of ids that each part has of each type, `[type][part]`.
    fn map(
        &self,
        root: &Map<String, Value>,
        map: &str,
        types: &str,
        only: &str,
        total: &str,
    ) -> Result<(Vec<String>, Vec<Vec<usize>>), DglError> {
        let names = match root.get(types) {
            Some(numbers) => self.names(types, numbers)?,
            None => vec![only.to_owned()],
        };
        let expected = "ranges by type";
        let value = self.get(root, map, expected)?;
        // Without types nothing bounds the number of parts.
        if names.is_empty() && map == "node_map" {
            return Err(self.wrong(types, "at least one type of nodes", "none"));
        }
        let parts = self.size(root, "num_parts")?;
        // Ranges by type, or a list if there is one type.
        let ranges: Vec<&Value> = match value {
            Value::Object(by_type) => {
                if let Some(other) = by_type.keys().find(|name| !names.contains(name)) {
                    return Err(self.wrong(map, format_args!("only types that are in {types}"), other));
                }
                let of_type =
                    |name| by_type.get(name).ok_or_else(|| self.wrong(&format!("{map}.{name}"), "ranges", "missing"));
                names.iter().map(of_type).collect::<Result<_, _>>()?
            }
            Value::Array(_) if names.len() == 1 => vec![value],
            _ => return Err(self.wrong(map, expected, value)),
        };
        let mut lists = Vec::new();
        for (name, ranges) in names.iter().zip(&ranges) {
            let key = format!("{map}.{name}");
            match ranges.as_array() {
                Some(list) if list.len() == parts && parts > 0 => lists.push((key, list)),
                Some(list) => {
                    return Err(self.wrong(
                        &key,
                        format_args!("a range for each of {parts} parts"),
                        format_args!("{} ranges", list.len()),
                    ));
                }
                None => return Err(self.wrong(&key, "a list of ranges", ranges)),
            }
        }
        let mut counts = vec![vec![0; parts]; names.len()];
        let mut end = 0_i64;
        for part in 0..parts {
            for ((key, list), counts) in lists.iter().zip(&mut counts) {
                let start = end;
                let range = match &list[part] {
                    // Before DGL 0.6 files had only the ends.
                    Value::Number(found) if names.len() == 1 => found.as_i64().map(|end| (start, end)),
                    Value::Array(pair) => match pair.as_slice() {
                        [from, to] => from.as_i64().zip(to.as_i64()),
                        _ => None,
                    },
                    _ => None,
                };
                match range {
                    Some((from, to)) if from == start && to >= start => {
                        (end, counts[part]) = (to, (to - start) as usize);
                    }
                    _ => {
                        return Err(self.wrong(
                            key,
                            format_args!("a range from {start} on for part {part}"),
                            &list[part],
                        ));
                    }
                }
            }
        }
        let expected = self.size(root, total)?;
        if expected as i64 != end {
            return Err(self.wrong(total, format_args!("{end}, where the last range ends"), expected));
        }
        Ok((names, counts))
    }

    /// Returns names in the order of their numbers, which must be 0, 1 and so on.
    fn names(&self, key: &str, numbers: &Value) -> Result<Vec<String>, DglError> {
        let expected = "types with a number each, from 0";
        let map = numbers.as_object().ok_or_else(|| self.wrong(key, expected, numbers))?;
        let mut names = vec![None; map.len()];
        for (name, number) in map {
            let place = number.as_u64().and_then(|number| names.get_mut(usize::try_from(number).ok()?));
            match place {
                Some(place @ None) => *place = Some(name.clone()),
                _ => return Err(self.wrong(&format!("{key}.{name}"), expected, number)),
            }
        }
        Ok(names.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{InOrder, python};

    #[test]
    fn text_is_what_python_writes() {
        let value = InOrder(vec![("b".into(), vec!["ü😀\"\\\n\u{7f}\u{1}"]), ("a".into(), Vec::new())]);
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
