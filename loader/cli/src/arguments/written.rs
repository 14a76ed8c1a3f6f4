//! What a subcommand writes: [`Replace`] of files that exist, [`check_outside`] of where files and folders lie,
//! [`ends_in`] of their names; [`Format`]: text or JSON.

use clap::builder::{PathBufValueParser, TypedValueParser};
use graphpack_loader::store::WholeFile;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether files that are there are replaced.
#[derive(clap::Args)]
pub(crate) struct Replace {
    /// Replace files that are there: otherwise that is an error
    #[arg(long)]
    force: bool,
}

/// Names of standard output. Results alone are printed there: a file that is written to it would be lost.
const STANDARD_OUTPUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// The flag that names a file to write, and the file, if it is given.
pub(crate) type Output<'a> = (&'a str, Option<&'a Path>);

impl Replace {
    /// Errors if one of `outputs` is there and must not be replaced, is one of `inputs` or in one, is another output,
    /// or cannot be written where it shall be.
    pub(crate) fn check(&self, outputs: &[Output<'_>], inputs: &[&Path]) -> Result<(), String> {
        check_outside(outputs, inputs)?;
        let inputs: Vec<PathBuf> = inputs.iter().filter_map(|input| fs::canonicalize(input).ok()).collect();
        let mut before: Vec<(&str, PathBuf)> = Vec::new();
        for &(flag, path) in outputs {
            if let Some(path) = path.filter(|path| STANDARD_OUTPUT.iter().any(|name| *path == Path::new(name))) {
                let expected = "expected a file, found standard output, where results are printed";
                return Err(format!("{flag} {}: {expected}", path.display()));
            }
            let Some(path) = path.filter(|path| path.is_dir() || !is_special(path)) else { continue };
            let (shown, place) = (path.display(), place(path));
            if inputs.contains(&place) {
                return Err(format!("{flag} {shown}: expected a file to write, found one of the inputs"));
            }
            if let Some((other, _)) = before.iter().find(|(_, other)| *other == place) {
                return Err(format!("{flag} {shown}: expected another file than that of {other}"));
            }
            if path.is_file() && !self.force {
                return Err(format!("{flag} {shown}: expected a new file, found one; --force replaces it"));
            }
            // Found before anything is read or written: a file that is begun there is removed at once.
            WholeFile::create(path).map_err(|error| format!("{flag} {shown}: {error}"))?;
            before.push((flag, place));
        }
        Ok(())
    }

    /// Errors if `--force` is given though nothing but a folder is written: that must be empty or not exist.
    pub(crate) fn expect_none(&self, flag: &str) -> Result<(), String> {
        match self.force {
            true => {
                Err(format!("--force has no effect with {flag}, which writes a folder: it must be empty or not exist"))
            }
            false => Ok(()),
        }
    }
}

/// Errors if an output lies in a folder that is read: it could replace what is read, or be read as data the next time.
/// Parts and chunks of large graphs may lie anywhere: their folder is empty before, and graphs list their files.
pub(crate) fn check_outside(outputs: &[Output<'_>], inputs: &[&Path]) -> Result<(), String> {
    for &(flag, path) in outputs {
        let Some((path, place)) = path.map(|path| (path.display(), place(path))) else { continue };
        let is_around =
            |input: &&Path| folder_of_store(input).is_some_and(|input| place != input && place.starts_with(input));
        if let Some(input) = inputs.iter().copied().find(is_around) {
            return Err(format!("{flag} {path}: expected a place outside of {}, which is read", input.display()));
        }
    }
    Ok(())
}

/// The path of an input without links: the folder of a store, which may be given by the index in it.
fn folder_of_store(input: &Path) -> Option<PathBuf> {
    let input = fs::canonicalize(input).ok()?;
    let is_index = input.is_file() && input.file_name().is_some_and(|name| name == "index.json");
    if is_index { input.parent().map(Path::to_owned) } else { Some(input) }
}

/// Parses the path of a file in which `what` is written: its name has one of these endings, or none.
pub(crate) fn ends_in(what: &'static str, endings: &'static [&'static str]) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| check_ending(&path, what, endings).map(|()| path))
}

/// Errors if the name of a file says that something else is in it than `what`.
pub(crate) fn check_ending(path: &Path, what: &str, endings: &[&str]) -> Result<(), String> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    // What begins with a digit is part of a name: spice-2.0.1.
    let ending = extension.filter(|ending| ending.starts_with(|first: char| first.is_ascii_alphabetic()));
    let Some(ending) = ending.filter(|ending| !endings.contains(&&**ending) && !is_special(path)) else {
        return Ok(());
    };
    let right = endings.iter().map(|right| format!("a name that ends in .{right}, or ")).collect::<String>();
    Err(format!("{what} is written: expected {right}a name without an ending, found .{ending}"))
}

/// Whether it is a device, a pipe or a folder, and so no file that could be replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// The path without links as far as it exists, so that paths of one file are equal.
fn place(path: &Path) -> PathBuf {
    let of = |folder: &Path| {
        let there = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Some(fs::canonicalize(there).ok()?.join(path.strip_prefix(folder).ok()?))
    };
    path.ancestors().find_map(of).unwrap_or_else(|| path.to_owned())
}

/// How results are printed.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}
