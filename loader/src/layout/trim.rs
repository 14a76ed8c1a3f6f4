//! How a [`Slot`] is trimmed to a maximum of rows, which are drawn at random, and takes a copy of a graph.

use super::{Index, Level, Size, Slot};
use crate::Random;
use crate::error::Error;
use std::cell::RefCell;

thread_local! {
    /// The order in which rows are drawn, and whether each stays: serves all graphs that a worker trims, so that
    /// nothing is allocated per graph.
    static DRAWN: RefCell<(Vec<u32>, Vec<bool>)> = RefCell::default();
}

impl Slot<'_> {
    /// Keeps random rows of each set that has more than `most`; the other sets lose what refers to the rest. Sets that
    /// are yet to be derived stay as they are.
    pub(crate) fn trim(&mut self, most: &Size, random: &mut Random) -> Result<(), Error> {
        for set in 0..most.sets() {
            let (rows, most) = (self.size()[set] as usize, most[set] as usize);
            if rows <= most || !self.is_written(set) {
                continue;
            }
            let room = self.most_rows(Level::Set(set as u8));
            DRAWN.with_borrow_mut(|(order, mask)| {
                order.clear();
                order.reserve(room);
                order.extend(0..rows as u32);
                random.shuffle(order);
                mask.clear();
                mask.reserve(room);
                mask.resize(rows, false);
                order[..most].iter().for_each(|&row| mask[row as usize] = true);
                self.keep_rows(set, mask)
            })?;
        }
        Ok(())
    }

    /// Copies a graph that is written elsewhere and has no more rows of any set than this one.
    pub(crate) fn copy(&mut self, other: &Slot<'_>) -> Result<(), Error> {
        let (schema, size) = (other.schema(), other.size());
        (0..size.sets()).try_for_each(|set| self.shrink_at(set, size[set] as usize))?;
        for field in 0..schema.fields().len() {
            let (_, place) = other.place(field)?;
            self.set_at(field, place.map_or(&[], |(_, range)| &other.bytes[range]))?;
        }
        (0..schema.indices().len()).try_for_each(|position| self.copy_index(position, other))
    }

    /// Whether the indices of a set are written: those of a derived set are not at first.
    fn is_written(&self, set: usize) -> bool {
        let of_set = |(_, index): &(usize, &Index)| index.level == Level::Set(set as u8);
        self.schema().indices().iter().enumerate().filter(of_set).all(|(position, _)| self.is_index_set(position))
    }
}
