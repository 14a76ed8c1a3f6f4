//! How a [`Slot`] loses rows by a mask: rows that refer to dropped ones go, too, and indices are renumbered.

use super::{Index, IndexBytes, Level, MAX_COLUMNS, MAX_SETS, Slot, SlotError};
use crate::error::Error;
use std::cell::RefCell;

thread_local! {
    /// Serves all graphs that a worker changes, so that nothing is allocated per graph.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

#[derive(Default)]
struct Memory {
    /// For each set that loses rows, whether each row stays; empty for the others.
    kept: [Vec<bool>; MAX_SETS],
    /// For each set that loses rows, the new number of each row.
    numbers: [Vec<i64>; MAX_SETS],
    /// The columns of each index, `MAX_COLUMNS` apart.
    columns: Vec<Vec<i64>>,
}

impl Slot<'_> {
    /// Keeps the rows of `set` whose entry in `mask` is true, in their order. Rows of any set that refer to a dropped
    /// row go, too, as edges of a dropped node do, and indices are renumbered. The batch then holds less; its shape and
    /// the plan stay as they are. Derived sets are made from what is left.
    ///
    /// Errors if there is no such set, `mask` has another length, batches do not carry an index into a set that loses
    /// rows, or an index of the graph itself refers to a dropped row.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, Order, Rng, molecules};
    ///
    /// // Drops a tenth of the edges, others in every epoch.
    /// let data = Data::from(molecules::generate(1, 100)).map("drop", |graph| {
    ///     let edges = graph.size()[1];
    ///     let mut random = graph.random();
    ///     let keep: Vec<bool> = (0..edges).map(|_| random.next_u32() % 10 > 0).collect();
    ///     Ok(graph.keep("edges", &keep)?)
    /// });
    /// let loader = Loader::new(data, Options::default().order(Order::Shuffled).seed(7))?;
    /// let edges = |epoch| -> usize { loader.epoch(epoch).map(|batch| batch.unwrap().real().edges()).sum() };
    /// assert_ne!(edges(0), edges(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep(&mut self, set: &str, mask: &[bool]) -> Result<(), Error> {
        self.keep_rows(self.set_named(set)?, mask)
    }

    /// Keeps rows of the set at a position.
    pub(crate) fn keep_rows(&mut self, set: usize, mask: &[bool]) -> Result<(), Error> {
        let (schema, rows) = (self.schema(), self.size()[set] as usize);
        if mask.len() != rows {
            let field = format!("mask of {}", schema.sets()[set]);
            return Err(SlotError::Length { field, rows, width: 1, found: mask.len() }.into());
        }
        self.check_inputs()?;
        MEMORY.with_borrow_mut(|memory| self.keep_with(set, mask, memory))?;
        self.note_kept_inputs();
        Ok(())
    }

    fn keep_with(&mut self, set: usize, mask: &[bool], memory: &mut Memory) -> Result<(), Error> {
        let (schema, size) = (self.schema(), self.size());
        let Memory { kept, numbers, columns } = memory;
        kept.iter_mut().for_each(Vec::clear);
        kept[set].reserve(self.most_rows(Level::Set(set as u8)));
        kept[set].extend_from_slice(mask);
        for position in 0..schema.indices().len() {
            self.read_columns(position, columns)?;
        }
        // One bit for each set that has lost rows which others may refer to.
        let mut open = 1_u32 << set;
        while open > 0 {
            let target = open.trailing_zeros() as usize;
            open &= open - 1;
            for (index, columns) in schema.indices().iter().zip(columns.chunks(MAX_COLUMNS)) {
                for (column, _) in columns.iter().zip(&index.targets).filter(|(_, of)| usize::from(**of) == target) {
                    for (row, &to) in column.iter().enumerate() {
                        if kept[target][to as usize] {
                            continue;
                        }
                        let Level::Set(set) = index.level else {
                            let set = schema.sets()[target].clone();
                            return Err(SlotError::Dropped { index: index.name.clone(), row: to, set }.into());
                        };
                        let of_rows = &mut kept[usize::from(set)];
                        if of_rows.is_empty() {
                            of_rows.reserve(self.most_rows(index.level));
                            of_rows.resize(size[usize::from(set)] as usize, true);
                        }
                        if std::mem::take(&mut of_rows[row]) {
                            open |= 1 << set;
                        }
                    }
                }
            }
        }
        let kept = |level: Level| match level {
            Level::Set(set) => Some(&*kept[usize::from(set)]).filter(|kept| !kept.is_empty()),
            Level::Graph => None,
        };
        let is_concerned = |index: &Index| index.targets.iter().any(|&of| kept(Level::Set(of)).is_some());
        for (position, index) in schema.indices().iter().enumerate() {
            if is_concerned(index) && self.is_index_set(position) && !self.carries_index(Some(position)) {
                return Err(SlotError::NotCarried { index: index.name.clone() }.into());
            }
        }
        for (field, of) in schema.fields().iter().enumerate() {
            self.compact(field, kept(of.level));
        }
        for (set, numbers) in (0..schema.sets().len()).zip(&mut *numbers) {
            if let Some(kept) = kept(Level::Set(set as u8)) {
                numbers.clear();
                numbers.reserve(self.most_rows(Level::Set(set as u8)));
                number(kept, numbers);
                self.shrink_at(set, kept.iter().filter(|kept| **kept).count())?;
            }
        }
        for (position, (index, columns)) in schema.indices().iter().zip(columns.chunks_mut(MAX_COLUMNS)).enumerate() {
            let of_rows = kept(index.level);
            if !self.is_readable(position) || of_rows.is_none() && !is_concerned(index) {
                continue;
            }
            for (column, &target) in columns.iter_mut().zip(&index.targets) {
                let mut rows = of_rows.into_iter().flatten();
                column.retain(|_| rows.next().is_none_or(|kept| *kept));
                if kept(Level::Set(target)).is_some() {
                    column.iter_mut().for_each(|to| *to = numbers[usize::from(target)][*to as usize]);
                }
            }
            self.write_columns(position, columns)?;
        }
        Ok(())
    }

    /// Copies an index of a graph that is written elsewhere; one that was not written has no rows.
    pub(super) fn copy_index(&mut self, position: usize, other: &Slot<'_>) -> Result<(), Error> {
        MEMORY.with_borrow_mut(|Memory { columns, .. }| {
            other.read_columns(position, columns)?;
            self.write_columns(position, &columns[position * MAX_COLUMNS..])
        })
    }

    /// Reads the columns of an index to where they belong in `columns`; none if it cannot be read.
    fn read_columns(&self, position: usize, columns: &mut Vec<Vec<i64>>) -> Result<(), Error> {
        let (start, end) = (position * MAX_COLUMNS, (position + 1) * MAX_COLUMNS);
        columns.resize_with(columns.len().max(end), Vec::new);
        columns[start..end].iter_mut().for_each(Vec::clear);
        if !self.is_readable(position) {
            return Ok(());
        }
        let index = &self.schema().indices()[position];
        for (column, numbers) in columns[start..end].iter_mut().take(index.width()).enumerate() {
            numbers.reserve(self.most_rows(index.level));
            self.read_column(&index.name, column, numbers)?;
        }
        Ok(())
    }

    /// The rows of the whole batch, padding included, or of the largest graph where one is trimmed. With room for these
    /// no list grows for a graph, only for a batch of a larger shape.
    pub(super) fn most_rows(&self, level: Level) -> usize {
        self.layout.shape().rows(level)
    }

    /// Whether an index was written, and batches carry it.
    fn is_readable(&self, position: usize) -> bool {
        self.is_index_set(position) && self.carries_index(Some(position))
    }

    /// Writes an index whose columns are the first ones of `columns`.
    fn write_columns(&mut self, position: usize, columns: &[Vec<i64>]) -> Result<(), Error> {
        let width = self.schema().indices()[position].width();
        let mut bytes = [IndexBytes::EMPTY; MAX_COLUMNS];
        bytes.iter_mut().zip(&columns[..width]).for_each(|(bytes, column)| *bytes = IndexBytes::of(column));
        self.set_index_at(position, &bytes[..width])
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

/// Appends the new number of each row that is kept to `numbers`, and anything for the others.
fn number(kept: &[bool], numbers: &mut Vec<i64>) {
    let mut next = 0;
    numbers.extend(kept.iter().map(|&kept| {
        next += i64::from(kept);
        next - i64::from(kept)
    }));
}
