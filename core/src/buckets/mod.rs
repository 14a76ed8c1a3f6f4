//! A few shapes instead of one: sizes in classes, each packed under limits of its own.
//!
//! Packs of few graphs waste room where the largest graphs, or those of unusual proportions, set the limits for all. If
//! each class of sizes has its own limits, only packs of these graphs are large.
//!
//! [`Buckets::search`] puts the sizes in the order of a key: a component, the cost of a graph, or the ratio of two
//! components. It divides them into intervals by dynamic programming over what each interval would cost, for each key,
//! and packs the cheapest few for real. [`Buckets::bound`] is a lower bound on the cost of any division into this many
//! classes, whatever its order and its limits.
//!
//! | file | what is in it |
//! |---|---|
//! | `buckets` | [`Buckets`]: the options |
//! | `search` | [`Buckets::search`] |
//! | `bucket` | [`Bucket`]: a class, and the limits that suit it |
//! | `key` | `Key`: what sizes are sorted by |
//! | `line` | `Line`: sorted sizes, and the cheapest division into intervals |
//! | `bound` | [`Buckets::bound`] |

mod bound;
mod bucket;
mod buckets;
mod key;
mod line;
mod search;

pub use bucket::Bucket;
pub use buckets::Buckets;
