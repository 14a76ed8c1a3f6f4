//! `cargo xtask guide`: a crate outside the workspace, made of the guide's own text: manifest, program, commands, output.

use crate::run::{Outcome, cargo, root, target};
use crate::tools::libtorch;
use std::path::Path;
use std::process::Stdio;
use std::{env, fs, io};

const GUIDE: &str = "docs/guide.md";
const SECTION: &str = "\n## A crate of your own\n";
/// The folders that the guide has side by side: that of the repository, and that of the crate.
const REPOSITORY: &str = "../graphpack";
const CRATE: &str = "../my-crate";

/// Makes the crate in a temporary folder, runs the guide's commands, and compares what the program prints.
pub(crate) fn test() -> Outcome {
    println!("== a crate outside the workspace");
    let guide = fs::read_to_string(root().join(GUIDE)).map_err(|error| format!("{GUIDE}: {error}"))?;
    let folder = env::temp_dir().join(format!("graphpack-outside-{}", std::process::id()));
    let result = make(&guide, &folder).and_then(|()| follow(&guide, &folder));
    let _ = fs::remove_dir_all(&folder);
    result.map_err(|error| format!("{GUIDE}, {}: {error}", SECTION.trim()))
}

/// Writes the files of the crate.
fn make(guide: &str, folder: &Path) -> Outcome {
    let (manifest, program) = (block(guide, "toml")?, block(guide, "rust")?);
    let manifest = manifest.replace(REPOSITORY, &root().display().to_string());
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("src/main.rs"), program)?;
        // With profiles and versions of the workspace, what it has built of others' packages is not built again.
        let profiles = profiles(&fs::read_to_string(root().join("Cargo.toml"))?);
        fs::write(folder.join("Cargo.toml"), manifest + &profiles)?;
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map(drop)
    };
    write().map_err(|error| format!("{}: {error}", folder.display()))
}

/// Runs the guide's commands.
fn follow(guide: &str, folder: &Path) -> Outcome {
    let (commands, expected) = (block(guide, "sh")?, block(guide, "text")?);
    for line in commands.lines() {
        let words: Vec<&str> = line.split('#').next().unwrap_or(line).split_whitespace().collect();
        match words[..] {
            [] => {}
            ["cargo", "xtask", "libtorch", ref options @ ..] => {
                let options = options.iter().map(|option| option.replace(CRATE, &folder.display().to_string()));
                libtorch::run(&options.collect::<Vec<_>>())?;
            }
            ["cargo", "run", ref options @ ..] => {
                let mut command = cargo(["run", "--quiet"]);
                command.args(options).current_dir(folder).env("CARGO_TARGET_DIR", target()).stderr(Stdio::inherit());
                // Nothing but the commands before this one says where libtorch is.
                command.env_remove("LIBTORCH").env_remove("LD_LIBRARY_PATH").env_remove("DYLD_LIBRARY_PATH");
                let ended = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
                let found = String::from_utf8_lossy(&ended.stdout);
                if !ended.status.success() || found != expected {
                    return Err(format!("{line}: {}\nexpected:\n{expected}found:\n{found}", ended.status));
                }
                print!("{found}");
            }
            _ => return Err(format!("expected cargo xtask libtorch or cargo run, found {line:?}")),
        }
    }
    Ok(())
}

/// Returns the first block of code in a language, in the section.
fn block(guide: &str, language: &str) -> Outcome<String> {
    let section = guide.split_once(SECTION).map(|(_, after)| after.split("\n## ").next().unwrap_or(after));
    let fence = format!("\n```{language}\n");
    let code = section.and_then(|section| section.split_once(&fence)?.1.split_once("```"));
    code.map(|(code, _)| code.to_owned()).ok_or_else(|| format!("expected a block of {language}, found none"))
}

/// Returns the sections of a manifest on how debug builds are made.
fn profiles(manifest: &str) -> String {
    let sections = manifest.split("\n[").filter(|section| section.starts_with("profile.dev"));
    sections.map(|section| format!("\n[{section}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::{block, profiles};

    #[test]
    fn blocks_are_those_of_the_section() {
        let guide = "# G\n```sh\nno\n```\n\n## A crate of your own\n\n```sh\nyes\n```\n```sh\nno\n```\n## B\n```toml\nno\n```\n";
        assert_eq!(block(guide, "sh").as_deref(), Ok("yes\n"));
        assert_eq!(block(guide, "toml"), Err("expected a block of toml, found none".into()));
    }

    #[test]
    fn profiles_are_those_of_debug_builds() {
        let manifest = "[package]\na = 1\n\n[profile.dev]\nb = 2\n\n[profile.release]\nc = 3\n\n[profile.dev.package.\"*\"]\nd = 4\n";
        assert_eq!(profiles(manifest), "\n[profile.dev]\nb = 2\n\n\n[profile.dev.package.\"*\"]\nd = 4\n\n");
    }
}
