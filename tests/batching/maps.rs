//! `Data::map`: graphs that are changed on their way into a batch.

use graphpack_loader::{
    Batch, BoxError, Data, Edges, Limits, LineGraphs, Loader, Options, Order, Oversize, Slot, State, Store, Weights,
    clusters,
};
use rand_core::Rng;
use std::collections::BTreeSet;
use std::sync::Arc;
use test_common::batches;

#[test]
fn maps_are_a_function_of_seed_epoch_and_graph() {
    let data =
        Arc::new(Store::collect(Data::from(clusters::generate(1, 120)).connect(Edges::Nearest(4)).unwrap()).unwrap());
    let plain = data.values::<f32>("y").unwrap();
    let run = |workers, seed, epoch| {
        let noisy = Data::from(data.clone()).map("noise", |graph| {
            let noise = graph.random().next_u32() as f32;
            graph.get::<f32>("y")?[0] += noise;
            Ok(())
        });
        let options = Options::graphs(10).order(Order::Shuffled).seed(seed).workers(workers);
        let mut found = vec![f32::NAN; 120];
        for batch in batches(Loader::new(noisy, options).unwrap().epoch(epoch)) {
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

    let failing = Data::from(data.clone()).map("turn", |graph| match graph.number() {
        70 => Err("no such angle".into()),
        _ => graph.get::<f32>("pos").map(|_| ()).map_err(Into::into),
    });
    let error = Loader::new(failing, Options::graphs(10)).unwrap().epoch(0).find_map(Result::err).unwrap();
    assert!(error.graph() == Some(70) && error.to_string().ends_with("no such angle"), "{error}");
    let wrong = Data::from(data).map("turn", |graph| graph.get::<i64>("pos").map(|_| ()).map_err(Into::into));
    let error = Loader::new(wrong, Options::default()).unwrap().epoch(0).next().unwrap().unwrap_err();
    assert!(error.to_string().ends_with("field \"pos\" has dtype float32, found int64"), "{error}");
}

/// What `change` makes of the field `y` of each graph in an epoch, by the number of the graph, in the order of batches.
fn changed(data: Data, weights: Option<Weights>, seed: u64) -> Vec<(i64, u32)> {
    let options = Options::graphs(4).order(Order::Shuffled).seed(seed).workers(2);
    let options = match weights {
        Some(weights) => options.weights(weights),
        None => options,
    };
    let found = batches(Loader::new(data, options).unwrap().epoch(1)).into_iter().flat_map(|batch| {
        let y = batch.get::<f32>("y").unwrap().iter().map(|y| y.to_bits());
        batch.graph_ids().iter().copied().zip(y).collect::<Vec<_>>()
    });
    found.collect()
}

fn noise(graph: &mut Slot<'_>) -> Result<(), BoxError> {
    let noise = graph.random().normal(1.0);
    graph.get::<f32>("y")?[0] += noise;
    Ok(())
}

#[test]
fn each_copy_of_a_graph_that_is_drawn_is_another_augmentation() {
    let data = Data::from(clusters::generate(1, 3)).map("noise", noise);
    let weights = Weights::new(&[1.0, 0.0, 0.0]).unwrap().with_draws(6);
    let found = changed(data.clone(), Some(weights.clone()), 7);
    assert!(found.iter().all(|(graph, _)| *graph == 0) && found.len() == 6, "{found:?}");
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 6, "{found:?}");
    assert_eq!(changed(data, Some(weights), 7), found);
}

/// Places of a subset may have the same graph.
#[test]
fn the_same_graph_at_several_places_is_another_copy_at_each() {
    let data = Data::from(clusters::generate(1, 3)).subset(vec![2, 2, 2]).unwrap().map("noise", noise);
    let weights = Weights::new(&[1.0; 3]).unwrap().with_draws(12);
    let found = changed(data, Some(weights), 7);
    assert!(found.iter().all(|(graph, _)| *graph == 2), "{found:?}");
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 12, "{found:?}");
}

#[test]
fn a_map_of_all_and_one_of_a_part_have_names_of_their_own() {
    let [crystals, molecules] = [1, 2].map(|seed| Data::from(clusters::generate(seed, 5)));
    let [crystals, molecules] = [crystals, molecules].map(|data| data.map("noise", noise));
    let both = Data::mix(&[("crystals", &crystals), ("molecules", &molecules)]).unwrap();
    assert!(Loader::new(&both, Options::default()).is_ok());
    let error = Loader::new(both.map("noise", noise), Options::default()).err().unwrap();
    assert!(error.to_string().contains("\"noise\""), "{error}");
}

#[test]
fn fields_that_maps_ask_for_are_carried_or_named() {
    let data = Data::from(clusters::generate(1, 40)).map("shift", |graph| {
        graph.get::<f32>("pos")?[0] += 1.0;
        Ok(())
    });
    let loader = Loader::new(&data, Options::graphs(8)).unwrap();
    assert!(loader.sample_quality("y", 0..1).is_ok());
    let without = Loader::new(&data, Options::graphs(8).fields(["y"])).unwrap();
    let error = without.epoch(0).next().unwrap().unwrap_err().to_string();
    let expected = "map \"shift\" asks for field \"pos\", which batches do not carry: expected it among the fields of \
                    the options";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn maps_compose_and_their_names_tell_their_random_numbers_apart() {
    let data = Data::from(clusters::generate(1, 30));
    let by_name = |names: &[&str]| {
        let mapped = names.iter().fold(data.clone(), |data, name| data.map(name, noise));
        changed(mapped, None, 7)
    };
    let [plain, one, other, both] = [&[][..], &["a"], &["b"], &["a", "b"]].map(by_name);
    for graph in 0..30 {
        let [plain, one, other, both] = [&plain, &one, &other, &both].map(|found| f32::from_bits(found[graph].1));
        assert!(one != other);
        let sum = (one - plain) + (other - plain);
        assert!((sum - (both - plain)).abs() < 1e-4, "{sum}, {both} of {plain}");
    }
}

#[test]
fn a_state_belongs_to_the_names_of_maps() {
    let data = Data::from(clusters::generate(1, 30));
    let load = |data: &Data| Loader::new(data, Options::graphs(4).order(Order::Shuffled).seed(3)).unwrap();
    let (noisy, plain) = (data.map("noise", noise), &data);
    let of_noisy = load(&noisy).state(2).unwrap();
    let text = serde_json::to_string(&of_noisy).unwrap();
    assert!(load(&noisy).batches_after(&serde_json::from_str(&text).unwrap()).is_ok());
    let refused = |data: &Data, state: &State| load(data).batches_after(state).unwrap_err().to_string();
    let another = "the state was saved with another list of maps: expected";
    assert_eq!(refused(plain, &of_noisy), format!("{another} none, found noise"));
    assert_eq!(refused(&noisy, &load(plain).state(2).unwrap()), format!("{another} noise, found none"));
    assert_eq!(refused(&noisy.map("turn", |_| Ok(())), &of_noisy), format!("{another} noise, turn, found noise"));
    let mixed = Data::mix(&[("noisy", &noisy), ("plain", plain)]).unwrap();
    let renamed = Data::mix(&[("noisy", &data.map("jitter", noise)), ("plain", plain)]).unwrap();
    let found = refused(&renamed, &load(&mixed).state(2).unwrap());
    assert_eq!(found, format!("{another} noisy/jitter, found noisy/noise"));
    let twice = Loader::new(noisy.map("noise", noise), Options::default()).map(|_| ()).unwrap_err();
    assert_eq!(twice.to_string(), "two maps are named \"noise\", expected different names");
}

#[test]
fn a_map_sees_what_was_derived_before_it_and_what_is_derived_after_it_follows_it() {
    let atoms = Data::from(clusters::generate(1, 20));
    let edges = |data: Data| -> usize {
        batches(Loader::new(data, Options::graphs(4)).unwrap().epoch(0)).iter().map(|batch| batch.real().edges()).sum()
    };
    let apart = |graph: &mut Slot<'_>| {
        graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x *= 10.0);
        Ok(())
    };
    let connect = |data: &Data| data.connect(Edges::Radius(2.0)).unwrap();
    assert!(edges(connect(&atoms)) > 0);
    assert_eq!(edges(connect(&atoms.map("apart", apart))), 0);
    let without = connect(&atoms).map("drop", |graph| {
        let long: Vec<bool> = graph.get::<f32>("distance")?.iter().map(|&distance| distance < 1.2).collect();
        Ok(graph.keep("edges", &long)?)
    });
    assert!(edges(without) < edges(connect(&atoms)));
}

/// Moves all atoms.
fn shift(graph: &mut Slot<'_>) -> Result<(), BoxError> {
    graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x += 0.5);
    Ok(())
}

/// Turns all edges.
fn swap(graph: &mut Slot<'_>) -> Result<(), BoxError> {
    let mut columns = Vec::new();
    graph.index("edge_index", &mut columns)?;
    Ok(graph.set_index("edge_index", &[&columns[1], &columns[0]])?)
}

/// Drops every other row of a set, and then changes the graph.
fn halved(
    set: &'static str,
    change: impl Fn(&mut Slot<'_>) -> Result<(), BoxError> + Send + Sync,
) -> impl Fn(&mut Slot<'_>) -> Result<(), BoxError> + Send + Sync {
    move |graph| {
        let position = graph.schema().set(set).ok_or("the set")?;
        let rows = graph.size()[position] as usize;
        graph.keep(set, &(0..rows).map(|row| row % 2 == 0).collect::<Vec<_>>())?;
        change(graph)
    }
}

/// Rows that were made from others would be those of other positions or edges.
#[test]
fn a_map_that_changes_what_a_set_was_made_from_is_an_error() {
    let atoms = Data::from(clusters::generate(1, 20));
    let connected = atoms.connect(Edges::Nearest(4)).unwrap();
    let stored = Data::from(Store::collect(&connected).unwrap());
    let lines = stored.line_graphs(LineGraphs::default()).unwrap();
    let failure = |data: Data| {
        let epoch = Loader::new(data, Options::graphs(4).workers(2)).unwrap().epoch(0);
        epoch.filter_map(Result::err).map(|error| error.to_string()).next().unwrap_or_default()
    };
    let mixed = Data::mix(&[("stored", &stored), ("lines", &lines)]).unwrap();
    for (data, input, set) in [
        (connected.map("m", shift), "pos", "edges"),
        (connected.map("m", halved("edges", shift)), "pos", "edges"),
        (connected.map("before", |_| Ok(())).triplets().unwrap().map("m", swap), "edge_index", "triplets"),
        (connected.triplets().unwrap().map("m", shift), "pos", "edges"),
        (stored.triplets().unwrap().map("m", swap), "edge_index", "triplets"),
        (stored.triplets().unwrap().map("m", halved("nodes", swap)), "edge_index", "triplets"),
        (lines.map("m", swap), "edge_index", "line_edges"),
        (Data::mix(&[("part", &lines.map("m", swap))]).unwrap(), "edge_index", "line_edges"),
        (mixed.map("m", swap), "edge_index", "line_edges"),
        (lines.subset([3, 1]).unwrap().map("m", swap), "edge_index", "line_edges"),
    ] {
        let expected = format!(
            "map \"m\" changes {input:?}, from which {set:?} were made: expected the map before what makes them (connect, \
             triplets or line_graphs)"
        );
        let found = failure(data);
        assert!(found.ends_with(&expected), "{found:?} of {input}");
    }
    // Before what makes them, of columns, and of anything else.
    let read = |graph: &mut Slot<'_>| graph.get::<f32>("pos").map(drop).map_err(Into::into);
    for data in [
        atoms.map("m", shift).connect(Edges::Nearest(4)).unwrap(),
        stored.map("m", swap).triplets().unwrap(),
        stored.map("m", shift),
        stored.triplets().unwrap().map("m", shift),
        connected.map("m", halved("nodes", halved("edges", swap))),
        connected.triplets().unwrap().map("m", halved("nodes", halved("triplets", halved("edges", read)))),
        connected.map("m", noise),
    ] {
        assert_eq!(failure(data), "");
    }
}

/// Of a set that is made after a map nothing is stale.
#[test]
fn what_is_made_after_a_map_is_that_of_the_changed_graph() {
    let atoms = Data::from(clusters::generate(1, 20));
    let noisy = atoms.map("noise", |graph| {
        let mut random = graph.random();
        graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x += random.normal(0.05));
        Ok(())
    });
    for batch in batches(Loader::new(noisy.connect(Edges::Nearest(4)).unwrap(), Options::graphs(4)).unwrap().epoch(0)) {
        let (sources, targets) = batch.edge_index::<i64>().unwrap();
        let (pos, distance) = (batch.get::<f32>("pos").unwrap(), batch.get::<f32>("distance").unwrap());
        for edge in 0..batch.real().edges() {
            let [from, to] = [sources, targets].map(|ends| &pos[3 * ends[edge] as usize..][..3]);
            let squares: f64 = from.iter().zip(to).map(|(from, to)| f64::from(from - to).powi(2)).sum();
            assert!((squares.sqrt() - f64::from(distance[edge])).abs() < 1e-5);
        }
    }
}

/// The labels of a map may be looked up by the number of the graph, whatever it is mixed with.
#[test]
fn a_map_knows_the_number_of_a_graph_in_its_own_data_and_in_those_of_the_loader() {
    let data = |seed, graphs| Data::from(clusters::generate(seed, graphs));
    let numbers = |data: &Data, name: &str| {
        data.map(name, |graph| {
            graph.get::<f32>("y")?[0] = graph.number() as f32 + graph.graph_id() as f32 / 1000.0;
            Ok(())
        })
    };
    let found = |data: &Data| -> Vec<(i64, f32)> {
        let options = Options::graphs(4).order(Order::Shuffled).seed(3).workers(2);
        let mut found: Vec<_> = batches(Loader::new(data, options).unwrap().epoch(0))
            .iter()
            .flat_map(|batch| {
                let y = batch.get::<f32>("y").unwrap().to_vec();
                batch.graph_ids().to_vec().into_iter().zip(y).collect::<Vec<_>>()
            })
            .collect();
        found.sort_by_key(|(id, _)| *id);
        found
    };
    let expected = |numbers: &[(i64, u32)]| -> Vec<(i64, f32)> {
        numbers.iter().map(|&(id, number)| (id, number as f32 + id as f32 / 1000.0)).collect()
    };
    let all = data(1, 9);
    let part = numbers(&all, "numbers");
    let (split, plain) = (part.subset([7, 2, 5]).unwrap(), data(2, 2));
    assert_eq!(found(&split), expected(&[(2, 2), (5, 5), (7, 7)]));
    assert_eq!(found(&numbers(&all.subset([7, 2]).unwrap(), "numbers")), expected(&[(2, 2), (7, 7)]));
    // As in the split, after the two graphs of the other data set.
    let mix = Data::mix(&[("plain", &plain), ("split", &split)]).unwrap();
    assert_eq!(found(&mix)[2..], expected(&[(2, 7), (3, 2), (4, 5)]));
    assert_eq!(found(&mix.subset([4, 2]).unwrap()), expected(&[(2, 7), (4, 5)]));
    // Of the mix itself.
    let whole = numbers(&Data::mix(&[("plain", &plain), ("all", &all)]).unwrap(), "numbers");
    assert_eq!(found(&whole)[10], (10, 10.01));
}

#[test]
fn a_graph_that_a_subset_has_several_times_is_drawn_anew_each_time() {
    let noisy = Data::from(clusters::generate(1, 30)).map("noise", |graph| {
        graph.get::<f32>("y")?[0] = graph.random().next_u32() as f32;
        Ok(())
    });
    let found = changed(noisy.subset([7, 3, 7, 7, 5]).unwrap(), None, 1);
    let of_seven: BTreeSet<u32> = found.iter().filter(|(graph, _)| *graph == 7).map(|(_, y)| *y).collect();
    assert_eq!((found.len(), of_seven.len()), (5, 3), "{found:?}");
    // The first draw is that of a subset that has it once.
    let once = changed(noisy.subset([7]).unwrap(), None, 1);
    assert!(of_seven.contains(&once[0].1), "{once:?}");
    let store = Store::collect(noisy.subset([7, 3, 7]).unwrap()).unwrap();
    let y = store.values::<f32>("y").unwrap();
    assert!(y.iter().all(|value| y.iter().filter(|other| *other == value).count() == 1), "{y:?}");
}

/// Whichever fields are chosen: what is left follows from positions, and triplets from edges.
#[test]
fn derived_rows_are_counted_as_maps_and_trimming_left_them() {
    let data = Data::from(clusters::generate(1, 30));
    let halved = data.map("halve", |graph| {
        let nodes = graph.size()[0] as usize;
        Ok(graph.keep("nodes", &(0..nodes).map(|node| node % 2 == 0).collect::<Vec<_>>())?)
    });
    let made = |data: &Data| data.connect(Edges::Radius(3.0)).unwrap().triplets().unwrap();
    let counts = |data: &Data, options: Options| -> Vec<Vec<usize>> {
        let loader = Loader::new(data, options.extra(["triplets_mask"])).unwrap();
        let sets = |batch: Result<Batch, _>| batch.unwrap().real().sets().to_vec();
        loader.epoch(0).map(|batch: Result<_, graphpack_loader::Error>| sets(batch)).collect()
    };
    let (halved, whole) = (made(&halved), made(&data));
    let trimmed = || Options::default().capacity(Limits::new([8, 2000, 20_000]).graphs(1)).oversize(Oversize::Trim);
    for (data, options) in [(&halved, Options::graphs(8)), (&whole, trimmed())] {
        let all = counts(data, options.clone());
        for field in ["y", "z", "distance"] {
            assert_eq!(counts(data, options.clone().fields([field])), all, "{field}");
        }
    }
}

#[test]
fn names_of_maps_may_have_slashes() {
    let data = Data::from(clusters::generate(1, 5));
    assert!(Loader::new(data.map("aug/noise", noise).map("noise", noise), Options::default()).is_ok());
    let part = data.map("x/y", noise);
    let mix = Data::mix(&[("p", &part)]).unwrap();
    assert!(Loader::new(mix.map("x/y", noise), Options::default()).is_err());
}

/// Of an error that a map takes no notice of, nothing is delivered.
#[test]
fn what_was_refused_and_not_written_again_is_an_error() {
    let data = Data::from(clusters::generate(1, 5)).connect(Edges::Radius(2.0)).unwrap();
    let first = |data: Data| {
        let first = Loader::new(data, Options::graphs(2)).unwrap().epoch(0).next().unwrap();
        first.map(drop).map_err(|error| error.to_string())
    };
    let index = |graph: &mut Slot<'_>| {
        let _ = graph.set_index("edge_index", &[&[99_u32], &[0]]);
        Ok(())
    };
    let field = |graph: &mut Slot<'_>| {
        let _ = graph.set("y", &[1.0_f32; 7]);
        Ok(())
    };
    let again = move |graph: &mut Slot<'_>| {
        field(graph)?;
        Ok(graph.set("y", &[1.0_f32])?)
    };
    for (data, name) in [(data.map("index", index), "edge_index"), (data.map("field", field), "y")] {
        let message = first(data).unwrap_err();
        assert!(
            message.contains(&format!("{name:?} of the graph is not written: its last values were refused")),
            "{message}"
        );
    }
    assert_eq!(first(data.map("again", again)), Ok(()));
}
