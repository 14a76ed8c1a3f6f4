//! Packers, plans and streams: laws over random histograms, slow oracles, real histograms with their bounds, and plans
//! as they are written down.

#[path = "../common/classes.rs"]
mod classes;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod few_shapes;
mod fixed_best_fit;
mod follow;
mod hard;
#[path = "../common/instances.rs"]
mod instances;
mod laws;
mod naive;
mod near_the_bound;
#[path = "../common/of_sets.rs"]
mod of_sets;
mod optimum;
mod published;
mod recomposed;
mod search;
mod streams;
mod unchanged;
