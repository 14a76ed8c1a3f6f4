//! Adds the inverse of each edge to a store.

use super::bytes::Bytes;
use super::{Column, Store, StoreError};
use crate::error::Error;
use crate::layout::Level;

impl Store {
    /// Returns a store in which each entry of an index is followed by its inverse, with the same fields: data that have
    /// each bond once then have both directions, as models of undirected graphs expect.
    ///
    /// Other indices into the edges keep pointing to the edge that they pointed to. Errors unless the index belongs to
    /// a set and has two columns into one set, as `edge_index` has.
    ///
    /// ```
    /// use graphpack_loader::{Column, Level, Store};
    ///
    /// let length = Column::new("length", Level::EDGE, 1, vec![1.5_f32, 1.1]);
    /// let bonds = Store::of_columns(vec![0, 3], vec![0, 2], [vec![0, 1], vec![1, 2]], vec![length])?;
    /// let both = bonds.with_inverses("edge_index")?;
    /// assert_eq!(both.edges(0), (vec![0, 1, 1, 2], vec![1, 0, 2, 1]));
    /// assert_eq!(both.values::<f32>("length")?, [1.5, 1.5, 1.1, 1.1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_inverses(&self, index: &str) -> Result<Self, Error> {
        self.check_pages_of(0..self.len())?;
        let schema = self.schema();
        let found = schema.find_index(index).map(|position| &schema.indices()[position]);
        let (edges, edge_set) = match found.map(|of| (of.level, &*of.targets)) {
            Some((level @ Level::Set(set), &[from, to])) if from == to => (level, set),
            _ => {
                let available = schema.indices().iter().map(|index| index.name.clone()).collect();
                return Err(StoreError::Inverse { index: index.to_owned(), available }.into());
            }
        };
        let ptr = self.ptr().iter().zip(0..).map(|(offsets, set)| {
            let factor = if set == edge_set { 2 } else { 1 };
            let ends = (0..self.len()).map(|graph| factor * offsets.span(graph).end as u64);
            std::iter::once(0).chain(ends).collect()
        });
        let indices = schema.indices().iter().zip(self.indices()).map(|(of, local)| {
            let columns = local.rows(0..local.len()).zip(&of.targets).map(|(column, &target)| {
                let factor = if target == edge_set { 2 } else { 1 };
                column.iter().map(|row| row.saturating_mul(factor)).collect()
            });
            let columns: Vec<Vec<i64>> = columns.collect();
            if of.name == index {
                let both = |[from, to]: [usize; 2]| {
                    columns[from].iter().zip(&columns[to]).flat_map(|(from, to)| [*from, *to]).collect()
                };
                return vec![both([0, 1]), both([1, 0])];
            }
            let copies = if of.level == edges { 2 } else { 1 };
            let column =
                |column: Vec<i64>| column.into_iter().flat_map(|row| std::iter::repeat_n(row, copies)).collect();
            columns.into_iter().map(column).collect()
        });
        let columns = self.columns().iter().map(|column| match column.field() {
            field if field.level == edges && field.width > 0 => {
                let rows = column.bytes().chunks_exact(field.row_bytes());
                let twice: Vec<u8> = rows.flat_map(|row| row.iter().chain(row).copied()).collect();
                Column::from_parts(field.clone(), Bytes::new(&twice))
            }
            _ => column.clone(),
        });
        let both = Self::of_sets(schema.clone(), ptr.collect(), indices.collect(), columns.collect())?;
        // Columns of other levels may still be those of the file.
        Ok(Self { map: self.map.clone(), ..both })
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "a test maps a file of its own")]
mod tests {
    use super::*;
    use crate::source::Graphs;
    use crate::{Schema, Size, molecules};
    use std::fs;

    #[test]
    fn other_indices_keep_pointing_to_their_edges() {
        let schema = Schema::of(&["nodes", "edges", "triplets"])
            .index("triplet_index", "triplets", &["edges", "edges"])
            .index("edge_index", "edges", &["nodes", "nodes"])
            .index("cause", "edges", &["edges"]);
        // A path of three nodes, and a triangle of which each edge is caused by the one before it.
        let ptr = vec![vec![0, 3, 6], vec![0, 2, 5], vec![0, 1, 3]];
        let triplets = vec![vec![0, 0, 1], vec![1, 1, 2]];
        let edges = vec![vec![0, 1, 0, 1, 2], vec![1, 2, 1, 2, 0]];
        let cause = vec![vec![1, 0, 2, 0, 1]];
        let store = Store::of_sets(schema, ptr, vec![triplets, edges, cause], vec![]).expect("they belong together");
        let both = store.with_inverses("edge_index").expect("edges have inverses");
        assert_eq!(both.size(1), Size::new([3, 6, 2]));
        assert_eq!(both.edges(1), (vec![0, 1, 1, 2, 2, 0], vec![1, 0, 2, 1, 0, 2]));
        assert_eq!(both.index("triplet_index", 1), Some(vec![vec![0, 2], vec![2, 4]]));
        assert_eq!(both.index("cause", 1), Some(vec![vec![4, 4, 0, 0, 2, 2]]));
        let error = store.with_inverses("triplets").expect_err("a set").to_string();
        let expected = "there is no index \"triplets\" with two columns into one set; the indices are triplet_index, \
                        edge_index, cause";
        assert_eq!(error, expected);
        assert!(store.with_inverses("cause").is_err());
    }

    #[test]
    fn an_index_of_edges_into_edges_points_to_the_same_edges() {
        let schema = Schema::of(&["edges"]).index("after", "edges", &["edges", "edges"]);
        let after = vec![vec![0, 1, 2], vec![1, 2, 0]];
        let store = Store::of_sets(schema, vec![vec![0, 3]], vec![after], vec![]).expect("they belong together");
        let both = store.with_inverses("after").expect("edges have inverses");
        assert_eq!(both.index("after", 0), Some(vec![vec![0, 2, 2, 4, 4, 0], vec![2, 0, 4, 2, 0, 4]]));
    }

    #[test]
    fn a_mapped_file_is_still_checked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        molecules::generate(1, 5).save(&path).expect("it is written");
        // SAFETY: the file changes below, but none of its bytes are read after that.
        let mapped = unsafe { Store::map(&path) }.expect("a store");
        let both = mapped.with_inverses("edge_index").expect("edges have inverses");
        assert!(both.check(&|_| ()).is_ok());
        fs::write(&path, "other").expect("it is written");
        assert!(both.check(&|_| ()).is_err());
    }
}
