//! [`Columns`]: what the columns of a structure's atoms are.

use super::comment::{Lines, logical, number};
use crate::atoms::{Place, SeenFields, meaning, quoted};
use crate::common::{Record, Values};
use crate::elements::atomic_number;
use graphpack_loader::{Error, Level};

/// The most columns of an atom.
const MOST: usize = 10_000;

/// What the columns of a structure's atoms are, and the numbers read so far.
#[derive(Default)]
pub(super) struct Columns {
    layout: Layout,
    columns: Vec<Column>,
    /// How many cells a line has.
    cells: usize,
    z: Vec<i64>,
    pos: Vec<f64>,
    /// Whether lines have more cells than it is said what they are.
    has_more: bool,
}

/// Where it is said what columns are.
#[derive(Clone, Default, PartialEq)]
pub(super) enum Layout {
    /// Not yet anywhere.
    #[default]
    Unknown,
    /// Nowhere: `symbol x y z`, further ones are passed over.
    Plain,
    /// In the layout of QM9: `symbol x y z charge`.
    Qm9,
    /// In the comment: names, types and widths.
    Properties(String),
}

struct Column {
    name: String,
    width: usize,
    kind: Kind,
}

enum Kind {
    /// A symbol, or an atomic number.
    Species,
    Pos,
    Field(Values),
    Text,
}

impl Columns {
    /// Makes these the columns of a layout, at the place where it is said.
    pub(super) fn arrange(&mut self, layout: Layout, place: Place<'_>, fields: &SeenFields) -> Result<(), Error> {
        if layout != self.layout {
            let properties = match &layout {
                Layout::Properties(properties) => properties,
                Layout::Qm9 => "species:S:1:pos:R:3:charges:R:1",
                Layout::Plain | Layout::Unknown => "species:S:1:pos:R:3",
            };
            *self = Self::parse(properties, place, fields)?;
            self.layout = layout;
        }
        Ok(())
    }

    fn parse(properties: &str, place: Place<'_>, fields: &SeenFields) -> Result<Self, Error> {
        let wrong = |expected: &str| place.wrong("Properties", expected, quoted(properties.as_bytes()));
        let parts: Vec<&str> = properties.split(':').collect();
        let (mut all, mut own_names) = (Self::default(), Vec::new());
        let leaves_forces = fields.is_renamed("forces") && parts.iter().step_by(3).any(|part| *part == "forces");
        for part in parts.chunks(3) {
            let &[name, letter, width] = part else { return Err(wrong("name:type:columns, repeated")) };
            let width: usize = width
                .parse()
                .ok()
                .filter(|width| (1..=MOST).contains(width))
                .ok_or_else(|| wrong("from 1 to 10000 columns of a name"))?;
            let own = name;
            let name = match (own, meaning(own)) {
                ("symbols", _) | (_, "z") => "species",
                (_, "pos") => "pos",
                ("charge", _) => "charges",
                // One that is renamed keeps its name until then, and so does another where that has the name.
                (_, "forces") if !fields.is_renamed(own) && !leaves_forces => "forces",
                _ => own,
            };
            let before = all.columns.iter().zip(&own_names).find(|(column, _)| name == "forces" && column.name == name);
            if let Some((_, other)) = before.filter(|(_, other)| **other != own) {
                let expected = "one forces, and other names for the others, as a renaming gives them";
                return Err(place.wrong("Properties", expected, format!("{other} and {own}")));
            }
            own_names.push(own);
            let kind = match (name, letter, width) {
                ("species", "S" | "I", 1) => Kind::Species,
                ("pos", "R", 3) => Kind::Pos,
                ("species", ..) => return Err(wrong("species:S:1 or Z:I:1")),
                ("pos", ..) => return Err(wrong("pos:R:3")),
                (_, "R", _) => Kind::Field(Values::F64(vec![])),
                (_, "I", _) => Kind::Field(Values::I64(vec![])),
                (_, "L", _) => Kind::Field(Values::Bool(vec![])),
                (_, "S", _) => Kind::Text,
                _ => return Err(wrong("types S, R, I, L")),
            };
            all.cells += width;
            all.columns.push(Column { name: name.to_owned(), width, kind });
        }
        let count = |name| all.columns.iter().filter(|column| column.name == name).count();
        if count("species") == 0 {
            return Err(wrong("species:S:1 or Z:I:1 among the columns"));
        }
        if count("pos") != 1 {
            return Err(wrong("pos:R:3 once among the columns"));
        }
        Ok(if all.cells > MOST { return Err(wrong("at most 10000 columns")) } else { all })
    }

    /// Reads the atom in a line.
    pub(super) fn read(&mut self, lines: &Lines) -> Result<(), Error> {
        let mut cells = Cells(lines.text());
        let mut z = None;
        for Column { name, width, kind } in &mut self.columns {
            for _ in 0..*width {
                let Some(cell) = cells.next() else {
                    let found = Cells(lines.text()).count();
                    return Err(lines.place().wrong("", columns(self.cells), columns(found)));
                };
                let wrong = |expected: &str| lines.place().wrong(name, expected, quoted(cell));
                match kind {
                    Kind::Species => {
                        let number = str::from_utf8(cell).ok().and_then(atomic_number);
                        let number = number.ok_or_else(|| wrong("a chemical element"))?;
                        if z.is_some_and(|z| z != number) {
                            return Err(wrong("the same element as in the column before"));
                        }
                        z = Some(number);
                    }
                    Kind::Pos => {
                        let number = number(cell).filter(|number| number.is_finite());
                        self.pos.push(number.ok_or_else(|| wrong("a finite number"))?);
                    }
                    Kind::Field(Values::F64(values)) => {
                        values.push(number(cell).ok_or_else(|| wrong("a number"))?);
                    }
                    Kind::Field(Values::I64(values)) => {
                        let number = str::from_utf8(cell).ok().and_then(|cell| cell.parse().ok());
                        values.push(number.ok_or_else(|| wrong("an integer"))?);
                    }
                    Kind::Field(Values::Bool(values)) => values.push(logical(cell).ok_or_else(|| wrong("T or F"))?),
                    Kind::Text => {}
                }
            }
        }
        if cells.next().is_some() {
            if self.layout != Layout::Plain {
                let found = Cells(lines.text()).count();
                return Err(lines.place().wrong("", columns(self.cells), columns(found)));
            }
            self.has_more = true;
        }
        self.z.push(z.unwrap_or_default().into());
        Ok(())
    }

    /// Forgets atoms that were read of a structure with an error.
    pub(super) fn clear(&mut self) {
        self.z.clear();
        self.pos.clear();
        self.has_more = false;
        for column in &mut self.columns {
            if let Kind::Field(values) = &mut column.kind {
                empty(values);
            }
        }
    }

    /// Moves `z` and `pos` into a record.
    pub(super) fn push_atoms(&mut self, record: &mut Record) {
        record.push("z", Level::NODE, 1, Values::I64(std::mem::take(&mut self.z)));
        record.push("pos", Level::NODE, 3, Values::F64(std::mem::take(&mut self.pos)));
    }

    /// Moves the other columns into a record.
    pub(super) fn push_fields(
        &mut self,
        record: &mut Record,
        place: Place<'_>,
        fields: &mut SeenFields,
    ) -> Result<(), Error> {
        if self.has_more {
            fields.skip(place, "what follows x, y, z", "nothing says what these columns are");
        }
        for Column { name, kind, .. } in &mut self.columns {
            match kind {
                // ASE's mask of the atoms that FixAtoms does not hold.
                Kind::Field(Values::Bool(moves)) if name == "move_mask" && moves.len() == record.nodes => {
                    let fixed = std::mem::take(moves).into_iter().map(|moves| !moves).collect();
                    fields.push(record, place, "fixed", Level::NODE, None, Values::Bool(fixed))?;
                }
                Kind::Field(values) => fields.push(record, place, name, Level::NODE, None, empty(values))?,
                Kind::Text => {
                    fields.refuse(place, name, "text")?;
                    fields.skip(place, name, "text");
                }
                Kind::Species | Kind::Pos => {}
            }
        }
        Ok(())
    }
}

/// Takes numbers and leaves none of the same type.
fn empty(values: &mut Values) -> Values {
    let none = match values {
        Values::F64(_) => Values::F64(vec![]),
        Values::I64(_) => Values::I64(vec![]),
        Values::Bool(_) => Values::Bool(vec![]),
    };
    std::mem::replace(values, none)
}

fn columns(number: usize) -> String {
    if number == 1 { "1 column".into() } else { format!("{number} columns") }
}

/// Words between blanks.
struct Cells<'a>(&'a [u8]);

impl<'a> Iterator for Cells<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &self.0[start..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.0 = &rest[end..];
        Some(&rest[..end])
    }
}
