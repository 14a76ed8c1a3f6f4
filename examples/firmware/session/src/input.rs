//! [`Input`]: reads postcard byte by byte, as it comes in.

use crate::{Plan, SessionError};
use postcard::de_flavors::Flavor;
use postcard::{Deserializer, Error};
use serde::de::DeserializeOwned;

/// Reads values from a function that returns the next byte, or None at the end. Keeps no buffer.
pub struct Input<F> {
    next: F,
    bytes: u32,
    ended: bool,
}

impl<F: FnMut() -> Option<u8>> Input<F> {
    /// Reads from `next`.
    pub const fn new(next: F) -> Self {
        Self { next, bytes: 0, ended: false }
    }

    pub(crate) fn read<T: DeserializeOwned>(&mut self, part: &'static str) -> Result<T, SessionError> {
        let value = T::deserialize(&mut Deserializer::from_flavor(Bytes { input: self }));
        value.map_err(|_| self.error(part))
    }

    pub(crate) fn read_plan(&mut self, plan: &mut Plan) -> Result<(), SessionError> {
        let outcome = plan.read(&mut Deserializer::from_flavor(Bytes { input: self }));
        outcome.map_err(|_| self.error("the plan"))
    }

    /// Leaves out postcard's own error: which one it sees first may depend on the width of a pointer.
    fn error(&self, part: &'static str) -> SessionError {
        if self.ended { SessionError::Ended { bytes: self.bytes, part } } else { SessionError::Damaged { part } }
    }
}

struct Bytes<'a, F> {
    input: &'a mut Input<F>,
}

impl<'de, F: FnMut() -> Option<u8>> Flavor<'de> for Bytes<'de, F> {
    type Remainder = ();
    type Source = ();

    fn pop(&mut self) -> Result<u8, Error> {
        let Some(byte) = (self.input.next)() else {
            self.input.ended = true;
            return Err(Error::DeserializeUnexpectedEnd);
        };
        self.input.bytes = self.input.bytes.saturating_add(1);
        Ok(byte)
    }

    /// Texts and byte arrays would be borrowed from a buffer; sizes and plans have none.
    fn try_take_n(&mut self, _: usize) -> Result<&'de [u8], Error> {
        Err(Error::WontImplement)
    }

    fn finalize(self) -> Result<(), Error> {
        Ok(())
    }
}
