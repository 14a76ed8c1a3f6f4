//! How fast files of atoms are read, on one thread:
//!
//! ```text
//! cargo run --release -p graphpack-formats --features ase_db --example read_rate FILE...
//! ```

use graphpack_formats::records::{Record, Records};
use graphpack_formats::{ase_db, aselmdb, xyz};
use graphpack_loader::Error;
use std::fs;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let records: Box<dyn Records> = match &file {
            file if file.ends_with(".db") => Box::new(ase_db::records(file)?),
            file if file.ends_with(".aselmdb") => Box::new(aselmdb::records(file)?),
            file => Box::new(xyz::records(file)?),
        };
        let start = Instant::now();
        let (graphs, atoms) = read(records)?;
        let seconds = start.elapsed().as_secs_f64();
        let megabytes = fs::metadata(&file)?.len() as f64 / 1e6;
        let per_second = |number: usize| (number as f64 / seconds).round();
        println!(
            "{file}: {graphs} graphs, {atoms} atoms, {:.1} MB/s of the file, {} graphs/s, {} atoms/s",
            megabytes / seconds,
            per_second(graphs),
            per_second(atoms)
        );
    }
    Ok(())
}

fn read(mut records: Box<dyn Records>) -> Result<(usize, usize), Error> {
    let (mut record, mut graphs, mut atoms) = (Record::default(), 0, 0);
    while records.next(&mut record)? {
        graphs += 1;
        atoms += record.nodes;
    }
    Ok((graphs, atoms))
}
