//! [`kway`]: METIS's k-way partitioning, through the functions of its C library.

use super::undirected::Undirected;
use super::weights::Weights;
use metis_sys::{
    METIS_NOPTIONS, METIS_PartGraphKway, idx_t, rstatus_et_METIS_ERROR_INPUT as INPUT,
    rstatus_et_METIS_ERROR_MEMORY as MEMORY, rstatus_et_METIS_OK as OK,
};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Numbers of nodes, edges and weights, as METIS counts them: 32 bits, or 64 of an installed METIS.
pub(super) type Idx = idx_t;
/// METIS's options, -1 for its default.
pub(super) type Options = [Idx; METIS_NOPTIONS as usize];

/// METIS draws from the random generator of the C library, which a process has once.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Returns the part of each node, or why there are none. All numbers must be within [`Idx`].
pub(super) fn kway(
    graph: &Undirected,
    weights: &Weights,
    parts: usize,
    mut options: Options,
) -> Result<Vec<u16>, &'static str> {
    let mut of: Vec<Idx> = weights.all().iter().map(|&weight| weight as Idx).collect();
    let mut starts: Vec<Idx> = graph.starts().iter().map(|&start| start as Idx).collect();
    let wide: Vec<Idx>;
    let neighbours = match bytemuck::try_cast_slice(graph.neighbours()) {
        Ok(same) if size_of::<Idx>() == size_of::<u32>() => same,
        _ => {
            wide = graph.neighbours().iter().map(|&node| node as Idx).collect();
            &wide
        }
    };
    let mut owners = vec![0; graph.nodes()];
    let [mut nodes, mut constraints, mut parts] = [graph.nodes(), weights.len(), parts].map(|count| count as Idx);
    let mut cut = 0;
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `starts` ascends from 0 to the length of `neighbours`, which are below `nodes`, by construction of
    // `Undirected`; `Weights` has `constraints` numbers for each node; METIS writes to `cut` and `owners` alone, as
    // numbers are from 0.
    // While it runs, METIS handles SIGTERM and SIGABRT by a jump to the end of the call: over frames of C alone if this
    // thread gets the signal. Other threads have no place to jump to, which is undefined; see `Metis`.
    let status = unsafe {
        METIS_PartGraphKway(
            &mut nodes,
            &mut constraints,
            starts.as_mut_ptr(),
            neighbours.as_ptr().cast_mut(),
            of.as_mut_ptr(),
            null_mut(),
            null_mut(),
            &mut parts,
            null_mut(),
            null_mut(),
            options.as_mut_ptr(),
            &mut cut,
            owners.as_mut_ptr(),
        )
    };
    drop(alone);
    match status {
        OK => Ok(owners.into_iter().map(|part| part as u16).collect()),
        INPUT => Err("it refuses the graph or the options"),
        MEMORY => Err("there is not enough memory"),
        _ => Err("it failed, or the process got SIGTERM"),
    }
}
