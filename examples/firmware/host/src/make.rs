//! The input of a session: a plan and the sizes of its graphs, then requests.

use crate::Outcome;
use graphpack_loader::{Data, Loader, Options, Store, molecules};
use session::{CRC, LIMITS, Message, Request, Rows, SHAPE};

/// Molecules of a session.
pub(crate) const GRAPHS: usize = 120;

/// Molecules like those of ogbg-molhiv, the same on every machine.
pub(crate) fn generated() -> Store {
    molecules::generate(0, GRAPHS)
}

/// Ways to send the requests: a name, what it is, the deadline, at 0 at once, and the rows that the network computes.
const WAYS: [(&str, &str, u64, Rows); 4] = [
    ("packs", "packs", u64::MAX, Rows::All),
    ("alone", "one graph at a time, padded", 0, Rows::All),
    ("packs-real", "packs, real rows alone", u64::MAX, Rows::Real),
    ("alone-real", "one graph at a time, real rows alone", 0, Rows::Real),
];

/// The most nodes and edges beside the padding of a batch, and graphs, as `127,279 8`; then a line `NAME: WHAT IT IS`
/// for each way.
pub(crate) fn session() -> String {
    let ways = WAYS.map(|(name, is, ..)| format!("{name}: {is}\n")).concat();
    format!("{},{} {}\n{ways}", LIMITS[0], LIMITS[1], SHAPE.graphs - 1)
}

/// The input with the first [`GRAPHS`] graphs of a store and a plan for them in postcard.
pub(crate) fn input(store: Store, plan: &[u8], way: &str) -> Outcome<Vec<u8>> {
    let of_name = WAYS.iter().find(|(name, ..)| *name == way);
    let (.., deadline, rows) = of_name.ok_or_else(|| format!("expected one of {WAYS:?}, found {way}"))?;
    let molecules = Molecule::all(store)?;
    let mut bytes = frame(&Message::Plan(plan));
    bytes.extend(fitting(&molecules).flat_map(|size| frame(&Message::Planned(size))));
    bytes.extend(frame(&Message::Compute(*rows)));
    for (ticket, molecule) in (0..).zip(&molecules) {
        bytes.extend(frame(&Message::Classify(molecule.request(ticket, *deadline))));
    }
    bytes.extend(frame(&Message::End));
    Ok(bytes)
}

/// The sizes of molecules that fit into a batch.
pub(crate) fn fitting(molecules: &[Molecule]) -> impl Iterator<Item = [u32; 2]> {
    molecules.iter().map(Molecule::size).filter(|[nodes, edges]| *nodes <= LIMITS[0] && *edges <= LIMITS[1])
}

/// These sizes as csv, one graph a line.
pub(crate) fn csv(molecules: &[Molecule]) -> String {
    let lines = fitting(molecules).map(|[nodes, edges]| format!("{nodes},{edges}\n"));
    ["num_nodes,num_edges\n".to_owned()].into_iter().chain(lines).collect()
}

/// A molecule as it goes over the line.
#[derive(Clone, Debug)]
pub(crate) struct Molecule {
    pub(crate) x: Vec<u8>,
    pub(crate) edge_index: [Vec<u8>; 2],
    pub(crate) edge_attr: Vec<u8>,
}

impl Molecule {
    /// The first [`GRAPHS`] graphs of a store. Errors if a number does not fit into a byte.
    pub(crate) fn all(store: Store) -> Outcome<Vec<Self>> {
        let first: Vec<u32> = (0..store.len().min(GRAPHS) as u32).collect();
        let loader = Loader::new(Data::from(store).subset(first)?, Options::default())?;
        let mut molecules = Vec::new();
        for batch in loader.epoch(0) {
            for graph in batch?.graphs() {
                let [sources, targets] = &graph.index("edge_index")?[..] else { unreachable!() };
                molecules.push((
                    graph.number(),
                    Self {
                        x: narrow(graph.rows("x")?)?,
                        edge_index: [narrow(sources)?, narrow(targets)?],
                        edge_attr: narrow(graph.rows("edge_attr")?)?,
                    },
                ));
            }
        }
        molecules.sort_by_key(|(number, _)| *number);
        Ok(molecules.into_iter().map(|(_, molecule)| molecule).collect())
    }

    pub(crate) fn request(&self, ticket: u32, deadline: u64) -> Request<'_> {
        let [sources, targets] = &self.edge_index;
        Request { ticket, deadline, x: &self.x, edge_index: [sources, targets], edge_attr: &self.edge_attr }
    }

    /// Nodes and edges.
    fn size(&self) -> [u32; 2] {
        [self.x.len() / 9, self.edge_attr.len() / 3].map(|rows| rows as u32)
    }
}

fn narrow(numbers: &[i64]) -> Outcome<Vec<u8>> {
    let narrow =
        |&number| u8::try_from(number).map_err(|_| format!("expected numbers below 256, found {number}").into());
    numbers.iter().map(narrow).collect()
}

/// A frame, its zero included.
pub(crate) fn frame(message: &Message<'_>) -> Vec<u8> {
    let bytes = postcard::to_allocvec_crc32(message, CRC.digest()).expect("memory grows as messages need it");
    let mut frame = vec![0; cobs::max_encoding_length(bytes.len()) + 1];
    let length = cobs::encode(&bytes, &mut frame);
    frame.truncate(length + 1);
    frame
}
