//! `graphpack device-needs`: what a program without an allocator needs in bytes.

use super::plan::{Rows, parse_limits};
use crate::arguments::{Format, HistogramFile};
use crate::output::{Outcome, print};
use graphpack_core::collate::next_start;
use graphpack_core::{Heuristic, Histogram, Limits, Packer, Size};
use graphpack_loader::memory::{ArrayInfo, ArrayKind, Builtin, Layout};
use graphpack_loader::{Collator, Dtype, Options};
use serde_json::json;

/// Say what a device needs in bytes to collate and pack the graphs of a data set in fixed memory: each array of a
/// batch, a plan to follow, and a histogram to make its own
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    histogram: HistogramFile,
    /// Most rows of each set in a pack, without padding: those of the largest graphs if not given
    #[arg(long, value_name = "N,E,...", value_parser = parse_limits)]
    limits: Option<Rows>,
    /// Batches have the edges into each node as a matrix of this many columns, too
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    neighbours: Option<u32>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let (counts, data) = args.histogram.read_data(None)?;
    let data = data.ok_or("--histogram: expected a data set, whose fields batches have")?;
    let data = match args.neighbours {
        Some(most) => data.neighbours(most)?,
        None => data,
    };
    let (sets, all, schema) = (counts.sets(), counts.histogram(), data.schema());
    let size = Rows::of_each(args.limits.as_ref(), sets, all)?;
    let limits: Limits = args.histogram.limits(all)(size);
    let fits = |(of, _): &(Size, u64)| of.as_slice().iter().zip(size.as_slice()).all(|(rows, most)| rows <= most);
    let histogram = &Histogram::from_counts(all.entries().iter().copied().filter(fits))?;
    let too_large = all.graphs() - histogram.graphs();
    let shape = schema.padded_shape(schema.usual_padding(), &limits, 1).ok_or("--limits: a batch has too many rows")?;
    let plan = Packer::BestFit(Heuristic::Product).pack(histogram, &limits)?;
    let collator = Collator::with_options(schema, shape, &Options::default().index(Dtype::I32))?;
    let arrays: Vec<_> = needed(collator.layout()).collect();
    let batch: usize = arrays.iter().map(|(_, bytes)| bytes).sum();
    let (k, entries, packs) = (sets.len(), plan.entries(), plan.distinct_packs());
    let sizes = histogram.entries().len();
    let room = sizes.next_power_of_two();
    // One more waits: the graph that completes a pack.
    let waiting = (plan.graphs() - plan.packs() + 1) as usize;
    // Of a Cortex-M: as the documentation of plans says. A histogram has buckets, aligned to 8, and a place of each.
    let needs = [
        ("batch", batch),
        ("plan", (4 * k + 4) * entries + 16 * packs),
        ("follow", 12 * entries + 8 * packs + 12 * waiting),
        ("histogram", ((4 * k + 10).next_multiple_of(8) + 4) * room),
    ];
    match args.format {
        Format::Text => {
            print(format_args!("batch of {shape} with padding, indices of int32: {batch} bytes"))?;
            for (array, bytes) in arrays {
                let shape: Vec<usize> = array.shape().collect();
                print(format_args!("  {}: {} {shape:?}, {bytes}", array.name, array.dtype))?;
            }
            if too_large > 0 {
                print(format_args!("{too_large} of {} graphs do not fit, and are in no plan", all.graphs()))?;
            }
            let of = |at: usize| needs[at].1;
            print(format_args!("plan of best-fit, {packs} distinct packs with {entries} sizes: {} bytes", of(1)))?;
            print(format_args!("to follow it, with ids of 32 bits: {} bytes more", of(2)))?;
            print(format_args!("to make a plan, a histogram of {sizes} sizes with room for {room}: {} bytes", of(3)))?;
        }
        Format::Json => {
            let array = |(of, bytes): &(&ArrayInfo, usize)| {
                let shape: Vec<usize> = of.shape().collect();
                json!({ "name": of.name, "dtype": of.dtype.to_string(), "shape": shape, "bytes": bytes })
            };
            let needs: serde_json::Map<_, _> = needs.iter().map(|&(name, of)| (name.to_owned(), of.into())).collect();
            let arrays: Vec<_> = arrays.iter().map(array).collect();
            print(json!({ "shape": shape.to_string(), "too_large": too_large, "bytes": needs, "arrays": arrays }))?;
        }
    }
    Ok(())
}

/// The arrays that a device needs, each with the bytes to its next one: those of the schema, where graphs begin, and
/// their numbers.
fn needed(layout: &Layout) -> impl Iterator<Item = (&ArrayInfo, usize)> {
    let is_needed =
        |array: &&ArrayInfo| !matches!(array.kind, ArrayKind::Builtin(Builtin::Batch(_) | Builtin::Mask(_)));
    let bytes = |array: &ArrayInfo| next_start(0, 1, array.range().len(), Dtype::U8).unwrap_or(usize::MAX);
    layout.arrays().iter().filter(is_needed).map(move |array| (array, bytes(array)))
}
