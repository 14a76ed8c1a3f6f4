//! What the periodic table says of an element, as RDKit has it. Number 0 is an atom of no particular element.
//!
//! Valences, implied hydrogens and unpaired electrons follow RDKit's model of valence, in which an atom takes hydrogens
//! up to the next valence of its element ("The RDKit Book", valence calculation and allowed valences).

use super::{Molecule, Refusal};

/// Electrons of the outer shell, by atomic number.
#[rustfmt::skip]
const OUTER: [u8; 119] = [
    0, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3, 4, 5, 6, 7, 8, 1,
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4, 5,
    6, 7, 8, 9, 10, 11, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2,
];

/// Mass number of the most common isotope, by atomic number.
#[rustfmt::skip]
const ISOTOPE: [u16; 119] = [
    0, 1, 4, 7, 9, 11, 12, 14, 16, 19, 20, 23, 24, 27, 28, 31, 32, 35, 40, 39, 40, 45, 48, 50, 52, 55, 56, 59, 58, 63,
    64, 69, 74, 75, 80, 79, 84, 85, 88, 89, 90, 93, 98, 97, 102, 103, 106, 107, 114, 115, 120, 121, 130, 127, 132, 133,
    138, 139, 140, 141, 142, 145, 152, 153, 158, 159, 164, 165, 166, 169, 174, 175, 180, 181, 184, 187, 192, 193, 195,
    197, 202, 205, 208, 209, 209, 210, 211, 223, 223, 227, 232, 231, 238, 236, 238, 241, 243, 247, 249, 252, 257, 258,
    259, 262, 267, 268, 271, 270, 269, 278, 281, 281, 285, 284, 289, 288, 293, 292, 294,
];

/// Electrons of the outer shell.
pub(crate) fn outer_electrons(number: u8) -> i32 {
    OUTER.get(usize::from(number)).copied().unwrap_or(0).into()
}

/// Mass number of the most common isotope.
pub(crate) fn common_isotope(number: u8) -> i32 {
    ISOTOPE.get(usize::from(number)).copied().unwrap_or(0).into()
}

/// The valences that an element may have, the default first; -1 stands for any, which is all that metals of the d and f
/// blocks have.
pub(crate) fn valences(number: u8) -> &'static [i32] {
    match number {
        1 | 3 | 9 | 11 | 17 | 19 | 35 | 37 | 55 | 87 => &[1],
        2 | 10 | 18 | 36 | 86 => &[0],
        4 | 8 => &[2],
        5 | 7 | 31 | 49 | 81 => &[3],
        6 | 32 => &[4],
        12 | 20 | 38 | 56 | 88 => &[2, -1],
        13 => &[3, 6],
        14 => &[4, 6],
        15 | 33 | 51 | 83 => &[3, 5, 7],
        16 | 34 | 52 | 84 => &[2, 4, 6],
        50 | 82 => &[2, 4],
        53 | 85 => &[1, 3, 5],
        54 => &[0, 2, 4, 6],
        _ => &[-1],
    }
}

/// The first of the [`valences`].
pub(crate) fn default_valence(number: u8) -> i32 {
    valences(number)[0]
}

/// Whether an element counts as left of carbon: a positive charge lowers its valence.
pub(crate) fn is_early(number: u8) -> bool {
    matches!(
        number,
        3..=5 | 11..=13 | 19..=22 | 30..=32 | 37..=41 | 48..=51 | 55..=61 | 72 | 73 | 80..=83 | 87..=93 | 104..
    )
}

/// What a formal charge adds to the valence of an element. Carbon loses a bond with either sign.
pub(crate) fn charge_to_valence(number: u8, charge: i32) -> i32 {
    if is_early(number) {
        -charge
    } else if number == 6 {
        -charge.abs()
    } else {
        charge
    }
}

/// Whether the first element draws electrons from the second.
pub(crate) fn is_more_electronegative(first: u8, second: u8) -> bool {
    let outer = (outer_electrons(first), outer_electrons(second));
    outer.0 > outer.1 || (outer.0 == outer.1 && first < second)
}

/// Sets the valences of all atoms. With `strict`, a valence that the element cannot have is refused.
pub(crate) fn assign_valences(molecule: &mut Molecule, strict: bool) -> Result<(), Refusal> {
    (0..molecule.atoms.len()).try_for_each(|atom| assign_valence(molecule, atom, strict))
}

/// Sets the valences of an atom.
pub(crate) fn assign_valence(molecule: &mut Molecule, atom: usize, strict: bool) -> Result<(), Refusal> {
    molecule.atoms[atom].explicit_valence = explicit_valence(molecule, atom, strict)?;
    molecule.atoms[atom].implicit_valence = implicit_valence(molecule, atom, strict)?;
    Ok(())
}

/// Bonds and written hydrogens of an atom.
pub(crate) fn explicit_valence(molecule: &Molecule, atom: usize, strict: bool) -> Result<i32, Refusal> {
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
pub(crate) fn implicit_valence(molecule: &Molecule, atom: usize, strict: bool) -> Result<i32, Refusal> {
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
