//! `cargo xtask circles`: no two files of a crate import each other in a circle, not through `lib.rs` either. And what
//! the loader depends on: no command line, no plots, no readers of others' file formats.

use crate::run::{Outcome, cargo, root, texts};
use std::collections::{BTreeMap, BTreeSet, HashMap};
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

/// For each file the files that it imports from, and the names that it imports.
type Imports = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// A path of Rust, without `crate` at its beginning.
type Name = Vec<String>;

/// What the files of a crate define.
struct Crate<'a> {
    /// The file of each module.
    modules: HashMap<Name, &'a PathBuf>,
    /// What each `pub use` leads to.
    exports: HashMap<Name, Name>,
}

/// Returns the imports between the files of a crate. `lib.rs` and `main.rs`, which every file may use, are left out as
/// targets; a name that they re-export is an import from the file that defines it.
fn imports(files: &BTreeMap<PathBuf, String>) -> Imports {
    let modules = files.keys().map(|path| (module(path), path)).collect();
    let mut of_crate = Crate { modules, exports: HashMap::new() };
    let mut used = Vec::new();
    for (path, text) in files {
        let here = module(path);
        let (statements, rest) = uses(&code(text));
        for (public, tree) in statements {
            for (name, alias) in leaves(&tree) {
                let Some(name) = of_crate.absolute(&here, name).filter(|name| !name.is_empty()) else { continue };
                if public {
                    of_crate.exports.insert([&here[..], &[alias]].concat(), name);
                } else {
                    used.push((path, name));
                }
            }
        }
        used.extend(mentions(&rest).into_iter().map(|name| (path, name)));
    }
    let mut imports: Imports = files.keys().map(|path| (path.clone(), BTreeMap::new())).collect();
    for (path, name) in used {
        let of_file = imports.entry(path.clone()).or_default();
        match of_crate.file(&name, of_crate.exports.len()) {
            Some(target) if target != path && !module(target).is_empty() => {
                of_file.entry(target.clone()).or_default().insert(name.join("::"));
            }
            _ => {}
        }
    }
    imports
}

impl<'a> Crate<'a> {
    /// Completes a name that is used in the module `here`; none if it is of another crate.
    fn absolute(&self, here: &[String], name: Name) -> Option<Name> {
        match name.first()?.as_str() {
            "crate" => Some(name[1..].to_vec()),
            "self" => Some([here, &name[1..]].concat()),
            "super" => {
                let up = name.iter().take_while(|part| *part == "super").count();
                Some([&here[..here.len().checked_sub(up)?], &name[up..]].concat())
            }
            _ => self.modules.contains_key(&[here, &name[..1]].concat()).then(|| [here, &name].concat()),
        }
    }

    /// Returns the file that defines a name, following at most a number of re-exports.
    fn file(&self, name: &[String], most: usize) -> Option<&'a PathBuf> {
        for length in (1..=name.len()).rev() {
            let module = self.modules.get(&name[..length]);
            // What a module re-exports stands in another file.
            let exported = name.get(..if module.is_some() { length + 1 } else { length });
            if let Some((exported, to)) = exported.and_then(|exported| self.exports.get_key_value(exported)) {
                let name = [to, &name[exported.len()..]].concat();
                return if most == 0 { None } else { self.file(&name, most - 1) };
            }
            if let Some(file) = module {
                return Some(file);
            }
        }
        None
    }
}

/// The module that a file defines.
fn module(path: &Path) -> Name {
    let mut name: Name = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    name.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    name
}

/// Returns the code without line comments and without the modules of tests in it.
fn code(text: &str) -> String {
    let mut code = String::new();
    let (mut is_test, mut end) = (false, None);
    for line in text.lines().map(|line| line.split("//").next().unwrap_or(line).trim_end()) {
        let start = line.trim_start();
        if end.is_some() {
            end.take_if(|end| line == *end);
        } else if is_test && start.starts_with("mod ") && start.ends_with('{') {
            // rustfmt puts the closing brace under the first letter.
            end = Some(format!("{}}}", &line[..line.len() - start.len()]));
        } else {
            code += line;
            code.push('\n');
        }
        is_test = start.starts_with("#[cfg(test)]") || start.starts_with("#[cfg(all(test");
    }
    code
}

/// Splits code into its `use` statements, each with whether it is public, and the rest.
fn uses(code: &str) -> (Vec<(bool, String)>, String) {
    let (mut statements, mut rest) = (Vec::new(), String::new());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let private = match start.strip_prefix("pub(").and_then(|start| start.split_once(") ")) {
            Some((_, private)) => private,
            None => start.strip_prefix("pub ").unwrap_or(start),
        };
        if let Some(tree) = private.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                let Some(line) = lines.next() else { break };
                tree += line;
            }
            statements.push((private != start, tree.trim_end_matches(';').to_owned()));
        } else {
            rest += line;
            rest.push('\n');
        }
    }
    (statements, rest)
}

/// Returns all names of the tree of a `use` statement, and under which name each is imported.
fn leaves(tree: &str) -> Vec<(Name, String)> {
    let tree = tree.trim();
    let Some((head, list)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
        let name = segments(path);
        let alias = alias.map(str::to_owned).or_else(|| name.last().cloned());
        return alias.map(|alias| (name, alias)).into_iter().collect();
    };
    let head = segments(head);
    let mut depth = 0;
    let parts = list.rsplit_once('}').map_or(list, |(list, _)| list).split(|c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let below = |(name, alias): (Name, String)| match (&name[..], head.last()) {
        ([only], Some(last)) if only == "self" => (head.clone(), last.clone()),
        _ => ([&head[..], &name].concat(), alias),
    };
    parts.flat_map(leaves).map(below).collect()
}

/// Returns the names after `crate::` in code.
fn mentions(code: &str) -> Vec<Name> {
    let name = |rest: &str| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        segments(&rest[..end.unwrap_or(rest.len())])
    };
    code.split("crate::").skip(1).map(name).filter(|name| !name.is_empty()).collect()
}

fn segments(path: &str) -> Name {
    path.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Packages that belong to the packages above the loader.
const ABOVE: [&str; 8] = ["clap", "csv", "flate2", "indicatif", "metis-sys", "parquet", "plotters", "zip"];

/// Fails if the loader, with all its features, depends on any of these packages.
pub(crate) fn dependencies() -> Outcome {
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
    use super::{above, circles, crates, imports};
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

    #[test]
    fn a_package_from_above_is_found() {
        let tree = "graphpack-loader v0.1.0 (/loader)\nserde v1.0.0\nzip v8.6.0\ncsv-core v0.1.0\nzip v8.6.0 (*)\n";
        assert_eq!(above(tree), ["zip"]);
        assert!(above("graphpack-loader v0.1.0\nmemmap2 v0.9.12\n").is_empty());
    }
}
