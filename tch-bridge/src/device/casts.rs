//! [`Casts`]: arrays that get another type on the device than they have in the batch.

use super::placed::{BATCH, EDGE_INDEX, PTR, kind};
use crate::BridgeError;
use graphpack_loader::Layout;
use tch::Kind;

/// Arrays that get another type on the device than they have in the batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Casts {
    fields: Vec<(String, Kind)>,
    wide_indices: bool,
}

impl Casts {
    /// Field `name` becomes `kind`.
    pub(crate) fn field(&mut self, name: &str, kind: Kind) {
        self.fields.push((name.to_owned(), kind));
    }

    /// `edge_index`, `batch` and `ptr` become int64.
    pub(crate) fn wide_indices(&mut self) {
        self.wide_indices = true;
    }

    /// The type that each array of a layout gets.
    pub(crate) fn kinds(&self, layout: &Layout) -> Result<Vec<Kind>, BridgeError> {
        let mut kinds: Vec<Kind> = layout.arrays().iter().map(|array| kind(array.dtype)).collect();
        for (name, kind) in &self.fields {
            let position = layout.schema().position(name);
            kinds[position.ok_or_else(|| BridgeError::Missing { name: name.clone() })?] = *kind;
        }
        if self.wide_indices {
            for own in [EDGE_INDEX, BATCH, PTR] {
                kinds[layout.schema().fields().len() + own] = Kind::Int64;
            }
        }
        Ok(kinds)
    }
}
