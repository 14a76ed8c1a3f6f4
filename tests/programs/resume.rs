//! A training that stops in the middle of an epoch and goes on, on other ranks.

use graphpack_loader::{Error, Loader, Options, Order, Shard, State, molecules};
use std::path::Path;
use std::{fs, io};

fn read_if_there(path: &Path) -> io::Result<Option<State>> {
    match fs::read(path) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Trains up to epoch 3, or until `stop` batches were seen, and returns the graphs of each batch.
fn train(path: &Path, shard: Shard, stop: usize) -> Result<Vec<Vec<i64>>, Box<dyn std::error::Error>> {
    let options = Options::graphs(32).order(Order::Shuffled).seed(42).shard(shard);
    let loader = Loader::new(molecules::generate(7, 1000), options)?;
    let mut seen = Vec::new();

    let mut saved: Option<State> = read_if_there(path)?;
    for epoch in loader.epochs(saved.as_ref())?.take_while(|epoch| epoch.number() < 3) {
        for batch in epoch {
            let batch = batch?;
            saved = Some(batch.state());
            seen.push(batch.graph_ids().to_vec());
            if seen.len() == stop {
                fs::write(path, serde_json::to_vec(&saved)?)?;
                return Ok(seen);
            }
        }
    }
    Ok(seen)
}

#[test]
fn a_run_resumes_wherever_it_stopped_on_any_number_of_ranks() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let alone = |stop| train(&folder.path().join("state.json"), Shard::default(), stop);
    let unbroken = alone(usize::MAX)?;
    let of_epoch = unbroken.len() / 3;
    // In the middle of an epoch, after its last batch, and twice.
    for stop in [1, of_epoch + 3, of_epoch, 2 * of_epoch] {
        let mut seen = alone(stop)?;
        seen.extend(alone(2)?);
        seen.extend(alone(usize::MAX)?);
        assert_eq!(seen, unbroken, "stopped after {stop} batches");
        fs::remove_file(folder.path().join("state.json"))?;
    }
    // The rest of the epoch on two ranks, and the epochs that follow.
    let mut seen = alone(of_epoch + 3)?;
    let ranks =
        [0, 1].map(|rank| Shard::new(rank, 2).map(|shard| train(&folder.path().join("state.json"), shard, usize::MAX)));
    let [Ok(Ok(first)), Ok(Ok(second))] = ranks else { return Err("two ranks".into()) };
    seen.extend(first.into_iter().zip(second).flat_map(|(first, second)| [first, second]));
    seen.retain(|batch| !batch.is_empty());
    assert_eq!(seen, unbroken);
    Ok(())
}

#[test]
fn a_state_of_another_seed_is_refused() -> Result<(), Error> {
    let loader = |seed| Loader::new(molecules::generate(7, 100), Options::graphs(8).seed(seed)).unwrap();
    let error = loader(1).epochs(Some(&loader(2).state(0).unwrap())).map(drop).unwrap_err().to_string();
    assert_eq!(error, "the state was saved with another seed: expected 1, found 2");
    Ok(())
}
