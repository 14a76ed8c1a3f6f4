//! Labels: texts that the numbers of a field are codes of, one list for several data sets.

use super::Slot;
use crate::error::Error;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Returns one list of the labels of a field in several data sets: those of the first, then what others have besides.
pub(crate) fn common_labels<'a>(mut all: impl Iterator<Item = &'a Arc<[String]>>) -> Arc<[String]> {
    let first = all.next().cloned().unwrap_or_default();
    all.fold(first, |common, labels| {
        let known: HashSet<&String> = common.iter().collect();
        let new: Vec<String> = labels.iter().filter(|label| !known.contains(label)).cloned().collect();
        if new.is_empty() { common } else { common.iter().cloned().chain(new).collect() }
    })
}

/// Returns the number of each of `labels` among `common`, which has them all; `None` if these numbers are the same.
pub(crate) fn codes_among(labels: &[String], common: &[String]) -> Option<Vec<i64>> {
    if common.starts_with(labels) {
        return None;
    }
    let numbers: HashMap<&String, i64> = common.iter().zip(0..).collect();
    Some(labels.iter().map(|label| numbers.get(label).copied().unwrap_or_default()).collect())
}

/// Replaces a code, the bytes of an int64, by the one that `codes` has for it.
pub(crate) fn recode(codes: &[i64], code: &mut [u8; 8]) {
    let place = usize::try_from(i64::from_ne_bytes(*code)).ok();
    *code = place.and_then(|place| codes.get(place)).copied().unwrap_or_default().to_ne_bytes();
}

impl Slot<'_> {
    /// Replaces the code in the field at a position, as [`recode`] does, unless `mask` says that the graph lacks it.
    /// Nothing happens unless batches carry the field.
    pub(crate) fn recode(&mut self, field: usize, mask: Option<usize>, codes: &[i64]) -> Result<(), Error> {
        let mask = mask.map(|mask| self.place(mask)).transpose()?.and_then(|(_, place)| place);
        let is_missing = mask.is_some_and(|(_, range)| self.bytes[range.start] == 0);
        if let (_, Some((_, range))) = self.place(field)?
            && let Ok(code) = <&mut [u8; 8]>::try_from(&mut self.bytes[range])
            && !is_missing
        {
            recode(codes, code);
        }
        Ok(())
    }
}
