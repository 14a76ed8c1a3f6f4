//! [`Exchange`]: messages from each rank to each rank, as one rank sees them.

use super::DispatchError;
use crossbeam_channel::{Receiver, Sender};

/// Messages from each rank to each rank. All ranks call the same methods in the same order. The messages of the ranks
/// of a process meet in its [`Hub`](super::hub::Hub).
pub(super) struct Exchange {
    rank: usize,
    ranks: usize,
    /// The number of the rank in its process.
    thread: usize,
    to: Sender<Letter>,
    from: Receiver<Vec<Vec<u8>>>,
}

/// What a rank sends to the hub of its process.
pub(super) struct Letter {
    pub(super) thread: usize,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// A message for each rank.
    Messages(Vec<Vec<u8>>),
    /// The last letter: the rank is done or has failed.
    End(Result<(), DispatchError>),
}

impl Exchange {
    pub(super) fn new([rank, ranks, thread]: [usize; 3], to: Sender<Letter>, from: Receiver<Vec<Vec<u8>>>) -> Self {
        Self { rank, ranks, thread, to, from }
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    /// Sends a message to each rank and returns those received, by rank. If a rank has failed, all get
    /// [`DispatchError::Ended`].
    pub(super) fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, DispatchError> {
        let letter = Letter { thread: self.thread, content: Content::Messages(messages) };
        self.to.send(letter).map_err(|_| DispatchError::Ended)?;
        self.from.recv().map_err(|_| DispatchError::Ended)
    }

    /// Says that the rank is done or has failed, after which it sends nothing.
    pub(super) fn end(&self, end: Result<(), DispatchError>) {
        // The hub is gone if another rank has failed.
        let _ = self.to.send(Letter { thread: self.thread, content: Content::End(end) });
    }

    /// Waits for all ranks.
    pub(super) fn barrier(&self) -> Result<(), DispatchError> {
        self.all_to_all(vec![Vec::new(); self.ranks]).map(drop)
    }
}
