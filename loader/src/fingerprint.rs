//! Fingerprints: hashes of 64 bits that tell data sets apart, the same on every platform.

/// Returns `hash` with `number` mixed in (the finaliser of SplitMix64), the same on every platform.
///
/// ```
/// use graphpack_loader::extend::mix;
///
/// let of_numbers = |numbers: &[u64]| numbers.iter().fold(0, |hash, number| mix(hash, *number));
/// assert_ne!(of_numbers(&[1, 2]), of_numbers(&[2, 1]));
/// ```
pub fn mix(hash: u64, number: u64) -> u64 {
    let mut z = hash.wrapping_add(number).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns `hash` with the length of `bytes` and the bytes mixed in, the same on every platform.
pub fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(mix(hash, bytes.len() as u64), |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

/// The most graphs whose contents go into a fingerprint.
const SAMPLES: usize = 1024;

/// Returns the graphs, out of `graphs`, whose contents should go into a fingerprint: all if there are at most 1,024,
/// otherwise at most 1,024 evenly spread ones.
pub fn samples(graphs: usize) -> impl Iterator<Item = usize> {
    (0..graphs).step_by(graphs.div_ceil(SAMPLES).max(1))
}
