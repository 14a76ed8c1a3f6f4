//! The dtypes of safetensors that stores can have.

use crate::layout::{Dtype, IndexWidth};
use safetensors::Dtype as FileDtype;

const FIELDS: [(Dtype, FileDtype); 7] = [
    (Dtype::F16, FileDtype::F16),
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

/// Returns the dtype of a field whose tensor has dtype `of`; `None` if batches cannot have it.
pub(super) fn field(of: FileDtype) -> Option<Dtype> {
    FIELDS.iter().find(|(_, file)| *file == of).map(|(dtype, _)| *dtype)
}

/// Returns the type of node numbers whose tensor has dtype `of`; `None` unless it is uint8, uint16, int32 or int64.
pub(super) fn index(of: FileDtype) -> Option<IndexWidth> {
    INDICES.iter().find(|(_, file)| *file == of).map(|(width, _)| *width)
}

/// Returns the dtype that a field is written with.
pub(super) fn of_field(dtype: Dtype) -> FileDtype {
    FIELDS.iter().find(|(field, _)| *field == dtype).map_or(FileDtype::U8, |(_, file)| *file)
}

/// Returns the dtype that node numbers are written with.
pub(super) fn of_index(width: IndexWidth) -> FileDtype {
    INDICES.iter().find(|(index, _)| *index == width).map_or(FileDtype::I64, |(_, file)| *file)
}
