//! [`check`]: refuses options that contradict each other; the error names both.

use crate::error::{BuildError, Error};
use crate::options::{Grouping, Holds, Options, Oversize, Shapes};

/// Refuses options that contradict each other, whatever the data.
pub(super) fn check(options: &Options) -> Result<(), Error> {
    let capacity = || format!("capacity {}", options.capacity);
    let grouping = || format!("grouping {}", options.grouping);
    let shapes = || format!("shapes {}", options.shapes);
    let oversize = || format!("oversize {}", options.oversize);
    let packed = matches!(options.grouping, Grouping::Packed(_));
    let planned = matches!(options.grouping, Grouping::Plan(_));

    if let Holds::Exactly(graphs) = options.capacity.0 {
        if !matches!(options.grouping, Grouping::InOrder) {
            return refuse(capacity(), grouping(), "a fixed number of graphs is taken in order");
        }
        if options.packs > 1 {
            let why = "take exactly the graphs of all packs instead";
            return refuse(capacity(), format!("packs {}", options.packs), why);
        }
        if options.oversize != Oversize::Error {
            return refuse(capacity(), oversize(), "no graph exceeds a number of graphs");
        }
        if graphs == 0 {
            return Err(BuildError::Zero { option: "graphs per batch" }.into());
        }
    }
    if let Shapes::Few(_) = options.shapes {
        if !packed {
            return refuse(shapes(), grouping(), "only graphs that a packer packs have few shapes");
        }
        if !matches!(options.capacity.0, Holds::Default | Holds::Graphs(_)) {
            return refuse(shapes(), capacity(), "few shapes are found for a mean number of graphs");
        }
    }
    if options.shapes != Shapes::One && options.capacity.has_padding() {
        return refuse(capacity(), shapes(), "this capacity is that of one shape, padding included");
    }
    let few = matches!(options.shapes, Shapes::Few(_)) && options.sized_for.is_some();
    if options.oversize == Oversize::Alone && (options.shapes.is_rounded() || few) {
        return refuse(oversize(), shapes(), "graphs that exceed the capacity would each have a shape of their own");
    }
    if options.equal_cost.is_some() {
        let equal_cost = || "equal_cost".into();
        if !packed && !planned {
            return refuse(equal_cost(), grouping(), "only packs that are planned have a limit of cost");
        }
        if !options.shapes.is_rounded() && options.shapes != Shapes::Exact {
            return refuse(equal_cost(), shapes(), "in a step all ranks have one shape, and so equal cost");
        }
        if options.packs > 1 {
            let why = "give a capacity of all packs instead";
            return refuse(equal_cost(), format!("packs {}", options.packs), why);
        }
        if options.oversize == Oversize::Alone {
            return refuse(equal_cost(), oversize(), "a graph that exceeds the capacity may cost any number");
        }
    }
    if !options.speeds.is_empty() {
        let (ranks, found) = (options.shard.world(), options.speeds.len());
        if options.equal_cost.is_none() {
            return refuse("speeds".into(), "equal_cost none".into(), "a fast rank gets batches of more cost");
        }
        if planned {
            return refuse("speeds".into(), grouping(), "ranks of each speed have a plan of their own");
        }
        if found != ranks as usize {
            return Err(BuildError::Speeds { ranks, found }.into());
        }
        if options.speeds.contains(&0) {
            return Err(BuildError::Zero { option: "the speed of each rank" }.into());
        }
    }
    if options.weights.is_some() {
        if planned {
            return refuse("weights".into(), grouping(), "each epoch has other graphs");
        }
        if options.oversize == Oversize::Alone && !takes_alone_in_order(options) {
            return refuse("weights".into(), oversize(), "graphs that exceed the capacity would not be drawn");
        }
    }
    if options.sized_for.is_some() {
        if let Holds::Shape(_) = options.capacity.0 {
            return refuse("sized_for".into(), capacity(), "the shape is given");
        }
        let given = options.capacity.is_given() || planned;
        if given && (options.shapes.is_rounded() || options.shapes == Shapes::Exact) {
            return refuse("sized_for".into(), shapes(), "no shape follows from the sizes of other data");
        }
    }
    Ok(())
}

/// Whether graphs that exceed the capacity are batches of their own at their place in the order.
pub(super) fn takes_alone_in_order(options: &Options) -> bool {
    let exact = options.shapes == Shapes::Exact && options.packs == 1;
    exact && options.oversize == Oversize::Alone && matches!(options.grouping, Grouping::InOrder)
}

/// Refuses two options that contradict each other.
pub(super) fn refuse<T>(one: String, other: String, why: &'static str) -> Result<T, Error> {
    Err(BuildError::Contradiction { one, other, why }.into())
}
