//! A source over a database, with a connection per worker.

use graphpack_loader::{BoxError, Dtype, Loader, Options, Order, Schema, Size, Slot, Source, Worker};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use tempfile::TempDir;

/// Paths of nodes, whose charges are in a database: a file that each worker opens for itself.
struct Database {
    path: PathBuf,
    sizes: Vec<u32>,
    schema: Schema,
}

impl Source for Database {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn len(&self) -> usize {
        self.sizes.len()
    }
    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(Size::new([self.sizes[graph], self.sizes[graph] - 1]))
    }
    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let database = worker.state(|| Ok(File::open(&self.path)?))?;
        let before: u64 = self.sizes[..graph].iter().map(|&nodes| 4 * u64::from(nodes)).sum();
        database.seek(SeekFrom::Start(before))?;
        database.read_exact(slot.bytes("charge")?)?;
        let nodes: Vec<u32> = (0..self.sizes[graph]).collect();
        Ok(slot.set_index("edge_index", &[&nodes[1..], &nodes[..nodes.len() - 1]])?)
    }
}

#[test]
fn a_database_has_a_connection_for_each_worker() -> Result<(), Box<dyn std::error::Error>> {
    let folder = TempDir::new()?;
    let path = folder.path().join("charges");
    let sizes: Vec<u32> = (0..300).map(|graph| 1 + graph % 9).collect();
    let charges = (0..sizes.iter().sum()).map(|node: u32| node as f32);
    File::create(&path)?.write_all(&charges.flat_map(f32::to_le_bytes).collect::<Vec<_>>())?;

    let schema = Schema::default().field("charge", "nodes", Dtype::F32, &[]);
    let data = Database { path, sizes, schema };
    let loader = Loader::new(data, Options::graphs(32).order(Order::Shuffled).seed(1).workers(3))?;

    let mut found = Vec::new();
    for batch in loader.epoch(0) {
        let batch = batch?;
        found.extend_from_slice(&batch.get::<f32>("charge")?[..batch.real().nodes()]);
    }
    found.sort_unstable_by(f32::total_cmp);
    assert!(found.iter().enumerate().all(|(node, &charge)| charge == node as f32) && found.len() > 1000);
    Ok(())
}
