//! The dtypes of safetensors that stores have.

use crate::layout::{Dtype, IndexWidth};
use safetensors::Dtype as FileDtype;

const FIELDS: [(Dtype, FileDtype); 6] = [
    (Dtype::F32, FileDtype::F32),
    (Dtype::F64, FileDtype::F64),
    (Dtype::I64, FileDtype::I64),
    (Dtype::I32, FileDtype::I32),
    (Dtype::U8, FileDtype::U8),
    (Dtype::Bool, FileDtype::BOOL),
];

const INDICES: [(IndexWidth, FileDtype); 4] = [
    (IndexWidth::U8, FileDtype::U8),
    (IndexWidth::U16, FileDtype::U16),
    (IndexWidth::I32, FileDtype::I32),
    (IndexWidth::I64, FileDtype::I64),
];

/// What a tensor of a field becomes; none if batches cannot have it.
pub(super) fn field(of: FileDtype) -> Option<Dtype> {
    FIELDS.iter().find(|(_, file)| *file == of).map(|(dtype, _)| *dtype)
}

/// What a tensor of node numbers becomes; none if they are no integers, or wider or otherwise signed than any that is written.
pub(super) fn index(of: FileDtype) -> Option<IndexWidth> {
    INDICES.iter().find(|(_, file)| *file == of).map(|(width, _)| *width)
}

/// How a field is written.
pub(super) fn of_field(dtype: Dtype) -> FileDtype {
    FIELDS.iter().find(|(field, _)| *field == dtype).map_or(FileDtype::U8, |(_, file)| *file)
}

/// How node numbers are written.
pub(super) fn of_index(width: IndexWidth) -> FileDtype {
    INDICES.iter().find(|(index, _)| *index == width).map_or(FileDtype::I64, |(_, file)| *file)
}
