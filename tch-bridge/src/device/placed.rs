//! [`Placed`]: an array's place, type and size in the bytes of a batch.

use graphpack_loader::{ArrayInfo, Dtype};
use tch::{Kind, TchError, Tensor};

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
        let size = [Some(array.rows), array.width].into_iter().flatten().map(|n| n as i64).collect();
        Self { start: array.start, kind: kind(array.dtype), size }
    }

    /// The same array with elements of another kind, from byte `start` on.
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
