//! Valences, implied hydrogens and unpaired electrons: RDKit's model of valence, in which an atom takes hydrogens up
//! to the next valence of its element ("The RDKit Book", valence calculation and allowed valences).

use super::element::{charge_to_valence, default_valence, outer_electrons, valences};
use super::{Molecule, Refusal};

/// Sets the valences of all atoms. With `strict`, a valence that the element cannot have is refused.
pub(crate) fn assign(molecule: &mut Molecule, strict: bool) -> Result<(), Refusal> {
    (0..molecule.atoms.len()).try_for_each(|atom| assign_one(molecule, atom, strict))
}

/// Sets the valences of an atom.
pub(crate) fn assign_one(molecule: &mut Molecule, atom: usize, strict: bool) -> Result<(), Refusal> {
    molecule.atoms[atom].explicit_valence = explicit(molecule, atom, strict)?;
    molecule.atoms[atom].implicit_valence = implicit(molecule, atom, strict)?;
    Ok(())
}

/// Bonds and written hydrogens of an atom.
pub(crate) fn explicit(molecule: &Molecule, atom: usize, strict: bool) -> Result<i32, Refusal> {
    let this = &molecule.atoms[atom];
    let mut twice = twice_bonds(molecule, atom) + 2 * this.written_hydrogens;
    let charge = charge_to_valence(this.number, this.charge);
    let default = default_valence(this.number) + charge;
    // Unsigned, as RDKit compares: below 0 nothing is more.
    if (twice as u32) > (default as u32).saturating_mul(2) && molecule.is_in_aromatic(atom) {
        // An aromatic bond counts one and a half, but one of two bonds of a fused atom is single: take the highest
        // valence that is not above the sum if it is near.
        let reached =
            valences(this.number).iter().take_while(|&&valence| valence >= 0 && 2 * (valence + charge) <= twice);
        let reached = reached.last().map_or(default, |valence| valence + charge);
        if twice - 2 * reached <= 3 {
            twice = 2 * reached;
        }
    }
    let valence = (twice + 1).div_euclid(2);
    let highest = *valences(this.number).last().unwrap_or(&-1);
    let effective = if outer_electrons(this.number) >= 4 { valence - this.charge } else { valence + this.charge };
    if strict && highest > 0 && effective > highest {
        return Err(too_many(molecule, atom, highest, effective));
    }
    Ok(valence)
}

/// Hydrogens that an atom lacks.
pub(crate) fn implicit(molecule: &Molecule, atom: usize, strict: bool) -> Result<i32, Refusal> {
    let this = &molecule.atoms[atom];
    if this.only_written || this.number == 0 {
        return Ok(0);
    }
    if this.explicit_valence == 0 && this.number == 1 && this.radicals == 0 {
        return match this.charge {
            0 => Ok(1),
            -1 | 1 => Ok(0),
            charge if strict => Err(Refusal::new("hydrogen with a charge from -1 to 1", format!("charge {charge}"))),
            _ => Ok(0),
        };
    }
    let allowed = valences(this.number);
    if allowed[0] == -1 {
        return Ok(0);
    }
    let charge = charge_to_valence(this.number, this.charge);
    let taken = this.explicit_valence + this.radicals;
    let missing = |valence: &i32| valence + charge - taken;
    let accepted = if molecule.is_in_aromatic(atom) {
        if missing(&allowed[0]) >= 0 {
            return Ok(missing(&allowed[0]));
        }
        allowed.iter().take_while(|&&valence| valence > 0).any(|valence| missing(valence) == 0).then_some(0)
    } else {
        let possible = allowed.iter().take_while(|&&valence| valence >= 0);
        let found = possible.map(missing).find(|&missing| missing >= 0);
        found.or((allowed.last() == Some(&-1)).then_some(0))
    };
    match accepted {
        Some(missing) => Ok(missing),
        None if strict => Err(too_many(molecule, atom, *allowed.last().unwrap_or(&0), taken - charge)),
        None => Ok(0),
    }
}

/// Gives atoms whose hydrogens are all written the unpaired electrons that they are left with.
pub(crate) fn assign_radicals(molecule: &mut Molecule) {
    for atom in 0..molecule.atoms.len() {
        let this = &molecule.atoms[atom];
        if !this.only_written || this.radicals != 0 || this.number == 0 {
            continue;
        }
        let (allowed, outer) = (valences(this.number), outer_electrons(this.number));
        molecule.atoms[atom].radicals = if allowed == [-1] {
            // No valence is preferred: an odd electron is all that is known.
            (outer - this.charge).max(0) % 2
        } else {
            let total = (twice_bonds(molecule, atom) + 2 * this.written_hydrogens) / 2;
            let shell = if this.number <= 2 { 2 } else { 8 };
            let mut radicals = shell - outer - total + this.charge;
            if radicals < 0 {
                let higher = allowed.iter().map(|valence| valence - total + this.charge).find(|&left| left >= 0);
                radicals = if allowed.len() > 1 { higher.unwrap_or(0) } else { 0 };
            }
            let of_early = outer - total - this.charge;
            if of_early >= 0 { radicals.min(of_early) } else { radicals }
        };
    }
}

/// Twice the sum of an atom's bond orders.
fn twice_bonds(molecule: &Molecule, atom: usize) -> i32 {
    molecule.incidence.of(atom).iter().map(|end| molecule.bonds[end.bond].twice_to(atom)).sum()
}

fn too_many(molecule: &Molecule, atom: usize, highest: i32, found: i32) -> Refusal {
    let symbol = crate::elements::symbol(molecule.atoms[atom].number).unwrap_or("*");
    Refusal::new(format!("a valence of at most {highest} for atom {atom} ({symbol})"), found.to_string())
}
