//! [`Conformers`]: a group per molecule, in which each data set has a row per conformation, as SPICE and ANI have them.

use super::member::{Hdf5File, Kind, Member, Node};
use crate::atoms::{Place, SeenFields, meaning, push_atoms, push_periodic, synonyms};
use crate::common::{Record, Records, Values, unit_factor};
use crate::{FormatError, elements};
use graphpack_loader::{Error, Level};
use std::vec::IntoIter;

/// Groups in groups that are gone into: the molecules of ANI-1 are at depth 2. Links in a circle end here.
const MAX_DEPTH: usize = 8;

/// The conformations of all molecules, in the order of the file.
pub(super) struct Conformers {
    file: Hdf5File,
    /// The groups that are still to be seen, from the root on.
    walk: Vec<IntoIter<Node>>,
    molecule: Option<Molecule>,
    /// What is wrong with a molecule, and its conformations that are still to be reported.
    broken: Option<(Error, usize)>,
    /// Whether it is known where the next conformation is.
    is_at_end: bool,
    targets: Targets,
    fields: SeenFields,
    read: u64,
    total: Option<u64>,
}

/// A molecule and which of its conformations is next.
struct Molecule {
    path: String,
    z: Elements,
    columns: Vec<Column>,
    conformations: usize,
    next: usize,
}

/// The elements of a molecule, or those of each conformation: ANI-2x's groups are by number of atoms.
enum Elements {
    Same(Vec<i64>),
    Each(Box<Window>),
}

/// A data set that becomes a field.
struct Column {
    name: String,
    level: Level,
    factor: f64,
    window: Window,
}

/// The units of lengths where a data set states none.
#[derive(Clone, Copy)]
struct Lengths<'a> {
    /// `None` if the layout has no units of its own.
    of_layout: Option<&'static str>,
    of_positions: Option<&'a str>,
}

/// A data set of which some rows are in memory.
struct Window {
    member: Member,
    start: usize,
    rows: usize,
    values: Values,
}

/// A field that data sets of several names become, of which a file has one.
#[derive(Clone, Copy)]
struct Target {
    field: &'static str,
    /// Its names in the layouts, besides those that all readers know.
    of_layouts: &'static [&'static str],
}

impl Target {
    /// All its names: those that all readers know, then those of the layouts.
    fn names(self) -> impl Iterator<Item = &'static str> {
        synonyms(self.field).iter().chain(self.of_layouts).copied()
    }
}

const TARGETS: [Target; 2] = [
    Target { field: "energy", of_layouts: &["formation_energy", "wb97x_dz.energy", "dft_total_energy"] },
    Target { field: "forces", of_layouts: &["dft_total_gradient", "wb97x_dz.forces"] },
];

/// The data set that each of [`TARGETS`] is in this file, by the first molecule that has any: another molecule's
/// energies of another kind are no substitute.
#[derive(Default)]
struct Targets([Option<&'static str>; TARGETS.len()]);

/// What SPICE calls positions; those of ANI are called as in other formats.
const CONFORMATIONS: &str = "conformations";

fn are_positions(member: &Member) -> bool {
    member.name == CONFORMATIONS || meaning(&member.name) == "pos"
}

fn are_elements(member: &Member) -> bool {
    meaning(&member.name) == "z"
}

/// Whether a group is a molecule, by the names of its data sets.
pub(super) fn is_molecule(members: &[Member]) -> bool {
    members.iter().any(are_positions) && members.iter().any(are_elements)
}

impl Conformers {
    pub(super) fn new(file: Hdf5File, root: Node, fields: SeenFields) -> Self {
        let (walk, targets) = (vec![vec![root].into_iter()], Targets::default());
        let (molecule, broken, is_at_end) = (None, None, false);
        Self { file, walk, molecule, broken, is_at_end, targets, fields, read: 0, total: None }
    }
}

impl Records for Conformers {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        loop {
            self.is_at_end = true;
            if let Some((error, left)) = &mut self.broken
                && *left > 0
            {
                *left -= 1;
                return Err(again(&self.file, error));
            }
            if let Some(molecule) = &mut self.molecule
                && molecule.next < molecule.conformations
            {
                let read = molecule.conformation(&self.file, &mut self.fields, record);
                self.fields.end(read)?;
                return Ok(true);
            }
            self.is_at_end = false;
            let Some(groups) = self.walk.last_mut() else { return Ok(false) };
            let Some(group) = groups.next() else {
                self.walk.pop();
                continue;
            };
            if self.walk.len() == 2 {
                self.read += 1;
            }
            self.open(&group)?;
        }
    }

    fn select(&mut self, names: &[String]) {
        self.fields.select(names);
    }

    fn goes_on(&self) -> bool {
        self.is_at_end
    }

    /// The unit that a field was converted to, or has in the file.
    fn unit(&self, field: &str) -> Option<&str> {
        self.fields.unit_of(field)
    }

    /// Molecules read and to be read, counted by the groups in the file's root.
    fn progress(&self) -> (u64, Option<u64>) {
        (self.read, self.total)
    }

    fn skipped(&self) -> &[String] {
        self.fields.skipped()
    }
}

impl Conformers {
    /// Goes into a group: a molecule, or groups of molecules.
    fn open(&mut self, group: &Node) -> Result<(), Error> {
        let (members, path) = (self.file.members(group, &mut self.fields)?, &group.path);
        if is_molecule(&members) {
            let before = self.targets.0;
            let molecule = Molecule::open(&self.file, path.clone(), members, &mut self.targets, &mut self.fields)?;
            match molecule {
                Ok(molecule) => self.molecule = Some(self.fields.end(Ok(molecule))?),
                Err((error, left)) => {
                    // Its labels are not those of the file.
                    self.targets.0 = before;
                    let broken = self.fields.end::<()>(Err(error));
                    (self.molecule, self.broken) = (None, broken.err().map(|error| (error, left)));
                }
            }
            return Ok(());
        }
        let groups = self.file.groups(group, &mut self.fields)?;
        let is_end = groups.is_empty() && (!members.is_empty() || !path.is_empty());
        if is_end || self.walk.len() > MAX_DEPTH {
            let names: Vec<_> = members.iter().map(|member| &*member.name).collect();
            let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(self.file.wrong(path, "data sets of atomic numbers and positions", found));
        }
        for member in members {
            let place = Place { path: &self.file.path, unit: path, number: None };
            self.fields.refuse(place, &member.name, "a data set beside groups")?;
            self.fields.note(&member.name, || format!("left out, a data set beside groups in {path}/"));
        }
        self.total.get_or_insert(groups.len() as u64);
        self.walk.push(groups.into_iter());
        Ok(())
    }
}

impl Targets {
    /// Sees a molecule. Says where one has other names than those before.
    fn see(&mut self, path: &str, members: &[Member], conformations: usize, fields: &mut SeenFields) {
        let has = |name: &str| {
            let is_label = |member: &Member| member.is_numeric() && member.shape.first() == Some(&conformations);
            members.iter().any(|member| member.name == name && is_label(member))
        };
        for (known, target) in self.0.iter_mut().zip(TARGETS) {
            let found = target.names().find(|name| has(name));
            match (*known, found) {
                (None, found) => {
                    *known = found;
                    let Some(taken) = found else { continue };
                    for other in target.names().filter(|name| *name != taken && has(name)) {
                        // Its unit is said by its name.
                        let both = format!("{other} beside {taken}");
                        fields.note(&both, || format!("a field of its own, {taken} is the {}", target.field));
                    }
                }
                (Some(known), Some(found)) if !has(known) => fields.note(target.field, || {
                    format!("{known} as in the molecules before; {path} lacks it, and {found} is a field of its own")
                }),
                _ => {}
            }
        }
    }

    /// The field that a data set becomes. Errors with the data set that has that name already.
    fn field<'a>(&self, name: &'a str) -> Result<&'a str, &'static str> {
        for (known, Target { field, .. }) in self.0.iter().zip(TARGETS) {
            match known {
                Some(known) if *known == name => return Ok(field),
                Some(known) if field == name => return Err(known),
                _ => {}
            }
        }
        Ok(name)
    }
}

impl Molecule {
    /// Opens a molecule. The inner error has what is wrong with it and how many conformations it has, the outer one is
    /// of a molecule whose conformations cannot be counted.
    fn open(
        file: &Hdf5File,
        path: String,
        mut members: Vec<Member>,
        targets: &mut Targets,
        fields: &mut SeenFields,
    ) -> Result<Result<Self, (Error, usize)>, Error> {
        let mut take = |wanted: &str, is: fn(&Member) -> bool| {
            let found: Vec<&str> = members.iter().filter(|member| is(member)).map(|member| &*member.name).collect();
            if found.len() > 1 {
                return Err(file.wrong(&path, format!("{wanted} in one data set"), found.join(" and ")));
            }
            Ok(members.iter().position(is).map(|at| members.remove(at)))
        };
        let (Some(pos), Some(z)) = (take("positions", are_positions)?, take("atomic numbers", are_elements)?) else {
            return Err(file.wrong(path, "atomic numbers and positions", "none"));
        };
        let conformations = match (&pos.shape[..], pos.kind) {
            // However many conformations without atoms there are, they take no bytes.
            (&[conformations, atoms, 3], Kind::Float) if atoms > 0 => conformations,
            _ => return Err(pos.not(file, "floating point numbers of shape [conformations, atoms, 3]")),
        };
        match Self::of_members(file, path, pos, z, members, targets, fields) {
            // There would be nothing that is left out.
            Err(error) if conformations == 0 => Err(error),
            read => Ok(read.map_err(|error| (error, conformations))),
        }
    }

    /// Makes a molecule of its positions, its elements and its other data sets.
    fn of_members(
        file: &Hdf5File,
        path: String,
        pos: Member,
        z: Member,
        members: Vec<Member>,
        targets: &mut Targets,
        fields: &mut SeenFields,
    ) -> Result<Self, Error> {
        let (conformations, atoms) = (pos.shape[0], pos.shape[1]);
        let z = match &z.shape[..] {
            [n] | [n, 1] if *n == atoms => Elements::Same(numbers(file, &z)?),
            [c, n] if *c == conformations && *n == atoms && z.is_numeric() => Elements::Each(Box::new(Window::new(z))),
            _ => return Err(z.not(file, format!("an element for each of {atoms} atoms"))),
        };
        let of_layout = match &*pos.name {
            CONFORMATIONS => Some("bohr"),
            "coordinates" => Some("angstrom"),
            _ => None,
        };
        let length = pos.unit(file)?.or(of_layout.map(Into::into));
        let lengths = Lengths { of_layout, of_positions: length.as_deref() };
        let mut columns = vec![Column::of(file, pos, "pos".into(), Level::NODE, lengths, fields)?];
        targets.see(&path, &members, conformations, fields);
        for member in members {
            let place = Place { path: &file.path, unit: &path, number: None };
            if member.name.ends_with("HE") {
                fields.refuse(place, &member.name, "conformations of high energy")?;
                fields.note(&member.name, || "left out, conformations of high energy".into());
                continue;
            }
            let is_label = member.is_numeric() && member.shape.first() == Some(&conformations);
            if ["cell", "pbc"].contains(&&*member.name) {
                match (&*member.name, member.shape.get(1..)) {
                    ("cell", Some([3, 3] | [9])) | ("pbc", Some([3])) if is_label => {}
                    ("cell", _) => return Err(member.not(file, format!("numbers of shape [{conformations}, 3, 3]"))),
                    _ => return Err(member.not(file, format!("numbers of shape [{conformations}, 3]"))),
                }
                let name = member.name.clone();
                columns.push(Column::of(file, member, name, Level::Graph, lengths, fields)?);
                continue;
            }
            if !is_label && TARGETS.into_iter().any(|target| target.names().any(|name| name == member.name)) {
                return Err(member.not(file, format!("numbers of each of {conformations} conformations")));
            }
            if !member.is_numeric() {
                fields.refuse(place, &member.name, member.kind.name())?;
                fields.note(&member.name, || "left out, not numeric".into());
                continue;
            }
            if member.shape.first() != Some(&conformations) {
                fields.refuse(place, &member.name, &format!("shape {:?}", member.shape))?;
                fields.note(&member.name, || {
                    format!("left out, shape {:?} for {conformations} conformations in {path}", member.shape)
                });
                continue;
            }
            let name = targets.field(&member.name).map_err(|of| {
                let expected = format!("{of}, which is the {} of this file", member.name);
                file.wrong(&path, expected, format!("{} of another kind", member.name))
            })?;
            if ["z", "pos"].contains(&name) || columns.iter().any(|column| column.name == name) {
                return Err(file.wrong(&member.path, "each name once", format!("a second {name}")));
            }
            let Some(level) = fields.level(place, name, &member.shape[1..], atoms)? else { continue };
            let name = name.to_owned();
            columns.push(Column::of(file, member, name, level, lengths, fields)?);
        }
        Ok(Self { path, z, columns, conformations, next: 0 })
    }

    /// Reads the next conformation.
    fn conformation(&mut self, file: &Hdf5File, fields: &mut SeenFields, record: &mut Record) -> Result<(), Error> {
        record.clear();
        let row = self.next;
        self.next += 1;
        let z = match &mut self.z {
            Elements::Same(z) => z.clone(),
            Elements::Each(window) => match window.row(file, row)? {
                Values::I64(z) => z,
                _ => return Err(window.member.not(file, "integers")),
            },
        };
        let (pos, others) = self.columns.split_first_mut().expect("positions come first");
        let unit = format!("{}, row", self.path);
        let place = Place { path: &file.path, unit: &unit, number: Some(row as u64) };
        push_atoms(record, place, z, pos.row(file, row)?.floats())?;
        let (mut cell, mut pbc) = (None, None);
        for column in others {
            let values = column.row(file, row)?;
            match &*column.name {
                "cell" => cell = Some(values),
                "pbc" => pbc = Some(values),
                name => {
                    let shape = column.window.member.shape.get(1..);
                    fields.push(record, place, name, column.level, shape, values)?;
                }
            }
        }
        push_periodic(record, place, fields, cell, pbc)?;
        record.name = format!("{}/{row}", self.path.trim_start_matches('/'));
        Ok(())
    }
}

impl Column {
    /// The field that a data set becomes, and the note of what is converted: the length that the layout is in, if it
    /// has any, and the unit of positions say what a data set without a unit is in.
    fn of(
        file: &Hdf5File,
        member: Member,
        name: String,
        level: Level,
        Lengths { of_layout, of_positions }: Lengths<'_>,
        fields: &mut SeenFields,
    ) -> Result<Self, Error> {
        let (last, given) = (member.name.rsplit('.').next().unwrap_or_default(), member.unit(file)?);
        let is_gradient = last.ends_with("gradient");
        let usual = match last {
            "cell" => of_positions,
            _ if name == "pos" => of_layout,
            _ if of_layout.is_none() => None,
            "formation_energy" | "dft_total_energy" => Some("hartree"),
            _ if meaning(last) == "energy" => Some("hartree"),
            // Other energies of the layout, such as `corr_energy`; not `has_energy`.
            _ if given.is_none() && last.ends_with("energy") && member.kind != Kind::Bool => Some("hartree"),
            "dft_total_gradient" if of_layout == Some("bohr") => Some("hartree/bohr"),
            _ if meaning(last) == "forces" && of_layout == Some("bohr") => Some("hartree/bohr"),
            _ if meaning(last) == "forces" => Some("hartree/angstrom"),
            _ => None,
        };
        let unit = given.as_deref().or(usual);
        let sign = if is_gradient && name == "forces" { -1.0 } else { 1.0 };
        let known = unit.map(|unit| (unit, unit_factor(unit)));
        let becomes = known.map(|(unit, factor)| factor.map_or(unit, |(_, to)| to));
        fields.unit(&name, becomes).map_err(|before| {
            let expected = format!("numbers in the unit of the molecules before ({before})");
            file.wrong(&member.path, expected, becomes.unwrap_or("none"))
        })?;
        let factor = match known {
            Some((unit, Some((factor, to)))) => {
                if factor * sign != 1.0 {
                    fields.note(&member.name, || {
                        let from = if given.is_some() { "" } else { ", the layout's unit," };
                        format!("{unit}{from} to {to}, times {}", factor * sign)
                    });
                }
                factor
            }
            Some((unit, None)) if usual.is_some() => {
                return Err(file.wrong(&member.path, "a unit of length, energy or force", unit));
            }
            Some((unit, None)) => {
                fields.note(&member.name, || format!("stays in {unit}"));
                1.0
            }
            None => 1.0,
        };
        Ok(Self { name, level, factor: factor * sign, window: Window::new(member) })
    }

    fn row(&mut self, file: &Hdf5File, row: usize) -> Result<Values, Error> {
        Ok(self.window.row(file, row)?.times(self.factor))
    }
}

impl Window {
    fn new(member: Member) -> Self {
        Self { member, start: 0, rows: 0, values: Values::I64(Vec::new()) }
    }

    /// One row, of those in memory or after reading more.
    fn row(&mut self, file: &Hdf5File, row: usize) -> Result<Values, Error> {
        if !(self.start..self.start + self.rows).contains(&row) {
            let rows = self.member.window().min(self.member.shape[0] - row);
            self.values = self.member.rows(file, row, rows)?;
            (self.start, self.rows) = (row, rows);
        }
        let width = self.member.width();
        let range = (row - self.start) * width..(row - self.start + 1) * width;
        Ok(self.values.slice(range))
    }
}

/// The error of a molecule, once more for each of its conformations.
fn again(file: &Hdf5File, error: &Error) -> Error {
    match error.cause() {
        Some(FormatError::Wrong { place, expected, found, .. }) => file.wrong(place, expected, found),
        _ => file.wrong("", "a file that can be read", error.to_string()),
    }
}

/// Atomic numbers, which ANI-1 has as symbols.
fn numbers(file: &Hdf5File, member: &Member) -> Result<Vec<i64>, Error> {
    if member.kind == Kind::Text {
        let number = |symbol: String| match elements::atomic_number(symbol.trim()) {
            Some(number) => Ok(i64::from(number)),
            None => Err(file.wrong(&member.path, "symbols of elements", format!("{symbol:?}"))),
        };
        return member.texts(file)?.into_iter().map(number).collect();
    }
    match (member.kind, member.all(file)?) {
        (Kind::Integer | Kind::Unsigned, Values::I64(numbers)) => Ok(numbers),
        _ => Err(member.not(file, "integers or symbols of elements")),
    }
}
