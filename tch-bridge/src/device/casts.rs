//! [`Casts`]: arrays that get another type on the device than they have in the batch; [`Placed`]: an array's place,
//! type and size there.

use crate::{BridgeError, Error};
use graphpack_loader::Dtype;
use graphpack_loader::memory::{ArrayInfo, ArrayKind, Layout};
use tch::{Kind, TchError, Tensor};

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

/// Whether values of one type can be cast to another: floating point rounds, or becomes infinite, but whole numbers
/// would wrap around, and NaN would become one of them.
fn holds(to: Kind, from: Kind) -> bool {
    let from_one_of = |kinds: &[Kind]| from == to || from == Kind::Bool || kinds.contains(&from);
    match to {
        Kind::Bool | Kind::Uint8 | Kind::Int8 => from_one_of(&[]),
        Kind::Int16 | Kind::Int => from_one_of(&[Kind::Uint8]),
        Kind::Int64 => from_one_of(&[Kind::Uint8, Kind::Int]),
        Kind::Half | Kind::BFloat16 | Kind::Float | Kind::Double => true,
        _ => false,
    }
}

/// An array's place, type and size in the bytes of a batch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    start: usize,
    kind: Kind,
    size: Vec<i64>,
}

impl Placed {
    /// An array as the loader has written it.
    pub(crate) fn as_loaded(array: &ArrayInfo) -> Self {
        let size = array.shape().map(|n| n as i64).collect();
        Self { start: array.start, kind: kind(array.dtype), size }
    }

    /// Returns this array with elements of another kind, from byte `start` on.
    pub(crate) fn cast(&self, start: usize, kind: Kind) -> Self {
        Self { start, kind, size: self.size.clone() }
    }

    /// The type of its elements.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The byte after its last one.
    pub(crate) fn end(&self) -> usize {
        self.start + self.bytes()
    }

    fn bytes(&self) -> usize {
        self.size.iter().product::<i64>() as usize * self.kind.elt_size_in_bytes()
    }

    /// The array as a view of the bytes that it lies in.
    pub(crate) fn view(&self, bytes: &Tensor) -> Result<Tensor, TchError> {
        let bytes = bytes.f_narrow(0, self.start as i64, self.bytes() as i64)?;
        bytes.f_view_dtype(self.kind)?.f_view(self.size.as_slice())
    }
}

/// libtorch's name of a dtype.
pub(crate) fn kind(dtype: Dtype) -> Kind {
    match dtype {
        Dtype::F16 => Kind::Half,
        Dtype::F32 => Kind::Float,
        Dtype::F64 => Kind::Double,
        Dtype::I64 => Kind::Int64,
        Dtype::I32 => Kind::Int,
        Dtype::U8 => Kind::Uint8,
        Dtype::Bool => Kind::Bool,
    }
}
