//! `weighted`: how often each graph is drawn.

use graphpack_core::{Limits, Packer};
use graphpack_loader::{Grouping, Loader, Options, Order, Oversize, Shapes, Weights, molecules};
use std::sync::Arc;
use test_common::graph_ids;

#[test]
fn weights_decide_how_often_graphs_come() {
    let data = Arc::new(molecules::generate(1, 400));
    let labels = data.values::<i64>("y").unwrap();
    let ones = labels.iter().filter(|&&label| label == 1).count();
    let rare: Vec<i64> = labels.iter().enumerate().map(|(graph, _)| i64::from(graph % 10 == 0)).collect();
    assert!(ones > 0);
    let packed = Options::graphs(16).grouping(Packer::Demand);
    let dynamic = Options::graphs(16).grouping(Grouping::InOrder);
    for options in [packed, dynamic, Options::exactly(16).shapes(Shapes::Multiple(64))] {
        let build = |weights: Weights| {
            let options = options.clone().order(Order::Shuffled).seed(3).weights(weights);
            Loader::new(data.clone(), options.workers(2)).unwrap()
        };
        let loader = build(Weights::balanced(&rare).with_draws(4000));
        let ids = graph_ids(loader.epoch(0));
        assert_eq!(ids.len(), 4000);
        assert_eq!(loader.epoch(0).count(), loader.batches(0).unwrap());
        let share = ids.iter().filter(|&&id| id % 10 == 0).count() as f64 / 4000.0;
        // Four standard deviations.
        assert!((share - 0.5).abs() < 0.032, "a tenth of the graphs makes {share} of what is drawn");
        assert_ne!(ids, graph_ids(loader.epoch(1)));
        assert_eq!(ids, graph_ids(loader.epoch(0)));
        let mut weights = vec![0.0; 400];
        weights[7] = 2.0;
        assert_eq!(graph_ids(build(Weights::new(&weights).unwrap()).epoch(0)), vec![7; 400]);
    }
    let error = |weights: &[f64]| Weights::new(weights).unwrap_err().to_string();
    assert_eq!(error(&[1.0, -2.0]), "graph 1 has weight -2, expected a finite number of at least 0");
    assert_eq!(error(&[0.0, 0.0]), "the weights sum to 0, expected a finite number above 0");
    let mut heavy = vec![0.0; 400];
    heavy[0] = 1.0;
    let skipping = |weights: Weights| {
        let options = Options::default().capacity(Limits::new([20, 40])).oversize(Oversize::Skip).weights(weights);
        Loader::new(data.clone(), options).map(|_| ()).unwrap_err().to_string()
    };
    assert!(data.size(0).unwrap()[0] > 20);
    let message = skipping(Weights::new(&heavy).unwrap());
    assert!(message.starts_with("all graphs that fit the limits have weight 0; "), "{message}");
    assert_eq!(skipping(Weights::balanced(&rare).with_draws(0)), "draws must be at least 1");
    let few = Loader::new(data, Options::default().weights(Weights::new(&[1.0]).unwrap())).map(|_| ()).unwrap_err();
    assert_eq!(few.to_string(), "expected a weight for each of the 400 graphs of the data, found 1 weights");
}
