//! `transform`: graphs that are changed on their way into a batch.

use graphpack_loader::{Connected, Edges, LoadError, Loader, Options, Order, Store, clusters};
use rand_core::Rng;
use std::sync::Arc;
use test_common::batches;

#[test]
fn transforms_are_a_function_of_seed_epoch_and_graph() {
    let data =
        Arc::new(Store::collect(&Connected::new(clusters::generate(1, 120), Edges::Nearest(4)).unwrap()).unwrap());
    let plain = data.values::<f32>("y").unwrap();
    let run = |workers, seed, epoch| {
        let options = Options::graphs(10).order(Order::Shuffled).seed(seed).workers(workers);
        let options = options.transform(|graph| {
            let noise = graph.random().next_u32() as f32;
            graph.get::<f32>("y")?[0] += noise;
            Ok(())
        });
        let mut found = vec![f32::NAN; 120];
        for batch in batches(Loader::new(data.clone(), options).unwrap().epoch(epoch)) {
            for (&id, &y) in batch.graph_ids().iter().zip(batch.get::<f32>("y").unwrap()) {
                found[id as usize] = y;
            }
            assert!(batch.get::<f32>("y").unwrap()[batch.real().graphs()..].iter().all(|y| *y == 0.0));
        }
        found
    };
    let expected = run(0, 1, 0);
    assert!(expected.iter().zip(&plain).all(|(changed, plain)| changed != plain));
    assert_eq!(run(3, 1, 0), expected);
    assert_ne!(run(0, 1, 1), expected);
    assert_ne!(run(0, 2, 0), expected);

    let options = Options::graphs(10).transform(|graph| match graph.number() {
        70 => Err("no such angle".into()),
        _ => graph.get::<f32>("pos").map(|_| ()).map_err(Into::into),
    });
    let error = Loader::new(data.clone(), options).unwrap().epoch(0).find_map(Result::err).unwrap();
    assert!(matches!(&error, LoadError::Source { graph: 70, .. }) && error.to_string().ends_with("no such angle"));
    let wrong = Options::default().transform(|graph| graph.get::<i64>("pos").map(|_| ()).map_err(Into::into));
    let error = Loader::new(data, wrong).unwrap().epoch(0).next().unwrap().unwrap_err();
    assert!(error.to_string().ends_with("field \"pos\" has dtype float32, found int64"), "{error}");
}
