//! Each request gets its own answer, whatever comes over the line between.

use crate::make::{GRAPHS, Molecule, fitting, frame, generated, input};
use crate::run;
use graphpack_core::{Heuristic, Histogram, Limits, Packer};
use graphpack_loader::Random;
use session::{
    Answer, FRAME, Frames, LIMITS, MOST, Memory, Message, Plan, Refusal, Rows, Session, Unreadable, read_plan,
};
use std::collections::HashMap;

/// What PyTorch says of the generated molecules, by `cargo xtask firmware --weights`.
const PYTORCH: &[u8] = include_bytes!("../../session/gine.answers");
/// Float32 sums in another order differ by this.
const TOLERANCE: f32 = 1e-4;

/// Answers one request after another, each alone.
struct Alone<'a> {
    session: Session<'a>,
}

impl Alone<'_> {
    fn answer(&mut self, molecule: &Molecule, ticket: u32) -> String {
        let mut bytes = frame(&Message::Classify(molecule.request(ticket, 0)));
        bytes.pop();
        let mut line = String::new();
        self.session.take(Ok(&mut bytes), &mut line).unwrap();
        line.trim_end().to_owned()
    }
}

fn logit(line: &str) -> Option<f32> {
    Some(f32::from_bits(u32::from_str_radix(line.split_once(": logit ")?.1, 16).ok()?))
}

#[test]
fn logits_are_those_of_pytorch() {
    let (plan, mut memory) = (Plan::new(), Box::new(Memory::new()));
    let mut alone = Alone { session: Session::new(&plan, &mut memory).unwrap() };
    let molecules = Molecule::all(generated()).unwrap();
    let expected = PYTORCH.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
    assert_eq!(expected.len(), molecules.len());
    let mut answered = 0;
    for (ticket, (molecule, expected)) in (0..).zip(molecules.iter().zip(expected)) {
        let line = alone.answer(molecule, ticket);
        let Some(found) = logit(&line) else { continue };
        assert!((found - expected).abs() < TOLERANCE, "{line}: {found}, expected {expected}");
        answered += 1;
    }
    assert!(answered > GRAPHS * 9 / 10, "{answered}");
}

/// A plan by best-fit, in postcard.
fn plan_of(sizes: impl IntoIterator<Item = [u32; 2]>) -> Vec<u8> {
    let histogram = Histogram::from_sizes(sizes).unwrap();
    let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new(LIMITS).graphs(8)).unwrap();
    postcard::to_allocvec(&plan.as_fixed()).unwrap()
}

fn input_of(way: &str) -> Vec<u8> {
    let store = generated();
    let plan = plan_of(fitting(&Molecule::all(store.clone()).unwrap()));
    input(store, &plan, way).unwrap()
}

#[test]
fn ways_differ_in_batches_alone() {
    let sorted = |way| {
        let mut text = String::new();
        run(&input_of(way), &mut text).unwrap();
        let (tickets, others): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.starts_with("ticket"));
        let numbers = others.iter().filter(|line| line.starts_with("pack:")).flat_map(|line| line.split(' ').skip(1));
        let packed: Vec<u32> = numbers.map(|number| number.parse().unwrap()).collect();
        let mut tickets: Vec<_> = tickets.into_iter().map(str::to_owned).collect();
        tickets.sort_unstable();
        (tickets, packed, others.last().unwrap().to_string())
    };
    let (tickets, mut packed, summary) = sorted("packs");
    assert_eq!(tickets.len(), GRAPHS);
    packed.sort_unstable();
    packed.dedup();
    let answered = tickets.iter().filter(|line| logit(line).is_some()).count();
    assert!(packed.len() >= answered && answered > GRAPHS * 9 / 10, "{} {answered}", packed.len());
    let alone = sorted("alone");
    assert_eq!((&alone.0, &sorted("alone-real").0), (&tickets, &tickets));
    assert_ne!(alone.2, summary);
}

#[test]
fn a_session_begins_with_a_plan() {
    let input = input_of("packs");
    let plan = input.iter().position(|&byte| byte == 0).unwrap() + 1;
    for (name, bytes) in [("nothing", &[][..]), ("half", &input[..plan / 2]), ("no plan", &input[plan..])] {
        assert_eq!(run(bytes, &mut String::new()).unwrap_err().to_string(), Unreadable::NoPlan.to_string(), "{name}");
    }
    // Of 8 graphs in a pack, 7 wait for the last.
    for (packs, expected) in [(18, None), (19, Some(Unreadable::Waiting { waiting: 19 * 7 }))] {
        let mut bytes = frame(&Message::Plan(&plan_of(vec![[10, 20]; packs * 8])));
        bytes.pop();
        assert_eq!(read_plan(Ok(&mut bytes), &mut Plan::new()).err(), expected);
    }
}

/// Molecules with what the reference says of each: too large, malformed, and good.
fn pool(random: &mut Random) -> Vec<(Molecule, String)> {
    let mut all = Molecule::all(generated()).unwrap();
    for good in all.clone() {
        let (mut bad, nodes) = (good, 1 + random.below(140) as usize);
        match random.below(8) {
            0 => bad.x.truncate(nodes),
            1 => bad.x.resize(9 * nodes, 0),
            2 => bad.x.iter_mut().take(nodes).for_each(|feature| *feature = 255),
            3 => bad.edge_attr.iter_mut().take(nodes).for_each(|feature| *feature = random.below(9) as u8),
            4 => bad.edge_attr.resize(3 * (nodes + 150), 0),
            5 => bad.edge_index[1].iter_mut().take(MOST as usize + 1).for_each(|node| *node = 0),
            6 => bad.edge_index[0].iter_mut().for_each(|node| *node = node.wrapping_mul(3)),
            _ => bad = Molecule { x: Vec::new(), edge_index: [Vec::new(), Vec::new()], edge_attr: Vec::new() },
        }
        all.push(bad);
    }
    let (plan, mut memory) = (Plan::new(), Box::new(Memory::new()));
    let mut alone = Alone { session: Session::new(&plan, &mut memory).unwrap() };
    let said = |molecule: &Molecule| alone.answer(molecule, 0).split_once(": ").unwrap().1.to_owned();
    let said: Vec<String> = all.iter().map(said).collect();
    for part in ["logit", "too large", "of x is", "neighbours", "but the graph has", "values for this graph"] {
        assert!(said.iter().any(|said| said.contains(part)), "no molecule is answered with {part:?}");
    }
    all.into_iter().zip(said).collect()
}

/// The sender's end of the line: what it sent, and what it waits for.
struct Sender<'a> {
    session: Session<'a>,
    frames: Frames,
    sent: u32,
    now: u64,
    /// By ticket: the deadline, and what the reference says.
    waiting: HashMap<u32, (u64, &'a str)>,
}

impl Sender<'_> {
    /// Sends bytes and checks what comes back: `expected` lines in any order, and answers for requests that wait.
    fn send(&mut self, bytes: &[u8], mut expected: Vec<String>) {
        let mut lines = String::new();
        for &byte in bytes {
            if let Some(frame) = self.frames.push(byte) {
                self.session.take(frame, &mut lines).unwrap();
                self.sent += 1;
            }
        }
        let now = self.now;
        for line in lines.lines() {
            if let Some(place) = expected.iter().position(|other| line.starts_with(other)) {
                expected.remove(place);
                continue;
            }
            let (ticket, found) = line.strip_prefix("ticket ").and_then(|line| line.split_once(": ")).expect(line);
            let (deadline, said) = self.waiting.remove(&ticket.parse().unwrap()).expect(line);
            let late = Refusal::Late { deadline, now }.to_string();
            assert_eq!(found, if deadline < now { &late } else { said }, "{line}");
        }
        assert_eq!(expected, [""; 0], "in {lines:?}");
        assert!(self.waiting.values().all(|&(deadline, _)| deadline > now), "{:?} at {now}", self.waiting);
    }

    /// Sends damaged bytes, each part of which is refused by its number.
    fn send_damaged(&mut self, bytes: &[u8]) {
        let parts = bytes.split(|&byte| byte == 0).filter(|part| !part.is_empty()).count() as u32;
        let numbers = self.sent..self.sent + parts;
        self.send(bytes, numbers.map(|number| format!("frame {number}: ")).collect());
    }
}

#[test]
fn no_ticket_has_the_answer_of_another_in_a_hundred_thousand_requests_with_faults() {
    let mut random = Random::new(59, 0);
    let pool = pool(&mut random);
    let (plan, mut memory) = (Plan::new(), Box::new(Memory::new()));
    let session = Session::new(&plan, &mut memory).unwrap();
    let mut sender = Sender { session, frames: Frames::new(), sent: 1, now: 0, waiting: HashMap::new() };
    sender.send(&frame(&Message::Compute(Rows::Real)), Vec::new());
    let mut last = Vec::new();
    for _ in 0..100_000 {
        if random.below(2) == 0 {
            sender.now += u64::from(random.below(4));
            sender.send(&frame(&Message::Now(sender.now)), Vec::new());
        }
        let (ticket, now) = (random.below(100), sender.now);
        let deadline = (now + u64::from(random.below(12))).saturating_sub(1);
        let (molecule, said) = &pool[random.below(pool.len() as u32) as usize];
        let sent = frame(&Message::Classify(molecule.request(ticket, deadline)));
        let (mut damaged, place) = (sent.clone(), random.below(sent.len() as u32 - 1) as usize);
        match random.below(20) {
            0 => damaged[place] ^= 1 << random.below(8),
            1 => drop(damaged.splice(place.., [0])),
            2 => damaged.insert(place, 1 + random.below(255) as u8),
            3 => drop(damaged.splice(sent.len() - 1.., sent.iter().copied())),
            4 => {
                damaged = (0..random.below(FRAME as u32 * 2)).map(|_| 1 + random.below(255) as u8).chain([0]).collect();
            }
            5 => damaged.clone_from(&last),
            _ => {
                let refused = |why: Refusal| vec![Answer::Refused { ticket, why }.to_string()];
                let expected = match sender.waiting.get(&ticket) {
                    Some(_) => refused(Refusal::Taken),
                    None if deadline < now => refused(Refusal::Late { deadline, now }),
                    None if !said.starts_with("logit") => vec![format!("ticket {ticket}: {said}")],
                    None => {
                        sender.waiting.insert(ticket, (deadline, said));
                        Vec::new()
                    }
                };
                sender.send(&sent, expected);
                last = sent[..sent.len() / 2].iter().copied().chain([0]).collect();
                continue;
            }
        }
        sender.send_damaged(&damaged);
    }
    // The last frame writes a summary, too.
    sender.send(&frame(&Message::End), vec!["answered ".to_owned()]);
    assert!(sender.waiting.is_empty());
}
