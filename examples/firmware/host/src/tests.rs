//! A session puts every graph into a batch, and no damage to its input makes it panic.

use crate::{make, run};
use graphpack_core::{Heuristic, Histogram, Limits, Packer};
use session::{Input, SessionError};

/// The input with a plan by first-fit.
fn input() -> Vec<u8> {
    let histogram = Histogram::from_sizes(make::sizes()).unwrap();
    let plan = Packer::FirstFit(Heuristic::Product).pack(&histogram, &Limits::new([127, 256]).graphs(12)).unwrap();
    make::input(&postcard::to_allocvec(&plan.as_fixed()).unwrap()).unwrap()
}

fn session(bytes: &[u8]) -> (Result<(), SessionError>, String) {
    let (mut bytes, mut text) = (bytes.iter().copied(), String::new());
    (run(&mut Input::new(|| bytes.next()), &mut text), text)
}

#[test]
fn every_graph_is_in_one_batch_of_each_packer() {
    let (outcome, text) = session(&input());
    assert_eq!(outcome, Ok(()));
    for packer in ["window ", "dynamic ", "plan ", "alone "] {
        let batches = text.lines().filter(|line| line.starts_with(packer));
        let numbers = batches.flat_map(|line| line.rsplit(": ").next().unwrap().split(' '));
        let mut graphs: Vec<usize> = numbers.map(|number| number.parse().unwrap()).collect();
        graphs.sort_unstable();
        assert_eq!(graphs, (0..make::GRAPHS).collect::<Vec<_>>(), "{packer}");
    }
}

#[test]
fn input_that_ends_early_says_so() {
    let input = input();
    for bytes in 0..input.len() {
        let (outcome, _) = session(&input[..bytes]);
        assert!(
            matches!(outcome, Err(SessionError::Ended { bytes: found, .. }) if found as usize == bytes),
            "{outcome:?}"
        );
    }
}

#[test]
fn wrong_bytes_end_in_an_error_or_in_other_batches() {
    let input = input();
    for at in 0..input.len() {
        for wrong in [0, 1, 0x7F, 0xFF, input[at] ^ 1, input[at] ^ 0x80] {
            let mut damaged = input.clone();
            damaged[at] = wrong;
            let (outcome, text) = session(&damaged);
            assert!(outcome.is_err() || text.lines().count() > 3, "byte {at} as {wrong}");
        }
    }
}
