//! How many graphs per second become of SMILES, in one thread: `cargo run --release -p graphpack-formats --example
//! smiles_speed -- FILE.csv.gz`. `smiles_speed.py` does the same with RDKit and OGB's `smiles2graph`.

use graphpack_formats::records::{Record, Records};
use graphpack_formats::smiles::{self, SmilesOptions};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("expected the path of a csv file with a column of SMILES")?;
    let mut texts = Vec::new();
    let mut record = Record::default();
    let mut records = smiles::records(&path, &SmilesOptions::default())?;
    let mut refused = 0;
    loop {
        match records.next(&mut record) {
            Ok(true) => texts.push(record.name.clone()),
            Ok(false) => break,
            Err(_) if records.goes_on() => refused += 1,
            Err(error) => return Err(error.into()),
        }
    }
    println!("{} graphs, {refused} rows are no molecules", texts.len());
    let seconds = (0..3).map(|_| {
        let start = Instant::now();
        let refused = texts.iter().filter(|text| smiles::record(text, &mut record).is_err()).count();
        assert_eq!(refused, 0, "all were read before");
        start.elapsed().as_secs_f64()
    });
    println!("{:.0} graphs per second", texts.len() as f64 / seconds.fold(f64::INFINITY, f64::min));
    Ok(())
}
