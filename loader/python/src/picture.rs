//! Pictures that notebooks show in place of the text of data, loaders and plans, which stands below them. `None` shows
//! the text alone.

use graphpack_cli::{draw_plan, draw_sizes};
use graphpack_loader::{Data, SavedPlan};
use pyo3::prelude::*;
use std::collections::HashMap;

/// The most graphs whose sizes are counted for a picture, which took 0.9 s of CPU, and the most distinct sizes, 0.6 s.
const GRAPHS: usize = 10_000_000;
const SIZES: usize = 400_000;

/// How many graphs have which size, in the first two sets.
pub(crate) fn of_sizes(py: Python<'_>, data: &Data, text: &str) -> Option<String> {
    if data.len() > GRAPHS {
        return None;
    }
    py.detach(|| {
        let mut counts = HashMap::new();
        for size in data.sizes().ok()? {
            *counts.entry(size).or_insert(0) += 1;
            if counts.len() > SIZES {
                return None;
            }
        }
        let sizes = counts.iter().map(|(size, graphs)| (size.as_slice(), *graphs));
        draw_sizes(data.schema().sets(), sizes, text).ok()
    })
}

/// How full the packs of a plan are, and graphs that have a batch each.
pub(crate) fn of_plan(py: Python<'_>, saved: &SavedPlan, text: &str) -> Option<String> {
    if saved.plan().sizes().len().max(saved.plan().distinct_packs()) > SIZES {
        return None;
    }
    let unnamed = || (0..saved.limits().size.sets()).map(|set| format!("set {set}")).collect();
    let sets = saved.sets().map_or_else(unnamed, <[String]>::to_vec);
    py.detach(|| draw_plan(&sets, saved.plan(), text).ok())
}
