//! [`Targets`]: the values of a field of graphs, in standard deviations of the data set; [`SampleError`]: why there are
//! none.

use crate::batch::Batch;
use crate::error::{Cause, Error, ErrorKind};
use crate::layout::{Dtype, Field, Level, Schema};
use half::f16;
use std::ops::Range;

/// The values of a field of graphs: each column shifted and scaled to a mean of 0 and a variance of 1.
pub(crate) struct Targets {
    pub(super) field: String,
    /// Columns of the field.
    pub(super) width: usize,
    /// Values, graph by graph; NaN where one is missing.
    values: Vec<f64>,
    /// For each column, how many graphs have no finite value.
    pub(super) missing: Vec<usize>,
}

impl Targets {
    /// Returns the field of graphs that is called `name`.
    pub(crate) fn field<'a>(schema: &'a Schema, name: &str) -> Result<&'a Field, Error> {
        let of_graphs = || schema.fields().iter().filter(|field| field.level == Level::Graph);
        of_graphs().find(|field| field.name == name).ok_or_else(|| {
            Error::from(SampleError::Field {
                field: name.to_owned(),
                available: of_graphs().map(|field| field.name.clone()).collect(),
            })
        })
    }

    /// The field `has_NAME` of a field, which says which graphs have it, or which of its columns.
    pub(crate) fn mask<'a>(schema: &'a Schema, field: &Field) -> Option<&'a Field> {
        schema.fields().iter().find(|other| other.is_mask_of(field))
    }

    /// Reads `field` from batches that have all graphs in their order; where `mask` says that a graph lacks it, its
    /// value is missing.
    pub(crate) fn read(
        field: &Field,
        mask: Option<&Field>,
        batches: impl Iterator<Item = Result<Batch, Error>>,
    ) -> Result<Self, Error> {
        let (name, width, mut values) = (field.name.clone(), field.width, Vec::new());
        for batch in batches {
            let batch = batch?;
            let real = batch.real().graphs() * width;
            let has = mask.map(|mask| Ok::<_, Error>((batch.get::<bool>(&mask.name)?, mask.width)));
            let has = has.transpose()?;
            let is_there = |at: usize| match has {
                Some((has, 1)) => has[at / width],
                Some((has, _)) => has[at],
                None => true,
            };
            let numbers = numbers(&batch, field)?.into_iter().take(real).enumerate();
            values.extend(numbers.map(|(at, value)| if value.is_finite() && is_there(at) { value } else { f64::NAN }));
        }
        let missing = (0..width).map(|column| standardize(&mut values, column, width)).collect();
        Ok(Self { field: name, width, values, missing })
    }

    /// The values of a graph, one for each column.
    pub(super) fn of(&self, graph: u32) -> &[f64] {
        let start = graph as usize * self.width;
        self.values.get(start..start + self.width).unwrap_or_default()
    }
}

/// Copies all elements of a field, padding included.
fn numbers(batch: &Batch, field: &Field) -> Result<Vec<f64>, Error> {
    let name = &field.name;
    Ok(match field.dtype {
        Dtype::F16 => batch.get::<f16>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::F32 => batch.get::<f32>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::F64 => batch.get::<f64>(name)?.to_vec(),
        // Beyond 2^53 integers are rounded, which no figure shows.
        Dtype::I64 => batch.get::<i64>(name)?.iter().map(|&value| value as f64).collect(),
        Dtype::I32 => batch.get::<i32>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::U8 => batch.get::<u8>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::Bool => batch.get::<bool>(name)?.iter().map(|&value| value.into()).collect(),
    })
}

/// Gives one column a mean of 0 and a variance of 1, or 0 if all its values are equal. Returns how many are missing.
fn standardize(values: &mut [f64], column: usize, width: usize) -> usize {
    let (mut count, mut missing, mut largest) = (0_usize, 0, 0.0_f64);
    for value in values.iter().skip(column).step_by(width) {
        if value.is_nan() {
            missing += 1;
        } else {
            count += 1;
            largest = largest.max(value.abs());
        }
    }
    // Within -1 to 1 no sum of squares overflows.
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let present = |values: &[f64], of: &dyn Fn(f64) -> f64| {
        let present = values.iter().skip(column).step_by(width).filter(|value| !value.is_nan());
        present.map(|&value| of(value / scale)).sum::<f64>() / count.max(1) as f64
    };
    let mean = present(values, &|value| value);
    let deviation = present(values, &|value| (value - mean) * (value - mean)).sqrt();
    // Equal values may differ from their mean by its rounding.
    let inverse = if deviation > 1e-12 { 1.0 / deviation } else { 0.0 };
    values.iter_mut().skip(column).step_by(width).for_each(|value| *value = (*value / scale - mean) * inverse);
    missing
}

/// The figures of a sample cannot be computed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SampleError {
    #[error("expected a field of graphs, found {field:?}; the fields of graphs are {available:?}")]
    Field { field: String, available: Vec<String> },
    #[error("expected one epoch, since graphs are drawn again for each, found epochs {epochs:?}")]
    Drawn { epochs: Range<u64> },
}

impl Cause for SampleError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Options
    }
}
