//! The input of a session: sizes like those of QM9's molecules, and a plan for all of them.

use crate::Outcome;
use graphpack_core::{Effort, Histogram, Packer, Size, Target};
use session::Plan;

/// Seven molecules and the padding fill it, on average.
const TARGET: Target<2> = Target { size: Size([128, 256]), graphs: 13 };
pub(crate) const GRAPHS: usize = 240;

pub(crate) fn input() -> Outcome<Vec<u8>> {
    let sizes = sizes();
    let histogram = Histogram::from_counts(sizes.iter().map(|&size| (size, 1)))?;
    let plan = Packer::Auto(Effort::seconds(0.1)).pack(&histogram, &session::PADDING.usable(&TARGET))?;
    let plan = Plan::try_from(&plan)?;
    let mut bytes = postcard::to_allocvec(&(TARGET, plan))?;
    for size in sizes {
        bytes.extend(postcard::to_allocvec(&size)?);
    }
    Ok(bytes)
}

/// 3 to 29 atoms, 16 on average, with the bonds of a tree and of up to two rings; each bond counts twice.
fn sizes() -> Vec<Size<2>> {
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
        Size([nodes, 2 * (nodes - 1 + below(3))])
    };
    (0..GRAPHS).map(|_| size()).collect()
}
