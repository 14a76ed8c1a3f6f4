//! [`sample`]: how good a sample batches are, as JSON.

use super::by_set;
use graphpack_loader::{ColumnQuality, Compared, SampleQuality};
use serde_json::{Value, json};

/// Returns all figures, each as `{"found": ..., "random": ...}`.
pub(crate) fn sample(quality: &SampleQuality, sets: &[String]) -> Value {
    let compared = |Compared { found, random }: &Compared| json!({ "found": found, "random": random });
    let column = |ColumnQuality { variance, worst, missing, .. }: &ColumnQuality| json!({ "variance": compared(variance), "worst": compared(worst), "missing": missing });
    json!({
        "epochs": quality.epochs,
        "batches": quality.batches,
        "columns": quality.columns.iter().map(column).collect::<Vec<_>>(),
        "spread": by_set(sets, quality.spread.iter().map(compared)),
        "pairs": compared(&quality.pairs),
    })
}
