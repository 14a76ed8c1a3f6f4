//! The input of a session: sizes like those of QM9's molecules, twice, and a plan for all of them.

use crate::Outcome;
use session::Target;

/// Seven molecules and the padding fill it, on average. The plan is for what a session may fill of it.
const TARGET: Target = Target::new([128, 256]).graphs(13);
pub(crate) const GRAPHS: usize = 240;

/// The input with a plan that is postcard already.
pub(crate) fn input(plan: &[u8]) -> Outcome<Vec<u8>> {
    let mut bytes = postcard::to_allocvec(&TARGET)?;
    bytes.extend(plan);
    for _ in 0..2 {
        for size in sizes() {
            bytes.extend(postcard::to_allocvec(&size)?);
        }
    }
    Ok(bytes)
}

/// The sizes as csv, one graph a line.
pub(crate) fn csv() -> String {
    let line = |[nodes, edges]: [u32; 2]| format!("{nodes},{edges}\n");
    ["num_nodes,num_edges\n".to_owned()].into_iter().chain(sizes().into_iter().map(line)).collect()
}

/// 3 to 29 atoms, 16 on average, with the bonds of a tree and of up to two rings; each bond counts twice.
pub(crate) fn sizes() -> Vec<[u32; 2]> {
    let mut state = 1_u32;
    let mut below = |end: u32| {
        // Marsaglia, Xorshift RNGs: the same numbers on every machine.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % end
    };
    let mut size = || {
        let nodes = 3 + below(9) + below(10) + below(10);
        [nodes, 2 * (nodes - 1 + below(3))]
    };
    (0..GRAPHS).map(|_| size()).collect()
}
