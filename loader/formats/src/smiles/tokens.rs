//! [`Tokens`]: SMILES as atoms, bonds ([`WrittenBond`]), numbers of rings, parentheses and dots.

use crate::chemistry::{Atom, Bond, Chirality, Direction, Molecule, Order, Refusal};
use crate::elements;
use std::fmt;

/// The pieces of SMILES, each with the place at which it begins, in bytes.
pub(crate) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

/// A piece of SMILES.
pub(crate) enum Token {
    /// An atom, in brackets or not.
    Atom(Atom),
    /// A bond.
    Bond(WrittenBond),
    /// The number of a ring.
    Ring(u32),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `.`
    Dot,
}

impl<'a> Tokens<'a> {
    /// The pieces of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }

    fn token(&mut self) -> Result<Token, Refusal> {
        let two = self.text.get(self.at..self.at + 2).unwrap_or_default();
        let bond = |order, is_backward| WrittenBond { order: Some(order), direction: Direction::None, is_backward };
        let slanted = |direction| Token::Bond(WrittenBond { direction, ..WrittenBond::default() });
        let (token, length) = match (self.text[self.at], two) {
            (b'[', _) => return self.bracket().map(Token::Atom),
            (b'%', _) => return self.long_ring(),
            (b'(', _) => (Token::Open, 1),
            (b')', _) => (Token::Close, 1),
            (b'.', _) => (Token::Dot, 1),
            (digit @ b'0'..=b'9', _) => (Token::Ring(u32::from(digit - b'0')), 1),
            (_, b"->") => (Token::Bond(bond(Order::Dative, false)), 2),
            (_, b"<-") => (Token::Bond(bond(Order::Dative, true)), 2),
            (b'-', _) => (Token::Bond(bond(Order::Single, false)), 1),
            (b'=', _) => (Token::Bond(bond(Order::Double, false)), 1),
            (b'#', _) => (Token::Bond(bond(Order::Triple, false)), 1),
            (b'$', _) => (Token::Bond(bond(Order::Quadruple, false)), 1),
            (b':', _) => (Token::Bond(bond(Order::Aromatic, false)), 1),
            (b'/', _) => (slanted(Direction::Up), 1),
            // A backslash that a program escaped.
            (_, br"\\") => (slanted(Direction::Down), 2),
            (b'\\', _) => (slanted(Direction::Down), 1),
            (_, b"Cl") => (Token::Atom(plain(17)), 2),
            (_, b"Br") => (Token::Atom(plain(35)), 2),
            (letter, _) => match organic(letter) {
                Some((number, is_aromatic)) => (Token::Atom(Atom { is_aromatic, ..plain(number) }), 1),
                None => return Err(self.unexpected("an atom, a bond or a ring")),
            },
        };
        self.at += length;
        Ok(token)
    }

    /// `%12` or `%(123)`.
    fn long_ring(&mut self) -> Result<Token, Refusal> {
        self.at += 1;
        if self.take(b'(') {
            return match self.number() {
                Some(number) if number < 100_000 && self.take(b')') => Ok(Token::Ring(number)),
                Some(_) => Err(self.unexpected("a number of at most five digits and )")),
                None => Err(self.unexpected("two digits or a number in parentheses")),
            };
        }
        // A third digit is a ring of its own.
        match self.text.get(self.at..self.at + 2) {
            Some([tens @ b'1'..=b'9', ones @ b'0'..=b'9']) => {
                self.at += 2;
                Ok(Token::Ring(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')))
            }
            _ => Err(self.unexpected("two digits or a number in parentheses")),
        }
    }

    /// An atom in brackets: isotope, symbol, turn, hydrogens, charge and number.
    fn bracket(&mut self) -> Result<Atom, Refusal> {
        self.at += 1;
        let isotope = self.number();
        let mut atom = self.symbol()?;
        atom.isotope = u16::try_from(isotope.unwrap_or(0)).map_err(|_| self.unexpected("an isotope below 65,536"))?;
        if self.take(b'@') {
            atom.chirality = self.turn()?;
        }
        if self.take(b'H') {
            let hydrogens = self.number().unwrap_or(1);
            atom.written_hydrogens =
                i32::from(u8::try_from(hydrogens).map_err(|_| self.unexpected("fewer hydrogens"))?);
        }
        for (sign, unit) in [(b'+', 1), (b'-', -1)] {
            if self.take(sign) {
                let charge = if self.take(sign) { 2 } else { self.number().unwrap_or(1) };
                let charge = i8::try_from(charge).map_err(|_| self.unexpected("a charge below 128"))?;
                atom.charge = unit * i32::from(charge);
                break;
            }
        }
        if self.take(b':') {
            atom.map = self.number().ok_or_else(|| self.unexpected("a number"))?;
        }
        atom.only_written = true;
        if self.take(b']') { Ok(atom) } else { Err(self.unexpected("]")) }
    }

    fn symbol(&mut self) -> Result<Atom, Refusal> {
        if self.take(b'#') {
            let number = self.number().and_then(|number| u8::try_from(number).ok()).filter(|&number| number <= 118);
            return number.map(plain).ok_or_else(|| self.unexpected("an atomic number"));
        }
        let two = self.text.get(self.at..self.at + 2).and_then(|two| std::str::from_utf8(two).ok()).unwrap_or_default();
        let aromatic = match two {
            "si" => Some(14),
            "as" => Some(33),
            "se" => Some(34),
            "te" => Some(52),
            _ => None,
        };
        let is_upper = |text: &str| text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
        let element = |text: &str| is_upper(text).then(|| elements::atomic_number(text)).flatten();
        let has_second = two.as_bytes().get(1).is_some_and(u8::is_ascii_lowercase);
        let (atom, length) = if let Some(number) = aromatic {
            (Atom { is_aromatic: true, ..plain(number) }, 2)
        } else if let Some(number) = element(two).filter(|_| has_second) {
            (plain(number), 2)
        } else {
            let one = self.text.get(self.at).copied().unwrap_or_default();
            let known = organic(one).or_else(|| {
                let one = [one];
                element(std::str::from_utf8(&one).unwrap_or_default()).map(|number| (number, false))
            });
            let Some((number, is_aromatic)) = known else { return Err(self.unexpected("the symbol of an element")) };
            (Atom { is_aromatic, ..plain(number) }, 1)
        };
        self.at += length;
        Ok(atom)
    }

    fn turn(&mut self) -> Result<Chirality, Refusal> {
        if self.take(b'@') {
            return Ok(Chirality::Clockwise);
        }
        let class =
            self.text.get(self.at..self.at + 2).and_then(|two| std::str::from_utf8(two).ok()).unwrap_or_default();
        if !matches!(class, "TH" | "SP" | "TB" | "OH" | "AL") {
            return Ok(Chirality::Counterclockwise);
        }
        self.at += 2;
        let number = self.number().unwrap_or(0);
        chirality_of(class, number)
            .ok_or_else(|| self.unexpected("@, @@ or one of @TH, @SP, @TB and @OH with its number"))
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.text[self.at..self.at + digits]).ok()?;
        self.at += digits;
        (digits > 0).then(|| text.parse().unwrap_or(u32::MAX))
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn unexpected(&self, expected: &str) -> Refusal {
        let rest = String::from_utf8_lossy(&self.text[self.at.min(self.text.len())..]);
        let found = match rest.chars().next() {
            Some(found) => format!("{found:?} at character {}", self.at + 1),
            None => "the end".to_owned(),
        };
        Refusal::new(expected, found)
    }
}

impl Iterator for Tokens<'_> {
    type Item = Result<(usize, Token), Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.at;
        (place < self.text.len()).then(|| self.token().map(|token| (place, token)))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(_) => f.write_str("an atom"),
            Self::Bond(_) => f.write_str("a bond"),
            Self::Ring(ring) => write!(f, "ring {ring}"),
            Self::Open => f.write_str("("),
            Self::Close => f.write_str(")"),
            Self::Dot => f.write_str("a dot"),
        }
    }
}

/// An atom of an element and nothing else; 0 for no particular element.
fn plain(number: u8) -> Atom {
    Atom { number, ..Atom::default() }
}

/// Elements that need no brackets, and whether the letter is an aromatic one.
fn organic(letter: u8) -> Option<(u8, bool)> {
    let number = match letter.to_ascii_uppercase() {
        b'B' => 5,
        b'C' => 6,
        b'N' => 7,
        b'O' => 8,
        b'P' => 15,
        b'S' => 16,
        b'F' if letter == b'F' => 9,
        b'I' if letter == b'I' => 53,
        b'*' => 0,
        _ => return None,
    };
    Some((number, letter.is_ascii_lowercase()))
}

/// The turn that a number means in classes like `@SP1`; `None` if there is no such number.
fn chirality_of(class: &str, number: u32) -> Option<Chirality> {
    match (class, number) {
        ("TH", 0 | 1) => Some(Chirality::Counterclockwise),
        ("TH", 2) => Some(Chirality::Clockwise),
        ("SP", 0..=3) => Some(Chirality::SquarePlanar),
        ("TB", 0..=20) => Some(Chirality::TrigonalBipyramidal),
        ("OH", 0..=30) => Some(Chirality::Octahedral),
        _ => None,
    }
}

/// The bond that is written before an atom or before the number of a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenBond {
    /// Its order; where there is none, it follows from the two atoms.
    pub order: Option<Order>,
    /// `/` or `\`.
    pub direction: Direction,
    /// Whether its order is dative and the arrow points back.
    pub is_backward: bool,
}

impl WrittenBond {
    /// A bond between two atoms as it is self.
    pub(crate) fn between(self, molecule: &Molecule, begin: usize, end: usize) -> Bond {
        let are_aromatic = molecule.atoms[begin].is_aromatic && molecule.atoms[end].is_aromatic;
        let order = self.order.unwrap_or(if are_aromatic { Order::Aromatic } else { Order::Single });
        let (begin, end) = if self.is_backward { (end, begin) } else { (begin, end) };
        Bond { direction: self.direction, ..Bond::new(begin, end, order) }
    }
}
