//! [`PlanFile`]: where a plan is written, and in which format.

use crate::output::{Outcome, write};
use graphpack_core::Plan;
use graphpack_loader::SavedPlan;
use std::path::{Path, PathBuf};

/// A file for a plan, in the format that its name ends in.
#[derive(Clone)]
pub(crate) struct PlanFile {
    path: PathBuf,
    format: PlanFormat,
}

#[derive(Clone, Copy)]
enum PlanFormat {
    /// [`SavedPlan`]: packs, limits, sets, packer and bound.
    Json,
    /// [`FixedPlan`](graphpack_core::FixedPlan): limits and packs.
    Postcard,
}

impl PlanFile {
    /// Takes a path that ends in `.json` or `.postcard`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => PlanFormat::Json,
            Some("postcard") => PlanFormat::Postcard,
            _ => return Err(format!("expected a name that ends in .json or .postcard, found {text:?}")),
        };
        Ok(Self { path, format })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a plan for graphs of these sets.
    pub(crate) fn write(&self, sets: &[String], plan: &Plan) -> Outcome {
        match self.format {
            PlanFormat::Json => Ok(SavedPlan::from(plan.clone()).of_sets(sets).save(&self.path)?),
            PlanFormat::Postcard => write(&self.path, &postcard::to_allocvec(&plan.as_fixed())?),
        }
    }

    /// What reads the file: of a plan in fixed memory, the type with just enough room.
    pub(crate) fn described(&self, plan: &Plan) -> String {
        let (path, packs) = (self.path.display(), plan.distinct_packs());
        match self.format {
            PlanFormat::Json => format!("{path}: for Grouping::Plan"),
            PlanFormat::Postcard => {
                let (sets, entries) = (plan.limits().size.sets(), plan.entries());
                format!("{path}: for a FixedPlan<{sets}, {entries}, {packs}> or one with more room")
            }
        }
    }
}
