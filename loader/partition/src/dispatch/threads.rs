//! [`Threads`]: ranks that are threads of one process.

use super::DispatchError;
use super::exchange::Exchange;
use crossbeam_channel::{Receiver, Sender, bounded};

/// One of the ranks, with a channel to and from each. `None` is sent by a rank that failed.
pub(super) struct Threads {
    rank: usize,
    to: Vec<Sender<Option<Vec<u8>>>>,
    from: Vec<Receiver<Option<Vec<u8>>>>,
}

impl Threads {
    /// All ranks.
    pub(super) fn new(ranks: usize) -> Vec<Self> {
        let mut all: Vec<_> = (0..ranks).map(|rank| Self { rank, to: Vec::new(), from: Vec::new() }).collect();
        for from in 0..ranks {
            for to in 0..ranks {
                // A rank is at most one message ahead of the others, and a failure may follow.
                let (sender, receiver) = bounded(3);
                all[from].to.push(sender);
                all[to].from.push(receiver);
            }
        }
        all
    }
}

impl Exchange for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn all_to_all(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, DispatchError> {
        for (to, message) in self.to.iter().zip(messages) {
            to.send(Some(message)).map_err(|_| DispatchError::Stopped)?;
        }
        let received = self.from.iter().map(|from| from.recv().ok().flatten().ok_or(DispatchError::Stopped));
        received.collect()
    }

    fn fail(&mut self, _: &DispatchError) {
        for to in &self.to {
            // Whoever is gone needs no message.
            let _ = to.send(None);
        }
    }
}
