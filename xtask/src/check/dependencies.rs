//! What the loader depends on: no command line, no plots, no readers of others' file formats.

use crate::run::{Outcome, cargo};

/// Packages that belong to the packages above the loader.
const ABOVE: [&str; 8] = ["clap", "csv", "flate2", "indicatif", "metis-sys", "parquet", "plotters", "zip"];

/// Fails if the loader, with all its features, depends on any of these packages.
pub(crate) fn check() -> Outcome {
    println!("== dependencies of the loader");
    let arguments = ["tree", "-p", "graphpack-loader", "--all-features", "--edges", "normal", "--prefix", "none"];
    let output = cargo(arguments).output().map_err(|error| format!("cannot run cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    match above(&String::from_utf8_lossy(&output.stdout))[..] {
        [] => Ok(()),
        ref found => Err(format!("graphpack-loader must not depend on {}: `cargo tree` says why", found.join(", "))),
    }
}

/// The packages of a tree that are not to be in it.
fn above(tree: &str) -> Vec<&str> {
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let mut found: Vec<_> = names.filter(|name| ABOVE.contains(name)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::above;

    #[test]
    fn a_package_from_above_is_found() {
        let tree = "graphpack-loader v0.1.0 (/loader)\nserde v1.0.0\nzip v8.6.0\ncsv-core v0.1.0\nzip v8.6.0 (*)\n";
        assert_eq!(above(tree), ["zip"]);
        assert!(above("graphpack-loader v0.1.0\nmemmap2 v0.9.12\n").is_empty());
    }
}
