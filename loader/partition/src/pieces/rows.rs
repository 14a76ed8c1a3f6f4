//! Nodes of edges as a slot takes them.

use graphpack_loader::{IndexBytes, IndexWidth};

/// Nodes of edges as the loader takes them. All are below 2^31: larger graphs are refused.
pub(super) fn index(nodes: &[u32]) -> IndexBytes<'_> {
    IndexBytes::new(IndexWidth::I32, bytemuck::cast_slice(nodes))
}
