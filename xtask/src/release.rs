//! `cargo xtask release --check`: makes what is published in a clean clone, and uses it outside of the repository: the
//! packages of Rust in the crate that the guide begins with, the wheel in an environment without a compiler.

use crate::libtorch::Libtorch;
use crate::outside::VERSION;
use crate::run::{self, Outcome, cargo, root, step, target, timed};
use crate::{outside, python};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

/// Checks what is committed. CONTRIBUTING.md says how it is published.
pub(crate) fn release(options: &[String]) -> Outcome {
    if options != ["--check"] {
        return Err(format!("expected --check, found {options:?}; CONTRIBUTING.md says how to publish"));
    }
    let folder = env::temp_dir().join(format!("graphpack-release-{}", std::process::id()));
    let start = Instant::now();
    let outcome = check(&folder);
    let _ = fs::remove_dir_all(&folder);
    print!("\n{}", run::steps(start));
    outcome
}

fn check(folder: &Path) -> Outcome {
    let (clone, unpacked) = (folder.join("graphpack"), folder.join("crates"));
    fs::create_dir_all(&unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))?;
    step("a clean clone", Command::new("git").args(["clone", "--quiet"]).arg(root()).arg(&clone))?;
    let names = products(&clone)?;
    // Cargo builds each from its packaged files.
    let mut package = cargo(["package"]);
    package.args(names.iter().flat_map(|name| ["-p", name.as_str()]));
    Libtorch::find_or_install()?.apply(&mut package);
    step("packages of Rust", inside(&mut package, &clone))?;
    // Its own workspace, whose dependencies cargo asks crates.io for: built when the others are there.
    let adapters = ["package", "-p", "graphpack-adapters", "--no-verify", "--exclude-lockfile"];
    step("package of the adapters", inside(&mut cargo(adapters), &clone.join("loader/adapters")))?;
    for name in &names {
        let file = target().join(format!("package/{name}-{VERSION}.crate"));
        run::run(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(&unpacked))?;
    }
    timed("the guide's crate, from the packages", || outside::guide_of_packages(&unpacked, &names))?;
    let wheels = folder.join("wheels");
    use_wheel(&clone, &wheels, &folder.join("venv"))?;
    for (file, bytes) in [sizes(&target().join("package"))?, sizes(&wheels)?].concat() {
        println!("{bytes:>9} bytes  {file}");
    }
    Ok(())
}

/// Makes a source distribution and a wheel of it, installs the wheel, and runs what the README shows.
fn use_wheel(clone: &Path, wheels: &Path, venv: &Path) -> Outcome {
    let python = python::install()?;
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--quiet", "--release", "--sdist", "--out"]).arg(wheels);
    build.arg("--interpreter").arg(&python);
    step("source distribution, and the wheel made of it", inside(&mut build, &clone.join("loader/python")))?;
    run::run(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    // A compiler would be found in other folders only.
    let installed = |program: &str| {
        let mut command = Command::new(venv.join("bin").join(program));
        command.current_dir(venv).env("PATH", venv.join("bin"));
        command
    };
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
    let mut install = installed("python");
    step(
        "installing the wheel",
        install.args(pip).arg("--find-links").arg(wheels).arg(format!("graphpack-loader=={VERSION}")),
    )?;
    let readme = fs::read_to_string(clone.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let program = readme.split_once("<<END\n").and_then(|(_, after)| Some(after.split_once("\nEND\n")?.0));
    let program = program.ok_or("README.md: expected a program of Python between <<END and END")?;
    step("README's program", installed("python").args(["-c", program]).stdout(Stdio::null()))?;
    let same_version = "from importlib.metadata import version\n\
        import graphpack_loader\n\
        assert version('graphpack-loader') == graphpack_loader.__version__";
    step("the version of the wheel", installed("python").args(["-c", same_version]))?;
    step("the command of the wheel", installed("graphpack").arg("--version"))
}

/// Makes a command run in a folder of the clone, and build where this workspace does.
fn inside<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    command.current_dir(folder).env("CARGO_TARGET_DIR", target())
}

/// Returns the names of the packages that are published.
fn products(clone: &Path) -> Outcome<Vec<String>> {
    let mut command = cargo(["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.current_dir(clone).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot run cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: expected packages")?;
    let names = packages.iter().filter(|package| package["publish"].is_null()).filter_map(|it| it["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

/// Returns names and sizes of the packages of this version in a folder.
fn sizes(folder: &Path) -> Outcome<Vec<(String, u64)>> {
    let failed = |error| format!("{}: {error}", folder.display());
    let files: Vec<PathBuf> =
        fs::read_dir(folder).map_err(failed)?.filter_map(|file| Some(file.ok()?.path())).collect();
    let sizes = files.iter().filter(|file| file.is_file()).filter_map(|file| {
        let name = file.file_name()?.to_str()?;
        name.contains(VERSION).then(|| (name.to_owned(), file.metadata().map_or(0, |about| about.len())))
    });
    let mut sizes: Vec<_> = sizes.collect();
    sizes.sort();
    Ok(sizes)
}
