//! ROC-AUC, the metric of ogbg-molhiv.

/// Area under the ROC curve of scores against labels (1 and 0), ties counted half; `None` if only one label occurs.
pub(crate) fn roc_auc(scored: &[(f32, bool)]) -> Option<f64> {
    let mut scored = scored.to_vec();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let positives = scored.iter().filter(|(_, label)| *label).count() as f64;
    let negatives = scored.len() as f64 - positives;
    // Mann-Whitney: the sum of the ranks of the positives, equal scores sharing their mean rank.
    let mut ranks = 0.0;
    let mut start = 0;
    for ties in scored.chunk_by(|a, b| a.0 == b.0) {
        let mean_rank = start as f64 + (ties.len() as f64 + 1.0) / 2.0;
        ranks += mean_rank * ties.iter().filter(|(_, label)| *label).count() as f64;
        start += ties.len();
    }
    (positives > 0.0 && negatives > 0.0)
        .then(|| (ranks - positives * (positives + 1.0) / 2.0) / (positives * negatives))
}
