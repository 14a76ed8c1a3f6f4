//! [`Casts`]: arrays that get another type on the device than they have in the batch.

use super::placed::kind;
use crate::BridgeError;
use crate::Error;
use graphpack_loader::{ArrayInfo, ArrayKind, Layout};
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
    pub(crate) fn kinds(&self, layout: &Layout) -> Result<Vec<Kind>, Error> {
        let of = |array: &ArrayInfo| match array.kind.is_index() && self.wide_indices {
            true => Kind::Int64,
            false => kind(array.dtype),
        };
        let mut kinds: Vec<Kind> = layout.arrays().iter().map(of).collect();
        for (name, to) in &self.fields {
            let is_field = |array: &&ArrayInfo| matches!(array.kind, ArrayKind::Field(_));
            let position = layout.arrays().iter().position(|array| is_field(&array) && array.name == *name);
            let fields = || layout.arrays().iter().filter(is_field).map(|array| array.name.clone());
            let missing = || BridgeError::NoField { name: name.clone(), available: fields().collect() };
            let position = position.ok_or_else(missing)?;
            let from = kind(layout.arrays()[position].dtype);
            if !holds(*to, from) {
                return Err(BridgeError::Cast { name: name.clone(), from, to: *to }.into());
            }
            kinds[position] = *to;
        }
        Ok(kinds)
    }
}

/// Whether values of one type can be cast to another: floating point rounds, but whole numbers would wrap around, and
/// NaN would become one of them.
fn holds(to: Kind, from: Kind) -> bool {
    let from_one_of = |kinds: &[Kind]| from == to || from == Kind::Bool || kinds.contains(&from);
    match to {
        Kind::Bool | Kind::Uint8 | Kind::Int8 => from_one_of(&[]),
        Kind::Int16 | Kind::Int => from_one_of(&[Kind::Uint8]),
        Kind::Int64 => from_one_of(&[Kind::Uint8, Kind::Int]),
        _ => true,
    }
}
