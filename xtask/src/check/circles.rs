//! `cargo xtask circles`: no two files of a crate import each other in a circle, not through `lib.rs` either.

use crate::check::imports::{Imports, imports};
use crate::files::texts;
use crate::run::{Outcome, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Fails with a list of all circles, in any folder with a `lib.rs` or `main.rs`.
pub(crate) fn check() -> Outcome {
    let mut failure = String::new();
    let crates = crates(texts(&root(), |path| path.extension().is_some_and(|is| is == "rs"))?);
    for (folder, files) in &crates {
        let imports = imports(files);
        for circle in circles(&imports) {
            failure += &format!("{}: {} files import each other in a circle\n", folder.display(), circle.len());
            for from in &circle {
                for (to, names) in imports[*from].iter().filter(|(to, _)| circle.contains(to)) {
                    let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                    failure += &format!("    {} -> {}: {names}\n", from.display(), to.display());
                }
            }
        }
    }
    if failure.is_empty() {
        println!("no circles in {} folders with a lib.rs or main.rs", crates.len());
        Ok(())
    } else {
        Err(failure.trim_end().to_owned())
    }
}

/// Gives each file to the innermost folder around it that has a `lib.rs` or `main.rs`. Other files are left out.
fn crates(files: BTreeMap<PathBuf, String>) -> BTreeMap<PathBuf, BTreeMap<PathBuf, String>> {
    let is_root = |path: &&PathBuf| path.ends_with("lib.rs") || path.ends_with("main.rs");
    let roots: BTreeSet<_> =
        files.keys().filter(is_root).filter_map(|path| path.parent()).map(Path::to_owned).collect();
    let mut crates: BTreeMap<PathBuf, BTreeMap<PathBuf, String>> = BTreeMap::new();
    for (path, text) in files {
        if let Some(folder) = path.ancestors().find(|folder| roots.contains(*folder)) {
            let inside = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            crates.entry(folder.to_owned()).or_default().insert(inside, text);
        }
    }
    crates
}

/// Returns the groups of files in which each imports from each, directly or through others.
fn circles(imports: &Imports) -> BTreeSet<Vec<&PathBuf>> {
    let reached: BTreeMap<_, _> = imports.keys().map(|file| (file, reached(imports, file))).collect();
    let group = |file: &PathBuf| -> Vec<_> {
        let both = |other: &&PathBuf| reached[file].contains(*other) && reached[*other].contains(file);
        imports.keys().filter(both).collect()
    };
    imports.keys().map(group).filter(|group| !group.is_empty()).collect()
}

/// Returns all files that a file imports from, directly or through others.
fn reached<'a>(imports: &'a Imports, file: &'a PathBuf) -> BTreeSet<&'a PathBuf> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![file]);
    while let Some(file) = next.pop() {
        next.extend(imports[file].keys().filter(|to| reached.insert(*to)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::{circles, crates, imports};
    use std::path::{Path, PathBuf};

    const LIB: (&str, &str) =
        ("a/src/lib.rs", "mod one;\nmod two;\npub use one::One;\npub use two::{\n    Two as Second,\n};\n");

    /// The files in circles of the crate in `a/src` of a made-up tree.
    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let files = files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
        let crates = crates(files);
        assert_eq!(crates.len(), 1);
        let imports = imports(&crates[Path::new("a/src")]);
        let names = |circle: Vec<&PathBuf>| circle.iter().map(|path| path.display().to_string()).collect();
        circles(&imports).into_iter().map(names).collect()
    }

    #[test]
    fn a_circle_through_re_exports_of_lib_is_found() {
        let one = ("a/src/one.rs", "use crate::Second;\npub struct One(Second);\n");
        let two = ("a/src/two/mod.rs", "mod inner;\npub(crate) use inner::Two;\n");
        let inner = ("a/src/two/inner.rs", "use super::super::{one::{self, One}};\npub struct Two(Box<One>);\n");
        let outside = ("a/build.rs", "use crate::one;\n");
        assert_eq!(found(&[LIB, one, two, inner, outside]), [["one.rs", "two/inner.rs"]]);
        let mention = ("a/src/two/inner.rs", "pub struct Two(Box<crate::One>);\n");
        assert_eq!(found(&[LIB, one, two, mention]), [["one.rs", "two/inner.rs"]]);
    }

    #[test]
    fn imports_one_way_and_those_in_comments_and_tests_are_no_circle() {
        let one = ("a/src/one.rs", "use crate::Second;\nuse std::fmt;\npub struct One(Second);\n");
        let text = "// use crate::One;\npub struct Two;\n#[cfg(test)]\nmod tests {\n    use crate::One;\n}\n";
        assert!(found(&[LIB, one, ("a/src/two.rs", text)]).is_empty());
        let after = format!("{text}use crate::One;\n");
        assert_eq!(found(&[LIB, one, ("a/src/two.rs", &after)]), [["one.rs", "two.rs"]]);
    }
}
