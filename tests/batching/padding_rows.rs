//! How many padding rows batches have, so that no padding row has more entries of an index than a real one: on sizes of
//! real data sets.

use graphpack_formats::histogram_csv;
use graphpack_loader::{Batching, Loader, Padding, Schema, Size, Slot, Source, SourceError};
use std::sync::Arc;
use test_common::{batches, shared_data};

/// Graphs of nodes and edges that have nothing but sizes.
struct Sizes(Schema, Vec<Size>);

impl Source for Sizes {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn len(&self) -> usize {
        self.1.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.1[graph]
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let nodes = vec![0; self.1[graph][1] as usize];
        Ok(slot.write_edges(&nodes, &nodes)?)
    }
}

/// Prints the shapes of default batches, and returns the share of slots that spreading takes.
fn more_slots(name: &str, batching: Option<Batching>) -> Option<f64> {
    let file = shared_data()?.join("histograms").join(name);
    let histogram = histogram_csv::read(file).unwrap().histogram::<2>().unwrap();
    let sizes = histogram.entries().iter();
    let sizes = sizes.flat_map(|(size, count)| std::iter::repeat_n(Size::new(size.0), *count as usize)).collect();
    let data = Arc::new(Sizes(Schema::new(vec![]).unwrap(), sizes));
    let most = (0..data.len()).map(|graph| data.size(graph)[1].div_ceil(data.size(graph)[0])).max().unwrap() as usize;
    let loader = |padding| {
        let options = Loader::new(data.clone()).padding(padding).shuffle(1).fields([""; 0]).workers(0);
        batching.map_or(options.clone(), |batching| options.batching(batching)).build().unwrap()
    };
    let [jraph, spread] = [Padding::Jraph, Padding::SelfLoops].map(loader);
    let mut worst = 0;
    for batch in (0..2).flat_map(|epoch| batches(spread.epoch(epoch))) {
        let [nodes, edges] = [0, 1].map(|set| batch.shape().sets()[set] - batch.real().sets()[set]);
        worst = worst.max(edges.div_ceil(nodes));
        assert!(edges <= most * nodes, "{name}: {edges} padding edges at {nodes} nodes, at most {most} each");
    }
    let slots = |loader: &Loader<Arc<Sizes>>| loader.shape().unwrap().sets().iter().sum::<usize>() as f64;
    let more = slots(&spread) / slots(&jraph) - 1.0;
    let [before, after] = [&jraph, &spread].map(|loader| loader.shape().unwrap());
    println!(
        "{name}: {before}, then {after}: {:.2} % more slots; {worst} edges per node, {most} allowed",
        100.0 * more
    );
    Some(more)
}

#[test]
fn packed_batches_need_hardly_more_slots() {
    for name in ["molhiv_all.hist.csv", "qm9_bonds.hist.csv", "qm9_fully_connected.hist.csv"] {
        let more = more_slots(name, None);
        assert!(more.is_none_or(|more| more < 0.002), "{name}: {more:?}");
        let more = more_slots(name, Some(Batching::Dynamic));
        assert!(more.is_none_or(|more| more < 0.05), "{name}, dynamic: {more:?}");
    }
}

#[test]
#[ignore = "takes half a minute: cargo test -p graphpack --test batching -- --ignored --nocapture rows_of_pcqm"]
fn padding_rows_of_pcqm() {
    for batching in [None, Some(Batching::Dynamic)] {
        more_slots("pcqm4mv2_train.reconstructed.hist.csv.gz", batching);
    }
}
