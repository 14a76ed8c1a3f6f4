//! Errors say what is wrong with a source.

use graphpack_loader::{BoxError, Column, Data, Dtype, Schema, Size, Slot, Source, Store, Worker};

#[test]
fn a_source_without_such_an_index_is_refused() {
    let refused = |schema: Schema| {
        let sets = schema.sets().len();
        let indices = schema.indices().iter().map(|index| vec![vec![]; index.width()]).collect();
        let columns =
            schema.fields().iter().map(|field| Column::new(&field.name, field.level, field.width, Vec::<f32>::new()));
        let store = Store::of_sets(schema.clone(), vec![vec![0]; sets], indices, columns.collect()).unwrap();
        Data::from(store).triplets().unwrap_err().to_string()
    };
    let follow = "\"triplets\" follow from an index \"edge_index\" of two columns into one set; the schema has ";
    let of = |sets: &[&str]| Schema::of(sets);
    assert_eq!(refused(of(&["nodes"])), format!("{follow}none"));
    let typed = of(&["drugs", "genes", "edges"]).index("edge_index", "edges", &["drugs", "genes"]);
    assert_eq!(refused(typed), format!("{follow}\"edge_index\" of edges into drugs, genes"));
    let of_graphs = of(&["nodes"]).index("edge_index", "graph", &["nodes", "nodes"]);
    assert_eq!(refused(of_graphs), format!("{follow}\"edge_index\" of graph into nodes, nodes"));
    let taken = of(&["nodes", "edges", "triplets"]).index("edge_index", "edges", &["nodes", "nodes"]);
    assert_eq!(refused(taken), "\"triplets\" cannot be added: set name \"triplets\" is used twice");
    let full = ["nodes", "edges", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"];
    let full = of(&full).index("edge_index", "edges", &["nodes", "nodes"]);
    assert!(refused(full).starts_with("\"triplets\" cannot be added: a graph has 1 to 16 sets, found 17"));
}

/// Paths of 3 nodes; graph 700 and those after it are what `write` makes of them.
struct Paths(Schema, fn(&mut Slot<'_>) -> Result<(), BoxError>);

impl Source for Paths {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn len(&self) -> usize {
        1000
    }

    fn size(&self, _graph: usize) -> Result<Size, BoxError> {
        Ok(Size::new([3, 2]))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        if graph >= 700 { self.1(slot) } else { Ok(slot.set_index("edge_index", &[&[0_i64, 1], &[1, 2]])?) }
    }
}

#[test]
fn a_graph_that_cannot_be_counted_is_named() {
    let schema = || Schema::default().field("x", "nodes", Dtype::F32, &[1]);
    let refused = |write| Data::from(Paths(schema(), write)).triplets().map(drop).unwrap_err().to_string();
    let all = [
        refused(|_| Err("the disk is gone".into())),
        refused(|_| panic!("the disk is gone")),
        refused(|_| Ok(())),
        refused(|slot| Ok(slot.set_index("edge_index", &[&[0_i64, 3], &[1, 2]])?)),
        refused(|slot| Ok(slot.set_index("edge_index", &[&[0_i64], &[1]])?)),
    ];
    let expected = [
        "the disk is gone",
        "the disk is gone",
        "field \"edge_index\" of the graph was not written",
        "entry 1 in column 0 of \"edge_index\" is 3, but the graph has 3 nodes",
        "the columns of index \"edge_index\" have 2 entries each for this graph, found columns of [1, 1]",
    ];
    assert_eq!(all, expected.map(|text| format!("graph 700: its triplets cannot be counted: {text}")));
}
