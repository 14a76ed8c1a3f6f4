//! [`Results`]: the folder of a study. Each run is a row of `runs.csv`, so that the same command goes on where it
//! stopped.

use super::Outcome;
use super::run::{Cell, Run};
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

pub(crate) struct Results {
    folder: PathBuf,
    pub(crate) runs: Vec<Run>,
}

impl Results {
    /// Opens the folder, which is new or belongs to a study with the same settings.
    pub(crate) fn open(folder: &Path, settings: &serde_json::Value) -> Outcome<Self> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut this = Self { folder: folder.to_owned(), runs: Vec::new() };
        let asked = serde_json::to_string_pretty(settings)?;
        let path = this.path("runs.csv");
        match this.read("settings.json")? {
            None if path.exists() => {
                return Err(
                    format!("{}: settings.json is missing, which says how its runs were made", path.display()).into()
                );
            }
            None => this.write("settings.json", &asked)?,
            Some(found) if found == asked => {}
            Some(found) => {
                let folder = folder.display();
                return Err(format!(
                    "{folder} has results for other settings; give another --out.\nfound {found}\nasked {asked}"
                )
                .into());
            }
        }
        if path.exists() {
            this.runs = read_runs(&path)?;
        }
        Ok(this)
    }

    /// Whether the run of a cell is done.
    pub(crate) fn has(&self, cell: &Cell) -> bool {
        self.runs.iter().any(|run| cell.is(run))
    }

    /// Adds the row of a finished run.
    pub(crate) fn keep(&mut self, run: Run) -> Outcome<()> {
        let path = self.path("runs.csv");
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        let mut writer = csv::WriterBuilder::new().has_headers(self.runs.is_empty()).from_writer(file);
        writer.serialize(&run)?;
        writer.flush()?;
        self.runs.push(run);
        Ok(())
    }

    /// Writes a csv file with a header.
    pub(crate) fn table<T: Serialize>(&self, name: &str, rows: &[T]) -> Outcome<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.serialize(row)?;
        }
        self.write(name, &String::from_utf8(writer.into_inner()?)?)
    }

    /// The path of a file in the folder.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn read(&self, name: &str) -> Outcome<Option<String>> {
        let path = self.path(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", path.display()).into()),
        }
    }

    /// Writes a file, which gets its name only when it is complete.
    fn write(&self, name: &str, text: &str) -> Outcome<()> {
        let path = self.path(name);
        let part = path.with_extension("part");
        fs::write(&part, text)
            .and_then(|()| fs::rename(&part, &path))
            .map_err(|error| format!("{}: {error}", path.display()).into())
    }
}

/// The runs that a file has.
pub(crate) fn read_runs(path: &Path) -> Outcome<Vec<Run>> {
    let rows = csv::Reader::from_path(path).and_then(|file| file.into_deserialize().collect());
    rows.map_err(|error| format!("{}: {error}", path.display()).into())
}
