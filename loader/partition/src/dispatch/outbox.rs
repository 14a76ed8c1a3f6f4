//! [`Outbox`]: rows on their way to the ranks that write their parts.

use super::DispatchError;
use std::mem::take;

/// Rows for each part, collected until they are sent as a message to each rank.
pub(super) struct Outbox {
    ranks: usize,
    parts: Vec<Vec<u8>>,
    /// Parts for which nothing is sent.
    left_out: Vec<bool>,
}

/// Rows of one part in a message.
pub(super) struct Block<'a> {
    pub(super) part: usize,
    /// Original position of the range that they are from.
    pub(super) start: u64,
    pub(super) rows: &'a [u8],
}

/// Bytes of part, start and length.
const HEAD: usize = 24;

impl Outbox {
    pub(super) fn new(ranks: usize, parts: usize) -> Self {
        Self { ranks, parts: vec![Vec::new(); parts], left_out: vec![false; parts] }
    }

    /// Leaves out parts that are whole already.
    pub(super) fn leave_out(&mut self, parts: &[bool]) {
        self.left_out.copy_from_slice(parts);
    }

    /// The rows to be sent for a part, unless it is left out.
    pub(super) fn of(&mut self, part: u16) -> Option<&mut Vec<u8>> {
        let part = usize::from(part);
        (!self.left_out[part]).then_some(&mut self.parts[part])
    }

    /// Returns a message for each rank and frees the memory of all rows: if a file is sorted by part, each part in turn
    /// gets a whole range.
    pub(super) fn messages(&mut self, start: usize) -> Vec<Vec<u8>> {
        let mut messages = vec![Vec::new(); self.ranks];
        for (rank, message) in messages.iter_mut().enumerate() {
            let own = (rank..self.parts.len()).step_by(self.ranks).filter(|&part| !self.parts[part].is_empty());
            let own: Vec<usize> = own.collect();
            message.reserve_exact(own.iter().map(|&part| HEAD + self.parts[part].len()).sum());
            for part in own {
                let rows = take(&mut self.parts[part]);
                [part as u64, start as u64, rows.len() as u64]
                    .iter()
                    .for_each(|number| message.extend_from_slice(&number.to_le_bytes()));
                message.extend_from_slice(&rows);
            }
        }
        messages
    }
}

/// Iterates over the blocks in a message of a rank.
pub(super) fn blocks(rank: usize, mut message: &[u8]) -> impl Iterator<Item = Result<Block<'_>, DispatchError>> {
    std::iter::from_fn(move || {
        if message.is_empty() {
            return None;
        }
        let bytes = message.len();
        let block = block(&mut message);
        if block.is_none() {
            message = &[];
        }
        Some(block.ok_or(DispatchError::Message { rank, bytes }))
    })
}

fn block<'a>(message: &mut &'a [u8]) -> Option<Block<'a>> {
    let (head, rest) = message.split_at_checked(HEAD)?;
    let number = |at: usize| Some(u64::from_le_bytes(head[8 * at..][..8].try_into().ok()?));
    let (rows, rest) = rest.split_at_checked(usize::try_from(number(2)?).ok()?)?;
    *message = rest;
    Some(Block { part: usize::try_from(number(0)?).ok()?, start: number(1)?, rows })
}

#[cfg(test)]
mod tests {
    use super::{HEAD, Outbox, blocks};

    #[test]
    fn rows_come_out_of_messages_as_they_went_in() {
        let mut outbox = Outbox::new(2, 5);
        for (part, rows) in [(3, &[1, 2, 3][..]), (1, &[4]), (4, &[5])] {
            outbox.of(part).expect("not left out").extend_from_slice(rows);
        }
        let messages = outbox.messages(7);
        let read = |message| -> Vec<_> {
            let blocks = blocks(0, message).map(|block| block.expect("whole"));
            blocks.map(|block| (block.part, block.start, block.rows.to_vec())).collect()
        };
        assert_eq!(read(&messages[0]), [(4, 7, vec![5])]);
        assert_eq!(read(&messages[1]), [(1, 7, vec![4]), (3, 7, vec![1, 2, 3])]);
        assert!(outbox.messages(8).iter().all(Vec::is_empty));
        let cut = &messages[1][..messages[1].len() - 1];
        let all: Vec<bool> = blocks(0, cut).map(|block| block.is_ok()).collect();
        assert_eq!(all, [true, false]);
    }

    /// As files that are sorted by part come: a round has rows of one part alone.
    #[test]
    fn parts_that_were_sent_take_no_memory() {
        const RANGE: usize = 10_000;
        let mut outbox = Outbox::new(4, 64);
        for part in 0..64 {
            outbox.of(part).expect("not left out").extend([1; RANGE]);
            let held: usize = outbox.parts.iter().map(Vec::capacity).sum();
            assert!(held <= 2 * RANGE, "{held} bytes in round {part}");
            let sent: usize = outbox.messages(0).iter().map(Vec::capacity).sum();
            assert_eq!(sent, RANGE + HEAD);
        }
        assert!(outbox.parts.iter().all(|part| part.capacity() == 0));
    }
}
