//! A vector of own graphs.

use graphpack_loader::{Dtype, Loader, Options, Order, Schema, Store};

struct Graph {
    x: Vec<[f32; 9]>,
    /// Row numbers of any type: here `usize`.
    sources: Vec<usize>,
    targets: Vec<usize>,
    label: i64,
}

/// Rings of 3 to 9 nodes.
fn graphs() -> Vec<Graph> {
    let ring = |label: usize| {
        let nodes = 3 + label % 7;
        let x = (0..nodes).map(|node| [(label + node) as f32; 9]).collect();
        let targets = (0..nodes).map(|node| (node + 1) % nodes).collect();
        Graph { x, sources: (0..nodes).collect(), targets, label: label as i64 }
    };
    (0..500).map(ring).collect()
}

#[test]
fn a_vector_of_own_graphs_is_loaded() -> Result<(), Box<dyn std::error::Error>> {
    let graphs = graphs();

    let schema = Schema::of(&["nodes", "edges"])
        .field("x", "nodes", Dtype::F32, &[9])
        .field("y", "graph", Dtype::I64, &[])
        .index("edge_index", "edges", &["nodes", "nodes"]);
    let mut data = Store::new(schema);
    for graph in &graphs {
        data.push(&[graph.x.len(), graph.sources.len()], |to| {
            to.set("x", graph.x.as_flattened())?;
            to.set("y", &[graph.label])?;
            Ok(to.set_index("edge_index", &[&graph.sources, &graph.targets])?)
        })?;
    }
    let loader = Loader::new(data, Options::graphs(128).order(Order::Shuffled).seed(42).workers(4))?;

    let mut seen = vec![0; graphs.len()];
    for batch in loader.epoch(0) {
        for graph in batch?.graphs() {
            let own = &graphs[graph.rows::<i64>("y")?[0] as usize];
            seen[own.label as usize] += 1;
            assert_eq!(graph.rows::<f32>("x")?, own.x.as_flattened());
            let wide = |column: &[usize]| column.iter().map(|&node| node as i64).collect::<Vec<_>>();
            assert_eq!(graph.index("edge_index")?, [wide(&own.sources), wide(&own.targets)]);
        }
    }
    assert_eq!(seen, vec![1; graphs.len()]);
    Ok(())
}

#[test]
fn a_graph_that_does_not_belong_to_the_schema_is_an_error_and_leaves_no_trace() {
    let schema = Schema::default().field("x", "nodes", Dtype::F32, &[1]);
    let mut data = Store::new(schema);
    let edges: [&[u8]; 2] = [&[0, 1], &[1, 2]];
    let found = [
        data.push(&[3], |_| Ok(())),
        data.push(&[3, 2], |to| Ok(to.set("x", &[0.0_f32; 3])?)),
        data.push(&[3, 2], |to| Ok(to.set("x", &[0.0_f64; 3])?)),
        data.push(&[3, 2], |to| Ok(to.set("z", &[0.0_f32; 3])?)),
        data.push(&[2, 2], |to| Ok(to.set_index("edge_index", &edges)?)),
        data.push(&[usize::MAX, 2], |_| Ok(())),
        data.push(&[3, 2], |_| Err("no more".into())),
    ];
    let expected = [
        "graph 0 has [3] rows, expected a number for each of [\"nodes\", \"edges\"]",
        "graph 0: field \"edge_index\" of the graph was not written",
        "graph 0: field \"x\" has dtype float32, found float64",
        "graph 0: there is no field or index \"z\"; there are x",
        "graph 0: entry 1 in column 1 of \"edge_index\" is 2, but the graph has 2 nodes",
        "graph 0 has [18446744073709551615, 2] rows, more than memory can address",
        "graph 0: no more",
    ];
    assert_eq!(found.map(|found| found.unwrap_err().to_string()), expected);
    assert_eq!(data.len(), 0);
    // Larger graphs after smaller ones, and indices that need more bytes.
    for nodes in [3, 400, 70_000] {
        let wide = [(nodes - 1) as u32];
        let push = data.push(&[nodes, 1], |to| {
            to.get::<f32>("x")?[nodes - 1] = 1.0;
            Ok(to.set_index("edge_index", &[&wide, &wide])?)
        });
        push.unwrap();
    }
    assert_eq!(data.edges(2).unwrap(), (vec![69_999], vec![69_999]));
    let x = data.values::<f32>("x").unwrap();
    assert_eq!((x.len(), x.iter().sum::<f32>()), (70_403, 3.0));

    let wrong = Schema::of(&["nodes"]).field("x", "node", Dtype::F32, &[9]);
    let error = Store::new(wrong).push(&[3], |_| Ok(())).unwrap_err().to_string();
    assert_eq!(error, "\"x\" names the set \"node\", but the sets are [\"nodes\"]");
}
