//! A file's bytes, damaged in every place.

/// Bytes of the head of a file of graphs. The first 32 say something; the others are what was in DGL's memory.
pub(crate) const HEAD: usize = 4096;

/// Changes of a byte, which is given with its position.
pub(crate) type Change = fn(usize, u8) -> u8;

/// One bit of the byte flipped, another one from place to place.
pub(crate) const FLIPPED: Change = |at, byte| byte ^ (1 << (at % 8));

/// Returns the file as it is after each change of each byte, with the byte's position.
pub(crate) fn changed<'a>(whole: &'a [u8], changes: &'a [Change]) -> impl Iterator<Item = (usize, Vec<u8>)> + 'a {
    (0..whole.len()).flat_map(move |at| {
        changes.iter().map(move |change| {
            let mut damaged = whole.to_vec();
            damaged[at] = change(at, whole[at]);
            (at, damaged)
        })
    })
}

/// Returns the file cut short after every `step` bytes.
pub(crate) fn shortened(whole: &[u8], step: usize) -> impl Iterator<Item = Vec<u8>> + '_ {
    (0..whole.len()).step_by(step).map(|length| whole[..length].to_vec())
}
