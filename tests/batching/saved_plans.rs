//! Plans that were made before: batches are those that the loader would have planned, and other plans are refused.

use graphpack_core::{Heuristic, Histogram, Packer, Plan, Size};
use graphpack_loader::{
    Budget, Capacity, Limits, Loader, Options, Order, Oversize, SavedPlan, Shard, Weights, molecules,
};
use proptest::prelude::*;
use std::fs;
use std::sync::Arc;
use test_common::{batches, data_sets};

const PACKER: Packer = Packer::Auto(Budget::steps(1_000_000));

fn options() -> Options {
    Options::default().grouping(PACKER).order(Order::Shuffled).seed(11)
}

/// Writes and reads a plan, as if it went to another process.
fn sent(plan: &Plan, sets: &[String]) -> SavedPlan {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    SavedPlan::from(plan.clone()).of_sets(sets).save(&path).unwrap();
    let read = SavedPlan::open(&path).unwrap();
    assert_eq!((read.sets(), &**read.plan()), (Some(sets), plan));
    read
}

/// The plan of a loader, as a file has it.
fn plan_of(loader: &Loader) -> SavedPlan {
    let sets = loader.data().schema().sets();
    sent(loader.plan().unwrap(), sets)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn ranks_get_the_batches_that_they_would_have_planned(
        drawn in data_sets(), graphs in 1..12_u32, world in prop_oneof![1..5_u32, Just(512)], epoch in 0..3_u64,
        packs in 1..3_usize,
    ) {
        let data = Arc::new(drawn.store());
        let first = Loader::new(data.clone(), options().capacity(Capacity::graphs(graphs))).unwrap();
        let plan = plan_of(&first);
        for rank in (0..world).step_by(world.div_ceil(4) as usize) {
            let shard = Shard::new(rank, world).unwrap();
            let planning = Loader::new(data.clone(), options().capacity(Capacity::graphs(graphs)).packs(packs).shard(shard)).unwrap();
            let given = Loader::new(data.clone(), options().grouping(plan.clone()).packs(packs).shard(shard)).unwrap();
            prop_assert_eq!(given.shape(), planning.shape());
            let (expected, found) = (batches(planning.epoch(epoch)), batches(given.epoch(epoch)));
            prop_assert_eq!(found.len(), expected.len());
            prop_assert!(found.iter().zip(&expected).all(|(found, expected)| found.bytes() == expected.bytes()));
            // Each also resumes from the other's states.
            if let Some(batch) = expected.first() {
                prop_assert_eq!(batches(given.resume(&batch.state()).unwrap()).len(), expected.len() - 1);
                prop_assert!(planning.resume(&found[0].state()).is_ok());
            }
        }
    }
}

#[test]
fn a_packer_of_your_own_is_a_plan_like_any_other() {
    let data = Arc::new(molecules::generate(1, 300));
    let sizes = data.sizes();
    let histogram = Histogram::from_sizes(sizes).unwrap();
    let limits = Limits::new([400, 900]).graphs(40);
    let plan = Packer::FirstFit(Heuristic::Set(1)).pack(&histogram, &limits).unwrap();
    let loader = Loader::new(data.clone(), options().grouping(plan.clone())).unwrap();
    assert_eq!(loader.plan(), Some(&plan));
    assert_eq!(loader.batches(0).unwrap() as u64, plan.packs());
    let mut graphs: Vec<i64> = batches(loader.epoch(3)).iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
    graphs.sort_unstable();
    assert_eq!(graphs, (0..300).collect::<Vec<_>>());

    // A state belongs to the packs, whoever made them.
    let planning = |packer| Loader::new(data.clone(), options().capacity(limits).grouping(packer)).unwrap();
    let (same, other) = (planning(Packer::FirstFit(Heuristic::Set(1))), planning(Packer::Demand));
    assert!(loader.resume(&same.state(1).unwrap()).is_ok() && same.resume(&loader.state(1).unwrap()).is_ok());
    let error = loader.resume(&other.state(1).unwrap()).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("the state belongs to a plan of "), "{error}");
    let demand = Loader::new(data.clone(), options().grouping(other.plan().unwrap().clone())).unwrap();
    let error = loader.resume(&demand.state(1).unwrap()).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("the state belongs to a plan of "), "{error}");
}

#[test]
fn plans_of_other_graphs_limits_or_sets_are_refused_with_numbers() {
    let data = Arc::new(molecules::generate(1, 300));
    let refused = |options: Options| Loader::new(data.clone(), options).map(|_| ()).unwrap_err().to_string();
    let counts = |graphs: usize| (0..graphs).map(|graph| (data.size(graph).unwrap(), 1_u64));
    let plan = |counts: Vec<(Size, u64)>, limits: [u32; 2]| {
        let histogram = Histogram::from_counts(counts).unwrap();
        Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new(limits)).unwrap()
    };
    let all: Vec<_> = counts(300).collect();
    let sound = plan(all.clone(), [400, 900]);
    Loader::new(data.clone(), options().grouping(sound.clone())).unwrap();

    let (smallest, most) = (sound.histogram().entries()[0], Size::new([400, 900]));
    let message = |planned: u64, size: Size, found: u64| {
        let (nodes, edges) = (size[0], size[1]);
        format!(
            "the plan has {planned} graphs of {nodes} nodes and {edges} edges, the data have {found}; plan again for \
             these data"
        )
    };
    let fewer = plan(all.iter().copied().filter(|(size, _)| *size != smallest.0).collect(), [400, 900]);
    assert_eq!(refused(options().grouping(fewer)), message(0, smallest.0, smallest.1));
    let more = plan(all.iter().copied().chain([(smallest.0, 2)]).collect(), [400, 900]);
    assert_eq!(refused(options().grouping(more)), message(smallest.1 + 2, smallest.0, smallest.1));
    let other = plan(all.iter().copied().chain([(most, 7)]).collect(), [400, 900]);
    assert_eq!(refused(options().grouping(other)), message(7, most, 0));

    let error = refused(options().grouping(sound.clone()).capacity(Limits::new([410, 900])));
    let limits = |nodes: u32| format!("({nodes}, 900) with at most 256 graphs");
    assert_eq!(error, format!("grouping plan has limits {}, the capacity is {}", limits(400), limits(410)));
    let named = |sets: &[&str]| options().grouping(SavedPlan::from(sound.clone()).of_sets(sets.iter().copied()));
    Loader::new(data.clone(), named(&["nodes", "edges"])).unwrap();
    assert_eq!(
        refused(named(&["edges", "nodes"])),
        r#"the plan is for ["edges", "nodes"], expected ["nodes", "edges"]"#
    );
    let narrow = Packer::Demand.pack(&Histogram::default(), &Limits::new([9])).unwrap();
    assert_eq!(refused(options().grouping(narrow)), r#"the plan is for 1 sets, expected ["nodes", "edges"]"#);
    let weighted = options().grouping(sound.clone()).weights(Weights::new(&[1.0; 300]).unwrap());
    assert_eq!(refused(weighted), "weights and grouping plan contradict each other: each epoch has other graphs");

    // Of graphs that are left out, a plan has none.
    let small: Vec<_> = all.iter().copied().filter(|(size, _)| size.fits(&Size::new([20, 44]))).collect();
    assert!(!small.is_empty() && small.len() < 300);
    let loader =
        Loader::new(data.clone(), options().grouping(plan(small.clone(), [20, 44])).oversize(Oversize::Skip)).unwrap();
    assert_eq!(loader.skipped(), 300 - small.len());
}

#[test]
fn files_that_are_no_whole_and_sound_plan_are_refused_each_with_its_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)]).unwrap();
    let limits = Limits::new([30, 64]);
    let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &limits).unwrap();
    SavedPlan::from(plan).of_sets(["nodes", "edges"]).save(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        let error = SavedPlan::open(&path).unwrap_err().to_string();
        assert!(error.starts_with(path.to_str().unwrap()), "{error}");
        error
    };
    for end in 0..text.len() {
        assert!(refused(&text[..end]).contains("is not a whole and sound plan: EOF while parsing"), "{end}");
    }
    for (from, to, expected) in [
        (
            r#""entries":[[0,1],[1,1]"#,
            r#""entries":[[0,1],[1,2]"#,
            "pack 0 of the plan exceeds its limits (30, 64) with at most 256 graphs: it has [50, 102] with 3 graphs",
        ),
        (r#""entries":[[0,1]"#, r#""entries":[[0,0]"#, "has 0 graphs of a size"),
        (r#""size":[30,64]"#, r#""size":[30,64,9]"#, "limits of 3 sets for the sets nodes, edges"),
        (r#"["nodes","edges"]"#, r#"["nodes"]"#, "limits of 2 sets for the sets nodes"),
        (r#""size":[30,64]"#, r#""size":[]"#, "the rows of 1 to 16 sets"),
        // Another version may have members that are not known here.
        (r#""version":1"#, r#""version":2,"later":0"#, "expected version 1 of a plan, found 2"),
        (r#""entries""#, r#""entry""#, "missing field `entries`"),
    ] {
        assert!(text.contains(from), "{text}");
        let error = refused(&text.replacen(from, to, 1));
        assert!(error.contains(expected), "{error}");
    }
    let nowhere = folder.path().join("nowhere.json");
    assert!(SavedPlan::open(&nowhere).unwrap_err().to_string().starts_with(&format!("{}: ", nowhere.display())));
}
