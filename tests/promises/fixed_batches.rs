//! Core's batches in memory that the caller gives and those of a collator are the loader's to the last byte, and those
//! of the naive collation.

use graphpack_core::collate::{
    Builtin, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedSchema, Level, MAX_ARRAYS, f16,
};
use graphpack_core::{Shape, Size};
use graphpack_loader::memory::{ArrayKind, Layout};
use graphpack_loader::{
    Batch, BatchGraph, BoxError, Capacity, Collator, Data, ErrorKind, Grouping, Limits, Loader, NeighbourMatrix,
    Options, Order, Padding, Schema, Slot, molecules,
};
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
        let mut chosen = options.clone().extra(names.filter(|_| extra));
        let mut loader = Loader::new(data.clone(), chosen.clone()).unwrap();
        if loader.layout().unwrap().arrays().len() > MAX_ARRAYS {
            loader = Loader::new(data.clone(), options.clone()).unwrap();
            chosen = options;
        }
        prop_assume!(loader.layout().unwrap().arrays().len() <= MAX_ARRAYS);
        let described = described(schema, loader.layout().unwrap());
        let size = Size::of(largest.sets(), |set| shape.sets()[set] as u32);
        let layout = Shape { size, graphs: shape.graphs() as u32 };
        let layout = FixedLayout::try_new(described, padding, layout, index).unwrap();
        let mut collator = Collator::with_options(schema, shape, &chosen).unwrap();
        let mut words = vec![u64::from_ne_bytes([byte; 8]); layout.bytes() / 8];
        let mut fixed = FixedBatch::new(&layout, bytemuck::cast_slice_mut(&mut words)).unwrap();
        for batch in batches(loader.epoch(0)) {
            if of.is_empty() {
                assert_naive_in(Shaped::Given(1), &batch, &store, padding);
            }
            batch.graphs().for_each(|graph| push(&graph, schema, &mut collator));
            let pushed = collator.finish().unwrap();
            prop_assert_eq!(pushed.bytes(), batch.bytes());
            drop(pushed);
            for &place in batch.places() {
                collator.push_graph(&data, place as usize).unwrap();
            }
            let again = collator.finish().unwrap();
            prop_assert_eq!(again.bytes(), batch.bytes());
            prop_assert_eq!((again.real(), again.graph_ids()), (batch.real(), batch.graph_ids()));
            fixed.restart();
            batch.graphs().for_each(|graph| write(&graph, schema, &mut fixed));
            let padded = fixed.pad();
            prop_assert_eq!(padded.bytes(), &batch.bytes()[..batch.layout().bytes()]);
            prop_assert_eq!(padded.ids(), Some(batch.graph_ids()));
            for (position, index) in schema.indices().iter().enumerate() {
                let degree = layout.padding_degree(position, &padded.real());
                prop_assert_eq!(degree, most_equal(&batch, &index.name, batch.real().rows(index.level), narrow));
            }
            let mut first = [0; 8];
            for (place, graph) in batch.graphs().enumerate() {
                for (set, first) in (0..).zip(&mut first).take(largest.sets()) {
                    let rows = *first..*first + graph.size()[usize::from(set)] as usize;
                    *first = rows.end;
                    prop_assert_eq!(&rows, &graph.range(Level::Set(set)));
                    let has_ptr = described.builtins.contains(&Builtin::Ptr(set));
                    prop_assert_eq!(padded.rows(place, set), has_ptr.then_some(rows));
                }
            }
        }
    }
}

/// The most entries in a column of an index that are equal, from the first padding entry on.
fn most_equal(batch: &Batch, index: &str, real: usize, narrow: bool) -> usize {
    let columns: Vec<Vec<i64>> = match narrow {
        true => {
            batch.index::<i32>(index).unwrap().iter().map(|of| of.iter().map(|&row| row.into()).collect()).collect()
        }
        false => batch.index::<i64>(index).unwrap().iter().map(|column| column.to_vec()).collect(),
    };
    let most = |column: &Vec<i64>| {
        let padding = &column[real..];
        padding.iter().map(|row| padding.iter().filter(|other| *other == row).count()).max().unwrap_or(0)
    };
    columns.iter().map(most).max().unwrap_or(0)
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

/// Writes a graph by the names of its fields and indices.
fn push(graph: &BatchGraph<'_>, schema: &Schema, collator: &mut Collator) {
    let write = |slot: &mut Slot<'_>| -> Result<(), BoxError> {
        for field in schema.fields() {
            let name = &field.name;
            match field.dtype {
                Dtype::F16 => slot.set(name, graph.rows::<f16>(name)?)?,
                Dtype::F32 => slot.set(name, graph.rows::<f32>(name)?)?,
                Dtype::F64 => slot.set(name, graph.rows::<f64>(name)?)?,
                Dtype::I64 => slot.set(name, graph.rows::<i64>(name)?)?,
                Dtype::I32 => slot.set(name, graph.rows::<i32>(name)?)?,
                Dtype::U8 => slot.set(name, graph.rows::<u8>(name)?)?,
                Dtype::Bool => slot.set(name, graph.rows::<bool>(name)?)?,
            }
        }
        for index in schema.indices() {
            let columns = graph.index(&index.name)?;
            slot.set_index(&index.name, &columns.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        }
        Ok(())
    };
    collator.push(graph.size(), graph.number(), write).unwrap();
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

/// A path of some nodes, whose `x` has a value for each.
fn path(collator: &mut Collator, id: i64, nodes: u32, x: &[f32]) -> Result<(), graphpack_loader::Error> {
    let (sources, targets): (Vec<u32>, Vec<u32>) = (1..nodes).map(|node| (node - 1, node)).unzip();
    collator.push(Size::new([nodes, nodes - 1]), id, |slot| {
        slot.set("x", x)?;
        Ok(slot.set_index("edge_index", &[&sources, &targets])?)
    })
}

#[test]
fn a_graph_that_a_collator_refuses_leaves_the_batch_as_it_was() {
    let schema = Schema::of(&["nodes", "edges"]).field("x", "nodes", Dtype::F32, &[]).index(
        "edge_index",
        "edges",
        &["nodes", "nodes"],
    );
    let shape = graphpack_loader::Shape::new([9, 6], 3);
    let [mut served, mut expected] = [(); 2].map(|()| Collator::new(&schema, shape).unwrap());
    for batch in 0..3_i64 {
        let refused = |outcome: Result<(), graphpack_loader::Error>| {
            let error = outcome.unwrap_err();
            assert_eq!(error.graph(), Some(99));
            (error.kind(), error.to_string())
        };
        path(&mut served, batch, 3, &[0.5; 3]).unwrap();
        assert!(served.fits(&Size::new([5, 4])) && !served.fits(&Size::new([6, 4])) && !served.fits(&Size::new([1])));
        let source = |why: &str| (ErrorKind::Load, format!("step {batch}: graph 99 cannot be loaded: {why}"));
        let full = |why: &str| (ErrorKind::TooLarge, format!("graph 99: the batch has room for {why}"));
        assert_eq!(refused(path(&mut served, 99, 6, &[0.5; 6])), full("5 more nodes beside padding, found 6"));
        assert_eq!(
            refused(served.push(Size::new([0, 5]), 99, |_| panic!("it has no room"))),
            full("4 more edges beside padding, found 5")
        );
        assert_eq!(
            refused(path(&mut served, 99, 5, &[0.5; 4])),
            source("field \"x\" has 5 x 1 values for this graph, found 4")
        );
        assert_eq!(
            refused(served.push(Size::new([5, 4]), 99, |slot| Ok(slot.set("x", &[0.5_f32; 5])?))),
            source("field \"edge_index\" of the graph was not written")
        );
        path(&mut served, batch + 50, 5, &[2.0; 5]).unwrap();
        assert_eq!(
            refused(served.push(Size::new([0, 0]), 99, |_| Ok(()))),
            full("0 more graphs beside padding, found 1")
        );
        let served = served.finish().unwrap();
        path(&mut expected, batch, 3, &[0.5; 3]).unwrap();
        path(&mut expected, batch + 50, 5, &[2.0; 5]).unwrap();
        assert_eq!(served.bytes(), expected.finish().unwrap().bytes());
        assert_eq!((served.graph_ids(), served.step()), (&[batch, batch + 50][..], batch as u64));
    }
}

#[test]
fn what_a_collator_cannot_be_made_of_is_named() {
    let schema = Schema::of(&["nodes", "edges"]).index("edge_index", "edges", &["nodes", "nodes"]);
    let error = |rows: &[usize], graphs, options: Options| {
        let shape = graphpack_loader::Shape::of(rows.len(), graphs, |set| rows[set]);
        Collator::with_options(&schema, shape, &options).err().map(|error| error.to_string())
    };
    let two_nodes = || Options::default().padding(Padding::TwoNodes);
    assert_eq!(error(&[2, 0], 2, two_nodes()), None);
    assert_eq!(
        [
            error(&[1, 9], 2, two_nodes()),
            error(&[8, 9], 1, two_nodes()),
            error(&[8], 3, Options::default()),
            error(&[8, 9], 3, Options::default().index(Dtype::F32)),
            error(&[8, 9], 3, Options::default().extra(["nowhere"])),
        ]
        .map(Option::unwrap_or_default),
        [
            "expected a shape of at least 2 nodes, 0 edges, 2 graphs, for a graph beside padding, found 1 nodes, 9 edges, \
             2 graphs",
            "expected a shape of at least 2 nodes, 0 edges, 2 graphs, for a graph beside padding, found 8 nodes, 9 edges, \
             1 graphs",
            "expected a shape with the rows of [\"nodes\", \"edges\"], each at most 4294967295, found (8) and 3 graphs",
            "expected indices of int64 or int32, found float32",
            "there is no \"nowhere\" to carry in batches; there are batch, ptr, edge_batch, edge_ptr, graph_ids, node_mask, \
             edge_mask, graph_mask, pool, edge_pool",
        ]
    );
    let mut collator = Collator::new(&schema, graphpack_loader::Shape::new([8, 9], 3)).unwrap();
    let other = Data::from(molecules::generate(1, 3));
    assert_eq!(
        collator.push_graph(&other, 0).unwrap_err().to_string(),
        "graph 0: expected the sets, fields and indices of the collator, found data with others"
    );
    assert_eq!(collator.push_graph(&other, 3).unwrap_err().to_string(), "graph 3: there are 3 graphs");
}
