//! [`Tables`]: the features and ids of all parts, by part and row.

use super::ClustersError;
use super::column::{Column, Rows};
use super::fields::{Chosen, Fields, Found, Sets};
use crate::cut::PartError;
use crate::dgl::{DglError, ORIGINAL_NODES, PartReader, TensorFile, TensorInfo};
use crate::graph::starts;
use crate::{ArrayType, PartitionBook};
use graphpack_loader::extend::{mix, mix_bytes, samples};
use graphpack_loader::store::SharedFile;
use graphpack_loader::{BoxError, Error, Slot};
use std::ops::Range;
use std::sync::Arc;

/// The ids that the field `node_id` of batches has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeIds {
    /// Global ids, which count part by part and within a part type by type.
    #[default]
    Global,
    /// The original id of each node of each type, by its new id within the type
    /// ([`Cut::node_map`](crate::Cut::node_map)).
    Original(Arc<[Vec<i64>]>),
    /// Original ids within the type, from the file `orig_nids.dgl` of each part (`--save-orig-ids`). For parts in
    /// files.
    Files,
}

/// Where a row is: the part that owns it, and its position there among those of its type.
pub(super) type Place = [u32; 2];

/// What is known of a part but its edges.
#[derive(Clone, Debug, Default)]
pub(super) struct PartRows {
    pub(super) features: Vec<Found>,
    /// Original ids of nodes, by type, where they are in files.
    pub(super) node_ids: Vec<Column>,
    /// The files that they are in.
    pub(super) files: Vec<SharedFile>,
}

/// Columns of a part in the order of the chosen features.
#[derive(Debug)]
struct Columns {
    features: Vec<Column>,
    node_ids: Vec<Column>,
    files: Vec<SharedFile>,
}

/// The features that are fields, and ids, of any number of parts.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) book: PartitionBook,
    pub(super) sets: Sets,
    pub(super) fields: Fields,
    /// `None` for numbers within the type.
    ids: Option<NodeIds>,
    /// The number of rows of each set in the parts before each part, and in all.
    before: Vec<Vec<usize>>,
    parts: Vec<Option<Columns>>,
    /// The first part, with which others are compared.
    first: Option<usize>,
}

impl Tables {
    pub(super) fn new(book: PartitionBook, sets: Sets, fields: Fields, ids: Option<NodeIds>) -> Result<Self, Error> {
        let before = |set: usize| starts((0..book.parts()).map(|part| owned(&book, &sets, set, part)));
        let before: Vec<_> = (0..sets.len()).map(before).collect();
        if let Some(NodeIds::Original(ids)) = &ids {
            for (kind, before) in before.iter().enumerate().take(sets.node_types()) {
                let expected = before[book.parts()];
                let found = ids.get(kind).map_or(0, Vec::len);
                if expected != found {
                    return Err(ClustersError::Ids {
                        node_type: sets.type_of(kind).unwrap_or_default().into(),
                        expected,
                        found,
                    }
                    .into());
                }
            }
        }
        let parts = (0..book.parts()).map(|_| None).collect();
        Ok(Self { book, sets, fields, ids, before, parts, first: None })
    }

    /// Whether a part is there.
    pub(super) fn has(&self, part: usize) -> bool {
        self.parts[part].is_some()
    }

    /// Adds a part, of which the chosen features are kept. They must be those of the first part.
    pub(super) fn add(&mut self, part: usize, rows: PartRows) -> Result<(), Error> {
        let first = *self.first.get_or_insert(part);
        let PartRows { features, node_ids, files } = rows;
        let column = |chosen: &Chosen| {
            let differs = |found| {
                Error::from(ClustersError::Differs {
                    part,
                    first,
                    feature: chosen.name.clone(),
                    expected: format!("as {} of width {}", chosen.field.dtype, chosen.field.width),
                    found,
                })
            };
            let found = features.iter().find(|found| found.set == chosen.set && found.name == chosen.name);
            let found = found.ok_or_else(|| differs("not at all".into()))?;
            if found.element.dtype() != Some(chosen.field.dtype) || found.width() != chosen.field.width {
                return Err(differs(format!("as {} of width {}", found.element, found.width())));
            }
            match found.wrong_bool()? {
                // A graph in memory has no parts to speak of.
                Some(source) if self.ids.is_none() => Err(source),
                Some(source) => Err(ClustersError::Part { part, source }.into()),
                None => Ok(found.column.clone()),
            }
        };
        let features = self.fields.chosen.iter().map(column).collect::<Result<_, Error>>()?;
        self.parts[part] = Some(Columns { features, node_ids, files });
        Ok(())
    }

    /// Whether a set has features of its own that are fields.
    pub(super) fn has_fields(&self, set: usize) -> bool {
        self.fields.chosen.iter().any(|chosen| chosen.set == set)
    }

    /// Number of rows of a set that a part owns.
    pub(super) fn owned(&self, set: usize, part: usize) -> usize {
        owned(&self.book, &self.sets, set, part)
    }

    /// Where a row is, by its number among all rows of its set.
    pub(super) fn place(&self, set: usize, number: u32) -> Place {
        if self.parts.len() == 1 {
            return [0, number];
        }
        let (before, number) = (&self.before[set], number as usize);
        // The last part that starts at or before it; an empty one starts where the next does.
        let part = before.partition_point(|&start| start <= number).saturating_sub(1);
        [part as u32, (number - before[part]) as u32]
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let columns = self.parts.iter().flatten().flat_map(|part| &part.features);
        let ids =
            if let Some(NodeIds::Original(ids)) = &self.ids { ids.iter().map(|ids| 8 * ids.len()).sum() } else { 0 };
        columns.map(Column::memory).sum::<usize>() + ids
    }

    /// Errors if a file of a part changed.
    pub(super) fn check(&self, part: usize) -> Result<(), Error> {
        self.parts[part].iter().flat_map(|part| &part.files).try_for_each(SharedFile::check)
    }

    /// Writes the chosen features of a set: first the rows that `ranges` lists, part by part, then those at `places`.
    /// `level` is that of the fields.
    pub(super) fn write(
        &self,
        slot: &mut Slot<'_>,
        set: usize,
        of_graph: bool,
        ranges: &[(usize, Range<usize>)],
        places: &[Place],
    ) -> Result<(), BoxError> {
        let level = |chosen: &Chosen| (chosen.field.level == graphpack_loader::Level::Graph) == of_graph;
        for (at, chosen) in self.fields.chosen.iter().enumerate().filter(|(_, of)| of.set == set && level(of)) {
            let width = chosen.field.row_bytes();
            let column = |part: usize| self.parts[part].as_ref().map(|part| &part.features[at]);
            let mut to = slot.bytes(&chosen.field.name)?;
            if to.is_empty() {
                continue;
            }
            for (part, rows) in ranges {
                let Some(column) = column(*part) else { continue };
                let (head, rest) = std::mem::take(&mut to).split_at_mut(rows.len() * width);
                column.read(rows.start, width, head)?;
                to = rest;
            }
            copy_rows(places, width, to, column)?;
        }
        Ok(())
    }

    /// What `node_id` says of a node of a type.
    pub(super) fn node_id(&self, kind: usize, [part, row]: Place) -> Result<i64, Error> {
        let mut id = [0; 8];
        let (part, row) = (part as usize, row as usize);
        Ok(match self.ids_at(kind, part) {
            Ok(id) => id(row),
            Err(column) => {
                column.map_or(Ok(()), |column| column.read(row, 8, &mut id))?;
                i64::from_le_bytes(id)
            }
        })
    }

    /// What `node_id` says of each row of a part, or the column in a file that has it.
    fn ids_at(&self, kind: usize, part: usize) -> Result<impl Fn(usize) -> i64, Option<&Column>> {
        let before = self.before[kind][part];
        let (first, given) = match &self.ids {
            None => (before as i64, None),
            Some(NodeIds::Global) => (self.book.node_range(kind, part).start, None),
            Some(NodeIds::Original(ids)) => (0, Some(&ids[kind][before..])),
            Some(NodeIds::Files) => return Err(self.parts[part].as_ref().and_then(|part| part.node_ids.get(kind))),
        };
        Ok(move |row| given.map_or(first + row as i64, |ids| ids[row]))
    }

    /// What `node_id` says of all nodes of a type that a part owns.
    pub(super) fn ids(&self, kind: usize, part: usize) -> Result<Vec<i64>, Error> {
        let rows = 0..self.owned(kind, part);
        match self.ids_at(kind, part) {
            Ok(id) => Ok(rows.map(id).collect()),
            Err(column) => {
                let mut ids = Vec::with_capacity(rows.len());
                column.map_or(Ok(()), |column| column.all(|bytes| ids.extend(i64s(bytes))))?;
                Ok(ids)
            }
        }
    }

    /// Writes `node_id` of nodes, at `field`.
    pub(super) fn write_ids(
        &self,
        slot: &mut Slot<'_>,
        field: usize,
        kind: usize,
        places: impl Iterator<Item = Place>,
    ) -> Result<(), BoxError> {
        let to = slot.bytes(&slot.schema().fields()[field].name)?;
        if self.ids == Some(NodeIds::Files) {
            let column = |part: usize| self.parts[part].as_ref().and_then(|part| part.node_ids.get(kind));
            return copy_rows(&places.collect::<Vec<_>>(), 8, to, column);
        }
        for (to, place) in to.chunks_exact_mut(8).zip(places) {
            to.copy_from_slice(&self.node_id(kind, place)?.to_ne_bytes());
        }
        Ok(())
    }

    /// Mixes the chosen features of a row into a hash; what cannot be data, if they cannot be read.
    pub(super) fn mix_row(&self, hash: u64, set: usize, [part, row]: Place) -> u64 {
        let columns = self.parts[part as usize].iter().flat_map(|part| &part.features);
        let of_set = self.fields.chosen.iter().zip(columns).filter(|(chosen, _)| chosen.set == set);
        of_set.fold(hash, |hash, (of, column)| mix_row(hash, column, row as usize, of.field.row_bytes()))
    }

    /// Of the ids of a part's nodes, and of some rows of its features.
    pub(super) fn fingerprint(&self, part: usize) -> u64 {
        let hash = (0..self.sets.node_types()).fold(0, |hash, kind| match self.ids(kind, part) {
            Ok(ids) => ids.iter().fold(hash, |hash, &id| mix(hash, id as u64)),
            Err(_) => !hash,
        });
        let columns = self.parts[part].iter().flat_map(|part| &part.features);
        self.fields.chosen.iter().zip(columns).fold(hash, |hash, (chosen, column)| {
            // As many rows in all as of one graph.
            let rows = samples(self.owned(chosen.set, part)).step_by(self.book.parts().max(1));
            rows.fold(hash, |hash, row| mix_row(hash, column, row, chosen.field.row_bytes()))
        })
    }
}

impl PartReader {
    /// Finds the features of a part, and original ids where they are wanted. Only headers are read.
    pub(super) fn rows(&self, sets: &Sets, part: usize, ids: &NodeIds) -> Result<PartRows, Error> {
        let book = &self.config.book;
        let rows: Vec<usize> = (0..sets.len()).map(|set| owned(book, sets, set, part)).collect();
        let mut of_part = PartRows::default();
        for edges in [false, true] {
            let file = self.features(part, edges)?;
            for info in &file.arrays {
                let (name, shape) = (info.name.clone(), info.shape.to_vec());
                let found = Found::new(sets, &rows, edges, name, column(&file, info)?, info.element, shape);
                let wrong = |source| Error::from(DglError::Part { path: file.path.clone(), source });
                of_part.features.push(found.map_err(wrong)?);
            }
            of_part.files.push(file.file);
        }
        if *ids == NodeIds::Files {
            let file = TensorFile::open(&self.beside(part, ORIGINAL_NODES)?)?;
            for (kind, &nodes) in rows.iter().enumerate().take(sets.node_types()) {
                let name = sets.type_of(kind).unwrap_or_default();
                let array = file.named(name).filter(|info| (info.element, &*info.shape) == (ArrayType::I64, &[nodes]));
                let array = array.ok_or_else(|| {
                    let text = |info: &TensorInfo| format!("{} {:?}", info.element, info.shape);
                    let found = file.named(name).map_or_else(|| "missing".into(), text);
                    let source = PartError::Array { name: name.into(), expected: format!("int64 [{nodes}]"), found };
                    DglError::Part { path: file.path.clone(), source: source.into() }
                })?;
                of_part.node_ids.push(column(&file, array)?);
            }
            of_part.files.push(file.file);
        }
        Ok(of_part)
    }
}

/// The rows of an array in a file.
fn column(file: &TensorFile, array: &TensorInfo) -> Result<Column, Error> {
    Ok(Column::File { file: file.file.clone(), bytes: file.bytes_of(array)?, kept: None })
}

/// Number of rows of a set that a part owns.
pub(super) fn owned(book: &PartitionBook, sets: &Sets, set: usize, part: usize) -> usize {
    match set.checked_sub(sets.node_types()) {
        None => book.node_range(set, part).count(),
        Some(kind) => book.edge_range(kind, part).count(),
    }
}

/// Copies rows of `width` bytes from the columns of their parts, each of which `column` returns.
fn copy_rows<'a>(
    mut places: &[Place],
    width: usize,
    mut to: &mut [u8],
    column: impl Fn(usize) -> Option<&'a Column>,
) -> Result<(), BoxError> {
    // Neighbouring rows are mostly of one part.
    let (mut last, mut from) = (None, None);
    while let [[part, row], ..] = *places {
        if last != Some(part) {
            (last, from) = (Some(part), column(part as usize).map(Column::rows));
        }
        let run = match from {
            // They are read together.
            Some(Rows::File(..)) => places.iter().zip(row..).take_while(|(place, row)| **place == [part, *row]).count(),
            _ => 1,
        };
        let (head, rest) = to.split_at_mut(to.len().min(run * width));
        from.map_or(Ok(()), |from| from.read(row as usize, width, head))?;
        (places, to) = (&places[run..], rest);
    }
    Ok(())
}

fn mix_row(hash: u64, column: &Column, row: usize, width: usize) -> u64 {
    let mut bytes = vec![0; width];
    column.read(row, width, &mut bytes).map_or(!hash, |()| mix_bytes(hash, &bytes))
}

/// The int64s in a file.
pub(super) fn i64s(bytes: &[u8]) -> impl Iterator<Item = i64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}
