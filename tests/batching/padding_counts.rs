//! How many padding rows batches have, so that no padding row has more entries of an index than a real one: on sizes of
//! real data sets.

use graphpack_formats::histogram_csv;
use graphpack_loader::{
    BoxError, Capacity, Data, Grouping, Limits, Loader, Options, Order, Oversize, Packer, Padding, Random, Schema,
    Shape, Shapes, Shard, Size, Slot, Source, Worker,
};
use std::sync::Arc;
use test_common::{batches, graph_ids, store_of, test_data};

/// Graphs of nodes and edges that have nothing but sizes.
struct Sizes(Schema, Vec<Size>);

impl Source for Sizes {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn len(&self) -> usize {
        self.1.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.1[graph])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        let nodes = vec![0; self.1[graph][1] as usize];
        Ok(slot.set_index("edge_index", &[&nodes, &nodes])?)
    }
}

/// Prints the shapes of default batches, and returns the share of rows that spreading takes.
fn more_rows(name: &str, grouping: Grouping) -> f64 {
    let file = test_data().join("histograms").join(name);
    let counts = histogram_csv::read(file).unwrap();
    let sizes = counts.histogram().entries().iter();
    let sizes = sizes.flat_map(|(size, count)| std::iter::repeat_n(*size, *count as usize)).collect();
    let data = Data::from(Sizes(Schema::default(), sizes));
    let most = data.sizes().unwrap().map(|size| size[1].div_ceil(size[0])).max().unwrap() as usize;
    let loader = |padding| {
        let options = Options::default().grouping(grouping.clone()).padding(padding).order(Order::Shuffled).seed(1);
        Loader::new(data.clone(), options.fields([""; 0]).workers(0)).unwrap()
    };
    let [jraph, spread] = [Padding::Jraph, Padding::SelfLoops].map(loader);
    let mut worst = 0;
    for batch in (0..2).flat_map(|epoch| batches(spread.epoch(epoch))) {
        let [nodes, edges] = [0, 1].map(|set| batch.shape().sets()[set] - batch.real().sets()[set]);
        worst = worst.max(edges.div_ceil(nodes));
        assert!(edges <= most * nodes, "{name}: {edges} padding edges at {nodes} nodes, at most {most} each");
    }
    let rows = |loader: &Loader| loader.shape().unwrap().sets().iter().sum::<usize>() as f64;
    let more = rows(&spread) / rows(&jraph) - 1.0;
    let [before, after] = [&jraph, &spread].map(|loader| loader.shape().unwrap());
    println!("{name}: {before}, then {after}: {:.2} % more rows; {worst} edges per node, {most} allowed", 100.0 * more);
    more
}

#[test]
fn packed_batches_need_hardly_more_rows() {
    for name in ["molhiv_all.hist.csv", "qm9_bonds.hist.csv", "qm9_fully_connected.hist.csv"] {
        let more = more_rows(name, Options::default().grouping);
        assert!(more < 0.002, "{name}: {more}");
        let more = more_rows(name, Grouping::InOrder);
        assert!(more < 0.05, "{name}, dynamic: {more}");
    }
}

#[test]
#[ignore = "takes half a minute: cargo test -p graphpack --test batching -- --ignored --nocapture rows_of_pcqm"]
fn padding_rows_of_pcqm() {
    for grouping in [Options::default().grouping, Grouping::InOrder] {
        more_rows("pcqm4mv2_train.reconstructed.hist.csv.gz", grouping);
    }
}

#[test]
fn the_order_of_ranks_is_that_of_shapes_that_have_not_grown() {
    let mut sizes = vec![[16, 16]; 6];
    sizes.extend([[16, 32]; 6]);
    sizes.extend([[18, 20]; 6]);
    let data = Arc::new(store_of(&sizes));
    let order = |padding, epoch| {
        let of_rank = |rank| {
            let options = Options::default()
                .capacity(Limits::new([16, 32]))
                .grouping(Grouping::InOrder)
                .order(Order::Shuffled)
                .seed(1);
            let options = options.oversize(Oversize::Alone).shard(Shard::new(rank, 2).unwrap()).padding(padding);
            graph_ids(Loader::new(data.clone(), options).unwrap().epoch(epoch))
        };
        [0, 1].map(of_rank)
    };
    for epoch in 0..4 {
        // Shapes with entries that all point to one row never grow.
        assert_eq!(order(Padding::SelfLoops, epoch), order(Padding::Jraph, epoch));
    }
}

/// Graphs of these sizes in each epoch.
fn each(sizes: fn(u64) -> Vec<[u32; 2]>) -> Data {
    Data::each_epoch(move |epoch| Ok(store_of(&sizes(epoch)).into()))
}

#[test]
fn graphs_within_the_limits_are_loaded_in_later_epochs_whatever_their_padding() {
    let draws = each(|epoch| if epoch == 0 { vec![[8, 16]; 4] } else { vec![[16, 2], [4, 40]] });
    let options = Options::default().capacity(Limits::new([16, 32])).grouping(Grouping::InOrder);
    let loader = Loader::new(draws, options.oversize(Oversize::Alone)).unwrap();
    let shapes: Vec<Shape> = batches(loader.epoch(1)).iter().map(|batch| batch.shape()).collect();
    assert_eq!(shapes[0], batches(loader.epoch(0))[0].shape());
    assert_eq!(shapes[1].sets()[1], 40);
}

/// Random graphs without fields, of at most `most` entries for each row that they point to.
fn sparse(schema: Schema, most: u32) -> Arc<Sizes> {
    let mut random = Random::new(most.into(), 0);
    let mut size = || {
        let mut rows = 2 + random.below(30);
        let mut next = |_| {
            let now = rows;
            rows = 1 + random.below(now * most);
            now
        };
        let each: Vec<u32> = (0..schema.sets().len()).map(&mut next).collect();
        Size::of(each.len(), |set| each[set])
    };
    let sizes = (0..150).map(|_| size()).collect();
    Arc::new(Sizes(schema, sizes))
}

/// The most entries of set `from` for each row of set `to`, and the least.
fn entries(data: &Sizes, from: usize, to: usize, padding: Padding) -> (usize, usize) {
    let least =
        [Padding::SelfLoops, Padding::TwoNodes, Padding::Beyond].iter().position(|each| *each == padding).unwrap();
    let most = data.1.iter().map(|size| size[from].div_ceil(size[to])).max().unwrap() as usize;
    (most.max(1), least + 1)
}

/// A set has the rows that its own batch needs, rounded up, and so at most one step more than without its padding.
#[test]
fn rounded_shapes_grow_by_the_rows_that_entries_need() {
    type Rounded = fn(usize) -> usize;
    let roundings: [(Shapes, Rounded, Rounded); 2] = [
        (Shapes::Multiple(64), |rows| rows.next_multiple_of(64), |rows| rows.next_multiple_of(64) + 64),
        (Shapes::PowerOfTwo, usize::next_power_of_two, |rows| 2 * rows.next_power_of_two()),
    ];
    let mut grown = 0;
    for (shapes, round, one_step) in roundings {
        for padding in [Padding::SelfLoops, Padding::TwoNodes, Padding::Beyond] {
            for per_node in [1, 2, 7] {
                let data = sparse(Schema::default(), per_node);
                let (most, least) = entries(&data, 1, 0, padding);
                let options = Options::exactly(9).shapes(shapes).padding(padding).fields([""; 0]);
                for batch in
                    batches(Loader::new(data, options.order(Order::Shuffled).seed(1).workers(0)).unwrap().epoch(0))
                {
                    let (real, shape) = (batch.real(), batch.shape());
                    let edges = round(real.edges());
                    let needed = least - 1 + (edges - real.edges()).div_ceil(most);
                    let nodes = round(real.nodes() + needed.max(least));
                    assert_eq!((shape.nodes(), shape.edges()), (nodes, edges), "{shapes} {padding:?}: {real}");
                    assert!(nodes <= one_step(real.nodes() + least), "{shapes} {padding:?}: {nodes} for {real}");
                    grown += usize::from(nodes > round(real.nodes() + least));
                }
            }
        }
    }
    assert!(grown > 20, "{grown} batches");
}

#[test]
fn limits_grow_by_the_rows_that_entries_need_and_double_at_most_if_they_are_like_the_data() {
    for padding in [Padding::SelfLoops, Padding::TwoNodes, Padding::Beyond] {
        for per_node in [1, 2, 7] {
            let data = sparse(Schema::default(), per_node);
            let (most, least) = entries(&data, 1, 0, padding);
            for edges in [222 * most / 2, 222 * most, 5000, 40_000] {
                for grouping in [Grouping::Packed(Packer::Demand), Grouping::Window(4), Grouping::InOrder] {
                    let options =
                        Options::default().capacity(Limits::new([222, edges as u32])).grouping(grouping.clone());
                    let shape =
                        Loader::new(data.clone(), options.padding(padding).fields([""; 0])).unwrap().shape().unwrap();
                    let bound = 222 + least + edges.div_ceil(most);
                    let found = format!("{grouping}, {padding:?}, {edges} edges: {shape}, at most {bound} nodes");
                    assert!(shape.edges() == edges && (222 + least..=bound).contains(&shape.nodes()), "{found}");
                    assert!(edges > 222 * most || shape.nodes() <= 2 * 222 + least, "{found}");
                    // Edges that nodes within the limit cannot have are padding in every batch.
                    assert!(edges <= 222 * most || shape.nodes() >= edges.div_ceil(most), "{found}");
                }
            }
        }
    }
}

#[test]
fn trimmed_graphs_count_as_they_are_then() {
    let data = store_of(&[[16, 0], [2, 200]]);
    let options = Options::default().capacity(Limits::new([16, 32])).grouping(Grouping::InOrder);
    let loader = Loader::new(data, options.oversize(Oversize::Trim)).unwrap();
    // Trimmed, no graph has more than 32 edges at 2 nodes: 32 padding edges need two rows.
    assert_eq!(loader.shape().map(|shape| shape.sets().to_vec()), Some(vec![18, 32]));
}

#[test]
fn circles_of_indices_that_no_rounded_shape_does_for_are_loaded() {
    let schema = Schema::of(&["nodes", "edges"]).index("edge_index", "edges", &["nodes", "nodes"]).index(
        "first_edge",
        "nodes",
        &["edges"],
    );
    let trees = (2..40).map(|nodes| Size::new([nodes, 2 * nodes - 2])).collect();
    let data = Arc::new(Sizes(schema, trees));
    for shapes in [Shapes::PowerOfTwo, Shapes::Multiple(64)] {
        let loader = Loader::new(data.clone(), Options::exactly(10).shapes(shapes)).unwrap();
        for (shape, _) in loader.shapes(0).unwrap() {
            assert!(shape.sets().iter().all(|&rows| rows <= 1024), "{shapes}: {shape}");
        }
    }
}

#[test]
fn a_drawn_epoch_in_a_given_shape_resumes_after_others() {
    let draws = || each(|_| vec![[8, 2], [8, 32], [4, 4]]);
    let shape = Capacity::shape(Shape::new([17, 32], 9));
    let loader = Loader::new(draws(), Options::default().capacity(shape).grouping(Grouping::InOrder)).unwrap();
    let all = batches(loader.epoch(0));
    let state = all[0].state();
    assert_eq!(batches(loader.epoch(1)).len(), all.len());
    assert_eq!(batches(loader.resume(&state).unwrap()).len(), all.len() - 1);
}
