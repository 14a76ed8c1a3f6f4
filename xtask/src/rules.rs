//! `cargo xtask text`: what the style asks of texts: prose in narrow lines, a short README, messages of libraries
//! without flags of the command; and one version in all manifests.

use crate::run::{Outcome, root, texts};
use std::path::Path;

/// The most columns of a line of prose.
const COLUMNS: usize = 100;
/// The most words of the README.
const WORDS: usize = 500;
/// The sources of the libraries, which other programs use, too.
const LIBRARIES: [&str; 5] = ["core/src", "loader/src", "loader/formats/src", "loader/partition/src", "tch-bridge/src"];

/// The workspace's, which is this package's, too. Workspaces of their own cannot take it from there.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version of packages that nobody installs.
const NO_PRODUCT: &str = "0.0.0";

/// Fails with a list of all places.
pub(crate) fn check() -> Outcome {
    let is_page = |path: &Path| {
        path == Path::new("README.md") || path.starts_with("docs") && path.extension() == Some("md".as_ref())
    };
    let is_library = |path: &Path| {
        LIBRARIES.iter().any(|library| path.starts_with(library)) && path.extension() == Some("rs".as_ref())
    };
    let mut failure = String::new();
    for (path, text) in texts(&root(), is_library)? {
        for (line, flag) in flags(&text) {
            failure += &format!(
                "{}, line {line}: expected no flag in a message of a library, found `{flag}`\n",
                path.display()
            );
        }
    }
    for (path, text) in texts(&root(), is_page)? {
        let name = path.display();
        for (line, columns) in wide_lines(&text) {
            failure += &format!("{name}, line {line}: {columns} columns of prose, at most {COLUMNS} are allowed\n");
        }
        if let Some(words) = too_many_words(&text).filter(|_| path == Path::new("README.md")) {
            failure += &format!("{name}: {words} words, at most {WORDS} are allowed\n");
        }
    }
    for (path, text) in texts(&root(), |path| path.file_name() == Some("Cargo.toml".as_ref()))? {
        for version in versions(&text).filter(|version| ![VERSION, NO_PRODUCT].contains(version)) {
            failure += &format!("{}: expected version {VERSION}, found {version}\n", path.display());
        }
    }
    if failure.is_empty() { Ok(()) } else { Err(failure.trim_end().to_owned()) }
}

/// Returns number and text of each line of code with a flag of a command.
fn flags(code: &str) -> Vec<(usize, &str)> {
    let lines = (1..).zip(code.lines().map(str::trim)).filter(|(_, line)| !line.starts_with("//"));
    let is_flag = |at: usize, line: &str| line[at + 2..].starts_with(|letter: char| letter.is_ascii_lowercase());
    lines.filter(|(_, line)| line.match_indices("--").any(|(at, _)| is_flag(at, line))).collect()
}

/// Returns number and columns of each line that is too wide and could be wrapped: no table, code or link target.
fn wide_lines(markdown: &str) -> Vec<(usize, usize)> {
    let mut in_code = false;
    let mut wide = Vec::new();
    for (number, line) in (1..).zip(markdown.lines()) {
        let (start, columns) = (line.trim_start(), line.chars().count());
        let is_fence = start.starts_with("```");
        in_code ^= is_fence;
        let is_target = start.starts_with('[') && start.contains("]: ");
        if columns > COLUMNS && !(in_code || is_fence || is_target || start.starts_with('|')) {
            wide.push((number, columns));
        }
    }
    wide
}

/// Returns the versions that a manifest names of its package and of others of this repository.
fn versions(manifest: &str) -> impl Iterator<Item = &str> {
    manifest.split("\n[").flat_map(|section| {
        let section = section.trim_start_matches('[');
        let is_package = section.starts_with("package]") || section.starts_with("workspace.package]");
        let lines = section
            .lines()
            .filter(move |line| is_package && line.starts_with("version = ") || line.starts_with("graphpack-"));
        lines.filter_map(|line| line.split_once("version = \"")?.1.split('"').next())
    })
}

/// Returns the number of words where it is too large.
fn too_many_words(text: &str) -> Option<usize> {
    Some(text.split_whitespace().count()).filter(|words| *words > WORDS)
}

#[cfg(test)]
mod tests {
    use super::{flags, too_many_words, versions, wide_lines};

    #[test]
    fn flags_in_messages_are_found_and_those_in_docs_are_not() {
        let code = "/// As `--out` does.\nlet a = \"give --out\";\n    // --out\nlet b = \"a -- b, ---\";\n";
        assert_eq!(flags(code), [(2, "let a = \"give --out\";")]);
    }

    #[test]
    fn wide_prose_is_found_and_what_cannot_be_wrapped_is_not() {
        let (fits, wide) = ("ä".repeat(100), "ä".repeat(101));
        assert_eq!(wide_lines(&format!("{fits}\n{wide}\n- {fits}\n")), [(2, 101), (3, 102)]);
        let text = format!("| {wide} |\n```sh\n{wide}\n```\n[link]: https://{wide}\n{wide}\n");
        assert_eq!(wide_lines(&text), [(6, 101)]);
    }

    #[test]
    fn versions_are_those_of_the_package_and_of_its_siblings() {
        let packages = "[workspace.package]\nversion = \"1\"\nrust-version = \"9\"\n\n[package]\nversion = \"2\"\n";
        let others = "[dependencies]\ncsv = { version = \"9\" }\ngraphpack-core = { path = \"..\", version = \"3\" }\n";
        let manifest = format!("{packages}{others}\n[dependencies.tch]\nversion = \"9\"\n");
        assert_eq!(versions(&manifest).collect::<Vec<_>>(), ["1", "2", "3"]);
    }

    #[test]
    fn a_text_of_more_than_500_words_is_too_long() {
        assert_eq!(too_many_words(&"a word\n".repeat(250)), None);
        assert_eq!(too_many_words(&"a word\n".repeat(251)), Some(502));
    }
}
