//! Kekulé's form: aromatic bonds become single and double bonds, by a search that takes a choice back where it leads
//! nowhere. Which of several forms is taken is RDKit's choice, since it shows where RDKit finds no aromaticity.

use super::element::{self, charge_to_valence, default_valence, valences};
use super::molecule::fuse;
use super::{Molecule, Order, Refusal};
use std::collections::{BTreeMap, VecDeque};

/// The most choices that are taken back; RDKit has the same limit.
const MOST_RETREATS: usize = 100;

/// Makes all aromatic bonds single or double and forgets which atoms and bonds are aromatic.
pub(crate) fn kekulize(molecule: &mut Molecule) -> Result<(), Refusal> {
    for atom in 0..molecule.atoms.len() {
        molecule.atoms[atom].implicit_valence = element::implicit_valence(molecule, atom, false)?;
    }
    let is_aromatic = molecule.bonds.iter().any(|bond| bond.is_aromatic)
        || (0..molecule.atoms.len()).any(|atom| molecule.is_in_aromatic(atom));
    if !is_aromatic {
        return Ok(());
    }
    let before: Vec<i32> = molecule.atoms.iter().map(|atom| atom.total_valence()).collect();
    let has_element = |ring: &Vec<usize>| ring.iter().any(|&atom| molecule.atoms[atom].number != 0);
    let rings: Vec<usize> =
        (0..molecule.rings.atoms.len()).filter(|&ring| has_element(&molecule.rings.atoms[ring])).collect();
    let bonds: Vec<&Vec<usize>> = rings.iter().map(|&ring| &molecule.rings.bonds[ring]).collect();
    for group in fuse(&bonds, molecule.bonds.len(), usize::MAX, usize::MAX).0 {
        let mut is_in = vec![false; molecule.atoms.len()];
        let members = group.iter().flat_map(|&ring| &molecule.rings.atoms[rings[ring]]).copied();
        let members = members.filter(|&atom| !std::mem::replace(&mut is_in[atom], true)).collect();
        kekulize_group(molecule, members, is_in)?;
    }
    molecule.bonds.iter_mut().for_each(|bond| bond.is_aromatic = false);
    for (atom, &before) in before.iter().enumerate() {
        let this = &mut molecule.atoms[atom];
        if std::mem::take(&mut this.is_aromatic) {
            if molecule.rings.of_atom(atom) == 0 {
                return Err(Refusal::new("aromatic atoms in rings only", format!("atom {atom} in none")));
            }
            // The hydrogen of `[nH]` follows from the valence now.
            if matches!(this.number, 7 | 15) && this.charge == 0 && this.written_hydrogens == 1 {
                (this.only_written, this.written_hydrogens) = (false, 0);
                element::assign_valence(molecule, atom, false)?;
            }
        }
        let after = molecule.atoms[atom].total_valence();
        if after != before {
            return Err(Refusal::new(
                format!("a valence of {before} for atom {atom}"),
                format!("{after} in Kekulé's form"),
            ));
        }
    }
    Ok(())
}

/// Rings that share bonds.
fn kekulize_group(molecule: &mut Molecule, members: Vec<usize>, is_in: Vec<bool>) -> Result<(), Refusal> {
    let mut search =
        Search { done: vec![false; molecule.atoms.len()], wants: vec![false; molecule.atoms.len()], members, is_in };
    let free = search.prepare(molecule);
    let wants = search.wants.clone();
    if search.assign(molecule) {
        return Ok(());
    }
    // Atoms of no element may have a double bond and may not: try without some of them.
    let free = &free[..free.len().min(10)];
    for choice in 1_u32..1 << free.len() {
        for bond in molecule.bonds.iter_mut().filter(|bond| bond.is_aromatic) {
            if search.is_in[bond.begin] && search.is_in[bond.end] {
                bond.order = Order::Single;
            }
        }
        search.wants.clone_from(&wants);
        search.done.fill(false);
        for (_, &atom) in free.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1) {
            search.wants[atom] = false;
        }
        if search.assign(molecule) {
            return Ok(());
        }
    }
    let unpaired: Vec<String> = (0..wants.len()).filter(|&atom| wants[atom]).map(|atom| atom.to_string()).collect();
    Err(Refusal::new("aromatic atoms that double bonds can pair", format!("none for atoms {}", unpaired.join(" "))))
}

struct Search {
    /// The atoms in the order in which they are tried, and whether an atom is among them.
    members: Vec<usize>,
    is_in: Vec<bool>,
    /// Atoms that were visited.
    done: Vec<bool>,
    /// Atoms that a double bond must be found for.
    wants: Vec<bool>,
}

impl Search {
    /// Finds the atoms that want a double bond and makes aromatic bonds single. Returns those of no element.
    fn prepare(&mut self, molecule: &mut Molecule) -> Vec<usize> {
        let (mut free, mut single) = (Vec::new(), Vec::new());
        let is_candidate = |atom: usize| molecule.atoms[atom].number == 0 || molecule.is_in_aromatic(atom);
        if !self.members.iter().any(|&atom| is_candidate(atom)) {
            self.members.iter().for_each(|&atom| self.done[atom] = true);
            return free;
        }
        // A ring with an aromatic atom of its own can have double bonds.
        let is_open = |ring: &Vec<usize>| {
            ring.iter().any(|&atom| molecule.rings.of_atom(atom) == 1 && molecule.is_in_aromatic(atom))
        };
        for &atom in &self.members {
            let this = &molecule.atoms[atom];
            if !is_candidate(atom) {
                self.done[atom] = true;
                continue;
            }
            let (mut orders, mut ignored, mut plain) = (0, 0, 0);
            for end in molecule.incidence.of(atom) {
                let (bond, other) = (&molecule.bonds[end.bond], &molecule.atoms[end.atom]);
                plain += usize::from(other.number != 0 && !other.is_aromatic && self.is_in[end.atom]);
                if bond.is_aromatic && matches!(bond.order, Order::Single | Order::Double | Order::Aromatic) {
                    orders += 1;
                    single.push(end.bond);
                } else {
                    let order = (bond.twice_to(atom) + 1) / 2;
                    orders += order;
                    ignored += i32::from(order == 0);
                }
            }
            let rings = molecule.rings.of_atom(atom);
            let mut own_rings = molecule.rings.atoms.iter().filter(|ring| ring.contains(&atom));
            if this.number == 0 && plain < rings && own_rings.any(is_open) {
                self.wants[atom] = true;
                free.push(atom);
                continue;
            }
            let hydrogens = molecule.hydrogens(atom);
            orders += hydrogens;
            let charge = charge_to_valence(this.number, this.charge);
            let total = this.total_valence();
            let mut target = default_valence(this.number) + charge;
            for &higher in valences(this.number).iter().skip(1).take_while(|&&higher| higher > 0) {
                if total > target {
                    target = higher + charge;
                }
            }
            let degree = molecule.degree(atom) + this.implicit_valence - ignored;
            let is_oxide = total == 5 && orders == 4 && target == 3 && degree == 3 && this.radicals == 0 && charge == 0;
            if is_oxide && hydrogens == 0 && matches!(this.number, 7 | 15 | 33) {
                target = 5;
            }
            self.wants[atom] = degree + this.radicals < target
                && (target == orders + 1 + this.radicals
                    || (this.radicals == 0 && this.only_written && target == orders + 2));
        }
        single.into_iter().for_each(|bond| molecule.bonds[bond].order = Order::Single);
        free
    }

    /// Gives each atom that wants one a double bond; returns false, with all bonds single again, if that cannot be.
    fn assign(&mut self, molecule: &mut Molecule) -> bool {
        // Atoms in the order in which they were visited; `done` marks them.
        let mut order: Vec<usize> = self.members.iter().copied().filter(|&atom| self.done[atom]).collect();
        let mut waiting: VecDeque<usize> = VecDeque::new();
        let mut is_waiting = vec![0_usize; molecule.atoms.len()];
        // Other neighbours that an atom could have been paired with, and the atoms that have such a choice.
        let mut options: BTreeMap<usize, VecDeque<usize>> = BTreeMap::new();
        let mut choices: Vec<usize> = Vec::new();
        let (mut doubled, mut retreats, mut first_open) = (Vec::new(), 0, 0);
        while order.len() < self.members.len() || !waiting.is_empty() {
            let atom = match waiting.pop_front() {
                Some(atom) => {
                    is_waiting[atom] -= 1;
                    atom
                }
                None => {
                    while self.members.get(first_open).is_some_and(|&atom| self.done[atom]) {
                        first_open += 1;
                    }
                    let Some(&atom) = self.members.get(first_open) else { break };
                    atom
                }
            };
            order.push(atom);
            self.done[atom] = true;
            let revisited = options.get(&atom).cloned();
            let is_revisited = revisited.is_some();
            let mut partners = revisited.unwrap_or_else(|| {
                let mut partners = VecDeque::new();
                for end in molecule.incidence.of(atom) {
                    if self.done[end.atom] || !self.is_in[end.atom] {
                        continue;
                    }
                    if is_waiting[end.atom] == 0 {
                        is_waiting[end.atom] += 1;
                        waiting.push_back(end.atom);
                    }
                    let is_free = molecule.atoms[atom].number == 0 || molecule.atoms[end.atom].number == 0;
                    if self.wants[atom] && self.wants[end.atom] && (molecule.bonds[end.bond].is_aromatic || is_free) {
                        partners.push_back(end.atom);
                    }
                }
                partners
            });
            if !self.wants[atom] {
                continue;
            }
            if let Some(partner) = partners.pop_front() {
                let Some(bond) = molecule.bond_between(atom, partner) else { return false };
                molecule.bonds[bond].order = Order::Double;
                (self.wants[atom], self.wants[partner]) = (false, false);
                doubled.push(bond);
                match (is_revisited, partners.is_empty()) {
                    (true, true) => {
                        options.remove(&atom);
                        choices.pop();
                    }
                    (false, true) => {}
                    (_, false) => {
                        if !is_revisited {
                            choices.push(atom);
                        }
                        options.insert(atom, partners);
                    }
                }
            } else if molecule.atoms[atom].number != 0 {
                let Some(&choice) = choices.last().filter(|_| retreats < MOST_RETREATS) else {
                    doubled.iter().for_each(|&bond| molecule.bonds[bond].order = Order::Single);
                    return false;
                };
                retreats += 1;
                first_open = 0;
                // Forget what was done since the choice, so that it is done again in the same order.
                let at = order.iter().position(|&atom| atom == choice).unwrap_or(0);
                for atom in order.drain(at..).rev() {
                    self.done[atom] = false;
                    is_waiting[atom] += 1;
                    waiting.push_front(atom);
                }
                doubled.retain(|&bond| {
                    let (begin, end) = (molecule.bonds[bond].begin, molecule.bonds[bond].end);
                    let is_kept = self.done[begin] || self.done[end];
                    if !is_kept {
                        molecule.bonds[bond].order = Order::Single;
                        (self.wants[begin], self.wants[end]) = (true, true);
                    }
                    is_kept
                });
            }
        }
        true
    }
}
