//! Parquet files with a row per graph, whose columns are numbers and lists, as graph data sets on the Hugging Face hub
//! have them (`OGB/ogbg-molhiv`, `graphs-datasets/PCQM4Mv2`).
//!
//! | column, by any of these names | type | becomes |
//! |---|---|---|
//! | `edge_index` | two lists of integers | edges |
//! | `edge_src` and `edge_dst`, `src` and `dst`, `source` and `target`, `senders` and `receivers` | lists | edges |
//! | `num_nodes` | integer | number of nodes |
//! | `node_feat`, `x` | a number or a list per node | `x` |
//! | `edge_attr`, `edge_feat` | a number or a list per edge | `edge_attr` |
//! | `z`, `pos`, `forces`, `node_...` | a number or a list per node | fields of their names |
//! | names of elements and positions in other formats, where a file has both | a number or symbol, a list per node | `z`, `pos` |
//! | names of atoms' numbers, cells, energies, forces and stresses in other formats, beside these | as in other formats | these fields |
//! | `edge_...` | a number or a list per edge | fields of their names |
//! | `y`, `cell`, `pbc`, `stress`, `graph_...` | a number, a list or lists | fields of graphs |
//! | any other that is a number | number | a field of graphs |
//! | `smiles`, in any case, or another usual name of SMILES, where no column has nodes | text | the graph of the molecule, as csv's |
//!
//! Other columns of lists, whose names do not say whether they belong to nodes, texts and other types are left out and
//! [listed](crate::records::Records::skipped), or an error if they are selected, unless they are renamed to a name that
//! says so. A null, or nothing but NaN, is a missing label, and an error in `z` and `pos` where other rows have them;
//! in a `y` of several numbers these are 0, and `has_y` says which are there; a null or NaN among other numbers is one
//! that is missing, and an error in `x`, `edge_attr`, `z` and `pos`. A `stress` of six numbers, in Voigt's order,
//! becomes 3 x 3. Row groups are read one after the other, some rows at once; checksums of pages are compared where a
//! file has them.
//!
//! The `parquet` library panics on some damaged files; such a panic becomes an error.
//!
//! `column` has a column, row by row; `roles` says what it is by its name.

mod column;
mod roles;

use crate::atoms::{Place, SeenFields, expect_elements, push_periodic, quoted};
use crate::common::{Record, Records, Values};
use crate::gather::{Called, Fields};
use crate::{FormatError, ReadError, elements, smiles as molecules};
use column::{Cell, Column, Kind, is_missing, null_or, push_of_graph};
use graphpack_loader::extend::panic_message;
use graphpack_loader::{Error, Level};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use roles::{Role, Roles};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Rows that are read at once.
const WINDOW: usize = 256;

/// The graphs of a parquet file, some of which are in memory.
pub struct ParquetRecords {
    path: PathBuf,
    file: SerializedFileReader<File>,
    columns: Vec<Used>,
    /// The next row group, the rows left in this one, and those of them that are in memory.
    group: usize,
    left: usize,
    ready: usize,
    row: u64,
    rows: u64,
    fields: SeenFields,
    /// Columns that are left out, and what they are; the first that is selected.
    left_out: Vec<(String, String)>,
    refused: Option<usize>,
    /// Whether the row was read in all columns, so that another follows.
    is_at_end: bool,
    failed: bool,
    /// Whether graphs are structures of atoms.
    of_atoms: bool,
}

/// A column that is read.
struct Used {
    /// Which of the file's it is.
    number: usize,
    column: Column,
    role: Role,
    /// Numbers per row of nodes or edges, or of a `y` of which some may be missing, once it is known.
    width: Option<usize>,
    /// In the file, and in records; what it is by the name that this library has for it.
    name: String,
    field: String,
    means: String,
}

impl Used {
    /// Whether it is an error if a graph with nodes lacks it: without elements or positions that others have there is
    /// no structure.
    fn must_be_there(&self) -> bool {
        matches!(self.role, Role::Field(Level::NODE, _)) && ["z", "pos"].contains(&&*self.means) && self.width.is_some()
    }

    /// The elements whose symbols are in a cell. Errors with a text that is none.
    fn elements(&self, cell: &Values) -> Result<Values, String> {
        let number = |text: &str| elements::atomic_number(text).map(i64::from).ok_or_else(|| quoted(text));
        Ok(Values::I64(self.column.texts(cell).map(number).collect::<Result<_, _>>()?))
    }
}

/// Opens a file. With `select`, columns that are neither selected, by their name in the file or in the store, nor
/// nodes, edges, `z` or `pos` are passed over.
pub fn records(path: impl AsRef<Path>, select: Option<&[String]>) -> Result<ParquetRecords, Error> {
    let path = path.as_ref();
    caught(path, || ParquetRecords::open(path, select, &Fields::default(), None))
}

/// Opens a file with all columns, for a choice of fields, and with `smiles` as the column of SMILES, if it is given.
/// Also returns what the columns are called in records.
pub(crate) fn open(path: &Path, fields: &Fields, smiles: Option<&str>) -> Result<(ParquetRecords, Vec<Called>), Error> {
    let records = caught(path, || ParquetRecords::open(path, None, fields, smiles))?;
    let is_field = |used: &Used| matches!(used.role, Role::Field(..));
    let called = |used: &Used| Called::new(&used.name, is_field(used).then_some(&*used.field));
    let called = records.columns.iter().map(called).collect();
    Ok((records, called))
}

impl ParquetRecords {
    fn open(path: &Path, select: Option<&[String]>, asked: &Fields, smiles: Option<&str>) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| ReadError::open(path, error))?;
        let unreadable = |error: ParquetError| FormatError::wrong(path, "", "sound parquet", error.to_string());
        let file = SerializedFileReader::new(file).map_err(unreadable)?;
        let metadata = file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let of = |number: usize| schema.column(number).path().parts().first().cloned().unwrap_or_default();
        let names: Vec<String> = (0..schema.num_columns()).map(of).collect();
        let roles = Roles::find(path, schema, &names, asked, smiles)?;
        let (mut columns, mut left_out, mut fields) = (Vec::<Used>::new(), Vec::new(), SeenFields::of(asked));
        for (number, name) in names.iter().enumerate() {
            let descriptor = schema.column(number);
            let (role, means, field) = roles.of(number);
            let always = !matches!(role, Role::Field(..)) || ["z", "pos"].contains(&means);
            let chosen = select.map(|select| select.iter().any(|chosen| *chosen == *name || **chosen == *field));
            if !always && chosen == Some(false) {
                continue;
            }
            let wrong = |found: String| refused(path, name, found);
            // Only what somebody chose, or what names say, must be what it is taken for.
            let is_free = role == Role::UNKNOWN;
            let are_symbols = means == "z" && roles.are_of_atoms();
            let is_group = names.iter().filter(|other| *other == name).count() > 1;
            let column = match Column::new(&descriptor, schema.root_schema()) {
                _ if is_group => Err("a group of columns".into()),
                Ok(column) if column.kind == Kind::Text && role != Role::Smiles && !are_symbols => Err("text".into()),
                Ok(column) if is_free && column.lists > 0 => Err("lists of an unknown set".into()),
                column => column,
            };
            let column = match column {
                Ok(column) => column,
                Err(_) if left_out.iter().any(|(left_out, _)| left_out == name) => continue,
                // A name says what numbers belong to; texts have none.
                Err(found) if chosen.is_none() && (is_free || (found == "text" && !always)) => {
                    left_out.push((name.clone(), found));
                    continue;
                }
                Err(found) => return Err(wrong(found)),
            };
            if let Some(other) = columns.iter().find(|other| other.field == field) {
                return Err(wrong(format!(
                    "a second {field} beside column {}; a renaming tells them apart",
                    other.name
                )));
            }
            let width = if column.lists < 2 && !may_lack_some(role, means, &column) { Some(1) } else { None };
            let (name, field, means) = (name.clone(), field.into_owned(), means.to_owned());
            columns.push(Used { number, column, role, width, name, field, means });
        }
        let has_nodes = |used: &Used| matches!(used.role, Role::Nodes | Role::Smiles | Role::Field(Level::NODE, _));
        if !columns.iter().any(has_nodes) {
            let expected = "num_nodes, a field of nodes (x, node_NAME), elements and positions (z and pos), or SMILES; a \
                column that is one of these can be renamed to it";
            return Err(roles.refused(expected));
        }
        let (of_atoms, groups) = (roles.are_of_atoms(), metadata.row_groups());
        for chunk in groups.iter().flat_map(|group| group.columns()) {
            let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
            if start < 0 || chunk.compressed_size() < 0 {
                let found = format!("{} bytes at byte {start}", chunk.compressed_size());
                return Err(FormatError::wrong(path, format!("column {}", chunk.column_path()), "bytes", found));
            }
        }
        let mut rows = 0_u64;
        for (number, group) in groups.iter().enumerate() {
            let found = group.num_rows();
            let wrong = |_| FormatError::wrong(path, format!("row group {number}"), "rows", found.to_string());
            rows = rows.saturating_add(u64::try_from(found).map_err(wrong)?);
        }
        let path = path.to_owned();
        for (name, found) in &left_out {
            fields.note(name, || format!("left out, {found}"));
        }
        fields.end(Ok(()))?;
        let mut records = Self {
            path,
            file,
            columns,
            group: 0,
            left: 0,
            ready: 0,
            row: 0,
            rows,
            fields,
            left_out,
            refused: None,
            is_at_end: false,
            failed: false,
            of_atoms,
        };
        records.find_widths()?;
        Ok(records)
    }

    /// Looks for the first graph with rows of each field, since one without rows does not say how wide they are, and
    /// for the first `y` with a number.
    fn find_widths(&mut self) -> Result<(), Error> {
        let is_table = |used: &Used| matches!(used.role, Role::Field(level, _) if level != Level::Graph);
        let may_lack_some = |used: &Used| may_lack_some(used.role, &used.means, &used.column);
        let is_wanted = |used: &Used| (is_table(used) || may_lack_some(used)) && used.width.is_none();
        while self.columns.iter().any(is_wanted) && self.fill()? {
            for used in &mut self.columns {
                let may_lack_some = may_lack_some(used);
                for _ in 0..self.ready {
                    let wrong =
                        |found| FormatError::wrong(&self.path, format!("column {}", used.name), "numbers", found);
                    // What is wrong with the row is said once it is reached.
                    let cell = used.column.next().map_err(wrong)?.ok().flatten();
                    used.width = used.width.or(match cell {
                        Some(cell) if may_lack_some => (!is_missing(&cell.values)).then_some(cell.values.len()),
                        cell => cell.and_then(|cell| cell.lengths.first().copied()),
                    });
                }
            }
        }
        (self.group, self.left, self.ready) = (0, 0, 0);
        Ok(())
    }

    fn read(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        self.is_at_end = false;
        if let Some((name, found)) = self.refused.and_then(|refused| self.left_out.get(refused)) {
            return Err(refused(&self.path, name, found.clone()));
        }
        if self.ready == 0 && !self.fill()? {
            return Ok(false);
        }
        self.ready -= 1;
        let row = self.row;
        self.row += 1;
        let mut cells = Vec::with_capacity(self.columns.len());
        for used in &mut self.columns {
            let wrong = |found| FormatError::wrong(&self.path, place(row, &used.name), "numbers", found);
            cells.push(used.column.next().map_err(wrong)?.map_err(wrong));
        }
        self.is_at_end = true;
        let mut cells = cells.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.molecule(row, &cells, record)?;
        self.edges(row, &mut cells, record)?;
        let wrong = |name: &str, expected: String, found: String| {
            FormatError::wrong(&self.path, place(row, name), expected, found)
        };
        if record.nodes == 0 {
            record.nodes = self.nodes(row, &cells)?;
        }
        let (mut cell_of_atoms, mut pbc) = (None, None);
        for (used, cell) in self.columns.iter().zip(cells) {
            let may_lack_some = may_lack_some(used.role, &used.means, &used.column);
            let none = || may_lack_some.then(|| Cell { lengths: Vec::new(), values: Values::F64(Vec::new()) });
            let Role::Field(level, _) = used.role else { continue };
            let Some(Cell { lengths, values }) = cell.or_else(none) else {
                if used.must_be_there() && record.nodes > 0 {
                    return Err(wrong(&used.name, "a row for each node".into(), "null".into()));
                }
                continue;
            };
            let values = match used.column.kind {
                Kind::Text => used.elements(&values).map_err(|found| wrong(&used.name, "elements".into(), found))?,
                _ => values,
            };
            if level == Level::Graph {
                let of_atoms = match &*used.means {
                    "cell" if self.of_atoms => Some((&mut cell_of_atoms, 9)),
                    "pbc" if self.of_atoms => Some((&mut pbc, 3)),
                    _ => None,
                };
                if let Some((of_atoms, numbers)) = of_atoms {
                    if values.len() != numbers {
                        return Err(wrong(&used.name, format!("{numbers} numbers"), values.len().to_string()));
                    }
                    *of_atoms = Some(values);
                    continue;
                }
                let width = used.width.filter(|_| may_lack_some);
                push_of_graph(record, &used.field, &used.means, values, width)
                    .map_err(|found| wrong(&used.name, "finite numbers".into(), found))?;
                continue;
            }
            let rows = record.rows(level);
            let (found, width) = used
                .column
                .table(&lengths)
                .ok_or_else(|| wrong(&used.name, "lists of one length".into(), "lists of several lengths".into()))?;
            if found != rows {
                let of = if level == Level::NODE { "nodes" } else { "edges" };
                return Err(wrong(&used.name, format!("{rows} rows, one for each of the {of}"), found.to_string()));
            }
            let width = if rows == 0 { used.width.unwrap_or(1) } else { width };
            if rows > 0 && values.is_empty() && used.must_be_there() {
                return Err(wrong(&used.name, "numbers of each node".into(), "empty lists".into()));
            }
            if rows > 0 && is_missing(&values) && !used.must_be_there() {
                record.missing.push(used.field.clone().into());
                continue;
            }
            // Labels may lack some numbers, but not what a model is given.
            let is_given = ["z", "pos", "x", "edge_attr"].contains(&&*used.means);
            if let Some((at, number)) = if is_given { values.not_finite() } else { values.infinite() } {
                let of = if level == Level::NODE { "node" } else { "edge" };
                let found = format!("{} at {of} {}, column {}", null_or(number), at / width, at % width);
                return Err(wrong(&used.name, "finite numbers".into(), found));
            }
            record.push(used.field.clone(), level, width, values);
            if used.column.lists > 1 {
                record.shape_last(&[width]);
            }
        }
        record.name = format!("row {row}");
        let place = Place { path: &self.path, unit: "row", number: Some(row) };
        let z = record.field("z").map(|field| &field.values).filter(|_| self.of_atoms);
        if let Some(Values::I64(z)) = z {
            expect_elements(place, "z", z)?;
        }
        let periodic = push_periodic(record, place, &mut self.fields, cell_of_atoms, pbc);
        self.fields.end(periodic)?;
        Ok(true)
    }

    /// Makes the graph of a molecule, where there is a column of SMILES.
    fn molecule(&self, row: u64, cells: &[Option<Cell>], record: &mut Record) -> Result<(), Error> {
        let Some((used, cell)) = self.columns.iter().zip(cells).find(|(used, _)| used.role == Role::Smiles) else {
            return Ok(());
        };
        let text = cell.as_ref().and_then(|cell| used.column.texts(&cell.values).next()).unwrap_or_default();
        molecules::record(text, record).map_err(|refusal| refusal.at(&self.path, place(row, &used.name), text))
    }

    /// Reads more rows of this row group or the next; returns false at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        while self.left == 0 {
            if self.group >= self.file.num_row_groups() {
                return Ok(false);
            }
            let group = self.group;
            self.group += 1;
            let unreadable = |name: &str, error: String| {
                FormatError::wrong(&self.path, format!("row group {group}, column {name}"), "sound parquet", error)
            };
            let reader = self.file.get_row_group(group).map_err(|error| unreadable("0", error.to_string()))?;
            self.left = usize::try_from(reader.metadata().num_rows()).unwrap_or(0);
            for used in &mut self.columns {
                let opened = reader.get_column_reader(used.number);
                used.column.start(opened.map_err(|error| unreadable(&used.name, error.to_string()))?);
            }
        }
        self.ready = self.left.min(WINDOW);
        self.left -= self.ready;
        for used in &mut self.columns {
            let wrong = |found| {
                let rows = format!("rows {} to {}, column {}", self.row, self.row + self.ready as u64, used.name);
                FormatError::wrong(&self.path, rows, "sound parquet, with integers within int64", found)
            };
            used.column.read(self.ready).map_err(wrong)?;
        }
        Ok(true)
    }

    /// Adds the edges.
    fn edges(&self, row: u64, cells: &mut [Option<Cell>], record: &mut Record) -> Result<(), Error> {
        let mut ends: [Option<Vec<i64>>; 2] = [None, None];
        let mut is_there = false;
        for (used, cell) in self.columns.iter().zip(cells) {
            if matches!(used.role, Role::Field(..) | Role::Nodes | Role::Smiles) {
                continue;
            }
            is_there = true;
            let wrong =
                |expected: &str, found: String| FormatError::wrong(&self.path, place(row, &used.name), expected, found);
            let cell = cell.take().ok_or_else(|| wrong("edges", "null".into()))?;
            let Values::I64(mut numbers) = cell.values else { return Err(wrong("integers", "other numbers".into())) };
            match (used.role, &cell.lengths[..]) {
                (Role::End(end), [_]) => ends[end] = Some(numbers),
                (Role::Edges, [sources, targets]) if sources == targets => {
                    ends[1] = Some(numbers.split_off(*sources));
                    ends[0] = Some(numbers);
                }
                (Role::Edges, []) => ends = [Some(vec![]), Some(vec![])],
                (_, lengths) => {
                    let found =
                        format!("{} lists of {:?} numbers", lengths.len(), lengths.iter().take(3).collect::<Vec<_>>());
                    return Err(wrong("two lists of one length, sources and targets", found));
                }
            }
        }
        match ends {
            [Some(sources), Some(targets)] if sources.len() == targets.len() => record.edges = Some([sources, targets]),
            [None, None] if !is_there => {}
            [sources, targets] => {
                let found = [sources, targets].map(|end| end.map_or(0, |end| end.len()));
                let found = format!("{} and {}", found[0], found[1]);
                return Err(FormatError::wrong(&self.path, place(row, "edges"), "as many sources as targets", found));
            }
        }
        Ok(())
    }

    /// The number of nodes, by `num_nodes` or the fields of nodes.
    fn nodes(&self, row: u64, cells: &[Option<Cell>]) -> Result<usize, Error> {
        let mut of_fields = None;
        for (used, cell) in self.columns.iter().zip(cells) {
            let Some(cell) = cell else { continue };
            match (used.role, &cell.values) {
                (Role::Nodes, Values::I64(nodes)) if nodes.len() == 1 => {
                    let nodes = u32::try_from(nodes[0]).map_err(|_| {
                        FormatError::wrong(
                            &self.path,
                            place(row, &used.name),
                            "a number of nodes",
                            nodes[0].to_string(),
                        )
                    })?;
                    return Ok(nodes as usize);
                }
                (Role::Field(Level::NODE, _), _) => {
                    of_fields = used.column.table(&cell.lengths).map(|(rows, _)| rows);
                }
                _ => {}
            }
        }
        let missing =
            || FormatError::wrong(&self.path, place(row, "num_nodes"), "num_nodes or a field of nodes", "neither");
        of_fields.ok_or_else(missing)
    }
}

impl Records for ParquetRecords {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        if self.failed {
            return Ok(false);
        }
        let path = self.path.clone();
        let read = caught(&path, || self.read(record));
        self.failed = read.is_err() && !self.is_at_end;
        read
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.row, Some(self.rows))
    }

    fn select(&mut self, names: &[String]) {
        self.refused = self.left_out.iter().position(|(name, _)| names.contains(name));
    }

    fn skipped(&self) -> &[String] {
        self.fields.skipped()
    }

    fn goes_on(&self) -> bool {
        self.is_at_end
    }
}

/// Whether a column is a `y` of several numbers, some of which may be missing in a graph.
fn may_lack_some(role: Role, field: &str, column: &Column) -> bool {
    matches!(role, Role::Field(Level::Graph, _)) && field == "y" && column.kind == Kind::Float && column.lists > 0
}

fn refused(path: &Path, name: &str, found: String) -> Error {
    let expected = "numbers, or a name that says what its lists belong to";
    FormatError::wrong(path, format!("column {name}"), expected, found)
}

fn place(row: u64, name: &str) -> String {
    format!("row {row}, column {name}")
}

/// Turns a panic into an error: the parquet crate panics on some damaged files.
fn caught<T>(path: &Path, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let found = format!("a file on which the reader panicked: {}", panic_message(&*panic));
        Err(FormatError::wrong(path, "", "sound parquet", found))
    })
}
