//! Symbols of the chemical elements.

/// In the order of atomic numbers, from 1.
const SYMBOLS: &str = "\
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb \
    Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au \
    Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts \
    Og";

/// The atomic number of each symbol of one or two letters, at [`place`]; 0 where there is none.
const NUMBERS: [u8; 26 * 27] = {
    let (symbols, mut numbers) = (SYMBOLS.as_bytes(), [0; 26 * 27]);
    let (mut at, mut number) = (0, 1);
    while at < symbols.len() {
        let second = if at + 1 < symbols.len() && symbols[at + 1] != b' ' { symbols[at + 1] } else { 0 };
        numbers[place(symbols[at], second)] = number;
        at += if second == 0 { 2 } else { 3 };
        number += 1;
    }
    numbers
};

/// The place of two letters in any case, or of one and 0.
const fn place(first: u8, second: u8) -> usize {
    let second = if second == 0 { 0 } else { (second | 32) - b'a' + 1 };
    ((first | 32) - b'a') as usize * 27 + second as usize
}

/// Returns the atomic number of a symbol in any case, or of a number from 1 to 118 written as text.
pub fn atomic_number(text: &str) -> Option<u8> {
    let number = match *text.as_bytes() {
        [first] if first.is_ascii_alphabetic() => NUMBERS[place(first, 0)],
        [first, second] if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() => NUMBERS[place(first, second)],
        _ => text.parse().ok().filter(|number| *number <= 118)?,
    };
    (number > 0).then_some(number)
}

/// Returns the symbol of an atomic number from 1 to 118.
pub fn symbol(number: u8) -> Option<&'static str> {
    SYMBOLS.split_ascii_whitespace().nth(usize::from(number).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::{SYMBOLS, atomic_number};

    #[test]
    fn every_element_has_its_number() {
        for (symbol, number) in SYMBOLS.split_ascii_whitespace().zip(1..) {
            assert_eq!(atomic_number(symbol), Some(number));
            assert_eq!(atomic_number(&symbol.to_lowercase()), Some(number));
            assert_eq!(atomic_number(&number.to_string()), Some(number));
        }
        for text in ["", "X", "Qq", "D", "Hee", "0", "119", "-1", "H1", "\u{e9}"] {
            assert_eq!(atomic_number(text), None, "{text}");
        }
    }
}
