//! [`panic_message`]: what a caught panic says.

use std::any::Any;

/// What a caught panic says, for errors that carry it on to the consumer.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "of a type that is not text".into())
}
