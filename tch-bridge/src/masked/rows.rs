//! Checks of the sizes of tensors before operations on rows, because functions of tch that take a number panic where
//! libtorch refuses it.

use tch::{Kind, TchError, Tensor};

/// Returns the type in which sums and counts of such values are made: a count in float16 would be infinite from 65,520
/// on.
pub(super) fn wide(kind: Kind) -> Kind {
    match kind {
        Kind::Half | Kind::BFloat16 => Kind::Float,
        other => other,
    }
}

/// Means that were made in a [`wide`] type, in the type of the values. Those of whole numbers are not whole.
pub(super) fn as_values(means: Tensor, values: &Tensor) -> Result<Tensor, TchError> {
    if values.is_floating_point() { means.f_to_kind(values.kind()) } else { Ok(means) }
}

/// A mask, bool `[rows]`.
pub(super) fn checked_mask(mask: &Tensor, rows: i64) -> Result<&Tensor, TchError> {
    let (kind, size) = (mask.kind(), mask.size());
    if (kind, size.as_slice()) == (Kind::Bool, &[rows]) {
        return Ok(mask);
    }
    Err(TchError::Shape(format!("mask is {kind:?} of size {size:?}, expected Bool of size [{rows}]")))
}

/// A vector of whole numbers, as int64.
pub(super) fn whole_numbers(vector: &Tensor, name: &str, expected: &str) -> Result<Tensor, TchError> {
    let (kind, size) = (vector.kind(), vector.size());
    let whole = matches!(kind, Kind::Int64 | Kind::Int | Kind::Int16 | Kind::Int8 | Kind::Uint8);
    if !whole || size.len() != 1 {
        let message = format!("{name} is {kind:?} of size {size:?}, expected whole numbers of size {expected}");
        return Err(TchError::Shape(message));
    }
    vector.f_to_kind(Kind::Int64)
}

/// A `ptr` that divides `rows` rows, on the CPU.
pub(super) fn checked_ptr(ptr: Tensor, rows: i64) -> Result<Tensor, TchError> {
    let numbers = Vec::<i64>::try_from(&ptr)?;
    match (numbers.first(), numbers.last(), numbers.windows(2).position(|pair| pair[0] > pair[1])) {
        (Some(0), Some(last), None) if *last == rows => Ok(ptr),
        (Some(0), Some(_), Some(place)) => Err(TchError::Shape(format!(
            "ptr falls from {} to {} after entry {place}, expected ascending numbers",
            numbers[place],
            numbers[place + 1]
        ))),
        (first, last, _) => {
            let [first, last] = [first, last].map(|number| number.map_or("nothing".into(), i64::to_string));
            Err(TchError::Shape(format!("ptr begins with {first} and ends with {last}, expected 0 and {rows}")))
        }
    }
}

/// An error if values are whole numbers: these have neither infinity nor NaN, and their mean is not whole.
pub(super) fn floating(values: &Tensor) -> Result<(), TchError> {
    if values.is_floating_point() {
        return Ok(());
    }
    Err(TchError::Kind(format!("values are {:?}, expected floating point", values.kind())))
}

/// A vector `[rows]` as `[rows, 1, ...]`, with the dimensions of `values`.
pub(super) fn column_like(vector: &Tensor, values: &Tensor) -> Result<Tensor, TchError> {
    let mut size = vec![1; values.dim()];
    if let Some(rows) = size.first_mut() {
        *rows = vector.size1()?;
    }
    vector.f_view(size.as_slice())
}
