//! Core's batches in memory that the caller gives are the loader's to the last byte, and those of the naive collation.

use graphpack_core::collate::{
    Builtin, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedSchema, Level, MAX_ARRAYS, f16,
};
use graphpack_core::{Shape, Size};
use graphpack_loader::memory::{ArrayKind, Layout};
use graphpack_loader::{BatchGraph, Capacity, Data, Grouping, Limits, Loader, NeighbourMatrix, Options, Order, Schema};
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use test_common::{PADDINGS, Shaped, assert_naive_in, batches, data_sets};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn bytes_in_fixed_memory_are_those_of_the_loader(
        drawn in data_sets(), padding in select(&PADDINGS[..]), graphs in 1..6_u32, spare in 0..40_u32,
        narrow in any::<bool>(), extra in any::<bool>(), neighbours in any::<bool>(), seed in any::<u64>(), byte in any::<u8>(),
    ) {
        let store = Arc::new(drawn.store());
        let mut data = Data::from(store.clone());
        let mut of = Vec::new();
        for index in store.schema().indices().iter().filter(|index| neighbours && index.width() == 2) {
            if index.level == Level::Graph || of.contains(&index.level) {
                continue;
            }
            of.push(index.level);
            let fields = store.schema().fields().iter().filter(|field| field.level == index.level);
            let matrix = NeighbourMatrix::of(&index.name).fields(fields.map(|field| &field.name));
            data = data.neighbours(matrix).unwrap();
        }
        let (schema, sizes) = (data.schema(), data.sizes().unwrap());
        let largest = sizes.fold(Size::of(schema.sets().len(), |_| 0), |most, size| most.max_each(&size));
        // Room for at least one graph, and sometimes for more rows than fill it.
        let limits = Limits { size: Size::of(largest.sets(), |set| (largest[set] * graphs.min(3) + spare).max(1)), graphs };
        let shape = schema.padded_shape(padding, &limits, 1).unwrap();
        let index = if narrow { Dtype::I32 } else { Dtype::I64 };
        let options = Options::default().capacity(Capacity::shape(shape)).padding(padding).index(index);
        let options = options.grouping(Grouping::InOrder).order(Order::Shuffled).seed(seed);
        let names = Builtin::all(schema.sets().len()).map(|builtin| schema.array_name(builtin));
        let mut loader = Loader::new(data.clone(), options.clone().extra(names.filter(|_| extra))).unwrap();
        if loader.layout().unwrap().arrays().len() > MAX_ARRAYS {
            loader = Loader::new(data.clone(), options).unwrap();
        }
        prop_assume!(loader.layout().unwrap().arrays().len() <= MAX_ARRAYS);
        let described = described(schema, loader.layout().unwrap());
        let size = Size::of(largest.sets(), |set| shape.sets()[set] as u32);
        let layout = Shape { size, graphs: shape.graphs() as u32 };
        let layout = FixedLayout::try_new(described, padding, layout, index).unwrap();
        let mut words = vec![u64::from_ne_bytes([byte; 8]); layout.bytes() / 8];
        let mut fixed = FixedBatch::new(&layout, bytemuck::cast_slice_mut(&mut words)).unwrap();
        for batch in batches(loader.epoch(0)) {
            if of.is_empty() {
                assert_naive_in(Shaped::Given(1), &batch, &store, padding);
            }
            fixed.restart();
            batch.graphs().for_each(|graph| write(&graph, schema, &mut fixed));
            let padded = fixed.pad();
            prop_assert_eq!(padded.bytes(), &batch.bytes()[..batch.layout().bytes()]);
            prop_assert_eq!(padded.ids(), Some(batch.graph_ids()));
            let mut first = [0; 8];
            for (place, graph) in batch.graphs().enumerate() {
                for (set, first) in (0..).zip(&mut first).take(largest.sets()) {
                    let rows = *first..*first + graph.size()[usize::from(set)] as usize;
                    *first = rows.end;
                    let has_ptr = described.builtins.contains(&Builtin::Ptr(set));
                    prop_assert_eq!(padded.rows(place, set), has_ptr.then_some(rows));
                }
            }
        }
    }
}

/// The schema as a constant, with the built-in arrays of a layout.
fn described(schema: &Schema, layout: &Layout) -> FixedSchema {
    let name = |name: &String| -> &'static str { name.clone().leak() };
    let fields = schema.fields().iter();
    let fields = fields.map(|of| FixedField {
        name: name(&of.name),
        level: of.level,
        dtype: of.dtype,
        width: of.width,
        padding: of.padding,
    });
    let indices = schema.indices().iter();
    let indices = indices.map(|of| FixedIndex::new(name(&of.name), of.level, of.targets.clone().leak()));
    let builtins = layout.arrays().iter().filter_map(|array| match array.kind {
        ArrayKind::Builtin(builtin) => Some(builtin),
        _ => None,
    });
    FixedSchema {
        sets: schema.sets().iter().map(name).collect::<Vec<_>>().leak(),
        fields: fields.collect::<Vec<_>>().leak(),
        indices: indices.collect::<Vec<_>>().leak(),
        builtins: builtins.collect::<Vec<_>>().leak(),
    }
}

/// Writes a graph: fields in one go, indices entry by entry.
fn write(graph: &BatchGraph<'_>, schema: &Schema, batch: &mut FixedBatch<'_>) {
    let mut slot = batch.open(graph.size(), graph.number()).unwrap();
    for (position, field) in schema.fields().iter().enumerate() {
        let name = &field.name;
        let written = match field.dtype {
            Dtype::F16 => slot.field(position, graph.rows::<f16>(name).unwrap()),
            Dtype::F32 => slot.field(position, graph.rows::<f32>(name).unwrap()),
            Dtype::F64 => slot.field(position, graph.rows::<f64>(name).unwrap()),
            Dtype::I64 => slot.field(position, graph.rows::<i64>(name).unwrap()),
            Dtype::I32 => slot.field(position, graph.rows::<i32>(name).unwrap()),
            Dtype::U8 => slot.field(position, graph.rows::<u8>(name).unwrap()),
            Dtype::Bool => slot.field(position, graph.rows::<bool>(name).unwrap()),
        };
        written.unwrap();
    }
    for (position, index) in schema.indices().iter().enumerate() {
        let columns = graph.index(&index.name).unwrap();
        for entry in 0..columns[0].len() {
            let entry: Vec<&[i64]> = columns.iter().map(|column| &column[entry..=entry]).collect();
            slot.index(position, &entry).unwrap();
        }
    }
    slot.finish().unwrap();
}
