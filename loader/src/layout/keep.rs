//! Keeping fewer rows of a graph: rows that refer to dropped ones go, too, and indices are renumbered.

use super::{GraphRows, IndexBytes, Level, Slot, SlotError};

impl GraphRows<'_> {
    /// Keeps the rows of `set` whose entry in `mask` is true, in their order. Rows of any set that refer to a dropped row
    /// go, too, as edges of a dropped node do, and indices are renumbered. The batch then holds less; its shape and the
    /// plan stay as they are. Derived sets are made from what is left.
    ///
    /// Errors if there is no such set, `mask` has another length, batches do not carry an index into a set that loses
    /// rows, or an index of the graph itself refers to a dropped row.
    ///
    /// ```
    /// use graphpack_loader::{Loader, Rng, molecules};
    ///
    /// // Drops a tenth of the edges, others in every epoch.
    /// let loader = Loader::new(molecules::generate(1, 100)).shuffle(7).transform(|graph| {
    ///     let edges = graph.size()[1];
    ///     let keep: Vec<bool> = (0..edges).map(|_| graph.rng().next_u32() % 10 > 0).collect();
    ///     Ok(graph.keep("edges", &keep)?)
    /// });
    /// let loader = loader.build()?;
    /// let edges = |epoch| -> usize { loader.epoch(epoch).map(|batch| batch.unwrap().real().edges()).sum() };
    /// assert_ne!(edges(0), edges(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep(&mut self, set: &str, mask: &[bool]) -> Result<(), SlotError> {
        let schema = self.slot.schema();
        let Some(position) = schema.set(set) else {
            return Err(SlotError::Set { set: set.to_owned(), available: schema.sets().to_vec() });
        };
        self.slot.keep(position, mask)
    }
}

impl Slot<'_> {
    /// See [`GraphRows::keep`].
    pub(crate) fn keep(&mut self, set: usize, mask: &[bool]) -> Result<(), SlotError> {
        let (schema, size) = (self.schema(), self.size());
        let rows = size[set] as usize;
        if mask.len() != rows {
            let field = format!("mask of {}", schema.sets()[set]);
            return Err(SlotError::Length { field, rows, width: 1, found: mask.len() });
        }
        let mut kept = vec![None; schema.sets().len()];
        kept[set] = Some(mask.to_vec());
        let columns = (0..schema.indices().len()).map(|index| self.columns(index)).collect::<Vec<_>>();
        let mut changed = vec![set];
        while let Some(target) = changed.pop() {
            for (index, columns) in schema.indices().iter().zip(&columns) {
                let pointing =
                    columns.iter().flatten().zip(&index.targets).filter(|(_, of)| usize::from(**of) == target);
                for (column, _) in pointing {
                    let Some(gone) = dropped(column, kept[target].as_deref()) else { continue };
                    let Level::Set(set) = index.level else {
                        let set = schema.sets()[target].clone();
                        return Err(SlotError::Dropped { index: index.name.clone(), row: column[gone[0]], set });
                    };
                    let set = usize::from(set);
                    let kept = kept[set].get_or_insert_with(|| vec![true; size[set] as usize]);
                    if gone.iter().filter(|&&row| std::mem::take(&mut kept[row])).count() > 0 {
                        changed.push(set);
                    }
                }
            }
        }
        let changed = |level: Level| match level {
            Level::Set(set) => kept[usize::from(set)].as_deref(),
            Level::Graph => None,
        };
        for (position, (index, columns)) in schema.indices().iter().zip(&columns).enumerate() {
            let concerned = index.targets.iter().any(|&of| changed(Level::Set(of)).is_some());
            if concerned && columns.is_none() && self.has_index(position) {
                return Err(SlotError::NotCarried { index: index.name.clone() });
            }
        }
        for field in 0..schema.fields().len() {
            self.compact(field, changed(schema.fields()[field].level));
        }
        for (set, kept) in kept.iter().enumerate() {
            if let Some(kept) = kept {
                self.shrink(set, kept.iter().filter(|kept| **kept).count())?;
            }
        }
        for (position, (index, columns)) in schema.indices().iter().zip(&columns).enumerate() {
            let Some(columns) = columns else { continue };
            let of_rows = changed(index.level);
            let columns: Vec<Vec<i64>> = columns
                .iter()
                .zip(&index.targets)
                .map(|(column, &target)| {
                    let numbers = changed(Level::Set(target)).map(numbers);
                    let rows = column.iter().enumerate().filter(|(row, _)| of_rows.is_none_or(|kept| kept[*row]));
                    rows.map(|(_, &to)| numbers.as_ref().map_or(to, |numbers| numbers[to as usize])).collect()
                })
                .collect();
            let columns: Vec<_> = columns.iter().map(|column| IndexBytes::of(column)).collect();
            self.write_index(position, &columns)?;
        }
        Ok(())
    }

    /// The columns of an index, if it was written and batches carry it.
    fn columns(&self, position: usize) -> Option<Vec<Vec<i64>>> {
        let index = &self.schema().indices()[position];
        if !self.has_index(position) {
            return None;
        }
        let column = |column| {
            let mut numbers = Vec::new();
            self.read_index(&index.name, column, &mut numbers).ok().map(|()| numbers)
        };
        (0..index.width()).map(column).collect()
    }

    /// Moves the kept rows of a field together.
    fn compact(&mut self, field: usize, kept: Option<&[bool]>) {
        let (Some(kept), Ok((_, Some((array, range))))) = (kept, self.place(field)) else { return };
        let (row, mut end) = (array.row_bytes(), range.start);
        for (at, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
            self.bytes.copy_within(range.start + at * row..range.start + (at + 1) * row, end);
            end += row;
        }
    }
}

/// The entries of a column that refer to rows that are not kept; `None` if all are kept.
fn dropped(column: &[i64], kept: Option<&[bool]>) -> Option<Vec<usize>> {
    let kept = kept?;
    let gone: Vec<usize> = (0..column.len()).filter(|&entry| !kept[column[entry] as usize]).collect();
    (!gone.is_empty()).then_some(gone)
}

/// The new number of each row that is kept.
fn numbers(kept: &[bool]) -> Vec<i64> {
    let number = |next: &mut i64, &kept: &bool| {
        let number = *next;
        *next += i64::from(kept);
        Some(number)
    };
    kept.iter().scan(0, number).collect()
}
