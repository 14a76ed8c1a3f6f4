//! Tensors on a device, copied ahead of the step.

use graphpack_loader::{Data, Options, Order, molecules};
use graphpack_tch::{TensorLoader, device, mean_pool};
use tch::Kind;

#[test]
fn tensors_are_made_on_a_device() -> Result<(), Box<dyn std::error::Error>> {
    let data = Data::from(molecules::generate(7, 1000));
    let graphs = data.len();

    let device = device("cpu")?; // or cuda, or cuda:rank
    let options = Options::graphs(64).order(Order::Shuffled).seed(42).workers(2);
    let loader = TensorLoader::new(data, options, device)?.cast("x", Kind::Float);
    let (mut seen, mut saved) = (0, None);
    for epoch in loader.epochs(saved.as_ref())?.take(2) {
        for batch in epoch {
            let batch = batch?;
            let pooled = mean_pool(batch.get("x")?, &batch)?;
            assert_eq!(pooled.size(), [batch.shape().graphs() as i64, 9]);
            assert_eq!(pooled.device(), device);
            seen += batch.places().len();
            saved = Some(batch.state());
        }
    }
    assert_eq!((seen, saved.map(|state| state.epoch())), (2 * graphs, Some(1)));
    Ok(())
}
