//! [`panic_message`]: the text of a caught panic.

use std::any::Any;

/// Returns the text of a caught panic, for an error that carries it to the consumer.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the panic has no text".into())
}
