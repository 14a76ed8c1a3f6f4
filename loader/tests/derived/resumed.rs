//! Fingerprints of data with derived sets, and resumed runs.

use crate::oracle::{example, store};
use graphpack_loader::{Batch, Data, LineGraphs, Loader, Options, Order};
use std::sync::Arc;

#[test]
fn fingerprints_tell_rules_and_data_apart() {
    let graphs = [(3, example()), (4, vec![(2, 1), (0, 1), (1, 3)])];
    let data = Arc::new(store(&graphs));
    let all = [
        data.fingerprint(),
        Data::from(data.clone()).triplets().unwrap().fingerprint(),
        Data::from(data.clone()).subset(vec![1, 0]).unwrap().triplets().unwrap().fingerprint(),
        Data::from(store(&graphs[..1])).triplets().unwrap().fingerprint(),
        Data::from(data.clone()).line_graphs(LineGraphs::default()).unwrap().fingerprint(),
        Data::from(data.clone()).line_graphs(LineGraphs::default().backtracking(false)).unwrap().fingerprint(),
    ];
    (0..all.len()).for_each(|at| assert!(!all[..at].contains(&all[at]), "{at}"));
    assert_eq!(Data::from(store(&graphs)).triplets().unwrap().fingerprint(), all[1]);
}

#[test]
fn a_run_is_resumed() {
    let graphs: Vec<_> = (0..50).map(|at| (3 + at % 4, example())).collect();
    let load = |data| Loader::new(data, Options::graphs(4).order(Order::Shuffled).seed(3)).unwrap();
    let triplets = || Data::from(store(&graphs)).triplets().unwrap();
    let loader = load(triplets());
    let whole: Vec<Batch> = loader.epoch(2).map(Result::unwrap).collect();
    let resumed: Vec<Batch> = load(triplets()).resume(&whole[3].state()).unwrap().map(Result::unwrap).collect();
    assert_eq!(resumed.len(), whole.len() - 4);
    resumed.iter().zip(&whole[4..]).for_each(|(resumed, whole)| assert_eq!(resumed.bytes(), whole.bytes()));
    let fewer = Data::from(store(&graphs[..49])).triplets().unwrap();
    assert!(load(fewer).resume(&whole[3].state()).is_err());
}
