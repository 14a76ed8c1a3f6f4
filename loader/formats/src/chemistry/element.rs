//! What the periodic table says of an element, as RDKit has it. Number 0 is an atom of no particular element.

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
