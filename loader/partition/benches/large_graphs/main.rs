//! Tables of seconds: `cargo bench -p graphpack-partition --features metis -- NAME`, where NAME is one of the tables
//! below; without NAME all of them. Graphs are generated; `metis` also reads graphs of the data folder
//! (`GRAPHPACK_DATA`).

mod cut;
mod dispatch;
#[cfg(feature = "metis")]
mod metis;
mod pieces;
#[cfg(feature = "metis")]
#[path = "../../tests/large_graphs/real.rs"]
mod real;

type Table = (&'static str, fn());

fn main() {
    let tables: &[Table] = &[
        ("cut", cut::table),
        ("dispatch", dispatch::table),
        ("original_ids", dispatch::original_ids),
        #[cfg(feature = "metis")]
        ("metis", metis::table),
        ("pieces", pieces::table),
    ];
    // Cargo adds its own argument.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|name| name != "--bench").collect();
    if let Some(name) = wanted.iter().find(|name| !tables.iter().any(|table| table.0 == *name)) {
        let known: Vec<_> = tables.iter().map(|table| table.0).collect();
        eprintln!("there is no table {name}, only {}", known.join(", "));
        std::process::exit(2);
    }
    for (name, table) in tables.iter().filter(|table| wanted.is_empty() || wanted.iter().any(|name| name == table.0)) {
        println!("\n{name}:\n");
        table();
    }
}
