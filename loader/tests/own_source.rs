//! What a source outside the crate needs to be as fast as a store: rows written in place, edges of any width.

use graphpack_loader::{
    Batch, BoxError, Dtype, Error, Limits, Loader, Options, Oversize, RowNumber, Schema, Size, Slot, Source, Worker,
};

/// Ten paths of 3 nodes and 2 edges with a field `known`, whose byte for node n of graph g is `byte(g, n)`.
struct Paths {
    schema: Schema,
    write_edges: WriteEdges,
    byte: fn(usize, usize) -> u8,
}

impl Paths {
    fn new(write_edges: WriteEdges, byte: fn(usize, usize) -> u8) -> Self {
        let schema = Schema::default().field("known", "nodes", Dtype::Bool, &[1]);
        Self { schema, write_edges, byte }
    }

    fn batch(self) -> Result<Batch, Error> {
        Loader::new(self, Options::graphs(10)).unwrap().epoch(0).next().unwrap()
    }
}

type WriteEdges = fn(&mut Slot<'_>) -> Result<(), Error>;

fn edges<T: RowNumber + From<u8>>(slot: &mut Slot<'_>) -> Result<(), Error> {
    let [sources, targets] = [[0_u8, 1], [1, 2]].map(|column| column.map(T::from));
    slot.set_index("edge_index", &[&sources, &targets])
}

impl Source for Paths {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        10
    }

    fn size(&self, _graph: usize) -> Result<Size, BoxError> {
        Ok(Size::new([3, 2]))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        slot.bytes("known")?.iter_mut().enumerate().for_each(|(node, byte)| *byte = (self.byte)(graph, node));
        Ok((self.write_edges)(slot)?)
    }
}

#[test]
fn edges_of_any_width_and_rows_in_place_make_the_same_batch() {
    let types: [WriteEdges; 6] = [edges::<u8>, edges::<u16>, edges::<u32>, edges::<i32>, edges::<i64>, edges::<usize>];
    for (number, write_edges) in types.into_iter().enumerate() {
        let batch = Paths::new(write_edges, |graph, node| ((graph + node) % 2) as u8).batch().unwrap();
        let (sources, targets) = batch.edge_index::<i64>().unwrap();
        let (ids, known) = (batch.graph_ids(), batch.get::<bool>("known").unwrap());
        for (place, &id) in ids.iter().enumerate() {
            let node = 3 * place as i64;
            assert_eq!(sources[2 * place..2 * place + 2], [node, node + 1]);
            assert_eq!(targets[2 * place..2 * place + 2], [node + 1, node + 2]);
            let expected = [0, 1, 2].map(|node| (id + node) % 2 == 1);
            assert_eq!(known[3 * place..3 * place + 3], expected, "type {number}");
        }
    }
}

/// What else would be lost, or not be what was meant.
#[test]
fn columns_of_other_lengths_and_rows_that_are_written_twice_are_errors() {
    let short: WriteEdges = |slot| slot.set_index("edge_index", &[&[0_u8, 1], &[1]]);
    let three: WriteEdges = |slot| slot.set_index("edge_index", &[[0_u8, 1]; 3].each_ref().map(|column| &column[..]));
    let index: WriteEdges = |slot| edges::<u8>(slot).and_then(|()| edges::<i64>(slot));
    let field: WriteEdges = |slot| {
        edges::<u8>(slot)?;
        slot.set("known", &[true; 3])?;
        slot.set("known", &[false; 3])
    };
    let again: WriteEdges = |slot| {
        assert!(slot.set_index("edge_index", &[&[9_u8, 9], &[9, 9]]).is_err());
        edges::<u8>(slot)
    };
    for (write, expected) in [
        (short, "the columns of index \"edge_index\" have 2 entries each for this graph, found columns of [2, 1]"),
        (three, "index \"edge_index\" has 2 columns, found 3"),
        (index, "\"edge_index\" of the graph is written twice, expected once"),
        (field, "\"known\" of the graph is written twice, expected once"),
    ] {
        let message = Paths::new(write, |_, _| 1).batch().unwrap_err().to_string();
        assert!(message.ends_with(expected), "{message}");
    }
    // What was refused may be written again.
    assert!(Paths::new(again, |_, _| 1).batch().is_ok());
}

/// Graphs of 9 nodes without edges, whose `edge_index` is not written.
struct Points(Schema);

impl Source for Points {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn len(&self) -> usize {
        3
    }

    fn size(&self, _graph: usize) -> Result<Size, BoxError> {
        Ok(Size::new([9, 0]))
    }

    fn write(&self, _graph: usize, _slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        Ok(())
    }
}

#[test]
fn an_index_without_rows_need_not_be_written() {
    let trimmed = Options::default().capacity(Limits::new([4, 2])).oversize(Oversize::Trim);
    for (options, nodes) in [(Options::default(), 27), (trimmed, 12)] {
        let batches = Loader::new(Points(Schema::default()), options).unwrap().epoch(0);
        assert_eq!(batches.map(|batch| batch.unwrap().real().nodes()).sum::<usize>(), nodes);
    }
}

#[test]
fn bools_that_are_written_in_place_are_checked() {
    let error = Paths::new(edges::<u8>, |graph, node| if (graph, node) == (7, 1) { 2 } else { 1 }).batch();
    let message = error.unwrap_err().to_string();
    assert!(message.contains("graph 7 cannot be loaded: field \"known\" is bool"), "{message}");
}
