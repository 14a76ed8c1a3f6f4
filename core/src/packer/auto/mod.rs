//! The auto packer: runs the packers that need the fewest packs, and improves the best plan.
//!
//! Best-fit by the product always runs. Then come rounds, each a quarter longer than the one before, in which every
//! part gets its share of the effort and goes on where it stopped: best-fit by the other heuristics but `Weighted`, the
//! demand packer, the columns packer, and local search. Rounds do not depend on the effort, which only says how many
//! there are, so that a plan with more effort is never worse. First-fit and window are not run: they need fewer packs on
//! none of the histograms that packers are measured on.
//!
//! `pack` has the rounds. `local` searches for better plans near the best one: it takes some packs apart and packs their
//! graphs again, and `exchange` trades graphs between packs until some are full and one is empty. `exact` tries everything
//! where there are few graphs.

mod exact;
mod exchange;
mod local;
mod pack;

pub(super) use pack::pack;
