//! Words of messages: what the Rust loader calls by its own names, messages of Python call by theirs.

use graphpack_loader::{Oversize, Padding};

/// Methods, and those of Python in their place: its data have masks without being asked, and declare no fingerprint.
const METHODS: [(&str, &str); 4] = [
    ("Loader::epoch", "Loader.epoch"),
    ("GraphResults::in_order_or gives", "`missing` gives"),
    (" (Store::with_masks)", ""),
    (" (Source::fingerprint)", ""),
];

/// Returns the message with options and methods as Python spells them: `oversize="skip"`, not `Oversize::Skip`.
pub(crate) fn in_python(message: &str) -> String {
    let oversizes =
        Oversize::WORDS.iter().map(|(word, value)| (format!("Oversize::{value:?}"), format!("oversize={word:?}")));
    let paddings =
        Padding::WORDS.iter().map(|(word, value)| (format!("Padding::{value:?}"), format!("padding={word:?}")));
    let methods = METHODS.map(|(rust, python)| (rust.to_owned(), python.to_owned()));
    let words = oversizes.chain(paddings).chain(methods);
    words.fold(message.to_owned(), |message, (rust, python)| message.replace(&rust, &python))
}
