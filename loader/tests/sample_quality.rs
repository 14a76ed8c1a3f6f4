//! [`Loader::sample_quality`] beside figures that are computed from the batches themselves, slowly.

use graphpack_loader::quality::SampleQuality;
use graphpack_loader::{
    Capacity, Column, Dtype, Element, Grouping, Limits, Loader, Options, Order, Oversize, Random, Schema, Shapes, Store,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

const GRAPHS: usize = 300;

/// Number of nodes of each graph.
fn nodes() -> Vec<u64> {
    let mut random = Random::new(1, 0);
    (0..GRAPHS).map(|_| u64::from(1 + random.below(20) * random.below(3))).collect()
}

/// A data set with one field of graphs, `y`.
fn store<T: Element>(dtype: Dtype, width: usize, y: Vec<T>) -> Arc<Store> {
    let schema = Schema::of(&["atoms"]).field("y", "graph", dtype, &[width]).field("x", "atoms", Dtype::U8, &[1]);
    let ptr: Vec<u64> =
        std::iter::once(0).chain(nodes().into_iter().scan(0, |sum, n| (*sum += n, Some(*sum)).1)).collect();
    let x = Column::of(&schema, "x", vec![0_u8; ptr[GRAPHS] as usize]).unwrap();
    let y = Column::of(&schema, "y", y).unwrap();
    Arc::new(Store::of_sets(schema, vec![ptr], vec![], vec![y, x]).unwrap())
}

fn options(grouping: Grouping) -> Options {
    Options::default().grouping(grouping).capacity(Limits::new([60]).graphs(9)).order(Order::Shuffled).seed(5)
}

fn quality(data: &Arc<Store>) -> SampleQuality {
    Loader::new(data.clone(), options(Grouping::InOrder)).unwrap().sample_quality("y", 2..6).unwrap()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "found {found}, expected {expected}");
}

#[test]
fn is_what_the_batches_say() {
    let mut random = Random::new(2, 0);
    let mut y: Vec<f32> = (0..2 * GRAPHS).map(|_| 1e4 + 100.0 * random.unit() as f32).collect();
    for graph in [0, 17, 31, 299] {
        y[2 * graph + 1] = [f32::NAN, f32::INFINITY][graph % 2];
    }
    let data = store(Dtype::F32, 2, y.clone());
    let some = Options::default().order(Order::Shuffled).seed(5);
    let few = some.clone().capacity(Capacity::graphs(4)).shapes(Shapes::Few(2));
    let small = options(Grouping::Window(4)).capacity(Limits::new([20]).graphs(9));
    // The loader, and whether any two graphs, those of one shape, or those that fit the limits may meet.
    for (options, may_meet) in [
        (options(Grouping::InOrder), "fitting"),
        (options(Grouping::Window(4)).packs(2), "any"),
        (small.packs(2).oversize(Oversize::Skip), "small"),
        (some.capacity(Capacity::exactly(8)).grouping(Grouping::InOrder).shapes(Shapes::Multiple(64)), "any"),
        (few, "of a shape"),
    ] {
        let loader = Loader::new(data.clone(), options).unwrap();
        let found = loader.sample_quality("y", 2..6).unwrap();
        let batches: Vec<Vec<usize>> = (2..6)
            .flat_map(|epoch| loader.epoch(epoch))
            .map(|batch| batch.unwrap().graph_ids().iter().map(|&graph| graph as usize).collect())
            .collect();
        assert_eq!((found.epochs, found.batches), (4, batches.len() as u64));
        for column in 0..2 {
            let value = |graph: usize| f64::from(y[2 * graph + column]);
            let all: Vec<f64> = (0..GRAPHS).map(value).filter(|y| y.is_finite()).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let sigma2 = all.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / all.len() as f64;
            let (mut variance, mut worst) = (Vec::new(), 0.0_f64);
            for batch in &batches {
                let values: Vec<f64> = batch.iter().map(|&graph| value(graph)).filter(|y| y.is_finite()).collect();
                let n = values.len() as f64;
                variance.push(n * (values.iter().sum::<f64>() / n - mean).powi(2) / sigma2);
                worst = worst.max(values.iter().map(|y| (y - mean).powi(2) / sigma2).sum::<f64>() / n);
            }
            close(found.columns[column].variance.found, variance.iter().sum::<f64>() / variance.len() as f64);
            close(found.columns[column].worst.found, worst);
            assert_eq!(found.columns[column].missing, GRAPHS - all.len());
        }
        let nodes = nodes();
        let per_graph =
            |batch: &Vec<usize>| batch.iter().map(|&graph| nodes[graph] as f64).sum::<f64>() / batch.len() as f64;
        let mean = batches.iter().map(per_graph).sum::<f64>() / batches.len() as f64;
        let variance =
            batches.iter().map(|batch| (per_graph(batch) - mean).powi(2)).sum::<f64>() / batches.len() as f64;
        close(found.deviation[0].found, variance.sqrt());
        // Fewer than 2,000 graphs: all of them are counted.
        let rooms = loader.epoch(2).map(Result::unwrap).flat_map(|batch| {
            let room = batch.shape().sets()[0] as u64;
            batch.graph_ids().iter().map(|&graph| (graph as usize, room)).collect::<Vec<_>>()
        });
        let rooms: HashMap<usize, u64> = rooms.collect();
        let pairs = (0..GRAPHS).flat_map(|a| (0..a).map(move |b| (a, b)));
        let may_meet = |&(a, b): &(usize, usize)| match may_meet {
            "any" => true,
            "fitting" => nodes[a] + nodes[b] <= 60,
            "small" => nodes[a].max(nodes[b]) <= 20,
            _ => rooms[&a] == rooms[&b] && nodes[a] + nodes[b] <= rooms[&a],
        };
        let pairs = pairs.filter(may_meet).count();
        let met: HashSet<(usize, usize)> = batches
            .iter()
            .flat_map(|batch| batch.iter().flat_map(|&a| batch.iter().map(move |&b| (a, b))))
            .filter(|(a, b)| b < a)
            .collect();
        close(found.pairs.found, met.len() as f64 / pairs as f64);
        assert!(found.pairs.ratio() > 0.9 && found.pairs.ratio() < 1.1, "{found}");
    }
}

#[test]
fn random_batches_are_like_independent_draws() {
    let mut random = Random::new(3, 0);
    let data = store(Dtype::F64, 1, (0..GRAPHS).map(|_| random.unit()).collect());
    let found = Loader::new(data, options(Grouping::InOrder)).unwrap().sample_quality("y", 0..100).unwrap();
    let column = &found.columns[0];
    assert!((0.9..1.1).contains(&column.variance.random), "{found}");
    // Values that do not follow size: dynamic batches are random ones.
    assert!((0.9..1.1).contains(&column.variance.ratio()), "{found}");
}

#[test]
fn any_numbers_give_the_same_figures() {
    let y: Vec<u8> = (0..GRAPHS).map(|graph| u8::from(graph % 7 == 0)).collect();
    let expected = quality(&store(Dtype::U8, 1, y.clone()));
    assert!(expected.columns[0].variance.found > 0.0);
    let same = [
        quality(&store(Dtype::F32, 1, y.iter().map(|&y| f32::from(y)).collect())),
        quality(&store(Dtype::F64, 1, y.iter().map(|&y| f64::from(y)).collect())),
        quality(&store(Dtype::I64, 1, y.iter().map(|&y| i64::from(y)).collect())),
        quality(&store(Dtype::I32, 1, y.iter().map(|&y| i32::from(y)).collect())),
        quality(&store(Dtype::Bool, 1, y.iter().map(|&y| y == 1).collect())),
    ];
    assert!(same.iter().all(|found| *found == expected), "{same:?}");
}

#[test]
fn extreme_values_give_finite_figures() {
    let huge = store(Dtype::F64, 1, (0..GRAPHS).map(|graph| [f64::MAX, -f64::MAX][graph % 2]).collect());
    let equal = store(Dtype::F32, 1, vec![0.1_f32; GRAPHS]);
    let none = store(Dtype::F32, 1, vec![f32::NAN; GRAPHS]);
    let [huge, equal, none] = [huge, equal, none].map(|data| quality(&data).columns[0].clone());
    close(huge.worst.found, 1.0);
    assert_eq!((equal.variance.found, equal.worst.random, equal.missing), (0.0, 0.0, 0));
    assert_eq!((none.variance.found, none.worst.found, none.missing), (0.0, 0.0, GRAPHS));
}

#[test]
fn only_fields_of_graphs_have_figures() {
    let loader = Loader::new(store(Dtype::F32, 1, vec![0.0_f32; GRAPHS]), options(Grouping::InOrder)).unwrap();
    for field in ["x", "z"] {
        let error = loader.sample_quality(field, 0..1).unwrap_err().to_string();
        let expected = format!("expected a field of graphs, found {field:?}; the fields of graphs are [\"y\"]");
        assert_eq!(error, expected);
    }
    assert_eq!(loader.sample_quality("y", 0..0).unwrap().batches, 0);
}
