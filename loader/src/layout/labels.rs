//! Labels: texts that the numbers of a field are codes of, one list for several data sets.

use super::{Slot, SlotError};
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
    if common == labels {
        return None;
    }
    let numbers: HashMap<&String, i64> = common.iter().zip(0..).collect();
    Some(labels.iter().map(|label| numbers.get(label).copied().unwrap_or_default()).collect())
}

impl Slot<'_> {
    /// Replaces the code in the field at a position by the one that `codes` has for it, unless `mask` says that the
    /// graph lacks it. Nothing happens unless batches carry the field. Errors if there is none for it.
    pub(crate) fn recode(&mut self, field: usize, mask: Option<usize>, codes: &[i64]) -> Result<(), Error> {
        let mask = mask.map(|mask| self.place(mask)).transpose()?.and_then(|(_, place)| place);
        let is_missing = mask.is_some_and(|(_, range)| self.bytes[range.start] == 0);
        let (position, place) = self.place(field)?;
        if let Some((array, range)) = place
            && self.progress.written.has(position)
            && let Ok(code) = <&mut [u8; 8]>::try_from(&mut self.bytes[range])
            && !is_missing
        {
            let found = i64::from_ne_bytes(*code);
            let new = usize::try_from(found).ok().and_then(|place| codes.get(place));
            let wrong = || SlotError::Code { field: array.name.clone(), labels: codes.len(), found };
            *code = new.ok_or_else(wrong)?.to_ne_bytes();
        }
        Ok(())
    }
}
