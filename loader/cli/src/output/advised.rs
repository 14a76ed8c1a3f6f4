//! [`advised`]: the time of a training with each way of making batches.

use super::{Outcome, by_set, listed, print};
use crate::advice::{Advice, Predicted, Way};
use graphpack_loader::Shape;
use graphpack_loader::step_cost::StepCost;
use serde_json::{Map, Value, json};

/// A way that makes no batches of the data, and why.
pub(crate) type Refused = (Way, String);

/// Prints a line for each way, the fastest of each batch size, and the fastest of all.
pub(crate) fn advised(sets: &[String], advice: &Advice, cost: &StepCost, refused: &[Refused]) -> Outcome {
    let names = |shape: &Shape| shape.sets().iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let rows: Vec<String> =
        sets.iter().zip(cost.rows()).map(|(set, each)| format!("{:.4} us a row of {set}", 1e3 * each)).collect();
    print(format_args!(
        "a step takes {:.3} ms and {}; a shape {:.2} s to compile",
        cost.step(),
        listed(&rows),
        cost.compilation() / 1e3
    ))?;
    print(format_args!(
        "{:<16} {:>10} {:>18} {:>7} {:>10} {:>10} {:>12} {:>8}",
        "batching",
        "batch size",
        sets.join(" x "),
        "shapes",
        "steps",
        "ms a step",
        "seconds",
        "slower"
    ))?;
    for way in &advice.ways {
        let slower = advice.fastest().map_or(0.0, |fastest| 100.0 * (way.seconds / fastest.seconds - 1.0));
        print(format_args!(
            "{:<16} {:>10} {:>18} {:>7.0} {:>10.0} {:>10.3} {:>12.1} {:>6.1} %",
            way.way.batching.to_string(),
            way.way.batch_size,
            names(&way.shape),
            way.shapes,
            way.steps,
            way.step_milliseconds,
            way.seconds,
            slower
        ))?;
    }
    for way in &advice.too_large {
        print(format_args!("{}: needs {} of memory", way.way, way.memory.unwrap_or_default()))?;
    }
    for (way, why) in refused {
        print(format_args!("{way}: {why}"))?;
    }
    let mut sizes: Vec<u32> = advice.ways.iter().map(|way| way.way.batch_size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let mut of_size = advice.ways.iter().filter(|way| way.way.batch_size == size);
        if let Some(first) = of_size.next() {
            let ahead = of_size.next().map_or_else(String::new, |second| {
                let ahead = 100.0 * (second.seconds / first.seconds - 1.0);
                format!(", {} takes {ahead:.1} % longer", second.way.batching)
            });
            let shape = names(&first.shape);
            print(format_args!("batch size {size}: {} in {shape}, {:.1} s{ahead}", first.way.batching, first.seconds))?;
        }
    }
    if let Some(fastest) = advice.fastest() {
        print(format_args!("fastest: {}, {:.1} s", fastest.way, fastest.seconds))?;
    }
    Ok(())
}

/// The rows of each set, and the graphs.
pub(crate) fn shape_object(sets: &[String], shape: &Shape) -> Map<String, Value> {
    let mut object = by_set(sets, shape.sets().iter().copied());
    object.insert("graphs".into(), shape.graphs().into());
    object
}

/// The same as an object.
pub(crate) fn advised_object(sets: &[String], advice: &Advice, cost: &StepCost, refused: &[Refused]) -> Value {
    let way = |way: &Predicted| {
        json!({
            "batching": way.way.batching.to_string(),
            "batch_size": way.way.batch_size,
            "shape": shape_object(sets, &way.shape),
            "shapes": way.shapes,
            "steps": way.steps,
            "step_ms": way.step_milliseconds,
            "seconds": way.seconds,
            "memory": way.memory.map(|memory| memory as f64),
        })
    };
    let refused = refused.iter().map(|(way, why)| {
        json!({
            "batching": way.batching.to_string(), "batch_size": way.batch_size, "why": why,
        })
    });
    json!({
        "cost": {
            "rows_ms": by_set(sets, cost.rows().iter().copied().take(sets.len())),
            "step_ms": cost.step(),
            "compile_ms": cost.compilation(),
        },
        "ways": advice.ways.iter().map(way).collect::<Vec<_>>(),
        "too_large": advice.too_large.iter().map(way).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    })
}
