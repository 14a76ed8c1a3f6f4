//! What `inspect --statistics` prints of [`Statistics`].

use super::census::symbol;
use graphpack_loader::statistics::Statistics;

/// Of a field with more columns than these a line has the RMS alone.
const COLUMNS: usize = 9;

/// Line by line.
pub(crate) fn lines(statistics: &Statistics, energy: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, mean) in &statistics.neighbours {
        lines.push(format!("  {name}: {mean} entries into a row on average"));
    }
    for (name, field) in &statistics.fields {
        let columns = match (&field.mean[..], &field.variance[..]) {
            ([mean], [variance]) => format!("mean {mean}, variance {variance}, "),
            (mean, variance) if mean.len() <= COLUMNS => format!("mean {mean:?}, variance {variance:?}, "),
            _ => String::new(),
        };
        let missing = if field.missing > 0 { format!(", {} values missing", field.missing) } else { String::new() };
        lines.push(format!("  {name}: {columns}RMS {}{missing}", field.rms));
    }
    if !statistics.energies.is_empty() {
        let energies = statistics.energies.iter().map(|(&z, energy)| format!("{} {energy}", symbol(z)));
        lines.push(format!("  {energy} of each element: {}", energies.collect::<Vec<_>>().join(", ")));
    }
    if !statistics.undetermined.is_empty() {
        let symbols: Vec<String> = statistics.undetermined.iter().copied().map(symbol).collect();
        let message =
            "these do not follow from the data, since the elements come in fixed ratios, and are the smallest";
        lines.push(format!("  {message}: {}", symbols.join(", ")));
    }
    lines
}
