//! [`IndexBytes`]: node numbers as a store keeps them, and how they become those of a batch.

use super::Dtype;

/// How many bytes a node number takes. Graphs of up to 65,536 nodes need two; reading less is what makes a shuffled gather fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexWidth {
    /// uint8.
    U8,
    /// uint16.
    U16,
    /// int32.
    I32,
    /// int64.
    I64,
}

impl IndexWidth {
    /// Bytes of one number.
    pub fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::I32 => 4,
            Self::I64 => 8,
        }
    }

    /// The narrowest for node numbers below `nodes`.
    pub fn for_nodes(nodes: u64) -> Self {
        match nodes {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            0x1_0001..=0x8000_0000 => Self::I32,
            _ => Self::I64,
        }
    }
}

/// Node numbers counted within a graph, little-endian.
#[derive(Clone, Copy)]
pub struct IndexBytes<'a> {
    width: IndexWidth,
    bytes: &'a [u8],
}

impl<'a> IndexBytes<'a> {
    /// Numbers of `width` as the bytes of a file hold them, which need no alignment; what is left over at the end is ignored.
    pub fn new(width: IndexWidth, bytes: &'a [u8]) -> Self {
        Self { width, bytes }
    }

    /// Numbers in memory.
    pub fn of(nodes: &'a [i64]) -> Self {
        // Native order is little-endian wherever stores can be used.
        Self { width: IndexWidth::I64, bytes: bytemuck::cast_slice(nodes) }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width.bytes()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of each.
    pub fn width(&self) -> IndexWidth {
        self.width
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The number at a place, which there must be.
    pub fn at(&self, place: usize) -> i64 {
        let width = self.width.bytes();
        let bytes = &self.bytes[place * width..(place + 1) * width];
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(bytes);
        match self.width {
            IndexWidth::I32 => i64::from(i64::from_le_bytes(wide) as i32),
            _ => i64::from_le_bytes(wide),
        }
    }

    /// Writes them into an array of `dtype`, counted from `first` on. False if one is not below `nodes`; what is written then is
    /// meaningless.
    pub(crate) fn write(&self, out: &mut [u8], dtype: Dtype, first: usize, nodes: u32) -> bool {
        match dtype {
            Dtype::I32 => self.widen::<i32>(bytemuck::cast_slice_mut(out), first as i32, nodes),
            _ => self.widen::<i64>(bytemuck::cast_slice_mut(out), first as i64, nodes),
        }
    }

    fn widen<O: Index>(&self, out: &mut [O], first: O, nodes: u32) -> bool {
        match self.width {
            IndexWidth::U8 => copy_narrow(self.bytes, out, first, nodes, |[byte]: [u8; 1]| byte),
            IndexWidth::U16 => copy_narrow(self.bytes, out, first, nodes, u16::from_le_bytes),
            IndexWidth::I32 => copy_wide(self.bytes, out, first, nodes, |bytes| i64::from(i32::from_le_bytes(bytes))),
            IndexWidth::I64 => copy_wide(self.bytes, out, first, nodes, i64::from_le_bytes),
        }
    }
}

/// The integers that a batch may have as indices.
pub(crate) trait Index: Copy + bytemuck::Pod {
    fn plus(self, local: i64) -> Self;
}

impl Index for i32 {
    fn plus(self, local: i64) -> Self {
        self.wrapping_add(local as i32)
    }
}

impl Index for i64 {
    fn plus(self, local: i64) -> Self {
        self.wrapping_add(local)
    }
}

/// Two passes over the edges, for the largest number and to copy: each becomes vector code, where one pass for both does not.
fn copy_narrow<const W: usize, T: Copy + Ord + Into<i64>, O: Index>(
    bytes: &[u8],
    out: &mut [O],
    first: O,
    nodes: u32,
    read: impl Fn([u8; W]) -> T,
) -> bool {
    let numbers = bytes.as_chunks::<W>().0;
    let largest = numbers.iter().map(|bytes| read(*bytes)).max();
    for (out, bytes) in out.iter_mut().zip(numbers) {
        *out = first.plus(read(*bytes).into());
    }
    largest.is_none_or(|largest| largest.into() < i64::from(nodes))
}

/// One pass over the edges, without a branch, so that it becomes vector code.
fn copy_wide<const W: usize, O: Index>(
    bytes: &[u8],
    out: &mut [O],
    first: O,
    nodes: u32,
    read: impl Fn([u8; W]) -> i64,
) -> bool {
    let last = i64::from(nodes) - 1;
    // The sign of any number that is negative or beyond the last node stays in this.
    let mut outside = 0_i64;
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<W>().0) {
        let local = read(*bytes);
        outside |= local | last.wrapping_sub(local);
        *out = first.plus(local);
    }
    outside >= 0
}
