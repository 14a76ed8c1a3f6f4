//! [`Search`]: finds the edges of one structure.

use super::connect::{Edges, EdgesError, equal};
use super::ghosts::Ghosts;
use super::lattice::Lattice;
use crate::error::Error;

/// Up to this number of atoms, the nearest neighbours in a molecule are sought among all.
const SMALL: usize = 128;

/// Finds edges. All memory serves the next structure again.
#[derive(Default)]
pub(super) struct Search {
    pos: Vec<[f64; 3]>,
    lattice: Option<Lattice>,
    ghosts: Ghosts,
    /// For each edge, in order: the bits of its distance, its source, the image of the source.
    keys: Vec<u128>,
    /// Where the edges of each target start, and their number at the end.
    ptr: Vec<usize>,
    /// The keys of one target, in no order.
    of_target: Vec<u128>,
    /// The bits of all lengths, in no order.
    lengths: Vec<u64>,
}

/// An edge and its geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) distance: f64,
    image: u32,
}

impl Search {
    /// Takes over a structure. Errors if a position is no number, or if it cannot repeat by the cell.
    pub(super) fn set(&mut self, pos: &[[f64; 3]], cell: &[[f64; 3]; 3], periodic: [bool; 3]) -> Result<(), Error> {
        // Squares of larger numbers are infinite.
        if let Some(atom) = pos.iter().position(|pos| !pos.iter().all(|x| x.abs() < 1e100)) {
            return Err(EdgesError::Position { atom, pos: pos[atom] }.into());
        }
        self.pos.clear();
        self.pos.extend_from_slice(pos);
        self.lattice = Lattice::new(cell, periodic)?;
        Ok(())
    }

    /// Returns the number of edges by a rule.
    pub(super) fn count(&mut self, rule: Edges) -> Result<u64, Error> {
        let atoms = self.pos.len() as u64;
        if rule == Edges::FullyConnected {
            return Ok(atoms.saturating_mul(atoms.saturating_sub(1)));
        }
        let mut count = 0;
        self.search(rule, |edges| {
            count += edges.len().min(rule.most()) as u64;
            Ok(())
        })?;
        Ok(count)
    }

    /// Finds the edges by a rule, sorted by target, then by distance, then by source, then by the cell of the source.
    /// Errors if there are far more than were `planned`. Returns their number.
    pub(super) fn find(&mut self, rule: Edges, planned: usize) -> Result<usize, Error> {
        let (mut keys, mut ptr) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.ptr));
        keys.clear();
        ptr.clear();
        ptr.push(0);
        let most = planned.saturating_mul(8).saturating_add(1 << 20);
        let found = self.search(rule, |edges| {
            keep_nearest(edges, rule.most());
            edges.sort_unstable();
            keys.extend_from_slice(edges);
            ptr.push(keys.len());
            if keys.len() > most { Err(EdgesError::Edges { most, planned }.into()) } else { Ok(()) }
        });
        (self.keys, self.ptr) = (keys, ptr);
        found.map(|()| self.keys.len())
    }

    /// Calls `each` with the edges of every target, in no order: all within the radius, or at least the nearest by the
    /// rule and all that are as far as the last of these.
    fn search(&mut self, rule: Edges, mut each: impl FnMut(&mut Vec<u128>) -> Result<(), Error>) -> Result<(), Error> {
        let Self { pos, ghosts, of_target: edges, .. } = self;
        let lattice = self.lattice.as_ref().filter(|_| rule != Edges::FullyConnected);
        let Ok(atoms) = u32::try_from(pos.len()) else { return Err(EdgesError::Atoms { atoms: pos.len() }.into()) };
        let wanted = match (rule, lattice) {
            (Edges::Nearest(most), Some(_)) => most,
            (Edges::Nearest(most), None) => most.min(pos.len().saturating_sub(1)),
            _ => 0,
        };
        let mut radius = match rule {
            Edges::Nearest(_) if lattice.is_some() || pos.len() > SMALL => first_radius(pos, lattice, wanted),
            _ => rule.inside(),
        };
        ghosts.clear();
        let mut reach = ghosts.fill(pos, lattice, radius)?;
        for target in 0..atoms {
            loop {
                edges.clear();
                let square = radius * radius;
                for found in 0..ghosts.near(target, reach) {
                    let (source, image) = ghosts.found(found);
                    let mut apart = minus(&pos[source as usize], &pos[target as usize]);
                    if let Some(lattice) = lattice {
                        let cells = ghosts.cells(source, image, target);
                        if source == target && cells == [0; 3] {
                            continue;
                        }
                        apart = plus(&apart, &lattice.shift(cells));
                    } else if source == target {
                        continue;
                    }
                    let found = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
                    if found < square {
                        // No distance is negative, so that their bits are in their order.
                        let place = u64::from(source) << 32 | u64::from(image);
                        edges.push(u128::from(found.sqrt().to_bits()) << 64 | u128::from(place));
                    }
                }
                if wanted == 0 || edges.len() >= wanted && equal(farthest(edges, wanted))[1] < radius {
                    break;
                }
                radius *= 1.25;
                reach = ghosts.fill(pos, lattice, radius)?;
            }
            each(edges)?;
        }
        Ok(())
    }

    /// The edges that were found, in order.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        (0..).zip(self.ptr.windows(2)).flat_map(|(target, ptr)| {
            self.keys[ptr[0]..ptr[1]].iter().map(move |key| {
                let (distance, source, image) = (f64::from_bits((key >> 64) as u64), (key >> 32) as u32, *key as u32);
                Edge { source, target, distance, image }
            })
        })
    }

    /// Returns how many cells the image of the source that an edge starts at is away from the source itself.
    pub(super) fn cells(&self, edge: &Edge) -> [i32; 3] {
        self.ghosts.cells(edge.source, edge.image, edge.target)
    }

    /// Returns the vector from the source to its image that an edge starts at.
    pub(super) fn shift(&self, edge: &Edge) -> [f64; 3] {
        self.lattice.as_ref().map_or([0.0; 3], |lattice| lattice.shift(self.cells(edge)))
    }

    /// Keeps the `most` shortest edges; of equally long ones the first.
    pub(super) fn keep_shortest(&mut self, most: usize) {
        let Self { keys, ptr, lengths, .. } = self;
        if keys.len() <= most {
            return;
        }
        lengths.clear();
        lengths.extend(keys.iter().map(|key| (key >> 64) as u64));
        let last = most.checked_sub(1).map_or(0.0, |place| f64::from_bits(*lengths.select_nth_unstable(place).1));
        let [near, far] = equal(last);
        // For edges that are as long as the last.
        let mut room = most - lengths.iter().filter(|&&bits| f64::from_bits(bits) < near).count();
        let (mut place, mut kept, mut target) = (0, 0, 1);
        keys.retain(|&key| {
            while ptr[target] == place {
                ptr[target] = kept;
                target += 1;
            }
            let length = length(key);
            let equal = (near..=far).contains(&length) && room > 0;
            room -= usize::from(equal);
            let keep = equal || length < near;
            place += 1;
            kept += usize::from(keep);
            keep
        });
        ptr[target..].fill(kept);
    }
}

/// The length of an edge.
fn length(key: u128) -> f64 {
    f64::from_bits((key >> 64) as u64)
}

/// Returns the length of the edge at place `nearest`, counted from 1, by length. There must be that many.
fn farthest(edges: &mut [u128], nearest: usize) -> f64 {
    length(*edges.select_nth_unstable(nearest - 1).1)
}

/// Keeps the `most` shortest edges of a target; of those that are as long as the last of these, the ones with the
/// lowest source, then with the lowest image.
fn keep_nearest(edges: &mut Vec<u128>, most: usize) {
    if edges.len() <= most {
        return;
    }
    if most > 0 {
        let [near, far] = equal(farthest(edges, most));
        if edges[most..].iter().any(|&edge| length(edge) <= far) {
            edges.retain(|&edge| length(edge) <= far);
            edges.sort_unstable_by_key(|&edge| (length(edge) >= near).then_some(edge as u64));
        }
    }
    edges.truncate(most);
}

/// A radius that holds about `wanted` neighbours of most atoms. It decides how long the search takes, and nothing else.
fn first_radius(pos: &[[f64; 3]], lattice: Option<&Lattice>, wanted: usize) -> f64 {
    let atoms = pos.len().max(1) as f64;
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let extent = |axis: [f64; 3]| {
        let along = pos.iter().map(|pos| pos[0] * axis[0] + pos[1] * axis[1] + pos[2] * axis[2]);
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    // Of directions in which the structure does not repeat; the others have none.
    let mut extents = [None; 3];
    match lattice {
        Some(lattice) => extents.iter_mut().zip(lattice.across()).for_each(|(of, axis)| *of = Some(extent(axis))),
        None => extents = axes.map(|axis| Some(extent(axis))),
    }
    let extents = || extents.iter().flatten();
    let spacing = match lattice {
        Some(lattice) => (lattice.volume / atoms).powf(1.0 / (3 - extents().count()) as f64),
        None => extents().fold(0.0_f64, |most, extent| most.max(*extent)) / atoms,
    };
    let room = extents().fold(lattice.map_or(1.0, |lattice| lattice.volume), |room, x| room * x.max(spacing));
    (0.3 * (wanted.saturating_add(1)) as f64 * room / atoms).cbrt().max(1e-3)
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn plus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + b[k])
}
