//! Hard instances: packs, bound and seconds of `auto`, a row for each.
//!
//! `cargo bench -p graphpack-core --bench hard -- [--budget SECONDS] [--write FOLDER] [WORDS OF A ROW]`. Seconds are
//! those of the process, so that other programs do not count. Rows that begin with "small" or "large" only run if they
//! are asked for. `--write` writes the instances as text in place of packing: a line with the number of sets, the most
//! graphs of a pack and the limits, then a line for each size with its count.

#[path = "../tests/common/classes.rs"]
mod classes;
#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/draw.rs"]
mod draw;
#[path = "../tests/common/instances.rs"]
mod instances;

use classes::{Instance, anti_correlated, long_stock, perfect, skewed, triplets, uniform};
use common::histogram;
use cpu_time::ProcessTime;
use graphpack_core::{Budget, Limits, Packer, Size};
use std::fmt::Write;

type Make = Box<dyn Fn() -> Instance>;

/// Names and instances.
fn rows() -> Vec<(String, Make)> {
    let mut rows: Vec<(String, Make)> = Vec::new();
    let mut add = |name: String, make: Make| rows.push((name, make));
    for (file, size, graphs) in [
        ("qm9_fully_connected.hist.csv", [143, 2514], 9),
        ("qm9_fully_connected.hist.csv", [575, 10_057], 40),
        ("pcqm4mv2_train.reconstructed.hist.csv.gz", [113, 232], 9),
        ("pcqm4mv2_train.reconstructed.hist.csv.gz", [51, 118], 256),
        ("pcqm4mv2_train.reconstructed.hist.csv.gz", [80, 168], 256),
        ("qm9_bonds.hist.csv", [144, 304], 9),
        ("molhiv_train.hist.csv", [816, 1760], 40),
        ("molpcba_train.hist.csv", [313, 636], 256),
    ] {
        let name = format!("{} {}x{} {graphs}", file.split('.').next().unwrap(), size[0], size[1]);
        add(name, Box::new(move || (histogram(file), Limits::new(size).graphs(graphs))));
    }
    for seed in 1..=2 {
        add(format!("2-D uniform, seed {seed}"), Box::new(move || uniform(2, 1..=1000, 1000, seed)));
        add(format!("2-D quarter to half, seed {seed}"), Box::new(move || uniform(2, 250..=500, 1000, seed)));
        add(format!("3-D 0.2 to 0.5, seed {seed}"), Box::new(move || uniform(3, 200..=500, 500, seed)));
        add(format!("6-D 0.1 to 0.4, seed {seed}"), Box::new(move || uniform(6, 100..=400, 200, seed)));
        add(format!("perfect 2-D, six a pack, seed {seed}"), Box::new(move || perfect(2, 40, 6, 1000, seed)));
        add(format!("anti-correlated, seed {seed}"), Box::new(move || anti_correlated(2000, 523, seed)));
    }
    for (packs, seed) in [(20, 1), (40, 2), (83, 3), (167, 4), (167, 5), (167, 6)] {
        add(format!("triplets, {packs} packs, seed {seed}"), Box::new(move || triplets(packs, seed)));
    }
    for seed in 1..=3 {
        add(format!("small: 2-D uniform, seed {seed}"), Box::new(move || uniform(2, 1..=1000, 100, seed)));
        add(format!("small: 2-D quarter to half, seed {seed}"), Box::new(move || uniform(2, 250..=500, 100, seed)));
        add(format!("small: 3-D 0.2 to 0.5, seed {seed}"), Box::new(move || uniform(3, 200..=500, 60, seed)));
        add(format!("small: triplets, seed {seed}"), Box::new(move || triplets(20, seed)));
    }
    for sizes in [125, 250, 500] {
        add(format!("long stock, {sizes} sizes"), Box::new(move || long_stock(sizes, 1)));
    }
    add("four sets".into(), Box::new(instances::four_sets));
    add("one of each".into(), Box::new(instances::one_of_each));
    for seed in 1..=5 {
        add(format!("few a pack, few of each, seed {seed}"), Box::new(move || instances::few_per_pack(seed, 8)));
        add(format!("few a pack, many of each, seed {seed}"), Box::new(move || instances::few_per_pack(seed, 1000)));
    }
    for seed in 1..=3 {
        add(format!("10,000 sizes, skewed, seed {seed}"), Box::new(move || skewed(10_000, seed)));
    }
    for seed in 1..=2 {
        add(format!("20,000 sizes, skewed, seed {seed}"), Box::new(move || skewed(20_000, seed)));
        add(format!("10^5 sizes, skewed, seed {seed}"), Box::new(move || skewed(100_000, seed)));
    }
    add("large: skewed".into(), Box::new(|| skewed(1_000_000, 1)));
    add("large: 2 sets, one or two a pack".into(), Box::new(|| of_rows(2, 1_000_000, 100_000)));
    for sets in [2, 3, 6] {
        add(format!("large: {sets} sets"), Box::new(move || of_rows(sets, 1_000_000, 1_000_000)));
    }
    for sets in [2, 6] {
        add(format!("10^5 sizes of {sets} sets"), Box::new(move || of_rows(sets, 100_000, 300_000)));
    }
    rows
}

/// Graphs of up to 100,000 rows of each set, nearly all of different sizes.
fn of_rows(sets: usize, graphs: u32, limit: u32) -> Instance {
    let (histogram, _) = uniform(sets, 1..=100_000, graphs, 1);
    (histogram, Limits::new(Size::of(sets, |_| limit)))
}

/// The instance as text.
fn text((histogram, limits): &Instance) -> String {
    let mut text = format!("{} {}", limits.size.sets(), limits.graphs);
    let numbers = |text: &mut String, rows: &[u32]| rows.iter().for_each(|rows| write!(text, " {rows}").unwrap());
    numbers(&mut text, limits.size.as_slice());
    text.push('\n');
    for (size, count) in histogram.entries() {
        numbers(&mut text, size.as_slice());
        writeln!(text, " {count}").unwrap();
    }
    text
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        Some(arguments.drain(at..(at + 2).min(arguments.len())).next_back().unwrap())
    };
    let budget: f64 = option("--budget").map_or(1.0, |seconds| seconds.parse().expect("--budget takes seconds"));
    let folder = option("--write");
    let words = arguments.join(" ");
    println!("| instance | sizes | packs | bound | gap | seconds |\n|---|---|---|---|---|---|");
    for (name, make) in rows().into_iter().filter(|(name, _)| name.contains(&words)) {
        if ["large", "small"].iter().any(|kind| name.starts_with(kind) && !words.starts_with(kind)) {
            continue;
        }
        let instance = make();
        if let Some(folder) = &folder {
            let file: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
            std::fs::write(std::path::Path::new(folder).join(file), text(&instance)).unwrap();
            continue;
        }
        let start = ProcessTime::now();
        let plan = Packer::Auto(Budget::seconds(budget)).pack(&instance.0, &instance.1).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let (packs, bound, gap) = (plan.packs(), plan.bound(), 100.0 * plan.gap());
        println!("| {name} | {} | {packs} | {bound} | {gap:.2} % | {seconds:.2} |", instance.0.entries().len());
    }
}
