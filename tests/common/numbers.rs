//! Numbers that look random and are the same each time.

/// A function that gives numbers below its argument: Knuth's linear congruential generator, its upper bits.
pub(crate) fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}
