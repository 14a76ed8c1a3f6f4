//! [`Labels`]: texts of structures that become codes.

use std::collections::HashMap;

/// The most different texts of a name. A name that exceeds it has a text of its own for each structure, as ids are, and
/// its list would be as long as the data set.
const MOST: usize = 1 << 16;

/// The different texts of a name, in the order in which they come first.
#[derive(Default)]
pub(super) struct Labels {
    pub(super) texts: Vec<String>,
    codes: HashMap<String, i64>,
}

impl Labels {
    /// The code of a text, and whether it is new. `None` if there are too many.
    pub(super) fn code(&mut self, text: &str) -> Option<(i64, bool)> {
        if let Some(&code) = self.codes.get(text) {
            return Some((code, false));
        }
        let code = self.texts.len();
        (code < MOST).then(|| {
            self.texts.push(text.to_owned());
            self.codes.insert(text.to_owned(), code as i64);
            (code as i64, true)
        })
    }

    /// Forgets the last text.
    pub(super) fn forget(&mut self) {
        self.texts.pop().and_then(|text| self.codes.remove(&text));
    }
}
