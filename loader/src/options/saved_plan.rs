//! [`SavedPlan`]: a plan that was made before, by the command, another process or a packer of your own.

use crate::error::file_error;
use crate::error::{Cause, Error, ErrorKind};
use crate::source::WholeFile;
use graphpack_core::Limits;
use graphpack_core::Plan;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::Error as JsonError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs, io};

/// A plan that was made before, for [`Grouping::Plan`](crate::Grouping::Plan), with the names of its sets if they were
/// given.
///
/// `graphpack plan --out plan.json` writes such a file. A program makes one from any plan:
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, SavedPlan, molecules};
///
/// let options = Options::graphs(32).order(Order::Shuffled).seed(42);
/// let planned = Loader::new(molecules::generate(7, 1000), options.clone())?;
/// let plan = planned.plan().expect("packed batches").clone();
///
/// // One process saves the plan; all ranks read it instead of planning.
/// let path = std::env::temp_dir().join(format!("plan-{}.json", std::process::id()));
/// SavedPlan::from(plan).of_sets(["nodes", "edges"]).save(&path)?;
/// let loader = Loader::new(molecules::generate(7, 1000), options.grouping(SavedPlan::open(&path)?))?;
/// assert_eq!(loader.plan(), planned.plan());
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SavedPlan {
    sets: Option<Vec<String>>,
    plan: Arc<Plan>,
}

/// What a file holds, in the order in which it is written.
#[derive(Serialize)]
struct File<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: &'a Option<Vec<String>>,
    #[serde(flatten)]
    plan: &'a Plan,
}

/// The member of a file that is read first.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The members of a file that say how many sets its sizes have.
#[derive(Deserialize)]
struct Head {
    sets: Option<Vec<String>>,
    limits: Limits,
}

impl SavedPlan {
    /// Reads a file of JSON. Errors if it cannot be read, or is not a plan whose packs all keep the limits.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let format = |source| Error::from(SavedPlanError { path: path.to_owned(), source });
        Self::parse(&fs::read(path).map_err(file_error(path))?).map_err(format)
    }

    fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        let Version { version } = serde_json::from_slice(bytes)?;
        if version != Plan::VERSION {
            let expected = Plan::VERSION;
            return Err(JsonError::custom(format_args!("expected version {expected} of a plan, found {version}")));
        }
        let Head { sets, limits } = serde_json::from_slice(bytes)?;
        check_sets(sets.as_deref(), limits.size.sets())?;
        Ok(Self { sets, plan: Arc::new(serde_json::from_slice(bytes)?) })
    }

    /// Writes a file of JSON that [`open`](Self::open) reads, under another name until it is complete, so that ranks
    /// may wait for it. Errors if the file cannot be written, or if sets are [named](Self::of_sets) and the limits have
    /// another number of sets.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (path, Self { sets, plan }) = (path.as_ref(), self);
        let checked = check_sets(sets.as_deref(), plan.limits().size.sets());
        let json = checked.and_then(|()| serde_json::to_vec(&File { sets, plan }));
        let written = json.map_err(io::Error::from).and_then(|json| WholeFile::write(path, &json));
        written.map_err(file_error(path))
    }

    /// Names the sets, in their order. A loader then refuses data of other sets.
    #[must_use]
    pub fn of_sets<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.sets = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The names of the sets, if they were given ([`of_sets`](Self::of_sets)).
    pub fn sets(&self) -> Option<&[String]> {
        self.sets.as_deref()
    }

    /// The limits that every pack keeps.
    pub fn limits(&self) -> Limits {
        *self.plan.limits()
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }
}

/// Errors unless there is a name for each of `count` sets, or for none.
fn check_sets(sets: Option<&[String]>, count: usize) -> Result<(), JsonError> {
    match sets.filter(|sets| sets.len() != count) {
        Some(sets) => Err(JsonError::custom(format_args!("limits of {count} sets for the sets {}", sets.join(", ")))),
        None => Ok(()),
    }
}

impl From<Plan> for SavedPlan {
    fn from(plan: Plan) -> Self {
        Self { sets: None, plan: Arc::new(plan) }
    }
}

/// Writes limits and sets; packs can be many.
impl fmt::Debug for SavedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedPlan").field("sets", &self.sets).field("limits", &self.limits()).finish_non_exhaustive()
    }
}

/// The file is no plan, is cut short, or its packs exceed their limits.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a whole and sound plan: {source}", .path.display())]
struct SavedPlanError {
    path: PathBuf,
    source: JsonError,
}

impl Cause for SavedPlanError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Format
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::SavedPlan;
    use graphpack_core::{Histogram, Limits, Packer};

    #[test]
    fn what_could_not_be_opened_is_not_saved() {
        let histogram = Histogram::from_sizes([[2, 3]]).expect("a graph");
        let plan = Packer::Demand.pack(&histogram, &Limits::new([4, 6])).expect("it fits");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plan");
        let error = SavedPlan::from(plan).of_sets(["nodes"]).save(&path).expect_err("two sets").to_string();
        assert!(error.ends_with("limits of 2 sets for the sets nodes"), "{error}");
        assert!(!path.exists());
    }
}
