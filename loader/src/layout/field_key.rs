//! [`FieldKey`]: a field or index by its position or by its name.

use super::Schema;

/// A field or index by its position in the schema, or by its name, which is safer: two that are alike cannot be
/// swapped.
pub trait FieldKey: Copy {
    #[doc(hidden)]
    fn field(self, schema: &Schema) -> Option<usize>;
    #[doc(hidden)]
    fn index(self, schema: &Schema) -> Option<usize>;
    #[doc(hidden)]
    fn described(self) -> String;
}

impl FieldKey for usize {
    #[inline]
    fn field(self, _schema: &Schema) -> Option<usize> {
        Some(self)
    }

    #[inline]
    fn index(self, _schema: &Schema) -> Option<usize> {
        Some(self)
    }

    fn described(self) -> String {
        format!("number {self}")
    }
}

impl FieldKey for &str {
    fn field(self, schema: &Schema) -> Option<usize> {
        schema.position(self)
    }

    fn index(self, schema: &Schema) -> Option<usize> {
        schema.find_index(self)
    }

    fn described(self) -> String {
        format!("{self:?}")
    }
}
