//! Trimming a graph to the most rows that a batch takes of it.

use super::{IndexBytes, Level, Size, Slot, SlotError};
use crate::Random;

impl Slot<'_> {
    /// Keeps random rows of each set that has more than `most`; the other sets lose what refers to the rest. Sets that
    /// are yet to be derived stay as they are.
    pub(crate) fn trim(&mut self, most: &Size, random: &mut Random) -> Result<(), SlotError> {
        for set in 0..most.sets() {
            let (rows, most) = (self.size()[set] as usize, most[set] as usize);
            if rows <= most || !self.is_written(set) {
                continue;
            }
            let mut order: Vec<u32> = (0..rows as u32).collect();
            random.shuffle(&mut order);
            let mut mask = vec![false; rows];
            order[..most].iter().for_each(|&row| mask[row as usize] = true);
            self.keep(set, &mask)?;
        }
        Ok(())
    }

    /// Copies a graph that is written elsewhere and has no more rows of any set than this one.
    pub(crate) fn copy(&mut self, other: &Slot<'_>) -> Result<(), SlotError> {
        let (schema, size) = (other.schema(), other.size());
        (0..size.sets()).try_for_each(|set| self.shrink(set, size[set] as usize))?;
        for field in 0..schema.fields().len() {
            let (_, place) = other.place(field)?;
            self.write_bytes(field, place.map_or(&[], |(_, range)| &other.bytes[range]))?;
        }
        for (position, index) in schema.indices().iter().enumerate() {
            let mut columns = vec![Vec::new(); index.width()];
            // Without rows it need not be written.
            for (column, numbers) in columns.iter_mut().enumerate().filter(|_| other.has_index(position)) {
                other.read_index(&index.name, column, numbers)?;
            }
            let columns: Vec<_> = columns.iter().map(|column| IndexBytes::of(column)).collect();
            self.write_index(position, &columns)?;
        }
        Ok(())
    }

    /// Whether the indices of a set are written: those of a derived set are not at first.
    fn is_written(&self, set: usize) -> bool {
        let of_set = |(_, index): &(usize, &super::Index)| index.level == Level::Set(set as u8);
        self.schema().indices().iter().enumerate().filter(of_set).all(|(position, _)| self.has_index(position))
    }
}
