//! The main job as users run it: generated molecules, packed, prefetched, trained on; it learns and reports what scripts read.

use serde_json::Value;
use std::process::Command;

#[test]
#[cfg_attr(not(feature = "tch"), ignore = "needs libtorch")]
fn training_learns_and_reports() {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--features", "tch", "--example", "train", "--manifest-path"])
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--", "--epochs", "2", "--format", "json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    let number = |key: &str| lines[2][key].as_f64().unwrap_or_else(|| panic!("{key} in {text}"));
    // Guessing gives 0.5.
    assert!(number("valid_roc_auc") > 0.8 && number("test_roc_auc") > 0.8, "{text}");
    assert!(number("seconds_per_epoch") > 0.0 && number("graphs_per_second") > 0.0);
    assert!((0.0..1.0).contains(&number("wait_share")));
    assert!((0.5..1.0).contains(&number("efficiency")), "{text}");
}
