//! [`Processes`]: messages between the processes of a run; [`OneProcess`]: a run of one.

use super::error::{DispatchError, of_rank};
use graphpack_loader::Error;
use graphpack_loader::extend::panic_message;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Messages of each rank of this process, or to each: `[thread][rank]`.
pub(super) type Messages = Vec<Vec<Vec<u8>>>;

/// The processes of a run, seen from one of them. All have the same number of ranks, one after the other, and call the
/// same methods in the same order; [`fail`](Self::fail) takes the place of any other.
pub(super) trait Processes {
    /// The number of this process, from 0.
    fn process(&self) -> usize;

    fn processes(&self) -> usize;

    /// Sends messages to all ranks and returns those received, or the error of another process.
    fn all_to_all(&mut self, messages: Messages) -> Result<Messages, Error>;

    /// Waits for all processes.
    fn barrier(&mut self) -> Result<(), Error>;

    /// Tells the others that this process will fail in the next exchange.
    fn announce(&mut self);

    /// Whether another process has announced that.
    fn announced(&mut self) -> bool;

    /// Takes part in the others' next exchange with an error. Returns the error of the run: where this process ends
    /// only because of another ([`DispatchError::Ended`]), that one's.
    fn fail(&mut self, error: Error) -> Error;
}

/// The only process.
pub(super) struct OneProcess;

impl Processes for OneProcess {
    fn process(&self) -> usize {
        0
    }

    fn processes(&self) -> usize {
        1
    }

    fn all_to_all(&mut self, messages: Messages) -> Result<Messages, Error> {
        let mut received: Messages = messages.iter().map(|_| Vec::new()).collect();
        for of_thread in messages {
            received.iter_mut().zip(of_thread).for_each(|(to, message)| to.push(message));
        }
        Ok(received)
    }

    fn barrier(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn announce(&mut self) {}

    fn announced(&mut self) -> bool {
        false
    }

    fn fail(&mut self, error: Error) -> Error {
        error
    }
}

/// Does `work` in each process, whose first rank is `rank`. If it fails in one, it fails in all.
pub(super) fn in_each<T>(
    processes: &mut impl Processes,
    rank: usize,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    match caught(work) {
        Ok(done) => processes.barrier().map(|()| done),
        Err(error) => {
            processes.announce();
            Err(processes.fail(of_rank(error, rank, processes.processes())))
        }
    }
}

/// Makes a panic an error.
pub(super) fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let result = catch_unwind(AssertUnwindSafe(work));
    result.unwrap_or_else(|panic| Err(DispatchError::Panic { message: panic_message(&*panic) }.into()))
}
