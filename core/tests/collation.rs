//! Batches in fixed memory: what is refused, and that it leaves the batch as it was; rows as they come over a line.
//! That they are the loader's bytes is in tests/promises/fixed_batches.rs of the workspace.

use graphpack_core::collate::{
    Builtin, CollateError, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedMemory, FixedSchema, Level,
    Padding, PaddingValue, SortedBy, f16,
};
use graphpack_core::{Shape, Size};

const SCHEMA: FixedSchema = FixedSchema {
    sets: &["nodes", "edges"],
    fields: &[
        FixedField::new("pos", Level::NODE, Dtype::F16, 2).padded(PaddingValue::Positions),
        FixedField::new("edge_attr", Level::EDGE, Dtype::U8, 1),
        FixedField::new("y", Level::Graph, Dtype::I64, 1).padded(PaddingValue::Number(-100.0)),
    ],
    indices: &[FixedIndex::new("edge_index", Level::EDGE, &[0, 0])],
    builtins: &[Builtin::Batch(0), Builtin::Ptr(0), Builtin::Ptr(1), Builtin::GraphIds, Builtin::Mask(Level::Graph)],
};
const SHAPE: Shape = Shape { size: Size::new([8, 6]), graphs: 3 };
const LAYOUT: FixedLayout = FixedLayout::new(SCHEMA, Padding::TwoNodes, SHAPE, Dtype::I32);
const POS: [f16; 6] = [f16::from_f32_const(0.5); 6];

/// A graph of three nodes and two edges.
fn write(batch: &mut FixedBatch<'_>, id: i64) -> Result<(), CollateError> {
    let mut graph = batch.open(Size::new([3, 2]), id)?;
    graph.field(0, &POS)?;
    graph.field(1, &[7_u8, 8])?;
    graph.field(2, &[id * 10])?;
    graph.index(0, &[&[0_u16, 2], &[2, 1]])?;
    graph.finish()
}

#[test]
fn arrays_hold_graphs_and_padding() {
    let mut memory = FixedMemory::<{ LAYOUT.bytes() }>([255; LAYOUT.bytes()]);
    let mut batch = FixedBatch::new(&LAYOUT, &mut memory.0).unwrap();
    [5, 3].into_iter().for_each(|id| write(&mut batch, id).unwrap());
    let padded = batch.pad();
    assert_eq!(padded.real(), Shape { size: Size::new([6, 4]), graphs: 2 });
    let x: Vec<f32> = padded.get::<f16>("pos").unwrap()[12..].iter().map(|pos| pos.to_f32()).collect();
    assert_eq!(x, [0.0, 0.0, 100.0, 0.0]);
    assert_eq!(padded.get::<u8>("edge_attr"), Some(&[7, 8, 7, 8, 0, 0][..]));
    assert_eq!(padded.get::<i64>("y"), Some(&[50, 30, -100][..]));
    assert_eq!(padded.get::<i32>("edge_index"), Some(&[0, 2, 3, 5, 6, 7, 2, 1, 5, 4, 7, 6][..]));
    assert_eq!(padded.get::<i32>("batch"), Some(&[0, 0, 0, 1, 1, 1, 2, 2][..]));
    assert_eq!(padded.get::<i32>("ptr"), Some(&[0, 3, 6, 8][..]));
    assert_eq!(padded.get::<i32>("edge_ptr"), Some(&[0, 2, 4, 6][..]));
    assert_eq!(padded.get::<bool>("graph_mask"), Some(&[true, true, false][..]));
    assert_eq!(padded.get::<i64>("graph_ids"), Some(&[5, 3, -1][..]));
    assert_eq!((padded.ids(), padded.rows(1, 1), padded.rows(2, 0)), (Some(&[5, 3][..]), Some(2..4), None));
    assert!(padded.get::<f32>("pos").is_none() && padded.get::<i32>("edge_batch").is_none());
}

#[test]
fn rows_may_come_one_by_one_and_in_any_order_of_the_fields() {
    let [mut whole, mut single] = [0, 255].map(|byte| FixedMemory::<{ LAYOUT.bytes() }>([byte; LAYOUT.bytes()]));
    let mut batch = FixedBatch::new(&LAYOUT, &mut whole.0).unwrap();
    write(&mut batch, 1).unwrap();
    let whole = batch.pad().bytes();
    let mut batch = FixedBatch::new(&LAYOUT, &mut single.0).unwrap();
    let mut graph = batch.open(Size::new([3, 2]), 1).unwrap();
    graph.index(0, &[&[0_u8], &[2]]).unwrap();
    graph.field(2, &[10_i64]).unwrap();
    POS.chunks(2).for_each(|row| graph.field(0, row).unwrap());
    graph.index(0, &[&[2_i64], &[1]]).unwrap();
    [7_u8, 8].into_iter().for_each(|value| graph.field(1, &[value]).unwrap());
    graph.finish().unwrap();
    assert_eq!(batch.pad().bytes(), whole);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut memory = FixedMemory::<{ LAYOUT.bytes() }>::new();
    let mut batch = FixedBatch::new(&LAYOUT, &mut memory.0).unwrap();
    write(&mut batch, 1).unwrap();
    let before = batch.pad().bytes().to_vec();
    let refused = |batch: &mut FixedBatch<'_>, size: Size| batch.open(size, 2).err().unwrap().to_string();
    assert_eq!(refused(&mut batch, Size::new([4, 0])), "the batch has room for 3 more nodes beside padding, found 4");
    assert_eq!(refused(&mut batch, Size::new([0, 5])), "the batch has room for 4 more edges beside padding, found 5");
    assert_eq!(refused(&mut batch, Size::new([1])), "the schema has 2 sets, found 1");
    let negative = batch.open(Size::new([3, 2]), -1).err().unwrap().to_string();
    assert_eq!(negative, "expected a graph id of at least 0, found -1");

    let mut graph = batch.open(Size::new([3, 2]), 2).unwrap();
    let errors = [
        graph.field(0, &[POS[0]; 7]),
        graph.field(0, &[0.5_f32; 6]),
        graph.field(3, &[0.5_f32; 6]),
        graph.index(1, &[&[0_u8, 2], &[2, 1]]),
        graph.index(0, &[&[0_u8, 2]]),
        graph.index(0, &[&[0_u8, 2], &[2]]),
        graph.index(0, &[&[0_u8, 2, 1], &[2, 1, 1]]),
        graph.index(0, &[&[0_u8, 2], &[2, 3]]),
        graph.index(0, &[&[0_i32, 2], &[2, -1]]),
        graph.index(0, &[&[0_u32, u32::MAX], &[2, 1]]),
    ];
    assert_eq!(
        errors.map(|error| error.unwrap_err().to_string()),
        [
            "pos has 6 values for this graph, found 7",
            "field \"pos\" has dtype float16, found float32",
            "expected a position below 3, found 3",
            "expected a position below 1, found 1",
            "edge_index has 2 columns, found 1",
            "edge_index has 2 entries in a column, found 1",
            "edge_index has 2 values for this graph, found 3",
            "entry 1 in column 1 of \"edge_index\" is 3, but the graph has 3 nodes",
            "entry 1 in column 1 of \"edge_index\" is -1, but the graph has 3 nodes",
            "entry 1 in column 0 of \"edge_index\" is 4294967295, but the graph has 3 nodes",
        ]
    );
    graph.field(1, &[1_u8, 2]).unwrap();
    graph.field(0, &POS[..4]).unwrap();
    // Neither an unfinished graph nor one that is dropped is in the batch.
    assert_eq!(graph.finish().unwrap_err().to_string(), "pos has 6 values for this graph, found 4");
    batch.open(Size::new([3, 2]), 2).unwrap();
    assert_eq!(batch.pad().bytes(), before);

    write(&mut batch, 2).unwrap();
    assert_eq!(refused(&mut batch, Size::new([0, 0])), "the batch has room for 0 more graphs beside padding, found 1");
    batch.restart();
    write(&mut batch, 1).unwrap();
    assert_eq!(batch.pad().bytes(), before);
}

#[test]
fn memory_must_be_large_enough_and_aligned() {
    let mut memory = FixedMemory::<{ LAYOUT.bytes() + 1 }>([1; LAYOUT.bytes() + 1]);
    assert!(FixedBatch::new(&LAYOUT, &mut memory.0).is_ok());
    let small = FixedBatch::new(&LAYOUT, &mut memory.0[..LAYOUT.bytes() - 1]).err().unwrap().to_string();
    assert!(small.starts_with("expected 576 bytes of memory, aligned to 8, found 575 at address "), "{small}");
    assert!(FixedBatch::new(&LAYOUT, &mut memory.0[1..]).is_err());
}

#[test]
fn mistakes_in_a_description_are_named() {
    let problem = |schema: FixedSchema, rows: [u32; 2], graphs: u32, index: Dtype| {
        let shape = Shape { size: Size::new(rows), graphs };
        FixedLayout::try_new(schema, Padding::TwoNodes, shape, index).err().map(|error| error.to_string())
    };
    let schema = |change: &dyn Fn(&mut FixedSchema)| {
        let mut schema = SCHEMA;
        change(&mut schema);
        problem(schema, [8, 6], 3, Dtype::I32).unwrap_or_default()
    };
    assert_eq!(problem(SCHEMA, [2, 0], 2, Dtype::I64), None);
    let found = [
        problem(SCHEMA, [1, 6], 3, Dtype::I32).unwrap(),
        problem(SCHEMA, [8, 6], 1, Dtype::I32).unwrap(),
        problem(SCHEMA, [8, 6], 3, Dtype::F32).unwrap(),
        problem(SCHEMA, [8, u32::MAX], 3, Dtype::I32).unwrap(),
        problem(SCHEMA, [8, 6], u32::MAX, Dtype::I32).unwrap(),
        schema(&|schema| schema.sets = &["nodes"]),
        schema(&|schema| schema.sets = &["nodes", "edges", "triplets"]),
        schema(&|schema| schema.fields = &const { [FixedField::new("x", Level::Set(2), Dtype::F32, 1)] }),
        schema(&|schema| schema.fields = &const { [SCHEMA.fields[1].padded(PaddingValue::Number(0.5))] }),
        schema(&|schema| {
            let field = |number: usize| FixedField { name: number.to_string().leak(), ..SCHEMA.fields[1] };
            schema.fields = (0..27).map(field).collect::<Vec<_>>().leak();
        }),
        schema(&|schema| schema.fields = &const { [SCHEMA.fields[1]; 2] }),
        schema(&|schema| schema.indices = &const { [FixedIndex::new("pos", Level::EDGE, &[0])] }),
        schema(&|schema| schema.sets = &["nodes", "nodes"]),
        schema(&|schema| schema.indices = &const { [FixedIndex::new("edge_index", Level::EDGE, &[0, 2])] }),
        schema(&|schema| schema.indices = &const { [FixedIndex::new("edge_index", Level::EDGE, &[])] }),
        schema(&|schema| schema.builtins = &[Builtin::Ptr(0), Builtin::Batch(0)]),
        schema(&|schema| schema.builtins = &[Builtin::Mask(Level::Set(2))]),
        schema(&|schema| {
            schema.builtins = &[Builtin::IndexPtr(SortedBy { index: 0, column: 1, edges: 1, set: 0 })];
        }),
    ];
    assert_eq!(
        found.each_ref().map(String::as_str),
        [
            "the shape has fewer rows of a set than its padding",
            "expected a shape of at least 2 graphs: one is padding",
            "expected indices of type int32 or int64",
            "int32 cannot number the rows of the shape",
            "int32 cannot number the graphs of the shape",
            "a field is of a set that the schema does not have",
            "the shape has another number of sets than the schema",
            "a field is of a set that the schema does not have",
            "the padding value of a field is none of its dtype, level and width",
            "expected at most 32 fields, indices and built-in arrays",
            "expected different names of sets, and of fields and indices",
            "expected different names of sets, and of fields and indices",
            "expected different names of sets, and of fields and indices",
            "an index is of or into a set that the schema does not have",
            "expected indices of 1 to 8 columns",
            "expected built-in arrays in the order of Builtin::all, each once",
            "a built-in array is of a set that the schema does not have",
            "expected no IndexPtr: batches in fixed memory keep the order of rows",
        ]
    );
}
