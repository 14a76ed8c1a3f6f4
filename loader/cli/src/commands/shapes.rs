//! `graphpack shapes`: what a few shapes in place of one save.

use crate::arguments::{CostArgs, Format, HistogramFile};
use crate::output::{Outcome, by_set, by_x, print};
use graphpack_core::{FewShapes, Limits, SizeClass};
use serde_json::{Value, json};

/// Divide sizes into classes with limits of their own, for batches of a few shapes instead of one: what 1, 2, 3 and
/// more shapes cost, in rows unless --cost says otherwise
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    histogram: HistogramFile,
    /// The most shapes
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=16))]
    shapes: u32,
    /// Limits are multiples of this
    #[arg(long, value_name = "M", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    multiple_of: u32,
    #[command(flatten)]
    cost: CostArgs,
    /// What each shape costs an epoch: one that saves less is not taken
    #[arg(long, value_name = "N", default_value_t = 0)]
    per_shape: u64,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let counts = args.histogram.read()?;
    let (sets, histogram) = (counts.sets(), counts.histogram());
    let graphs = args.histogram.most_graphs().unwrap_or(Limits::DEFAULT_GRAPHS);
    let graphs = graphs.min(u32::try_from(histogram.graphs()).unwrap_or(u32::MAX));
    let (multiple_of, per_shape) = (args.multiple_of, args.per_shape);
    let options = FewShapes::new(args.shapes as usize, graphs);
    let options = FewShapes { multiple_of, per_shape, cost: args.cost.of(sets)?, ..options };
    let found = options.search_each(histogram)?.into_iter().zip(1..).map(|(classes, shapes)| Found {
        total: options.total(&classes),
        bound: FewShapes { shapes, ..options }.bound(histogram),
        classes,
    });
    let mut results: Vec<_> = found.collect();
    // More shapes than are of use are the same as before.
    results.dedup_by_key(|found| found.classes.len());
    match args.format {
        Format::Json => print(json!(results.iter().map(|found| found.object(sets)).collect::<Vec<_>>()))?,
        Format::Text => {
            for found in &results {
                let saved = 100.0 * (1.0 - found.total as f64 / results[0].total.max(1) as f64);
                let (shapes, steps) = (found.classes.len(), found.packs());
                print(format_args!(
                    "{shapes} shapes: cost {}, {saved:.1} % less than 1; no {shapes} shapes cost less than {}; {:.1} \
                     graphs per step",
                    found.total,
                    found.bound,
                    histogram.graphs() as f64 / steps as f64
                ))?;
                for class in &found.classes {
                    let size = by_x(&class.limits.size);
                    print(format_args!("  {size}: {} graphs in {} packs", class.histogram.graphs(), class.packs))?;
                }
            }
            let most = results.last().map_or(0, |found| found.classes.len());
            if most < args.shapes as usize {
                print(format_args!("no more shapes, up to {}, were found that cost less than {most}", args.shapes))?;
            }
        }
    }
    Ok(())
}

/// What a search found.
struct Found {
    classes: Vec<SizeClass>,
    total: u128,
    bound: u128,
}

impl Found {
    fn packs(&self) -> u64 {
        self.classes.iter().map(|class| class.packs).sum()
    }

    fn object(&self, sets: &[String]) -> Value {
        let class = |class: &SizeClass| {
            let (limits, graphs) =
                (by_set(sets, class.limits.size.as_slice().iter().copied()), class.histogram.graphs());
            json!({ "limits": limits, "graphs": graphs, "sizes": class.histogram.entries().len(), "packs": class.packs })
        };
        // As floats where they exceed the integers of JSON.
        let number = |cost: u128| u64::try_from(cost).map_or_else(|_| json!(cost as f64), |cost| json!(cost));
        json!({
            "cost": number(self.total),
            "bound": number(self.bound),
            "packs": self.packs(),
            "shapes": self.classes.iter().map(class).collect::<Vec<_>>(),
        })
    }
}
