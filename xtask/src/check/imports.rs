//! [`Imports`]: which file of a crate imports from which, with re-exports followed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// For each file the files that it imports from, and the names that it imports.
pub(crate) type Imports = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

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
pub(crate) fn imports(files: &BTreeMap<PathBuf, String>) -> Imports {
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
