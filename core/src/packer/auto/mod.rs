//! The auto packer: runs the packers that need the fewest packs, and improves the best plan.
//!
//! Best-fit by the product runs first, then by the other heuristics but `Weighted`, the demand packer, and programs of
//! columns of each component alone. Where there are many sizes, demand packs them in parts, best-fit runs by the
//! heuristic that is best for a sample, if that is as good, and the others wait for all else. From there on the program
//! of all components, which proves a bound with every round and dives for plans, local search, classes of sizes (whose
//! first level comes before), and larger parts take turns. What is done next depends on what was done before, not on
//! the budget that is left, so that a plan with more budget is never worse. Only where the budget ends while demand
//! packs thousands of sizes does best-fit pack the rest, and more budget may be worse. First-fit and window are not
//! run: they need fewer packs on none of the histograms that packers are measured on.
//!
//! `pack` has the order. `local` searches for better plans near the best one: it takes some packs apart and packs their
//! graphs again, and `exchange` trades graphs between packs until some are full and one is empty.

mod exchange;
mod local;
mod pack;

pub(super) use pack::{by_columns, pack};
