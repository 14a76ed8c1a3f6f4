//! Packages that are workspaces of their own: a user's crate outside this one (`cargo xtask guide`), made of the
//! guide's own text: manifest, program, commands, output, and of the page on graphs, with the sources of this
//! repository or with packages; the adapters to burn and candle (`adapters`, `wgpu`).

use crate::run::{Outcome, cargo, libtorch, root, run, step, target};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// The workspace's, which is this package's, too.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

const GUIDE: &str = "docs/guide.md";
/// A page whose blocks of Rust are one program, which prints its blocks of text.
const GRAPHS: &str = "docs/graphs.md";
const SECTION: &str = "\n## A crate of your own\n";
/// The folders that the guide has side by side: that of the repository, and that of the crate.
const REPOSITORY: &str = "../graphpack";
const CRATE: &str = "../my-crate";

/// Features of others' packages in the workspace that the guide's crate does not ask for. With them, cargo takes what
/// is built of these packages, and of all that depend on them, which halves the time that the crate takes. The first
/// table has a name that leaves `[dependencies]` to the guide; the second is for procedural macros. A feature that a
/// manifest of this project lacks may not show like this; `cargo xtask release --check` goes without.
const BUILT: &str = r#"
[target.'cfg(all())'.dependencies]
getrandom = { version = "0.4", features = ["std", "sys_rng"] }
half = { version = "2", features = ["num-traits"] }
memchr = "2"
num-integer = { version = "0.1", default-features = false, features = ["i128", "std"] }
num-traits = { version = "0.2", features = ["libm"] }
once_cell = "1"
rustix = { version = "1", features = ["process", "termios"] }
serde_core = "1"

[build-dependencies]
syn2 = { package = "syn", version = "2", features = ["visit-mut"] }
syn3 = { package = "syn", version = "3", features = ["extra-traits", "full", "visit-mut"] }
"#;

/// Uses the sources of this repository.
pub(crate) fn guide() -> Outcome {
    follow_guide(|manifest| format!("{}\n{BUILT}", manifest.replace(REPOSITORY, &root().display().to_string())))
}

/// Uses packages, which are unpacked into folders with their names and versions, in place of those of crates.io.
pub(crate) fn guide_of_packages(unpacked: &Path, names: &[String]) -> Outcome {
    let patch = |name: &String| format!("{name} = {{ path = {:?} }}\n", unpacked.join(format!("{name}-{VERSION}")));
    let patches: String = names.iter().map(patch).collect();
    follow_guide(|manifest| format!("{}\n\n[patch.crates-io]\n{patches}", with_versions(manifest)))
}

/// Replaces each path into the repository by this version.
fn with_versions(manifest: &str) -> String {
    let mut parts = manifest.split("path = \"../graphpack/");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let after = part.split_once('"').map_or(part, |(_, after)| after);
        format!("{text}version = \"{VERSION}\"{after}")
    })
}

/// Makes the crate in a temporary folder, with what is returned for the guide's manifest, runs the guide's commands,
/// and compares what the program prints. The other blocks of Rust are a second program, which is built, and those of
/// the page on graphs a third, which is run.
fn follow_guide(manifest: impl Fn(&str) -> String) -> Outcome {
    let read = |page: &str| fs::read_to_string(root().join(page)).map_err(|error| format!("{page}: {error}"));
    let (guide, graphs) = (read(GUIDE)?, read(GRAPHS)?);
    let (_, after) =
        guide.split_once(SECTION).ok_or_else(|| format!("{GUIDE}: expected the section {}", SECTION.trim()))?;
    let (section, rest) = after.split_once("\n## ").unwrap_or((after, ""));
    let folder = env::temp_dir().join(format!("graphpack-outside-{}", std::process::id()));
    let build_rest = || run(&mut outside(&folder, &["build", "--quiet", "--example", "rest"]));
    let manifest = manifest(block(section, "toml")?);
    let result = make(&manifest, block(section, "rust")?, [("rest", rest), ("graphs", &graphs)], &folder);
    let result = result.and_then(|()| follow(section, &folder)).and_then(|()| build_rest());
    let result = result.map_err(|error| format!("{GUIDE}: {error}")).and_then(|()| {
        let expected = blocks(&graphs, "text").collect::<Vec<_>>().join("\n");
        prints(&mut outside(&folder, &["run", "--quiet", "--example", "graphs"]), &expected)
            .map_err(|error| format!("{GRAPHS}: {error}"))
    });
    let _ = fs::remove_dir_all(&folder);
    result
}

/// Writes the files of the crate. Examples are made of the Rust blocks of these texts.
fn make(manifest: &str, program: &str, examples: [(&str, &str); 2], folder: &Path) -> Outcome {
    let write = || -> io::Result<()> {
        ["src", "examples"].into_iter().try_for_each(|name| fs::create_dir_all(folder.join(name)))?;
        fs::write(folder.join("src/main.rs"), program)?;
        for (name, text) in examples {
            let code = blocks(text, "rust").collect::<Vec<_>>().join("\n");
            let code = format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{code}\nOk(())\n}}\n");
            fs::write(folder.join(format!("examples/{name}.rs")), code)?;
        }
        // With profiles and versions of the workspace, what it has built of others' packages is not built again. This
        // project's packages are, and take more than a minute less without optimisation.
        let profiles = profiles(&fs::read_to_string(root().join("Cargo.toml"))?);
        fs::write(folder.join("Cargo.toml"), manifest.to_owned() + &profiles)?;
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map(drop)
    };
    write().map_err(|error| format!("{}: {error}", folder.display()))
}

/// Runs the guide's commands.
fn follow(section: &str, folder: &Path) -> Outcome {
    let (commands, expected) = (block(section, "sh")?, block(section, "text")?);
    for line in commands.lines() {
        let words: Vec<&str> = line.split('#').next().unwrap_or(line).split_whitespace().collect();
        match words[..] {
            [] => {}
            ["cargo", "xtask", "libtorch", ref options @ ..] => {
                let options = options.iter().map(|option| option.replace(CRATE, &folder.display().to_string()));
                libtorch(&options.collect::<Vec<_>>())?;
            }
            ["cargo", "run", ref options @ ..] => {
                let mut command = outside(folder, &["run", "--quiet"]);
                prints(command.args(options), expected).map_err(|error| format!("{line}: {error}"))?;
            }
            _ => return Err(format!("expected cargo xtask libtorch or cargo run, found {line:?}")),
        }
    }
    Ok(())
}

/// Runs a command and compares what it prints.
fn prints(command: &mut Command, expected: &str) -> Outcome {
    let ended = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot run cargo: {error}"))?;
    let found = String::from_utf8_lossy(&ended.stdout);
    if !ended.status.success() || found.trim_end() != expected {
        return Err(format!("{}\nexpected:\n{expected}\nfound:\n{found}", ended.status));
    }
    print!("{found}");
    Ok(())
}

/// A cargo in the folder. Nothing but the guide's commands has said where libtorch is.
fn outside(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.current_dir(folder).env("CARGO_TARGET_DIR", target());
    for variable in ["LIBTORCH", "LIBTORCH_USE_PYTORCH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"] {
        command.env_remove(variable);
    }
    command
}

/// Returns the first block of code in a language.
fn block<'a>(text: &'a str, language: &'a str) -> Outcome<&'a str> {
    blocks(text, language).next().ok_or_else(|| format!("expected a block of {language}, found none"))
}

/// Returns the blocks of code in a language.
fn blocks<'a>(text: &'a str, language: &'a str) -> impl Iterator<Item = &'a str> {
    let fenced = text.split("\n```").skip(1).step_by(2);
    fenced.filter_map(move |block| block.strip_prefix(language)?.strip_prefix('\n'))
}

/// Returns the sections of a manifest on debug builds, without those of this project's packages, two of which are not
/// optimised.
fn profiles(manifest: &str) -> String {
    let own = ["core", "loader"].map(|name| format!("profile.dev.package.graphpack-{name}]\nopt-level = 0\n"));
    let is_of_others = |section: &&str| section.starts_with("profile.dev") && !section.contains(".graphpack");
    let sections = manifest.split("\n[").filter(is_of_others);
    sections.chain(own.iter().map(String::as_str)).map(|section| format!("\n[{section}\n")).collect()
}

/// All but those of devices, which take minutes more to build: `cargo xtask wgpu` tests them.
const ADAPTERS: &str = "--features=burn,candle";

/// Checks formatting, lints, documentation, tests and examples.
pub(crate) fn adapters() -> Outcome {
    step("adapters formatting", inside_adapters(&mut cargo(["fmt", "--all", "--check"])))?;
    let clippy = ["clippy", "--quiet", ADAPTERS, "--all-targets", "--", "-D", "warnings"];
    step("adapters clippy", inside_adapters(&mut cargo(clippy)))?;
    let mut documentation = cargo(["doc", "--quiet", "--no-deps", ADAPTERS]);
    step("adapters documentation", inside_adapters(&mut documentation).env("RUSTDOCFLAGS", "-D warnings"))?;
    step("adapters tests", inside_adapters(&mut cargo(["test", "--quiet", ADAPTERS])))?;
    for example in ["burn", "candle"] {
        let run = ["run", "--quiet", ADAPTERS, "--example", example];
        step(&format!("example {example}"), inside_adapters(&mut cargo(run)))?;
    }
    Ok(())
}

/// Tests the adapter to burn on a device of wgpu, if there is one.
pub(crate) fn wgpu() -> Outcome {
    let package = ["-p", "graphpack-devices", "--release"];
    let clippy = [&["clippy", "--quiet", "--all-targets"], &package[..], &["--", "-D", "warnings"]].concat();
    step("wgpu clippy", inside_adapters(&mut cargo(clippy)))?;
    step("wgpu tests", inside_adapters(&mut cargo([&["test"], &package[..], &["--", "--nocapture"]].concat())))
}

/// Makes a command of cargo run in the folder of the adapters and build below the workspace's `target/`.
fn inside_adapters(command: &mut Command) -> &mut Command {
    command.current_dir(root().join("loader/adapters")).env("CARGO_TARGET_DIR", target().join("adapters"))
}

#[cfg(test)]
mod tests {
    use super::{VERSION, block, blocks, profiles, with_versions};

    #[test]
    fn blocks_are_those_of_the_language() {
        let guide = "# G\n```sh\na\nb\n```\ntext\n```text\nno\n```\n\n```sh\nc\n```\n";
        assert_eq!(blocks(guide, "sh").collect::<Vec<_>>(), ["a\nb", "c"]);
        assert_eq!(block(guide, "toml"), Err("expected a block of toml, found none".into()));
    }

    #[test]
    fn paths_into_the_repository_become_versions() {
        let manifest = "a = { path = \"../graphpack/b/c\", features = [\"d\"] }\ne = { path = \"../f\" }\n";
        let expected = format!("a = {{ version = \"{VERSION}\", features = [\"d\"] }}\ne = {{ path = \"../f\" }}\n");
        assert_eq!(with_versions(manifest), expected);
    }

    #[test]
    fn profiles_are_those_of_debug_builds() {
        let [dev, release, others] = ["profile.dev", "profile.release", "profile.dev.package.a"];
        let manifest = format!("[package]\n\n[{dev}]\nb = 2\n\n[{release}]\nc = 3\n\n[{others}]\nd = 4\n");
        let [core, loader] = ["core", "loader"].map(|name| format!("profile.dev.package.graphpack-{name}"));
        let own = format!("\n[{core}]\nopt-level = 0\n\n\n[{loader}]\nopt-level = 0\n\n");
        assert_eq!(profiles(&manifest), format!("\n[{dev}]\nb = 2\n\n\n[{others}]\nd = 4\n\n{own}"));
        assert_eq!(profiles(&format!("{manifest}\n[{core}]\ne = 5\n")), profiles(&manifest));
    }
}
