//! Fingerprints: 64 bits that differ between different data, the same on every platform.

use crate::Schema;

/// Takes a number into a hash (the finaliser of SplitMix64).
pub fn mix(hash: u64, number: u64) -> u64 {
    let mut z = hash.wrapping_add(number).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Takes bytes into a hash.
pub fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(mix(hash, bytes.len() as u64), |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

/// Of names, levels, dtypes and widths.
pub(crate) fn of_schema(schema: &Schema) -> u64 {
    schema.fields().iter().fold(0, |hash, field| {
        let kind = [field.level as u64, field.dtype as u64, field.width as u64];
        kind.into_iter().fold(mix_bytes(hash, field.name.as_bytes()), mix)
    })
}

/// Most graphs whose contents a fingerprint looks at.
const SAMPLES: usize = 1024;

/// The graphs whose contents a fingerprint looks at: all of a small data set, evenly spread ones of a large one.
pub fn samples(graphs: usize) -> impl Iterator<Item = usize> {
    (0..graphs).step_by(graphs.div_ceil(SAMPLES).max(1))
}
