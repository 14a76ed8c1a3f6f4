//! [`Casts`]: arrays that get another type on the device than they have in the batch.

use super::placed::kind;
use crate::BridgeError;
use graphpack_loader::{ArrayError, ArrayInfo, ArrayKind, Layout};
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

    /// Indices become int64.
    pub(crate) fn wide_indices(&mut self) {
        self.wide_indices = true;
    }

    /// The type that each array of a layout gets.
    pub(crate) fn kinds(&self, layout: &Layout) -> Result<Vec<Kind>, BridgeError> {
        let of = |array: &ArrayInfo| match array.kind.is_index() && self.wide_indices {
            true => Kind::Int64,
            false => kind(array.dtype),
        };
        let mut kinds: Vec<Kind> = layout.arrays().iter().map(of).collect();
        for (name, kind) in &self.fields {
            let is_field = |array: &&ArrayInfo| matches!(array.kind, ArrayKind::Field(_));
            let position = layout.arrays().iter().position(|array| is_field(&array) && array.name == *name);
            let fields = || layout.arrays().iter().filter(is_field).map(|array| array.name.clone());
            let missing = || ArrayError::Missing { name: name.clone(), available: fields().collect() };
            kinds[position.ok_or_else(missing)?] = *kind;
        }
        Ok(kinds)
    }
}
