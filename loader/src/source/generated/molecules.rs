//! Generated molecules, for trying things out: with correct valences, ogbg-molhiv's sizes and a target computed from
//! the graph.

use crate::Random;
use crate::layout::Level;
use crate::source::{Column, Store};

/// Quantiles of the number of atoms in ogbg-molhiv (41,127 graphs). A pair (n, atoms) says: n of 10,000 molecules have
/// at most that many atoms.
const ATOMS: [(u32, u32); 16] = [
    (0, 2),
    (312, 12),
    (625, 13),
    (1250, 15),
    (2500, 18),
    (3750, 21),
    (5000, 23),
    (6250, 26),
    (7500, 29),
    (8750, 36),
    (9375, 43),
    (9687, 52),
    (9800, 59),
    (9900, 70),
    (9990, 123),
    (10_000, 222),
];

/// (atomic number, valence, percentage of atoms): carbon, nitrogen, oxygen, sulfur, fluorine, chlorine.
const ELEMENTS: [(i64, u32, u32); 6] = [(6, 4, 70), (7, 3, 12), (8, 2, 12), (16, 2, 2), (9, 1, 2), (17, 1, 2)];
const CARBON: usize = 0;
const OXYGEN_ELEMENT: usize = 2;
const NITROGEN: i64 = 7;
const OXYGEN: i64 = 8;

/// Generates `count` molecules, which depend on `seed` alone. They have the fields of ogbg-mol*: `x` int64
/// `[nodes, 9]`, `edge_attr` int64 `[edges, 3]` and `y` int64 `[graphs, 1]`.
///
/// `y` is 1 if the molecule has an amide group: a carbon with a double bond to oxygen and a bond to nitrogen. Each bond
/// is two edges, one right after the other. Five of OGB's nine atom features are computed: atomic number - 1, degree,
/// number of hydrogens, hybridization and whether the atom is in a ring. The formal charge is 0 (code 5), the others
/// are 0.
pub fn generate(seed: u64, count: usize) -> Store {
    let mut columns = Columns { node_ptr: vec![0], edge_ptr: vec![0], ..Columns::default() };
    for molecule in 0..count {
        let mut random = Random::new(seed, molecule as u64);
        let atoms = atoms(&mut random);
        columns.push(&Molecule::grow(&mut random, atoms));
    }
    let Columns { node_ptr, edge_ptr, edges, x, edge_attr, y } = columns;
    let fields = vec![
        Column::new("x", Level::NODE, 9, x),
        Column::new("edge_attr", Level::EDGE, 3, edge_attr),
        Column::new("y", Level::Graph, 1, y),
    ];
    Store::of_columns(node_ptr, edge_ptr, edges, fields).expect("columns that are filled together belong together")
}

/// Draws a number of atoms, interpolating between quantiles.
fn atoms(random: &mut Random) -> u32 {
    let drawn = random.below(10_000);
    let upper = ATOMS.partition_point(|&(share, _)| share <= drawn);
    let ((from, low), (to, high)) = (ATOMS[upper - 1], ATOMS[upper]);
    low + (high - low + 1) * (drawn - from) / (to - from)
}

struct Atom {
    element: usize,
    /// Number of bonds that the atom can still make.
    free: u32,
    /// The atom that this one was attached to; the first atom is its own parent.
    parent: usize,
    ring: bool,
}

struct Molecule {
    atoms: Vec<Atom>,
    /// The two atoms of each bond and its order, 1 to 3.
    bonds: Vec<(usize, usize, u32)>,
}

impl Molecule {
    /// Grows a random tree of `count` atoms, closes some rings of five and six atoms, and makes some bonds double or
    /// triple.
    fn grow(random: &mut Random, count: u32) -> Self {
        let mut this = Self { atoms: Vec::new(), bonds: Vec::new() };
        this.attach(0, CARBON);
        for left in (0..count.saturating_sub(1)).rev() {
            let open: u32 = this.atoms.iter().map(|atom| atom.free).sum();
            let parent = this.parent(random);
            let drawn = this.element(random, parent);
            // As long as atoms are missing, some atom must be able to take another.
            let element = if left > 0 && open + ELEMENTS[drawn].1 <= 2 { CARBON } else { drawn };
            this.attach(parent, element);
            this.bond(parent, this.atoms.len() - 1);
        }
        // ogbg-molhiv has 11 to 12 rings per 100 atoms at most sizes; not every attempt succeeds.
        for _ in 0..count * 30 / 100 {
            this.close_ring(random.below(count) as usize, 4 + random.below(2));
        }
        for bond in 0..this.bonds.len() {
            let (a, b, _) = this.bonds[bond];
            let oxygen = [a, b].iter().any(|&atom| ELEMENTS[this.atoms[atom].element].0 == OXYGEN);
            match random.below(100) {
                0..2 => this.raise(bond, 2),
                2..30 => this.raise(bond, 1),
                // Carbonyl groups are common.
                30..95 if oxygen => this.raise(bond, 1),
                _ => {}
            }
        }
        this
    }

    fn attach(&mut self, parent: usize, element: usize) {
        self.atoms.push(Atom { element, free: ELEMENTS[element].1, parent, ring: false });
    }

    fn bond(&mut self, a: usize, b: usize) {
        self.atoms[a].free -= 1;
        self.atoms[b].free -= 1;
        self.bonds.push((a, b, 1));
    }

    /// Returns one of the last atoms that can take a bond, so that chains are longer than branches.
    fn parent(&self, random: &mut Random) -> usize {
        let mut back = [0, 0, 0, 0, 1, 1, 2, 5][random.below(8) as usize];
        let mut open = (0..self.atoms.len()).rev().filter(|&atom| self.atoms[atom].free > 0);
        let mut last = open.next().expect("some atom is open as long as atoms are missing");
        while let (1.., Some(atom)) = (back, open.next()) {
            last = atom;
            back -= 1;
        }
        last
    }

    /// Draws the element of an atom to attach to `parent`: oxygen more often beside nitrogen, so that there are enough
    /// amide groups.
    fn element(&self, random: &mut Random, parent: usize) -> usize {
        let Atom { element, parent: before, .. } = self.atoms[parent];
        if element == CARBON && ELEMENTS[self.atoms[before].element].0 == NITROGEN && random.below(100) < 60 {
            return OXYGEN_ELEMENT;
        }
        let mut drawn = random.below(100);
        let chosen = ELEMENTS.iter().position(|&(_, _, share)| {
            let here = drawn < share;
            drawn = drawn.saturating_sub(share);
            here
        });
        chosen.unwrap_or(CARBON)
    }

    /// Bonds an atom to its ancestor `steps` levels up the tree, if both can take a bond and no other ring crosses the
    /// path.
    fn close_ring(&mut self, atom: usize, steps: u32) {
        let mut path = vec![atom];
        for _ in 0..steps {
            path.push(self.atoms[path[path.len() - 1]].parent);
        }
        let ancestor = path[path.len() - 1];
        let open = self.atoms[atom].free > 0 && self.atoms[ancestor].free > 0;
        if open && ancestor != 0 && path.iter().filter(|&&atom| self.atoms[atom].ring).count() <= 2 {
            self.bond(ancestor, atom);
            for atom in path {
                self.atoms[atom].ring = true;
            }
        }
    }

    /// Raises the order of a bond, if both of its atoms can take more.
    fn raise(&mut self, bond: usize, by: u32) {
        let (a, b, order) = &mut self.bonds[bond];
        if self.atoms[*a].free >= by && self.atoms[*b].free >= by {
            self.atoms[*a].free -= by;
            self.atoms[*b].free -= by;
            *order += by;
        }
    }

    fn has_amide(&self) -> bool {
        let number = |atom: usize| ELEMENTS[self.atoms[atom].element].0;
        let bonded = |carbon, other, wanted| {
            let mut bonds = self.bonds.iter();
            bonds.any(|&(a, b, order)| {
                let neighbour = if a == carbon { b } else { a };
                (a == carbon || b == carbon) && number(neighbour) == other && wanted == order
            })
        };
        (0..self.atoms.len())
            .any(|atom| self.atoms[atom].element == CARBON && bonded(atom, OXYGEN, 2) && bonded(atom, NITROGEN, 1))
    }
}

#[derive(Default)]
struct Columns {
    node_ptr: Vec<u64>,
    edge_ptr: Vec<u64>,
    edges: [Vec<i64>; 2],
    x: Vec<i64>,
    edge_attr: Vec<i64>,
    y: Vec<i64>,
}

impl Columns {
    fn push(&mut self, molecule: &Molecule) {
        let mut degree = vec![0; molecule.atoms.len()];
        let mut highest = vec![1; molecule.atoms.len()];
        for &(a, b, order) in &molecule.bonds {
            for (from, to) in [(a, b), (b, a)] {
                self.edges[0].push(from as i64);
                self.edges[1].push(to as i64);
                self.edge_attr.extend([i64::from(order) - 1, 0, 0]);
                degree[from] += 1;
                highest[from] = highest[from].max(order);
            }
        }
        for (i, atom) in molecule.atoms.iter().enumerate() {
            // OGB's codes: SP 0, SP2 1, SP3 2; the hydrogens fill the free valences.
            let hybridization = i64::from(3 - highest[i]);
            let hydrogens = i64::from(atom.free);
            let number = ELEMENTS[atom.element].0;
            self.x.extend([number - 1, 0, degree[i], 5, hydrogens, 0, hybridization, 0, i64::from(atom.ring)]);
        }
        self.y.push(i64::from(molecule.has_amide()));
        self.node_ptr.push(self.node_ptr[self.node_ptr.len() - 1] + molecule.atoms.len() as u64);
        self.edge_ptr.push(self.edge_ptr[self.edge_ptr.len() - 1] + 2 * molecule.bonds.len() as u64);
    }
}
