//! Promise 9: packing does not hurt learning. Batches are at least as good a sample of the data as random ones,
//! measured on a target that follows size, and which sizes meet changes from epoch to epoch.

use graphpack_core::{Budget, Histogram, Packer, Size};
use graphpack_formats::histogram_csv;
use graphpack_loader::quality::SampleQuality;
use graphpack_loader::{
    BoxError, Capacity, Dtype, Estimate, Grouping, Limits, Loader, Options, Order, Random, Schema, Slot, Source,
    Worker, molecules,
};
use std::sync::Arc;
use test_common::test_data;

/// Graphs of given sizes with a target `y`.
struct Sized {
    schema: Schema,
    sizes: Vec<[u32; 2]>,
    y: Vec<f64>,
}

impl Source for Sized {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.sizes[graph].into())
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        Ok(slot.set("y", &[self.y[graph]])?)
    }
}

/// Shuffles `sizes` and gives each graph a target, which `target` computes from its size and a random number of 0 to 1.
fn sized(mut sizes: Vec<[u32; 2]>, target: impl Fn([u32; 2], f64) -> f64) -> Arc<Sized> {
    let mut random = Random::new(9, 0);
    random.shuffle(&mut sizes);
    let y = sizes.iter().map(|&size| target(size, random.unit())).collect();
    let schema = Schema::of(&["nodes", "edges"]).field("y", "graph", Dtype::F64, &[1]);
    Arc::new(Sized { schema, sizes, y })
}

/// An energy: it follows the number of nodes up to a random part, 4 % of its variance where nodes vary as in QM9.
fn energy([nodes, _]: [u32; 2], random: f64) -> f64 {
    -f64::from(nodes) + 2.0 * (random - 0.5)
}

/// Sizes as in QM9: 18 atoms with a standard deviation of 3, at most 29, all pairs of them edges.
fn clusters(graphs: usize) -> Arc<Sized> {
    let mut random = Random::new(5, 0);
    let mut nodes = || (0..8).fold(0, |sum, _| sum + random.below(4)) + 6;
    let sizes = (0..graphs).map(|_| nodes().clamp(3, 29)).map(|nodes| [nodes, nodes * (nodes - 1)]);
    sized(sizes.collect(), energy)
}

fn options(capacity: impl Into<Capacity>) -> Options {
    Options::default().capacity(capacity).order(Order::Shuffled).seed(3)
}

fn quality(data: &Arc<Sized>, options: Options, epochs: u64) -> SampleQuality {
    Loader::new(data.clone(), options).unwrap().sample_quality("y", 0..epochs).unwrap()
}

/// Batches are small likenesses of the data, and none of them is made of what was left over.
#[test]
fn variance_is_a_tenth_of_chance_where_limits_leave_room() {
    let data = clusters(10_000);
    for (batch_size, most) in [(16, 0.15), (32, 0.10), (128, 0.10)] {
        let capacity = Capacity::estimate(Estimate::Jraph, batch_size);
        let found = quality(&data, options(capacity.clone()), 3);
        let dynamic = quality(&data, options(capacity).grouping(Grouping::InOrder), 3);
        let [column, dynamic] = [&found.columns[0], &dynamic.columns[0]];
        assert!((0.7..1.3).contains(&column.variance.random), "{batch_size}: {found}");
        assert!(column.variance.found <= most, "{batch_size}: {found}");
        assert!(column.worst.found < dynamic.worst.found, "{batch_size}: {found}, dynamic {dynamic:?}");
    }
}

/// Sizes of ogbg-molhiv, of which a label follows only a little.
#[test]
fn a_label_that_hardly_follows_size_is_no_worse_than_by_chance() {
    let sizes = molecules::generate(4, 20_000);
    let sizes = sizes.sizes().map(|size| [size[0], size[1]]).collect();
    let data = sized(sizes, |[nodes, _], random| f64::from(u8::from(random < f64::from(nodes.min(100)) / 800.0)));
    let found = quality(&data, options(Capacity::estimate(Estimate::Jraph, 128)), 3);
    assert!(found.columns[0].variance.found <= 1.0, "{found}");
}

/// Where packs of a few graphs are full, there is little to choose from: no worse than `Window`, whose packs are more,
/// in as few packs as without a thought for the sample.
#[test]
fn tight_packs_are_as_good_as_those_of_a_window() {
    let generated = molecules::generate(6, 5_000);
    let mut all = vec![("generated".to_owned(), generated.sizes().collect())];
    let folder = test_data().join("histograms");
    for name in ["molhiv_train.hist.csv", "code2_train.synthetic.hist.csv.gz", "ppa_train.synthetic.hist.csv.gz"] {
        let counts = histogram_csv::read(folder.join(name)).unwrap();
        let entries = counts.histogram().entries().iter();
        all.push((name.to_owned(), entries.flat_map(|&(size, count)| (0..count).map(move |_| size)).collect()));
    }
    tight(&all);
}

fn tight(all: &[(String, Vec<Size>)]) {
    for (name, sizes) in all {
        let largest = sizes.iter().fold(Size::new([1; 2]), |largest, size| largest.max_each(size));
        let limits = Limits::new(largest);
        let auto = Packer::Auto(Budget::default());
        let fewest = auto.pack(&Histogram::from_sizes(sizes.iter().copied()).unwrap(), &limits).unwrap().packs();
        let data = sized(sizes.iter().map(|size| size.first()).collect(), energy);
        let capacity = Capacity::from(limits);
        let found = quality(&data, options(capacity.clone()), 3);
        let window = quality(&data, options(capacity).grouping(Grouping::Window(32)), 3);
        let [column, beside] = [&found.columns[0], &window.columns[0]];
        // Of ppa's graphs 44,410 have all the nodes that fit, and are alone in a pack. A linear program over all packs
        // of the others, by nodes alone, has a variance of 1.0076 at least in 63,934 packs and of 1.0043 in 0.1 % more:
        // the mean is over 0.7 % fewer packs than a window's, which has 1.003. And a few packs hold two to four small
        // graphs, as packs of random graphs do.
        let (fewer, worst) = match name.starts_with("ppa") {
            true => (1.012, column.worst.random),
            false => (1.0, beside.worst.found),
        };
        assert!(column.variance.found <= fewer * beside.variance.found, "{name}: {found}\nwindow: {window}");
        assert!(column.worst.found <= worst, "{name}: {found}\nwindow: {window}");
        assert!(found.batches <= 3 * (fewest + fewest / 1_000), "{name}: {} batches, {fewest} packs", found.batches);
    }
}

/// Over 50 epochs nearly as many graphs meet as in random batches, and every epoch has the same number of batches.
#[test]
fn which_graphs_meet_changes_from_epoch_to_epoch() {
    let data = clusters(10_000);
    for batch_size in [32, 128] {
        let loader = Loader::new(data.clone(), options(Capacity::estimate(Estimate::Jraph, batch_size))).unwrap();
        let found = loader.sample_quality("y", 0..50).unwrap();
        assert!(found.pairs.ratio() >= 0.9, "{batch_size}: {found}");
        assert_eq!(found.batches, 50 * loader.batches(0).unwrap() as u64, "{batch_size}");
    }
}
