//! Draws the pictures of docs/guide.md from real plans and runs:
//! `cargo run --release --example pictures -- --out docs/pictures [--histogram FILE]`.

mod packing;
mod recorded;
mod resume;
mod svg;
mod timeline;

use clap::Parser;
use graphpack_core::Histogram;
use graphpack_formats::histogram_csv;
use graphpack_loader::molecules;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Writes packing.svg, timeline.svg and resume.svg.
#[derive(Parser)]
struct Args {
    /// Folder for the pictures; it is created if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Sizes of the graphs in packing.svg, a csv with the header num_nodes,num_edges,count; without it molecules are
    /// generated
    #[arg(long, value_name = "FILE.csv[.gz]")]
    histogram: Option<PathBuf>,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args = Args::parse();
    let (name, histogram) = match &args.histogram {
        Some(path) => {
            let counts = histogram_csv::read(path)?;
            let sets = counts.sets().join(", ");
            if counts.sets().len() != 2 {
                let fault = format!("{}: packing.svg draws nodes and edges, found the sets {sets}", path.display());
                return Err(fault.into());
            }
            (name_of(path), counts.histogram().clone())
        }
        None => ("generated molecules".to_owned(), generated()?),
    };
    fs::create_dir_all(&args.out).map_err(|error| named(&args.out, &error))?;
    let pictures = [
        ("packing.svg", packing::draw(&name, &histogram)?),
        ("timeline.svg", timeline::draw()?),
        ("resume.svg", resume::draw()?),
    ];
    for (file, picture) in pictures {
        let path = args.out.join(file);
        fs::write(&path, picture.finish()).map_err(|error| named(&path, &error))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The sizes of 10,000 generated molecules.
fn generated() -> Outcome<Histogram> {
    let store = molecules::generate(7, 10_000);
    Ok(Histogram::from_sizes(store.sizes())?)
}

/// The file's name up to its first dot.
fn name_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.split('.').next().unwrap_or_default().to_owned()
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
