//! [`ClustersBuilder`]: makes [`Clusters`] of parts that come one after the other.

use super::bodies::{Bodies, InFiles};
use super::body::{Body, ClusterOutline};
use super::chosen::{Fields, Found, Wanted, choose};
use super::column::Column;
use super::part_files::PartFiles;
use super::sets::Sets;
use super::tables::{NodeIds, PartRows, Tables, owned};
use super::{ClusterOptions, Clusters, ClustersError};
use crate::cut::check;
use crate::{Array, Part, PartError, PartitionBook};
use graphpack_loader::Dtype;
use std::path::Path;
use std::sync::Arc;

impl Clusters {
    /// Takes the parts of a partition one after the other and checks them, so that the parts of
    /// [`Cut::parts`](crate::Cut::parts) need never be in memory together. A HALO needs the parts that own its nodes.
    pub fn new(
        book: &PartitionBook,
        parts: impl IntoIterator<Item = Part>,
        options: &ClusterOptions,
    ) -> Result<Self, ClustersError> {
        if options.node_ids == NodeIds::Files {
            return Err(ClustersError::NoFiles);
        }
        let mut builder = ClustersBuilder::new(book, options)?;
        let mut bodies = Vec::new();
        for mut part in parts {
            check::part(&part, book).map_err(|source| ClustersError::Part { part: part.number, source })?;
            let rows = builder.rows(&mut part)?;
            bodies.push(Arc::new(builder.add(&part, rows)?));
        }
        let (tables, outlines) = builder.finish(|_, part, owner| Err(ClustersError::Missing { part, owner }))?;
        Ok(Self::assemble(tables, options.halo, outlines, Bodies::Memory(bodies)))
    }

    /// Opens all parts of a partition in DGL's files, given its `NAME.json`.
    pub fn open(config: impl AsRef<Path>, options: &ClusterOptions) -> Result<Self, ClustersError> {
        let files = PartFiles::open(config.as_ref())?;
        let parts: Vec<usize> = (0..files.config.book.parts()).collect();
        Self::of_files(files, &parts, options)
    }

    /// Opens some parts: those of a rank, for example.
    ///
    /// Nodes and edges of each are read and checked here, one part after the other, for their sizes, and read again
    /// whenever a loader wants the part. Features stay in the files: their rows are read when they are wanted, those of
    /// a HALO from the files of the parts that own them. A file that changes meanwhile is an error of the batch.
    ///
    /// In memory are, besides the features that the system keeps, the edges of the parts that are being written, one for
    /// each worker, and of those that [`keep`](Self::keep) allows: while a part is read 40 bytes per node and 60 per
    /// edge, then 8 bytes per node of the HALO and 8 to 16 per edge. DGL's files have uint8 in place of bool.
    pub fn open_parts(
        config: impl AsRef<Path>,
        parts: &[usize],
        options: &ClusterOptions,
    ) -> Result<Self, ClustersError> {
        Self::of_files(PartFiles::open(config.as_ref())?, parts, options)
    }

    fn of_files(files: PartFiles, parts: &[usize], options: &ClusterOptions) -> Result<Self, ClustersError> {
        let mut builder = ClustersBuilder::new(&files.config.book, options)?;
        if parts.is_empty() {
            // The fields of a rank without parts are those of the others.
            let rows = files.rows(&builder.sets, 0, &options.node_ids)?;
            builder.tables = Some(tables(builder.book, &builder.sets, options, (0, &rows.features))?);
        }
        for &number in parts {
            let part = files.graph(number)?;
            let rows = files.rows(&builder.sets, number, &options.node_ids)?;
            builder.add(&part, rows)?;
        }
        let rows =
            |tables: &mut Tables, _, owner| tables.add(owner, files.rows(&tables.sets, owner, &options.node_ids)?);
        let (tables, outlines) = builder.finish(rows)?;
        let bodies = Bodies::Files(Box::new(InFiles { files, keep: 0, kept: Default::default() }));
        Ok(Self::assemble(tables, options.halo, outlines, bodies))
    }
}

/// What the parts so far have given.
struct ClustersBuilder<'a> {
    book: &'a PartitionBook,
    options: &'a ClusterOptions,
    sets: Sets,
    /// Once there is a part.
    tables: Option<Tables>,
    outlines: Vec<ClusterOutline>,
}

impl<'a> ClustersBuilder<'a> {
    fn new(book: &'a PartitionBook, options: &'a ClusterOptions) -> Result<Self, ClustersError> {
        let sets = Sets::new(book)?;
        // Refuses too many before any part is read.
        sets.schema(Vec::new())?;
        Ok(Self { book, options, sets, tables: None, outlines: Vec::new() })
    }

    /// Takes the features of a part in memory.
    fn rows(&self, part: &mut Part) -> Result<PartRows, ClustersError> {
        let owned: Vec<usize> =
            (0..self.sets.len()).map(|set| owned(self.book, &self.sets, set, part.number)).collect();
        let failed = |source: PartError| ClustersError::Part { part: part.number, source };
        let found = |(edges, (name, array)): (bool, (String, Array))| {
            let (element, shape) = (array.element(), array.shape().to_vec());
            let column = Column::Array(Arc::new(array));
            Found::new(&self.sets, &owned, edges, (name, element, &shape), column).map_err(failed)
        };
        let nodes = std::mem::take(&mut part.node_features).into_iter().map(|feature| (false, feature));
        let edges = std::mem::take(&mut part.edge_features).into_iter().map(|feature| (true, feature));
        let features = nodes.chain(edges).map(found).collect::<Result<_, _>>()?;
        Ok(PartRows { features, ..PartRows::default() })
    }

    /// Adds a part, whose edges were checked.
    fn add(&mut self, part: &Part, rows: PartRows) -> Result<Body, ClustersError> {
        let number = part.number;
        for (what, count) in [("nodes", part.node_ids.len()), ("edges", part.sources.len())] {
            if count > i32::MAX as usize {
                return Err(ClustersError::TooLarge { part: number, what, count });
            }
        }
        let tables = match &mut self.tables {
            Some(tables) if tables.has(number) => return Err(ClustersError::Twice { part: number }),
            Some(tables) => tables,
            none => none.insert(tables(self.book, &self.sets, self.options, (number, &rows.features))?),
        };
        tables.add(number, rows)?;
        let (outline, body) = tables.types(self.options.halo).cluster(part);
        self.outlines.push(outline);
        Ok(body)
    }

    /// Calls `missing` with the parts that own nodes or edges of a HALO and were not added, and the part that has it.
    fn finish(
        self,
        mut missing: impl FnMut(&mut Tables, usize, usize) -> Result<(), ClustersError>,
    ) -> Result<(Tables, Vec<ClusterOutline>), ClustersError> {
        let mut tables = match self.tables {
            Some(tables) => tables,
            None => tables(self.book, &self.sets, self.options, (0, &[]))?,
        };
        for outline in &self.outlines {
            for &owner in &outline.owners {
                if !tables.has(owner) {
                    missing(&mut tables, outline.part, owner)?;
                }
            }
        }
        Ok((tables, self.outlines))
    }
}

/// Chooses the fields from the features of the first part.
fn tables(
    book: &PartitionBook,
    sets: &Sets,
    options: &ClusterOptions,
    (part, features): (usize, &[Found]),
) -> Result<Tables, ClustersError> {
    let failed = |source| ClustersError::Feature { part, source };
    let wanted = Wanted { features: options.features.as_deref(), of_roots: &[], root: 0 };
    let chosen = choose(features, sets, &wanted).map_err(failed)?;
    let own = |_| vec![("owned", Dtype::Bool), ("node_id", Dtype::I64)];
    let fields = Fields::new(sets, chosen, own).map_err(|error| failed(error.into()))?;
    Tables::new(book.clone(), sets.clone(), fields, Some(options.node_ids.clone()))
}
