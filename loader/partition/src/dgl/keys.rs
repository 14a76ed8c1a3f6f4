//! [`Keys`]: the keys of a partition's JSON file; [`PartFiles`]: the files of a part that it names.

use super::DglError;
use graphpack_loader::Error;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Component, Path};

/// The keys of a partition's JSON file, looked up with errors that name them.
pub(super) struct Keys<'a> {
    path: &'a Path,
    root: &'a Map<String, Value>,
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

/// The keys that describe the types of nodes, or those of edges.
pub(super) struct TypeKeys {
    /// Numbers of types by name.
    types: &'static str,
    /// Ranges of ids by type.
    ranges: &'static str,
    /// Number of all ids.
    total: &'static str,
}

/// Types by number.
pub(super) struct Types {
    pub(super) names: Vec<String>,
    /// Number of ids, `[type][part]`.
    pub(super) counts: Vec<Vec<usize>>,
}

impl TypeKeys {
    pub(super) const NODES: Self = Self { types: "ntypes", ranges: "node_map", total: "num_nodes" };
    pub(super) const EDGES: Self = Self { types: "etypes", ranges: "edge_map", total: "num_edges" };
}

impl<'a> Keys<'a> {
    pub(super) fn new(path: &'a Path, value: &'a Value) -> Result<Self, Error> {
        match value {
            Value::Object(root) => Ok(Self { path, root }),
            other => Err(wrong(path, "the file", "an object", other)),
        }
    }

    /// An error about a key.
    pub(super) fn wrong(&self, key: &str, expected: impl ToString, found: impl ToString) -> Error {
        wrong(self.path, key, expected, found)
    }

    fn get(&self, key: &str, expected: &str) -> Result<&'a Value, Error> {
        self.root.get(key).ok_or_else(|| self.wrong(key, expected, "missing"))
    }

    /// Reads a key if it is there.
    pub(super) fn optional<T>(&self, key: &str, read: fn(&Self, &str) -> Result<T, Error>) -> Result<Option<T>, Error> {
        self.root.contains_key(key).then(|| read(self, key)).transpose()
    }

    pub(super) fn size(&self, key: &str) -> Result<usize, Error> {
        let expected = "a number that is not negative";
        let value = self.get(key, expected)?;
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.wrong(key, expected, value))
    }

    pub(super) fn text(&self, key: &str) -> Result<String, Error> {
        self.text_in(self.root, key, key)
    }

    fn text_in(&self, map: &Map<String, Value>, key: &str, full: &str) -> Result<String, Error> {
        let value = map.get(key).ok_or_else(|| self.wrong(full, "a text", "missing"))?;
        value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(full, "a text", value))
    }

    /// Reads the files of a part.
    pub(super) fn part(&self, part: usize) -> Result<PartFiles, Error> {
        let key = format!("part-{part}");
        let value = self.get(&key, "an object")?;
        let files = value.as_object().ok_or_else(|| self.wrong(&key, "an object", value))?;
        let file = |name: &str| {
            let full = format!("{key}.{name}");
            let file = self.text_in(files, name, &full)?;
            let inside = |component| matches!(component, Component::Normal(_) | Component::CurDir);
            if !Path::new(&file).components().all(inside) {
                return Err(self.wrong(&full, "a path beneath the folder of this file", file));
            }
            Ok(file)
        };
        Ok(PartFiles {
            node_feats: file("node_feats")?,
            edge_feats: file("edge_feats")?,
            part_graph: file("part_graph")?,
        })
    }

    /// Reads the types of nodes or of edges, and how many ids each part has of each.
    pub(super) fn types(&self, keys: &TypeKeys) -> Result<Types, Error> {
        let names = self.names(keys.types)?;
        let ranges = self.ranges(keys, &names)?;
        let (counts, end) = self.counts(&ranges, self.size("num_parts")?)?;
        let total = self.size(keys.total)?;
        if total as i64 != end {
            return Err(self.wrong(keys.total, format_args!("{end}, where the last range ends"), total));
        }
        Ok(Types { names, counts })
    }

    /// Returns names in the order of their numbers, which must be 0, 1 and so on.
    fn names(&self, key: &str) -> Result<Vec<String>, Error> {
        let expected = "types with a number each, from 0";
        let numbers = self.get(key, expected)?;
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

    /// Returns the list of ranges of each type, one for each part, and its full key.
    fn ranges(&self, keys: &TypeKeys, names: &[String]) -> Result<Vec<(String, &'a Vec<Value>)>, Error> {
        let (key, expected) = (keys.ranges, "ranges by type");
        let value = self.get(key, expected)?;
        // Without types nothing bounds the number of parts.
        if names.is_empty() && key == TypeKeys::NODES.ranges {
            return Err(self.wrong(keys.types, "at least one type of nodes", "none"));
        }
        let parts = self.size("num_parts")?;
        let by_type = value.as_object().ok_or_else(|| self.wrong(key, expected, value))?;
        if let Some(other) = by_type.keys().find(|name| !names.contains(name)) {
            return Err(self.wrong(key, format_args!("only types that are in {}", keys.types), other));
        }
        let of_type = |name: &String| {
            let full = format!("{key}.{name}");
            let found = by_type.get(name).ok_or_else(|| self.wrong(&full, "ranges", "missing"))?;
            match found.as_array() {
                Some(list) if list.len() == parts && parts > 0 => Ok((full, list)),
                Some(list) => {
                    let (expected, found) = (format!("a range for each of {parts} parts"), list.len());
                    Err(self.wrong(&full, expected, format_args!("{found} ranges")))
                }
                None => Err(self.wrong(&full, "a list of ranges", found)),
            }
        };
        names.iter().map(of_type).collect()
    }

    /// Returns how many ids each part has of each type, and the end of the last range. Ranges follow each other part by
    /// part, and within a part type by type.
    fn counts(&self, ranges: &[(String, &Vec<Value>)], parts: usize) -> Result<(Vec<Vec<usize>>, i64), Error> {
        let mut counts = vec![Vec::new(); ranges.len()];
        let mut end = 0_i64;
        for part in 0..parts {
            for ((key, list), counts) in ranges.iter().zip(&mut counts) {
                let start = end;
                end = range_end(&list[part], start).ok_or_else(|| {
                    self.wrong(key, format_args!("a range from {start} on for part {part}"), &list[part])
                })?;
                counts.push((end - start) as usize);
            }
        }
        Ok((counts, end))
    }
}

/// The end of a range that begins at `start`.
fn range_end(range: &Value, start: i64) -> Option<i64> {
    let [from, to] = &range.as_array()?[..] else { return None };
    to.as_i64().filter(|&end| from.as_i64() == Some(start) && end >= start)
}

fn wrong(path: &Path, key: &str, expected: impl ToString, found: impl ToString) -> Error {
    let mut found = found.to_string();
    if let Some((end, _)) = found.char_indices().nth(60) {
        found.truncate(end);
        found.push_str("...");
    }
    DglError::Key { path: path.to_owned(), key: key.to_owned(), expected: expected.to_string(), found }.into()
}
