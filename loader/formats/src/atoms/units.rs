//! Factors from units of files to eV and angstrom, by the CODATA values of 2018.

const BOHR: f64 = 0.529177210903;
const HARTREE: f64 = 27.211386245988;
const KCAL_PER_MOL: f64 = 0.04336410390059322;
const KJ_PER_MOL: f64 = 0.010364269656262175;

/// The factor and the unit that it leads to; `None` for a unit that is not one of length, energy or force.
pub(crate) fn factor(unit: &str) -> Option<(f64, &'static str)> {
    let unit = unit.trim().to_ascii_lowercase().replace([' ', '*'], "");
    if let Some(length) = length(&unit) {
        return Some((length, "angstrom"));
    }
    if let Some(energy) = energy(&unit) {
        return Some((energy, "eV"));
    }
    // `kcal/mol/angstrom` ends in a length, too.
    let (numerator, denominator) = unit.rsplit_once('/')?;
    let numerator = numerator.trim_start_matches('(').trim_end_matches(')');
    Some((energy(numerator)? / length(denominator)?, "eV/angstrom"))
}

fn length(unit: &str) -> Option<f64> {
    match unit {
        "angstrom" | "angstroms" | "ang" | "a" | "å" | "\u{212b}" => Some(1.0),
        "bohr" | "a0" => Some(BOHR),
        "nm" | "nanometer" => Some(10.0),
        _ => None,
    }
}

fn energy(unit: &str) -> Option<f64> {
    match unit {
        "ev" => Some(1.0),
        "mev" => Some(1e-3),
        "hartree" | "ha" | "eh" => Some(HARTREE),
        "kcal/mol" => Some(KCAL_PER_MOL),
        "kj/mol" => Some(KJ_PER_MOL),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn units_are_read_or_refused() {
        for (unit, expected) in [
            ("bohr", Some((0.529177210903, "angstrom"))),
            ("Hartree", Some((27.211386245988, "eV"))),
            ("hartree / bohr", Some((27.211386245988 / 0.529177210903, "eV/angstrom"))),
            ("kcal/mol", Some((0.04336410390059322, "eV"))),
            ("kcal/mol/Angstrom", Some((0.04336410390059322, "eV/angstrom"))),
            ("(kJ/mol)/nm", Some((0.0010364269656262175, "eV/angstrom"))),
            ("eV/angstrom^3", None),
            ("e bohr", None),
            ("debye", None),
            ("", None),
        ] {
            assert_eq!(factor(unit), expected, "{unit}");
        }
    }
}
