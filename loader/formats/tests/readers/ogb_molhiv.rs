//! OGB's raw layout, by the real ogbg-molhiv: sizes, splits and features are OGB's, the histogram is the one of the
//! data folder, plans cover every graph.

use graphpack_core::{Heuristic, Histogram, Limits, Packer};
use graphpack_formats::{OgbCsv, histogram_csv};
use graphpack_loader::{Batch, Dtype, Loader, Options, Order};
use test_common::shared_data;

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_graphs_splits_and_packs_are_those_published() {
    let data = shared_data();
    let molhiv = OgbCsv::open(data.join("ogb_raw/ogbg_molhiv")).unwrap();
    let store = molhiv.store();
    let all = Histogram::from_sizes((0..store.len()).map(|graph| store.size(graph))).unwrap();
    assert_eq!((all.graphs(), &all.totals()[..2]), (41_127, &[1_049_163, 2 * 1_129_688][..]));
    let counts = histogram_csv::read(data.join("histograms/molhiv_all.hist.csv")).unwrap();
    assert_eq!(&all, counts.histogram());
    let fields: Vec<_> = store.schema().fields().iter().map(|f| (f.name.as_str(), f.dtype, f.width)).collect();
    assert_eq!(fields, [("x", Dtype::I64, 9), ("edge_attr", Dtype::I64, 3), ("y", Dtype::I64, 1)]);

    let splits = ["train", "valid", "test"].map(|name| molhiv.split(name).unwrap());
    assert_eq!(splits.each_ref().map(|split| split.len()), [32_901, 4_113, 4_113]);
    let [train, ..] = splits;
    let published = Packer::Published(Heuristic::Component(0));
    let limits = Limits::new([222, 502]);
    let options = Options::default().capacity(limits).grouping(published);
    let loader = Loader::new(train, options.packs(10).order(Order::Shuffled).seed(3).workers(2)).unwrap();
    assert_eq!((loader.plan().unwrap().packs(), loader.batches(0).unwrap()), (3_789, 379));
    let mut seen: Vec<i64> = loader
        .epoch(0)
        .collect::<Result<Vec<Batch>, _>>()
        .unwrap()
        .iter()
        .flat_map(|batch| batch.graph_ids().to_vec())
        .collect();
    seen.sort_unstable();
    let expected: Vec<i64> = (0..loader.data().len()).map(|graph| loader.data().number(graph) as i64).collect();
    assert_eq!(seen, expected);
}
