//! [`Exchange`]: messages from each rank to each rank.

use super::DispatchError;
use graphpack_loader::panic_message;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Messages from each rank to each rank. All ranks call the same methods in the same order.
pub(super) trait Exchange {
    fn rank(&self) -> usize;

    fn ranks(&self) -> usize;

    /// Sends a message to each rank and returns those received, by rank. If a rank has failed, all get an error:
    /// [`DispatchError::Stopped`] or [`DispatchError::Rank`].
    fn all_to_all(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, DispatchError>;

    /// Takes part in the others' next exchange with an error.
    fn fail(&mut self, error: &DispatchError);

    /// Waits for all ranks.
    fn barrier(&mut self) -> Result<(), DispatchError> {
        self.all_to_all(vec![Vec::new(); self.ranks()]).map(drop)
    }
}

/// Does the work of a rank. If it fails or panics, all other ranks end, too.
pub(super) fn attend<E: Exchange, T>(
    exchange: &mut E,
    work: impl FnOnce(&mut E) -> Result<T, DispatchError>,
) -> Result<T, DispatchError> {
    let result = catch_unwind(AssertUnwindSafe(|| work(exchange)));
    let result = result.unwrap_or_else(|panic| Err(DispatchError::Panic { message: panic_message(&*panic) }));
    match result {
        Err(error @ (DispatchError::Stopped | DispatchError::Rank { .. })) => Err(error),
        Err(error) => {
            exchange.fail(&error);
            Err(error)
        }
        done => done,
    }
}
