//! Passes a [`Slot`] on: to the source of one part of a mix, and to maps, which must not change what sets were made
//! from before them.

use super::{Index, Input, MapCall, Slot, SlotError, Within};
use crate::error::{BoxError, Error};
use crate::fingerprint::mix_bytes;
use std::cell::RefCell;

thread_local! {
    /// The hashes of the inputs of each map that this thread is calling, the innermost map last. Serves all graphs, so
    /// that nothing is allocated per graph.
    static HASHES: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Forgets hashes when the call of a map ends, also by a panic.
struct Noted {
    others: usize,
}

impl Drop for Noted {
    fn drop(&mut self) {
        HASHES.with_borrow_mut(|hashes| hashes.truncate(self.others));
    }
}

impl Slot<'_> {
    /// Calls `write` with the same rows for a source that has a smaller schema, and this number for the graph.
    pub(crate) fn within<T>(&mut self, within: &Within, number: u64, write: impl FnOnce(&mut Slot<'_>) -> T) -> T {
        let through = self.within.map(|outer| within.through(outer));
        let map = self.map;
        self.seen(Some(through.as_ref().unwrap_or(within)), number, map, write)
    }

    /// Calls a map with what is written, unless maps are to leave the graph as it is. Errors if it changes what derived
    /// sets were made from.
    pub(crate) fn change(
        &mut self,
        map: MapCall<'_>,
        change: impl FnOnce(&mut Slot<'_>) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        if self.draw.unmapped {
            return Ok(());
        }
        let (within, number) = (self.within, self.number);
        self.seen(within, number, Some(map), |slot| {
            let _noted = slot.note_inputs();
            change(slot)?;
            Ok(slot.check_inputs()?)
        })
    }

    /// Calls `write` with the same rows for a schema within this one, or for a map.
    fn seen<T>(
        &mut self,
        within: Option<&Within>,
        number: u64,
        map: Option<MapCall<'_>>,
        write: impl FnOnce(&mut Slot<'_>) -> T,
    ) -> T {
        let Self { bytes, layout, before, draw, progress, .. } = self;
        write(&mut Slot { bytes, layout, before, draw, progress, within, number, map, next: 0 })
    }

    /// Notes the inputs of the map that is called, until the map returns.
    fn note_inputs(&self) -> Noted {
        HASHES.with_borrow_mut(|hashes| {
            let others = hashes.len();
            hashes.extend(self.inputs().iter().map(|input| self.hash(input)));
            Noted { others }
        })
    }

    /// Notes the inputs again, of which rows were dropped.
    pub(super) fn note_kept_inputs(&self) {
        let inputs = self.inputs();
        HASHES.with_borrow_mut(|hashes| {
            let noted = hashes.len().saturating_sub(inputs.len());
            hashes[noted..].iter_mut().zip(inputs).for_each(|(hash, input)| *hash = self.hash(input));
        });
    }

    /// Errors if the map that is called changed an input.
    pub(super) fn check_inputs(&self) -> Result<(), Error> {
        let Some(MapCall { name, inputs }) = self.map else { return Ok(()) };
        let changed = HASHES.with_borrow(|hashes| {
            let noted = &hashes[hashes.len().saturating_sub(inputs.len())..];
            inputs.iter().zip(noted).find(|(input, hash)| self.hash(input) != **hash).map(|(input, _)| input)
        });
        let Some(Input { set, field, index }) = changed else { return Ok(()) };
        let schema = self.schema();
        let field = field.map(|field| &schema.fields()[field].name);
        let input = field.or(index.map(|index| &schema.indices()[index].name)).cloned().unwrap_or_default();
        Err(SlotError::MadeFrom { map: name.to_owned(), input, set: set.clone() }.into())
    }

    fn inputs(&self) -> &[Input] {
        self.map.map_or(&[], |map| map.inputs)
    }

    /// A hash of the rows of an input; 0 if batches do not carry it.
    fn hash(&self, input: &Input) -> u64 {
        if let Some(field) = input.field {
            let place = self.place(field).ok().filter(|(position, _)| self.progress.written.has(*position));
            return place.and_then(|(_, place)| place).map_or(0, |(_, range)| mix_bytes(0, &self.bytes[range]));
        }
        let position = input.index.and_then(|index| self.index_at(index)).filter(|&at| self.has_index(at));
        let Some((Index { level, .. }, Some(array))) = position.and_then(|at| self.layout.index(at)) else { return 0 };
        let rows = self.span().rows(*level);
        (0..array.rows).fold(0, |hash, column| mix_bytes(hash, &self.bytes[array.column_bytes(column, rows.clone())]))
    }
}
