//! `graphpack device-needs`: what a program without an allocator needs in bytes.

use super::plan::{Rows, parse_limits};
use crate::arguments::{Format, HistogramFile};
use crate::output::{Outcome, by_set, by_x, print};
use graphpack_core::collate::{
    Builtin, Dtype, FixedField, FixedIndex, FixedLayout, FixedSchema, Neighbours, Padding, next_start,
};
use graphpack_core::{Heuristic, Histogram, Limits, Packer, Shape, Size};
use graphpack_loader::schema::{Field, Index};
use graphpack_loader::{Level, Schema};
use serde_json::json;

/// Say what a device needs in bytes to collate and pack the graphs of a data set in fixed memory: each array of a batch,
/// a plan to follow, and a histogram to make its own
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

/// Name, dtype, rows, elements per row and bytes of an array.
type Array = (String, Dtype, usize, usize, usize);

pub(crate) fn run(args: &Args) -> Outcome {
    let (counts, data) = args.histogram.read_data(None)?;
    let data = data.ok_or("--histogram: expected a data set, whose fields batches have")?;
    let (sets, all, schema) = (counts.sets(), counts.histogram(), data.schema());
    let size = Rows::of_each(args.limits.as_ref(), sets, all)?;
    let limits: Limits = args.histogram.limits(all)(size);
    let fits = |(of, _): &(Size, u64)| of.as_slice().iter().zip(size.as_slice()).all(|(rows, most)| rows <= most);
    let histogram = &Histogram::from_counts(all.entries().iter().copied().filter(fits))?;
    let too_large = all.graphs() - histogram.graphs();
    let least = schema.least_padding(Padding::default());
    let size = Size::of(sets.len(), |set| size[set].saturating_add(least.size[set]));
    let shape = Shape { size, graphs: limits.graphs.saturating_add(least.graphs) };
    let plan = Packer::BestFit(Heuristic::Product).pack(histogram, &limits)?;
    let (arrays, batch) = arrays(schema, shape, args.neighbours)?;
    let (k, entries, packs) = (sets.len(), plan.entries(), plan.distinct_packs());
    let sizes = histogram.entries().len();
    let room = sizes.next_power_of_two();
    // Of a Cortex-M: as the documentation of plans says. A histogram has buckets, aligned to 8, and a place of each.
    let needs = [
        ("batch", batch),
        ("plan", (4 * k + 4) * entries + 16 * packs),
        ("follow", 4 * entries + 8 * packs),
        ("histogram", ((4 * k + 10).next_multiple_of(8) + 4) * room),
    ];
    match args.format {
        Format::Text => {
            print(format_args!(
                "batch of {} and {} graphs with padding, indices of int32: {batch} bytes",
                by_x(&size),
                shape.graphs
            ))?;
            for (name, dtype, rows, width, bytes) in arrays {
                print(format_args!("  {name}: {dtype} [{rows}, {width}], {bytes}"))?;
            }
            print(format_args!("{too_large} of {} graphs do not fit, and are in no plan", all.graphs()))?;
            let of = |at: usize| needs[at].1;
            print(format_args!("plan of best-fit, {packs} distinct packs with {entries} sizes: {} bytes", of(1)))?;
            print(format_args!("to follow a plan: {} bytes beside it", of(2)))?;
            print(format_args!("to make a plan, a histogram of {sizes} sizes with room for {room}: {} bytes", of(3)))?;
        }
        Format::Json => {
            let array = |(name, dtype, rows, width, bytes): &Array| json!({ "name": name, "dtype": dtype.to_string(), "shape": [rows, width], "bytes": bytes });
            let needs: serde_json::Map<_, _> = needs.iter().map(|&(name, of)| (name.to_owned(), of.into())).collect();
            let arrays: Vec<_> = arrays.iter().map(array).collect();
            print(
                json!({ "graphs": shape.graphs, "rows": by_set(sets, size.as_slice().iter().copied()), "too_large": too_large, "bytes": needs, "arrays": arrays }),
            )?;
        }
    }
    Ok(())
}

/// The arrays of a batch, each with the bytes to its next one, and all of its bytes.
fn arrays(schema: &Schema, shape: Shape, neighbours: Option<u32>) -> Result<(Vec<Array>, usize), String> {
    const INDEX: Dtype = Dtype::I32;
    // A layout is made for constants; what is leaked lives as long as the command.
    let name = |name: &str| -> &'static str { name.to_owned().leak() };
    let sets: Vec<_> = schema.sets().iter().map(|set| name(set)).collect();
    let field = |of: &Field| FixedField::new(name(&of.name), of.level, of.dtype, of.width).padded(of.padding);
    let fields: Vec<_> = schema.fields().iter().map(field).collect();
    let index = |of: &Index| FixedIndex::new(name(&of.name), of.level, of.targets.to_vec().leak());
    let indices: Vec<_> = schema.indices().iter().map(index).collect();
    let mut builtins = vec![Builtin::Ptr(0), Builtin::GraphIds];
    if let Some(most) = neighbours {
        let expected = "--neighbours: expected an index into two columns of the first set, found none";
        let position = schema.indices().iter().position(|of| of.targets[..] == [0, 0]).ok_or(expected)?;
        builtins.extend(Builtin::neighbours(Neighbours { index: position as u8, set: 0, most }));
    }
    let rows = |level| match level {
        Level::Set(set) => shape.size[usize::from(set)] as usize,
        Level::Graph => shape.graphs as usize,
    };
    let of_fields = fields.iter().map(|of| (of.name.to_owned(), of.dtype, rows(of.level), of.width));
    let of_indices = indices.iter().map(|of| (of.name.to_owned(), INDEX, of.targets.len(), rows(of.level)));
    let of_builtins = builtins.iter().map(|of| {
        let (level, more) = of.length();
        let [start, end] = of.name(|set| sets[usize::from(set)]);
        (format!("{start}{end}"), of.dtype(INDEX), rows(level) + more, of.width().unwrap_or(1))
    });
    let array = |(name, dtype, rows, width)| {
        let bytes = next_start(0, rows, width, dtype).unwrap_or(usize::MAX);
        (name, dtype, rows, width, bytes)
    };
    let arrays = of_fields.chain(of_indices).chain(of_builtins).map(array).collect();
    let schema =
        FixedSchema { sets: sets.leak(), fields: fields.leak(), indices: indices.leak(), builtins: builtins.leak() };
    let layout = FixedLayout::try_new(schema, Padding::default(), shape, INDEX);
    Ok((arrays, layout.map_err(|error| error.to_string())?.bytes()))
}
