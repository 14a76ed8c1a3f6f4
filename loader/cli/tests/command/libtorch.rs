//! `graphpack libtorch`: one that is there is taken if its version is right, and named in a crate's configuration.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs the command where `LIBTORCH` has this version, in the first folder, and nothing can be installed.
fn libtorch(version: &str, folder: &TempDir, options: &[&str]) -> Output {
    fs::write(folder.path().join("build-version"), version).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_graphpack"));
    command.arg("libtorch").args(options).env("LIBTORCH", folder.path()).env("PATH", "");
    command.env_remove("LIBTORCH_USE_PYTORCH").env_remove("VIRTUAL_ENV").env("XDG_DATA_HOME", folder.path());
    command.output().unwrap()
}

#[test]
fn a_crate_is_told_of_the_right_libtorch_alone() {
    let (folder, of_crate) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let here = folder.path().display();
    let exports = libtorch("2.13.0+cpu\n", &folder, &[]);
    let exports = String::from_utf8(exports.stdout).unwrap();
    assert!(exports.contains(&format!("\nexport LIBTORCH='{here}'\nexport ")), "{exports}");

    let config = ["--config", of_crate.path().to_str().unwrap()];
    let file = of_crate.path().join(".cargo/config.toml");
    for _ in 0..2 {
        assert!(libtorch("2.13.0", &folder, &config).status.success());
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.ends_with(&format!("[env]\nLIBTORCH = {{ value = \"{here}\", force = true }}\n")), "{text}");
    }
    fs::write(&file, "[build]\n").unwrap();
    let refused = String::from_utf8(libtorch("2.13.0", &folder, &config).stderr).unwrap();
    assert!(refused.contains("config.toml is not overwritten; please add to it:\n[env]"), "{refused}");

    let other = libtorch("2.10.0", &folder, &config);
    let said = String::from_utf8(other.stderr).unwrap();
    let expected = format!("not using libtorch 2.10.0 in {here}: 2.13.0 is needed");
    assert!(!other.status.success() && said.starts_with(&expected), "{said}");
}
