//! [`Results`]: the folder of a study. It has a file for each finished run, so that an interrupted study continues
//! where it stopped, and the tables made from all runs.

use super::Outcome;
use super::training::Run;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Results {
    folder: PathBuf,
}

impl Results {
    /// Opens the folder, which is new or belongs to a study with the same settings.
    pub(crate) fn open(folder: &Path, settings: &serde_json::Value) -> Outcome<Self> {
        fs::create_dir_all(folder.join("runs")).map_err(|error| format!("{}: {error}", folder.display()))?;
        let this = Self { folder: folder.to_owned() };
        match this.read::<serde_json::Value>("settings.json")? {
            None => this.write("settings.json", &serde_json::to_string_pretty(settings)?)?,
            Some(found) if found == *settings => {}
            Some(found) => {
                let folder = folder.display();
                return Err(format!(
                    "{folder} has results for other settings; give another --out.\nfound {found}\nasked {settings}"
                )
                .into());
            }
        }
        Ok(this)
    }

    /// Returns the run of that name if it is finished.
    pub(crate) fn run(&self, name: &str) -> Outcome<Option<Run>> {
        self.read(&format!("runs/{name}.json"))
    }

    pub(crate) fn keep(&self, name: &str, run: &Run) -> Outcome<()> {
        self.write(&format!("runs/{name}.json"), &serde_json::to_string_pretty(run)?)
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
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Outcome<Option<T>> {
        let path = self.path(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", path.display()).into()),
        }
    }

    /// Writes a file, which gets its name only when it is complete.
    pub(crate) fn write(&self, name: &str, text: &str) -> Outcome<()> {
        let path = self.path(name);
        let part = path.with_extension("part");
        fs::write(&part, text)
            .and_then(|()| fs::rename(&part, &path))
            .map_err(|error| format!("{}: {error}", path.display()).into())
    }
}
