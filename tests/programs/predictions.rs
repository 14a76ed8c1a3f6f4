//! Predictions in the order of the data.

use graphpack_loader::{Data, Loader, Options, Order, molecules};

#[test]
fn predictions_are_in_the_order_of_the_data() -> Result<(), Box<dyn std::error::Error>> {
    let all = Data::from(molecules::generate(7, 1000));
    let test = all.subset((0..1000).rev().step_by(4).collect::<Vec<u32>>())?;
    let loader = Loader::new(&test, Options::graphs(32).order(Order::Shuffled).packs(2).workers(2))?;

    let mut predictions = vec![0; test.len()];
    for batch in loader.epoch(0) {
        let batch = batch?;
        let (x, ptr) = (batch.get::<i64>("x")?, batch.ptr::<i64>()?);
        let y: Vec<i64> =
            ptr.windows(2).map(|graph| x[9 * graph[0] as usize..9 * graph[1] as usize].iter().sum()).collect();
        for (row, &place) in batch.places().iter().enumerate() {
            predictions[place as usize] = y[row];
        }
        assert!(
            batch.places().iter().zip(batch.graph_ids()).all(|(&place, &id)| test.number(place as usize) == id as u64)
        );
    }

    let mut expected = Vec::new();
    for batch in Loader::new(&test, Options::exactly(1))?.epoch(0) {
        let batch = batch?;
        expected.push(batch.get::<i64>("x")?[..9 * batch.real().nodes()].iter().sum::<i64>());
    }
    assert_eq!(predictions, expected);
    // A batch that only fills the last step of all ranks has none.
    let rank = graphpack_loader::Shard::new(1, 2)?;
    let empty = Loader::new(test, Options::graphs(250).packs(2).shard(rank))?.epoch(0).last().ok_or("a batch")??;
    assert!(empty.places().len() == empty.real().graphs());
    Ok(())
}
