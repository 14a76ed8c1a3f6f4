//! [`Tables`]: the features and ids of all parts, by part and row.

use super::ClustersError;
use super::chosen::{Chosen, Fields, Found};
use super::column::Column;
use super::sets::Sets;
use crate::PartitionBook;
use graphpack_loader::fingerprint::{mix, mix_bytes, samples};
use graphpack_loader::{FileError, MappedFile, Slot, SlotError};
use std::ops::Range;
use std::sync::Arc;

/// What `node_id` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeIds {
    /// Global ids, which count part by part and within a part type by type.
    #[default]
    Global,
    /// The original id of each node of each type, by its new id within the type
    /// ([`Cut::node_map`](crate::Cut::node_map)).
    Original(Arc<[Vec<i64>]>),
    /// Original ids within the type, from the file `orig_nids.dgl` of each part (`--save-orig-ids`). For parts in files.
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
    /// The files that are mapped.
    pub(super) files: Vec<MappedFile>,
}

/// Columns of a part in the order of the chosen features.
#[derive(Debug)]
struct Columns {
    features: Vec<Column>,
    node_ids: Vec<Column>,
    files: Vec<MappedFile>,
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
    pub(super) fn new(
        book: PartitionBook,
        sets: Sets,
        fields: Fields,
        ids: Option<NodeIds>,
    ) -> Result<Self, ClustersError> {
        let before = |set: usize| {
            let parts = (0..book.parts()).scan(0, |sum, part| {
                *sum += owned(&book, &sets, set, part);
                Some(*sum)
            });
            [0].into_iter().chain(parts).collect::<Vec<usize>>()
        };
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
                    });
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
    pub(super) fn add(&mut self, part: usize, rows: PartRows) -> Result<(), ClustersError> {
        let first = *self.first.get_or_insert(part);
        let PartRows { features, node_ids, files } = rows;
        let column = |chosen: &Chosen| {
            let differs = |found| ClustersError::Differs {
                part,
                first,
                feature: chosen.name.clone(),
                expected: format!("as {} of width {}", chosen.field.dtype, chosen.field.width),
                found,
            };
            let found = features.iter().find(|found| found.set == chosen.set && found.name == chosen.name);
            let found = found.ok_or_else(|| differs("not at all".into()))?;
            if found.element.dtype() != Some(chosen.field.dtype) || found.width() != chosen.field.width {
                return Err(differs(format!("as {} of width {}", found.element, found.width())));
            }
            found.check_bool().map_err(|source| ClustersError::Feature { part, source })?;
            Ok(found.column.clone())
        };
        let features = self.fields.chosen.iter().map(column).collect::<Result<_, ClustersError>>()?;
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
    pub(super) fn check(&self, part: usize) -> Result<(), FileError> {
        self.parts[part].iter().flat_map(|part| &part.files).try_for_each(MappedFile::check)
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
    ) -> Result<(), SlotError> {
        let level = |chosen: &Chosen| (chosen.field.level == graphpack_loader::Level::Graph) == of_graph;
        for (at, chosen) in self.fields.chosen.iter().enumerate().filter(|(_, of)| of.set == set && level(of)) {
            let width = chosen.field.row_bytes();
            let column = |part: usize| self.parts[part].as_ref().map(|part| &part.features[at]);
            let mut to = slot.rows_mut(chosen.position)?;
            if to.is_empty() {
                continue;
            }
            for (part, rows) in ranges {
                let from = column(*part).map_or(&[][..], |column| column.rows(rows.clone(), width));
                let (head, rest) = std::mem::take(&mut to).split_at_mut(from.len());
                head.copy_from_slice(from);
                to = rest;
            }
            // Neighbouring rows are mostly of one part.
            let (mut last, mut bytes) = (usize::MAX, &[][..]);
            for (to, &[part, row]) in to.chunks_exact_mut(width).zip(places) {
                if part as usize != last {
                    last = part as usize;
                    bytes = column(last).map_or(&[][..], Column::bytes);
                }
                to.copy_from_slice(&bytes[row as usize * width..(row as usize + 1) * width]);
            }
        }
        Ok(())
    }

    /// What `node_id` says of a node of a type.
    pub(super) fn node_id(&self, kind: usize, [part, row]: Place) -> i64 {
        let (part, row) = (part as usize, row as usize);
        match &self.ids {
            None => (self.before[kind][part] + row) as i64,
            Some(NodeIds::Global) => self.book.node_range(kind, part).start + row as i64,
            Some(NodeIds::Original(ids)) => ids[kind][self.before[kind][part] + row],
            Some(NodeIds::Files) => {
                let column = self.parts[part].as_ref().and_then(|part| part.node_ids.get(kind));
                column.map_or(0, |column| i64_at(column.bytes(), row))
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
    ) -> Result<(), SlotError> {
        for (to, place) in slot.rows_mut(field)?.chunks_exact_mut(8).zip(places) {
            to.copy_from_slice(&self.node_id(kind, place).to_ne_bytes());
        }
        Ok(())
    }

    /// Mixes the chosen features of a row into a hash.
    pub(super) fn mix_row(&self, hash: u64, set: usize, [part, row]: Place) -> u64 {
        let columns = self.parts[part as usize].iter().flat_map(|part| &part.features);
        let of_set = self.fields.chosen.iter().zip(columns).filter(|(chosen, _)| chosen.set == set);
        let row = row as usize;
        of_set.fold(hash, |hash, (of, column)| mix_bytes(hash, column.rows(row..row + 1, of.field.row_bytes())))
    }

    /// Of the ids of a part's nodes, and of some rows of its features.
    pub(super) fn fingerprint(&self, part: usize) -> u64 {
        let ids = (0..self.sets.node_types()).flat_map(|kind| {
            let rows = 0..self.owned(kind, part);
            rows.map(move |row| self.node_id(kind, [part as u32, row as u32]))
        });
        let hash = ids.fold(0, |hash, id| mix(hash, id as u64));
        let columns = self.parts[part].iter().flat_map(|part| &part.features);
        self.fields.chosen.iter().zip(columns).fold(hash, |hash, (chosen, column)| {
            // As many rows in all as of one graph.
            let rows = samples(self.owned(chosen.set, part)).step_by(self.book.parts().max(1));
            rows.fold(hash, |hash, row| mix_bytes(hash, column.rows(row..row + 1, chosen.field.row_bytes())))
        })
    }
}

/// Number of rows of a set that a part owns.
pub(super) fn owned(book: &PartitionBook, sets: &Sets, set: usize, part: usize) -> usize {
    match set.checked_sub(sets.node_types()) {
        None => book.node_range(set, part).count(),
        Some(kind) => book.edge_range(kind, part).count(),
    }
}

/// An int64 in a file, at any address.
pub(super) fn i64_at(bytes: &[u8], row: usize) -> i64 {
    bytes[8 * row..].first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
}
