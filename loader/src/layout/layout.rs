//! [`Layout`]: where each array of a batch lies in its memory.

use super::{ArrayError, ArrayInfo, Builtin, Dtype, Level, Schema, Shape};

/// Arrays start at multiples of this many bytes from the start of the memory, a cache line.
const ALIGN: usize = 64;

/// Says where each array lies in the memory of a batch of one shape. The memory is contiguous, so that one copy brings
/// it to a device: first the fields of the data set, then the arrays that every batch has, in the order of
/// [`Builtin::ALL`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    schema: Schema,
    shape: Shape,
    arrays: Vec<ArrayInfo>,
    bytes: usize,
}

impl Layout {
    /// Returns the layout of batches of `shape` with indices of type `index`; `None` if a batch would have more bytes
    /// than memory can address, or more nodes or graphs than its indices can count.
    pub(crate) fn new(schema: Schema, shape: Shape, index: Dtype) -> Option<Self> {
        if index == Dtype::I32 && i32::try_from(shape.nodes().max(shape.graphs())).is_err() {
            return None;
        }
        let fields = schema.fields().iter().map(|field| ArrayInfo {
            name: field.name.clone(),
            dtype: field.dtype,
            rows: shape.rows(field.level),
            width: Some(field.width),
            start: 0,
            builtin: None,
        });
        let builtins = Builtin::ALL.into_iter().map(|builtin| {
            let (rows, width) = builtin.size(&shape);
            let (name, dtype) = (builtin.name().to_owned(), builtin.dtype(index));
            ArrayInfo { name, dtype, rows, width, start: 0, builtin: Some(builtin) }
        });
        let mut arrays: Vec<_> = fields.chain(builtins).collect();
        let mut bytes = 0_usize;
        for array in &mut arrays {
            array.start = bytes;
            let size = array.width.unwrap_or(1).checked_mul(array.dtype.bytes())?.checked_mul(array.rows)?;
            bytes = bytes
                .checked_add(size)?
                .checked_next_multiple_of(ALIGN)
                .filter(|&bytes| bytes <= isize::MAX as usize)?;
        }
        Some(Self { schema, shape, arrays, bytes })
    }

    /// The fields of the data set.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The shape of the batches that have this layout.
    #[inline]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// All arrays, fields first.
    pub fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    /// The array named `name`; `None` if there is none.
    pub fn array(&self, name: &str) -> Option<&ArrayInfo> {
        self.arrays.iter().find(|array| array.name == name)
    }

    /// Returns the array named `name`, or an error if it is missing or its elements are not of type `T`.
    pub(crate) fn typed<T: super::Element>(&self, name: &str) -> Result<&ArrayInfo, ArrayError> {
        self.array(name).ok_or_else(|| ArrayError::missing(name))?.expect::<T>()
    }

    /// One of the arrays that every batch has.
    #[inline]
    pub fn builtin(&self, builtin: Builtin) -> &ArrayInfo {
        &self.arrays[self.position(builtin)]
    }

    /// The position of an array that every batch has among all [`arrays`](Self::arrays).
    pub fn position(&self, builtin: Builtin) -> usize {
        self.schema.fields().len() + builtin.position()
    }

    /// The array and the level of the field at `position` in the schema.
    #[inline]
    pub(crate) fn field(&self, position: usize) -> Option<(&ArrayInfo, Level)> {
        let field = self.schema.fields().get(position)?;
        Some((&self.arrays[position], field.level))
    }

    /// Number of bytes of a batch.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
