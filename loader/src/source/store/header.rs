//! [`Header`]: what is in a safetensors file, and where.

use super::description::{Description, KEY, UNITS, Units, field_dtype, index_width};
use super::offsets::Starts;
use super::pages::{self, Checksums, Pages, Sums};
use super::read_at::{FileState, read_at};
use super::stored_file::{StoredFile, StoredIndex};
use super::{FileError, StoreError};
use crate::error::Error;
use crate::layout::{Field, Index, Level, MAX_FIELDS, MAX_SETS, PaddingValue, Schema, SchemaError};
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype as FileDtype, SafeTensorError, SafeTensors};
use std::fs::File;
use std::path::Path;

/// Bytes that are read at a time.
pub(super) const PIECE: usize = 1 << 20;
/// The longest header that safetensors reads.
pub(super) const LONGEST: u64 = 100_000_000;

/// A file and its header.
pub(super) struct Header<'a> {
    path: &'a Path,
    file: &'a File,
    state: FileState,
    /// Where the bytes of the tensors start in the file.
    start: u64,
    pub(super) metadata: Metadata,
    pub(super) description: Description,
    units: Units,
    /// `None` for files without checksums: those of other programs.
    checksums: Option<Checksums>,
}

impl<'a> Header<'a> {
    /// Reads the header of a file, and checks it against the length of the file.
    pub(super) fn new(path: &'a Path, file: &'a File, state: FileState) -> Result<Self, Error> {
        let format = |source| Error::from(FileError::Format { path: path.to_owned(), source });
        if state.bytes < 8 {
            return Err(format(SafeTensorError::HeaderTooSmall));
        }
        let mut length = [0; 8];
        read_at(file, path, 0, &mut length)?;
        let header = u64::from_le_bytes(length);
        if header > LONGEST {
            return Err(format(SafeTensorError::HeaderTooLarge));
        }
        if header > state.bytes - 8 {
            return Err(format(SafeTensorError::InvalidHeaderLength));
        }
        let start = 8 + header;
        let mut bytes = vec![0; start as usize];
        read_at(file, path, 0, &mut bytes)?;
        // The library checks all but the length of the file, of which it has only the header.
        match SafeTensors::read_metadata(&bytes) {
            Ok(_) | Err(SafeTensorError::MetadataIncompleteBuffer) => {}
            Err(error) => return Err(format(error)),
        }
        let metadata: Metadata = serde_json::from_slice(&bytes[8..])
            .map_err(|error| format(SafeTensorError::InvalidHeaderDeserialization(error)))?;
        if start.checked_add(metadata.data_len() as u64) != Some(state.bytes) {
            return Err(format(SafeTensorError::MetadataIncompleteBuffer));
        }
        let said = |key| metadata.metadata().as_ref().and_then(|metadata| metadata.get(key)).map_or("", String::as_str);
        let wrong = |source| Error::from(FileError::Metadata { path: path.to_owned(), source });
        let text = said(KEY);
        let description = if text.is_empty() { Ok(None) } else { serde_json::from_str(text) };
        let description: Option<Description> = description.map_err(wrong)?;
        let of_units = said(UNITS);
        let units = if of_units.is_empty() { Ok(Units::default()) } else { serde_json::from_str(of_units) };
        let units = units.map_err(wrong)?;
        let checksums = said(pages::KEY);
        let checksums = if checksums.is_empty() { Ok(None) } else { serde_json::from_str(checksums) };
        let checksums: Option<Checksums> = checksums.map_err(wrong)?;
        if let Some(sums) = &checksums {
            let (expected, found) = (pages::VERSION, sums.version);
            if found != expected {
                return Err(FileError::Version { path: path.to_owned(), expected, found }.into());
            }
            if !sums.page.is_power_of_two() {
                let problem = format!("pages have {} bytes, expected a power of two", sums.page);
                return Err(wrong(serde::de::Error::custom(problem)));
            }
            let tensors = metadata.tensors();
            let tensors = tensors.iter().map(|(name, info)| (name.as_str(), info.dtype, &*info.shape));
            let found = [Some(sums.of_header(text, tensors).map_err(wrong)?), pages::of_units(of_units)];
            let expected = [Some(sums.header.clone()), sums.units.clone()];
            if let Some((expected, found)) = expected.iter().zip(&found).find(|(expected, found)| expected != found) {
                let first = |sums: &Option<Sums>| sums.iter().flat_map(|sums| &sums.0).next().copied().unwrap_or(0);
                let [expected, found] = [expected, found].map(first);
                let (path, tensor) = (path.to_owned(), "header".to_owned());
                return Err(FileError::Damaged { path, tensor, bytes: 0..start, expected, found }.into());
            }
        }
        let description = description.unwrap_or_default();
        // Also where a damaged key hides the checksums.
        if checksums.is_none() && !description.crc32.is_empty() {
            let problem = format!("expected the key {:?} beside checksums in {KEY:?}, found none", pages::KEY);
            return Err(wrong(serde::de::Error::custom(problem)));
        }
        Ok(Self { path, file, state, start, metadata, description, units, checksums })
    }

    /// Says where everything is, after checking that it makes a store.
    pub(super) fn found(&self) -> Result<StoredFile, Error> {
        let invalid = |source: Error| Error::from(FileError::Store { path: self.path.to_owned(), source });
        let Description { sets, fields: described, indices, padding, labels, .. } = &self.description;
        // Before each name is compared with all others.
        let few = |fields: usize| match fields {
            ..=MAX_FIELDS => Ok(()),
            fields => Err(invalid(SchemaError::Fields { fields }.into())),
        };
        few(described.len())?;
        let sets = sets.clone().unwrap_or_else(|| {
            let indices = indices.iter().flatten().map(|(name, ..)| name.as_str());
            self.sets(&described.iter().map(|(name, _)| name.as_str()).chain(indices).collect::<Vec<_>>())
        });
        // Sets first, then indices: fields are checked when their tensors are read.
        Schema::from_parts(&sets, vec![], vec![]).map_err(&invalid)?;
        let level = |of: &str, name: &str| level(&sets, of, name).map_err(&invalid);
        let indices = match indices {
            None => vec![Index::edge_index()],
            Some(found) => found
                .iter()
                .map(|(name, of, targets)| {
                    let targets = targets.iter().map(|target| match level(name, target)? {
                        Level::Set(set) => Ok(set),
                        Level::Graph => Err(invalid(no_set(&sets, name, target))),
                    });
                    Ok(Index::new(name, level(name, of)?, targets.collect::<Result<Vec<u8>, _>>()?))
                })
                .collect::<Result<_, Error>>()?,
        };
        let schema = Schema::from_parts(&sets, vec![], indices.clone()).map_err(&invalid)?;
        let tensor_of = |set| schema.sets().offsets(set);
        let starts = (0..sets.len()).map(|set| self.starts(&tensor_of(set), &sets[set]));
        let starts = starts.collect::<Result<Vec<_>, _>>()?;
        let differs = |of: &Starts| of.graphs() != starts[0].graphs();
        if let Some(other) = starts.iter().position(differs) {
            let entries = |set: usize| starts[set].graphs() + 1;
            let (expected, found) = (entries(0), entries(other));
            let [first, other] = [0, other].map(|set: usize| sets[set].clone());
            return Err(invalid(StoreError::Graphs { first, expected, other, found }.into()));
        }
        let local = indices.iter().map(|index| self.index(index, &schema, &starts)).collect::<Result<Vec<_>, _>>()?;
        let mut names = self.metadata.offset_keys();
        names.retain(|name| (0..sets.len()).all(|set| *name != tensor_of(set)) && schema.find_index(name).is_none());
        few(names.len() + indices.len())?;
        if let Some((tensor, _)) = described.iter().find(|(name, _)| !names.contains(name)) {
            return Err(FileError::Missing { path: self.path.to_owned(), tensor: tensor.clone() }.into());
        }
        names.sort_unstable();
        if let Some(name) =
            padding.keys().chain(self.units.keys()).chain(labels.keys()).find(|name| !names.contains(name))
        {
            return Err(invalid(SchemaError::NoField { name: name.clone(), available: names }.into()));
        }
        let place = |name: &String| described.iter().position(|(other, _)| other == name);
        names.sort_by_key(|name| (place(name).unwrap_or(usize::MAX), name.clone()));
        let counts: Vec<(Level, u64)> = starts.iter().zip(0..).map(|(of, set)| (Level::Set(set), of.total())).collect();
        let counts = [counts, vec![(Level::Graph, starts[0].graphs() as u64)]].concat();
        let fields = names.iter().map(|name| {
            let described = place(name).map(|place| level(name, &described[place].1)).transpose()?;
            let mut field = self.field(name, described, &schema, &counts)?;
            // Names decide for files of other programs alone.
            let unsaid = if described.is_none() { field.usual_padding() } else { PaddingValue::default() };
            field.padding = padding.get(name).copied().unwrap_or(unsaid);
            field.unit = self.units.get(name).cloned();
            field.labels = labels.get(name).cloned().unwrap_or_default().into();
            Ok(field)
        });
        let fields = fields.collect::<Result<Vec<_>, Error>>()?;
        let start_of = |name: &str| Ok(self.start + self.info(name)?.data_offsets.0 as u64);
        let ptr = (0..sets.len()).map(|set| start_of(&tensor_of(set))).collect::<Result<_, Error>>()?;
        let columns = fields.iter().map(|field| self.pages(&field.name)).collect::<Result<_, Error>>()?;
        let sums = self.sums(&fields, &indices, &counts);
        let schema = Schema::from_parts(&sets, fields, indices).map_err(&invalid)?;
        for field in schema.fields() {
            let rows = counts.iter().find(|(level, _)| *level == field.level).map_or(0, |(_, rows)| *rows as usize);
            let info = self.info(&field.name)?;
            let found = (info.data_offsets.1 - info.data_offsets.0) / field.dtype.bytes();
            if rows.checked_mul(field.width) != Some(found) {
                let (field, width) = (field.name.clone(), field.width);
                return Err(invalid(StoreError::Values { field, rows, width, found }.into()));
            }
        }
        let (path, state) = (self.path.to_owned(), self.state);
        let header = self.checksums.as_ref().map(|sums| sums.header.clone());
        Ok(StoredFile { path, state, schema, starts, ptr, fields: columns, indices: local, sums, header })
    }

    /// Where an array is, with the checksums of its pages.
    fn pages(&self, name: &str) -> Result<Pages, Error> {
        let (from, to) = self.info(name)?.data_offsets;
        let place = self.start + from as u64..self.start + to as u64;
        let missing = |sums: u64| {
            let tensor = format!("list of {sums} checksums of {name}");
            FileError::Missing { path: self.path.to_owned(), tensor }.into()
        };
        let sums = self.checksums.as_ref();
        let sums = sums.map(|sums| (sums.page, sums.pages.get(name).map(|of| of.0.clone()).unwrap_or_default()));
        Pages::new(name, place, sums).map_err(missing)
    }

    /// Checksums of all values: of each field, and of each column of each index as int64, each with its number of
    /// bytes. None if the file does not have them.
    fn sums(&self, fields: &[Field], indices: &[Index], counts: &[(Level, u64)]) -> Option<Vec<(u32, u64)>> {
        let entries = &self.checksums.as_ref()?.entries;
        let rows = |of: Level| counts.iter().find(|(level, _)| *level == of).map(|(_, rows)| *rows);
        let fields = fields.iter().map(|field| {
            let sum = self.description.crc32.get(&field.name)?;
            Some((*sum, rows(field.level)?.checked_mul(field.row_bytes() as u64)?))
        });
        let indices = indices.iter().flat_map(|index| {
            let sums = entries.get(&index.name).map_or(&[][..], |sums| &sums.0);
            let bytes = rows(index.level).and_then(|rows| rows.checked_mul(8));
            (0..index.width()).map(move |column| sums.get(column).copied().zip(bytes))
        });
        fields.chain(indices).collect()
    }

    /// The sets of a file whose metadata do not name them: nodes, edges and those with offsets, by name. A field or
    /// index may be named like offsets if it is `described`.
    fn sets(&self, described: &[&str]) -> Vec<String> {
        let mut names = self.metadata.offset_keys();
        names.retain(|name| !described.contains(&name.as_str()));
        names.sort_unstable();
        let others =
            names.iter().filter_map(|name| name.strip_prefix("ptr_")).filter(|set| !["node", "edge"].contains(set));
        Schema::DEFAULT_SETS.into_iter().chain(others).map(String::from).collect()
    }

    fn info(&self, name: &str) -> Result<&TensorInfo, Error> {
        let missing = || Error::from(FileError::Missing { path: self.path.to_owned(), tensor: name.to_owned() });
        self.metadata.info(name).ok_or_else(missing)
    }

    /// Reads a tensor, a piece at a time. Errors unless it has the checksum of the file, if there is one.
    pub(super) fn read(&self, name: &str, mut each: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        // The header was checked against the length of the file.
        let (from, to) = self.info(name)?.data_offsets;
        let (mut piece, mut hasher, mut read) = (vec![0; PIECE.min(to - from)], crc32fast::Hasher::new(), Ok(()));
        for start in (from..to).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min(to - start)];
            read_at(self.file, self.path, self.start + start as u64, piece)?;
            hasher.update(piece);
            read = read.and_then(|()| each(piece));
        }
        match (self.description.crc32.get(name), hasher.finalize()) {
            (Some(&expected), found) if found != expected => {
                let bytes = self.start + from as u64..self.start + to as u64;
                let (path, tensor) = (self.path.to_owned(), name.to_owned());
                Err(FileError::Damaged { path, tensor, bytes, expected, found }.into())
            }
            _ => read,
        }
    }

    fn unusable(&self, name: &str, info: &TensorInfo, expected: &str) -> Error {
        let expected = expected.to_owned();
        let found = format!("{:?} {:?}", info.dtype, info.shape);
        FileError::Tensor { path: self.path.to_owned(), tensor: name.to_owned(), expected, found }.into()
    }

    fn starts(&self, name: &str, set: &str) -> Result<Starts, Error> {
        let info = self.info(name)?;
        let numbers = match (info.dtype, info.shape.as_slice()) {
            (FileDtype::I64 | FileDtype::U64, &[length]) if length > 0 => length,
            _ => return Err(self.unusable(name, info, "int64 [graphs + 1]")),
        };
        let mut starts = Starts::with_capacity(numbers);
        self.read(name, |bytes| {
            let offsets = bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
            let pushed = { offsets }.try_for_each(|offset| starts.push(set, offset));
            pushed.map_err(|source| Error::from(FileError::Store { path: self.path.to_owned(), source }))
        })?;
        Ok(starts)
    }

    fn index(&self, index: &Index, schema: &Schema, starts: &[Starts]) -> Result<StoredIndex, Error> {
        let info = self.info(&index.name)?;
        match (index_width(info.dtype), info.shape.as_slice()) {
            (Some(width), &[columns, found]) if columns == index.width() => {
                let expected = match index.level {
                    Level::Set(set) => starts[usize::from(set)].total() as usize,
                    Level::Graph => starts[0].graphs(),
                };
                if found != expected {
                    let source = StoreError::Rows { field: index.name.clone(), expected, found }.into();
                    return Err(FileError::Store { path: self.path.to_owned(), source }.into());
                }
                let start = |column: usize| self.start + (info.data_offsets.0 + column * found * width.bytes()) as u64;
                let pages = self.pages(&index.name)?;
                Ok(StoredIndex { width, columns: (0..columns).map(start).collect(), pages })
            }
            _ => {
                let shape = format!("[{}, {}]", index.width(), schema.level_name(index.level));
                Err(self.unusable(&index.name, info, &format!("uint8, uint16, int32 or int64 {shape}")))
            }
        }
    }

    fn field(
        &self,
        name: &str,
        level: Option<Level>,
        schema: &Schema,
        counts: &[(Level, u64)],
    ) -> Result<Field, Error> {
        let info = self.info(name)?;
        let Some(dtype) = field_dtype(info.dtype) else {
            return Err(self.unusable(name, info, "float16, float32, float64, int64, int32, uint8 or bool"));
        };
        let [rows, row @ ..] = info.shape.as_slice() else {
            return Err(self.unusable(name, info, "[rows], [rows, width] or more axes"));
        };
        let level = level.map_or_else(|| self.level(name, info, *rows as u64, schema, counts), Ok)?;
        let width = row.iter().fold(1, |width: usize, &length| width.saturating_mul(length));
        Ok(Field::new(name, level, dtype, width).shaped(row))
    }

    /// Returns the level of a field from its number of rows. If that fits several levels, the set that its name begins
    /// with or PyTorch Geometric's names decide.
    fn level(
        &self,
        name: &str,
        info: &TensorInfo,
        rows: u64,
        schema: &Schema,
        counts: &[(Level, u64)],
    ) -> Result<Level, Error> {
        let fitting: Vec<Level> = counts.iter().filter(|(_, count)| *count == rows).map(|(level, _)| *level).collect();
        let set = |set: &str| schema.set(set).map(|set| Level::Set(set as u8));
        let usual = match name.split_once('.') {
            Some((of, _)) => set(of),
            None => match name {
                "x" | "pos" | "z" => set("nodes"),
                "edge_attr" | "edge_weight" | "distance" | "shift" => set("edges"),
                "y" => Some(Level::Graph),
                _ => None,
            },
        };
        match (fitting.as_slice(), usual) {
            ([only], _) => Ok(*only),
            ([_, ..], Some(usual)) if fitting.contains(&usual) => Ok(usual),
            ([], _) => {
                let sets = schema.sets().join(", ");
                Err(self.unusable(name, info, &format!("as many rows as there are {sets} or graphs")))
            }
            _ => Err(self.unusable(name, info, "a level in the metadata: it has rows for more than one")),
        }
    }
}

/// Returns the level that a file calls `level`, of the field or index `name`.
fn level(sets: &[String], name: &str, level: &str) -> Result<Level, Error> {
    let set = match level {
        "graph" => return Ok(Level::Graph),
        "node" => "nodes",
        "edge" => "edges",
        other => other,
    };
    let found = sets.iter().take(MAX_SETS).position(|other| other == set);
    found.map(|set| Level::Set(set as u8)).ok_or_else(|| no_set(sets, name, level))
}

fn no_set(sets: &[String], name: &str, set: &str) -> Error {
    SchemaError::NoSet { name: name.to_owned(), set: format!("{set:?}"), sets: sets.to_vec() }.into()
}
