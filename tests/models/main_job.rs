//! The example `train`: generated molecules, packed, prefetched, trained on; it learns and reports what scripts read.

use super::{example, lines, number};

#[test]
fn training_learns_and_reports() {
    let lines = lines(example("train", &["--epochs", "2"]));
    assert_eq!(lines.len(), 3, "{lines:?}");
    let number = |key: &str| number(&lines[2], key);
    // Guessing gives 0.5.
    assert!(number("valid_roc_auc") > 0.8 && number("test_roc_auc") > 0.8, "{lines:?}");
    assert!(number("seconds_per_epoch") > 0.0 && number("graphs_per_second") > 0.0);
    assert!((0.0..1.0).contains(&number("wait_share")));
    assert!((0.5..1.0).contains(&number("efficiency")), "{lines:?}");
}
