//! Predictions in the order of the data.

use graphpack_loader::{
    Batch, Data, Error, GraphResults, Limits, Loader, Options, Order, Oversize, Shard, Weights, molecules,
};

/// What a network predicts of each graph of a batch, padding graphs included.
fn predict(batch: &Batch) -> Result<Vec<i64>, Error> {
    let (x, ptr) = (batch.get::<i64>("x")?, batch.ptr::<i64>()?);
    Ok(ptr.windows(2).map(|graph| x[9 * graph[0] as usize..9 * graph[1] as usize].iter().sum()).collect())
}

#[test]
fn predictions_are_in_the_order_of_the_data() -> Result<(), Box<dyn std::error::Error>> {
    let all = Data::from(molecules::generate(7, 1000));
    let test = all.subset((0..1000).rev().step_by(4).collect::<Vec<u32>>())?;
    let loader = Loader::new(&test, Options::graphs(32).packs(2).workers(2))?;

    let mut predictions = GraphResults::new();
    for batch in loader.epoch(0) {
        let batch = batch?;
        predictions.add(&batch, predict(&batch)?)?;
    }
    let predictions = predictions.in_order(&test)?;

    let mut expected = Vec::new();
    for batch in Loader::new(&test, Options::exactly(1))?.epoch(0) {
        expected.push(predict(&batch?)?[0]);
    }
    assert_eq!(predictions, expected);
    Ok(())
}

/// The results of some epochs, of real graphs alone: a vector of the rows of each graph's nodes.
fn of_nodes<'a>(loaders: impl IntoIterator<Item = &'a Loader>) -> Result<GraphResults<Vec<i64>>, Error> {
    let mut results = GraphResults::new();
    for batch in loaders.into_iter().flat_map(|loader| loader.epoch(3)) {
        let batch = batch?;
        let rows = batch.graphs().map(|graph| Ok(graph.rows::<i64>("x")?.to_vec()));
        results.add(&batch, rows.collect::<Result<Vec<_>, Error>>()?)?;
    }
    Ok(results)
}

#[test]
fn results_of_ranks_of_skipped_graphs_and_of_other_data() -> Result<(), Box<dyn std::error::Error>> {
    let store = molecules::generate(5, 50);
    let x = |graph: usize| -> Vec<i64> {
        let rows = 9 * (0..graph).map(|before| store.size(before).unwrap()[0] as usize).sum::<usize>();
        store.values::<i64>("x").unwrap()[rows..][..9 * store.size(graph).unwrap()[0] as usize].to_vec()
    };
    let data = Data::from(store.clone()).subset([(0..50).rev().collect::<Vec<_>>(), vec![7, 7]].concat())?;
    let expected: Vec<_> = (0..data.len()).map(|graph| x(data.number(graph).unwrap() as usize)).collect();
    let shuffled = || Options::graphs(8).order(Order::Shuffled).seed(1);
    let ranks = [0, 1, 2].map(|rank| Loader::new(&data, shuffled().shard(Shard::new(rank, 3).unwrap())).unwrap());
    assert_eq!(of_nodes(&ranks)?.in_order(&data)?, expected);
    // Of a rank alone, of what was skipped, and of weights.
    let own = of_nodes(&ranks[..1])?;
    let missing = own.clone().in_order(&data).unwrap_err().to_string();
    assert!(missing.contains(" of the 52 graphs of the data have no result, the first of them is graph "), "{missing}");
    let filled = own.in_order_or(&data, vec![-1])?;
    assert!(filled.iter().zip(&expected).all(|(found, expected)| found == expected || *found == [-1]));
    let largest = (0..50).map(|graph| store.size(graph).unwrap()[0]).max().ok_or("graphs")?;
    let few = Options::default().capacity(Limits::new([largest - 1, 200]).graphs(8)).oversize(Oversize::Skip);
    let few = Loader::new(&data, few)?;
    let skipped = of_nodes([&few])?.in_order_or(&data, Vec::new())?.iter().filter(|rows| rows.is_empty()).count();
    assert!(skipped > 0 && skipped == few.skipped());
    let drawn = Loader::new(&data, shuffled().weights(Weights::new(&[1.0; 52])?))?;
    let error = of_nodes([&drawn])?.in_order_or(&data, Vec::new()).unwrap_err();
    assert!(error.to_string().contains("has two results; an epoch adds each once") && error.graph().is_some());
    // Of other data, and too many or too few.
    let part = data.subset([3, 1])?;
    let loader = Loader::new(&data, shuffled())?;
    let error = of_nodes([&loader])?.in_order(&part).unwrap_err().to_string();
    assert!(error.ends_with("expected the data that the batches are of, found other data"), "{error}");
    let error = of_nodes([&loader, &Loader::new(&part, shuffled())?]).unwrap_err();
    assert!(error.to_string().ends_with("found that of step 0 of other data") && error.step() == Some(0), "{error}");
    let batch = loader.epoch(0).next().ok_or("a batch")??;
    let (real, graphs) = (batch.real().graphs(), batch.shape().graphs());
    let error = GraphResults::new().add(&batch, vec![0; real - 1]).unwrap_err().to_string();
    let expected =
        format!("each of the {graphs} graphs of the batch of step 0, or of its {real} real ones, found {}", real - 1);
    assert!(error.ends_with(&expected), "{error}");
    Ok(())
}
