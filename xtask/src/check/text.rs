//! `cargo xtask text`: what the style asks of texts: maps without code, prose in narrow lines, a short README, messages
//! of libraries without flags of the command.

use crate::files::texts;
use crate::run::{Outcome, root};
use std::ffi::OsStr;
use std::path::Path;

/// The most columns of a line of prose.
const COLUMNS: usize = 100;
/// The most words of the README.
const WORDS: usize = 700;
/// The sources of the libraries, which other programs use, too.
const LIBRARIES: [&str; 5] = ["core/src", "loader/src", "loader/formats/src", "loader/partition/src", "tch-bridge/src"];

/// Fails with a list of all places.
pub(crate) fn check() -> Outcome {
    let is_text = |path: &Path| {
        let is_page =
            path == Path::new("README.md") || path.starts_with("docs") && path.extension() == Some("md".as_ref());
        // Cargo's place for what the tests of a package share.
        let is_of_tests = path.ends_with("tests/common/mod.rs");
        is_page || is_library(path) || path.file_name() == Some("mod.rs".as_ref()) && !is_of_tests
    };
    let mut failure = String::new();
    for (path, text) in texts(&root(), is_text)? {
        let name = path.display();
        if path.extension() == Some(OsStr::new("rs")) {
            if is_library(&path) {
                for (line, flag) in flags(&text) {
                    failure +=
                        &format!("{name}, line {line}: expected no flag in a message of a library, found `{flag}`\n");
                }
            }
            let is_map = path.file_name() == Some("mod.rs".as_ref());
            if let Some(code) = code_in_map(&text).filter(|_| is_map) {
                failure += &format!("{name}: expected docs, `mod` and `use` only, found `{code}`\n");
            }
            continue;
        }
        for (line, columns) in wide_lines(&text) {
            failure += &format!("{name}, line {line}: {columns} columns of prose, at most {COLUMNS} are allowed\n");
        }
        if let Some(words) = too_many_words(&text).filter(|_| path == Path::new("README.md")) {
            failure += &format!("{name}: {words} words, at most {WORDS} are allowed\n");
        }
    }
    if failure.is_empty() { Ok(()) } else { Err(failure.trim_end().to_owned()) }
}

fn is_library(path: &Path) -> bool {
    LIBRARIES.iter().any(|library| path.starts_with(library)) && path.extension() == Some("rs".as_ref())
}

/// Returns number and text of each line of code with a flag of a command.
fn flags(code: &str) -> Vec<(usize, &str)> {
    let lines = (1..).zip(code.lines().map(str::trim)).filter(|(_, line)| !line.starts_with("//"));
    let is_flag = |at: usize, line: &str| line[at + 2..].starts_with(|letter: char| letter.is_ascii_lowercase());
    lines.filter(|(_, line)| line.match_indices("--").any(|(at, _)| is_flag(at, line))).collect()
}

/// Returns the first line of a `mod.rs` with an item that is neither a module in another file nor an import.
fn code_in_map(text: &str) -> Option<&str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let mut in_item = false;
    for line in lines.filter(|line| !(line.starts_with("#[") && line.ends_with(']') || line.starts_with("#!["))) {
        let item = match line.strip_prefix("pub(").and_then(|line| line.split_once(") ")) {
            Some((_, item)) => item,
            None => line.strip_prefix("pub ").unwrap_or(line),
        };
        let is_map = item.starts_with("use ") || item.starts_with("mod ") && item.ends_with(';');
        if !in_item && !is_map {
            return Some(line);
        }
        in_item = !line.ends_with(';');
    }
    None
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

/// Returns the number of words where it is too large.
fn too_many_words(text: &str) -> Option<usize> {
    Some(text.split_whitespace().count()).filter(|words| *words > WORDS)
}

#[cfg(test)]
mod tests {
    use super::{code_in_map, flags, too_many_words, wide_lines};

    #[test]
    fn code_in_a_map_is_found() {
        let map = "//! A map.\n\nmod a;\n#[cfg(test)]\npub(crate) mod b;\n/// Docs.\npub use a::{\n    A,\n};\n";
        assert_eq!(code_in_map(map), None);
        for code in ["fn f() {}", "const N: usize = 1;", "pub struct S;", "impl S {", "mod tests {", "pub enum E {"] {
            assert_eq!(code_in_map(&format!("{map}{code}\n")), Some(code));
        }
    }

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
    fn a_text_of_more_than_700_words_is_too_long() {
        assert_eq!(too_many_words(&"a word\n".repeat(350)), None);
        assert_eq!(too_many_words(&"a word\n".repeat(351)), Some(702));
    }
}
