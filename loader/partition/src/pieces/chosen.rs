//! [`Chosen`]: a feature that becomes a field of batches.

use crate::{Array, ArrayType};
use graphpack_loader::{Dtype, Field, Level, SchemaError};

/// A feature that cannot be a field of a batch.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeatureError {
    /// Batches cannot carry its elements.
    #[error(
        "feature {feature} is {element}, which batches cannot carry: convert it to float32, float64, int64, int32, uint8 or bool, or leave it out"
    )]
    Element {
        /// Its name.
        feature: String,
        /// The type of its elements.
        element: ArrayType,
    },
    /// A bool is neither 0 nor 1.
    #[error("feature {feature} is bool, but its row {row} has byte {byte}, expected 0 or 1")]
    Bool {
        /// Its name.
        feature: String,
        /// The row of the array.
        row: usize,
        /// The byte.
        byte: u8,
    },
    /// No feature has the name asked for.
    #[error("there is no feature {feature}, only {known}")]
    Unknown {
        /// The name asked for.
        feature: String,
        /// The names of all features.
        known: String,
    },
    /// A name is reserved or used twice.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

graphpack_core::debug_is_display!(FeatureError);

/// A feature that becomes a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    full_name: String,
    field: Field,
}

impl Chosen {
    /// Its name with its type, as in parts.
    pub(super) fn full_name(&self) -> &str {
        &self.full_name
    }

    /// The field, whose name is without the type.
    pub(super) fn field(&self) -> &Field {
        &self.field
    }
}

/// Chooses the features that are wanted, by their names with or without the type; without a list of wanted names all.
/// `kind` is the only type of nodes or of edges.
pub(super) fn choose<'a>(
    features: impl Iterator<Item = (&'a str, &'a Array)>,
    kind: &str,
    level: Level,
    wanted: Option<&[String]>,
) -> Result<Vec<Chosen>, FeatureError> {
    let mut chosen = Vec::new();
    for (full, array) in features {
        let name = short(full, kind);
        if wanted.is_some_and(|wanted| !wanted.iter().any(|wanted| wanted == name || wanted == full)) {
            continue;
        }
        let element = array.element();
        let dtype = element.dtype().ok_or_else(|| FeatureError::Element { feature: full.to_owned(), element })?;
        check_bool(full, array)?;
        let width = array.row_bytes() / element.bytes();
        chosen.push(Chosen { full_name: full.to_owned(), field: Field::new(name, level, dtype, width) });
    }
    Ok(chosen)
}

/// Refuses names that no feature has. Features are given with their full name and type.
pub(super) fn check_wanted<'a>(
    wanted: &[String],
    known: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) -> Result<(), FeatureError> {
    let there = |name: &String| known.clone().any(|(full, kind)| name == full || name == short(full, kind));
    match wanted.iter().find(|name| !there(name)) {
        Some(feature) => {
            let known: Vec<_> = known.map(|(full, kind)| short(full, kind)).collect();
            Err(FeatureError::Unknown { feature: feature.clone(), known: known.join(", ") })
        }
        None => Ok(()),
    }
}

/// Refuses bools that are neither 0 nor 1: a batch must not have them.
pub(super) fn check_bool(feature: &str, array: &Array) -> Result<(), FeatureError> {
    if array.element().dtype() != Some(Dtype::Bool) {
        return Ok(());
    }
    match array.bytes().iter().position(|&byte| byte > 1) {
        Some(at) => {
            let (row, byte) = (at / array.row_bytes().max(1), array.bytes()[at]);
            Err(FeatureError::Bool { feature: feature.to_owned(), row, byte })
        }
        None => Ok(()),
    }
}

/// Returns the name of a feature without its type.
fn short<'a>(full: &'a str, kind: &str) -> &'a str {
    full.strip_prefix(kind).and_then(|rest| rest.strip_prefix('/')).unwrap_or(full)
}
