//! [`record`]: one molecule.

use super::parser::parse;
use crate::Record;
use crate::chemistry::{Molecule, Refusal, element, features, perceive, perception, stereo};

/// Fills `into` with the graph of a molecule, as OGB's `smiles2graph` gives it with RDKit 2022.09. A text that is no
/// SMILES, and a molecule that cannot be, are refused.
pub fn record(smiles: &str, into: &mut Record) -> Result<(), Refusal> {
    let molecule = molecule(smiles)?;
    into.clear();
    into.name.push_str(smiles);
    features::fill(into, &molecule);
    Ok(())
}

fn molecule(smiles: &str) -> Result<Molecule, Refusal> {
    // What follows a blank is a name, or an extension that would change the molecule.
    let (text, rest) = smiles.trim().split_once([' ', '\t']).unwrap_or((smiles.trim(), ""));
    if rest.trim_start().starts_with('|') {
        return Err(Refusal::new("SMILES without CXSMILES extensions", rest.trim()));
    }
    let mut molecule = parse(text)?;
    if molecule.atoms.iter().any(|atom| atom.number == 1) {
        element::assign_valences(&mut molecule, false)?;
        perception::remove_hydrogens(&mut molecule, true);
    }
    perceive(&mut molecule)?;
    stereo::perceive(&mut molecule);
    Ok(molecule)
}
