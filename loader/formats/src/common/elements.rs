//! Symbols of the chemical elements.

/// In the order of atomic numbers, from 1.
const SYMBOLS: &str = "\
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb \
    Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au \
    Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts \
    Og";

/// Returns the atomic number of a symbol in any case, or of a number from 1 to 118 written as text.
pub fn atomic_number(text: &str) -> Option<u8> {
    if let Ok(number) = text.parse::<u8>() {
        return (1..=118).contains(&number).then_some(number);
    }
    let position = SYMBOLS.split_ascii_whitespace().position(|symbol| symbol.eq_ignore_ascii_case(text))?;
    Some(position as u8 + 1)
}

/// Returns the symbol of an atomic number from 1 to 118.
pub fn symbol(number: u8) -> Option<&'static str> {
    SYMBOLS.split_ascii_whitespace().nth(usize::from(number).checked_sub(1)?)
}
