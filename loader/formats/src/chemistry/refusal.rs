//! [`Refusal`]: why a text is no molecule.

/// Why a text is no molecule: what was expected, and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Refusal {
    /// What must be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Refusal {
    /// What must be there, and what is there instead.
    pub(crate) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { expected: expected.into(), found: found.into() }
    }
}
