//! ASE's SQLite databases (`.db`), as [`ase.db`](https://ase-lib.org/ase/db/db.html) writes them in versions 5 to 9.
//!
//! Rows become what those of [`aselmdb`](crate::aselmdb) become: the same structures in both kinds of file are equal in
//! every bit. The table's columns `charge`, `mass`, `volume`, `fmax` and `smax` are ASE's own sums for queries and are
//! not read, nor are external tables, which are listed.
//!
//! A database is opened read-only and as one that nobody changes, so nothing is written beside it; with a journal of
//! unfinished changes beside it, it is refused.

use crate::atoms::row::{Database, Numbered, Rows};
use crate::atoms::{Place, SeenFields, Survey, Value, json};
use crate::common::{Records, Values};
use crate::gather::Fields;
use crate::{FormatError, ReadError};
use graphpack_loader::Error;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

/// How many rows are looked at before the first is read.
const SURVEY: i64 = 100;
/// How many rows a query reads.
const AHEAD: usize = 64;

/// An id and its row, or what is wrong with it.
type Found = (i64, Result<Value, Error>);

/// The structures of a database, in the order of their ids, or of all `.db` files of a folder, in the order of their
/// names.
pub fn records(path: impl AsRef<Path>) -> Result<Box<dyn Records>, Error> {
    open(path.as_ref(), &Fields::default())
}

/// Opens what [`records`] opens, for a choice of fields: one that is selected and cannot be read is an error.
pub(crate) fn open(path: &Path, fields: &Fields) -> Result<Box<dyn Records>, Error> {
    Ok(Box::new(Rows::<AseDb>::open(path, ".db", fields)?))
}

/// One file.
struct AseDb {
    path: PathBuf,
    connection: Connection,
    bytes: u64,
    /// The first id and the last.
    ids: [i64; 2],
    /// The id of the row read last.
    id: i64,
    read: u64,
    rows: u64,
    ahead: VecDeque<Found>,
}

impl Database for AseDb {
    fn open(path: &Path, fields: &mut SeenFields) -> Result<Self, Error> {
        let bytes = fs::metadata(path).map_err(|source| ReadError::open(path, source))?.len();
        for ending in ["-wal", "-journal"] {
            let mut journal = path.as_os_str().to_owned();
            journal.push(ending);
            if fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
                let found = PathBuf::from(journal).display().to_string();
                return Err(FormatError::wrong(path, "", "a database without unfinished changes", found));
            }
        }
        let wrong = |error: rusqlite::Error| sqlite(path, "", &error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri(path), flags).map_err(wrong)?;
        let version = "SELECT value FROM information WHERE name = 'version'";
        let version: String = connection.query_row(version, [], |row| row.get(0)).map_err(wrong)?;
        if !["5", "6", "7", "8", "9"].contains(&&*version) {
            return Err(FormatError::wrong(path, "", "version 5 to 9 of ASE's database", format!("version {version}")));
        }
        let rows = "SELECT count(*), coalesce(min(id), 0), coalesce(max(id), 0) FROM systems";
        let numbers = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let (rows, first, last): (i64, i64, i64) = connection.query_row(rows, [], numbers).map_err(wrong)?;
        let (path, ids, rows) = (path.to_owned(), [first, last], rows.unsigned_abs());
        let id = first.saturating_sub(1);
        let database = Self { path, connection, bytes, ids, id, read: 0, rows, ahead: VecDeque::new() };
        for table in database.external_tables()? {
            let place = Place { path: &database.path, unit: "information", number: None };
            fields.skip(place, &table, "a table beside the structures");
        }
        Ok(database)
    }

    fn metadata(&mut self) -> Result<Option<Value>, Error> {
        let wrong = |error: rusqlite::Error| sqlite(&self.path, "metadata", &error);
        let metadata = "SELECT value FROM information WHERE name = 'metadata'";
        let mut metadata = self.connection.prepare(metadata).map_err(wrong)?;
        let mut rows = metadata.query([]).map_err(wrong)?;
        let Some(row) = rows.next().map_err(wrong)? else { return Ok(None) };
        let text: String = row.get(0).map_err(wrong)?;
        let parsed = json::parse(text.as_bytes(), None);
        let found = |at: usize| format!("other JSON at byte {at}");
        parsed.map(Some).map_err(|error| FormatError::wrong(&self.path, "metadata", error.expected, found(error.at)))
    }

    fn survey(&mut self, survey: &mut Survey) -> Result<(), Error> {
        let [first, last] = self.ids;
        let step = last.saturating_sub(first) / SURVEY + 1;
        let mut id = self.id;
        while let Some((found, row)) = self.rows_after(id, 1)?.pop_front() {
            // One that cannot be read is an error once it is reached.
            row.iter().for_each(|row| survey.see(row));
            id = found.max(id.saturating_add(step - 1));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Numbered>, Error> {
        if self.ahead.is_empty() {
            self.ahead = self.rows_after(self.id, AHEAD)?;
        }
        let Some((id, row)) = self.ahead.pop_front() else { return Ok(None) };
        (self.id, self.read) = (id, self.read + 1);
        Ok(Some((id.unsigned_abs(), row)))
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn share(&self) -> f64 {
        self.read as f64 / self.rows.max(1) as f64
    }
}

impl AseDb {
    /// Names of the tables beside that of the structures.
    fn external_tables(&self) -> Result<Vec<String>, Error> {
        let wrong = |error: rusqlite::Error| sqlite(&self.path, "", &error);
        let tables = "SELECT value FROM information WHERE name = 'external_table_name'";
        let mut tables = self.connection.prepare(tables).map_err(wrong)?;
        tables.query_map([], |row| row.get(0)).map_err(wrong)?.collect::<Result<_, _>>().map_err(wrong)
    }

    /// The first rows whose ids are greater.
    fn rows_after(&self, id: i64, most: usize) -> Result<VecDeque<Found>, Error> {
        let wrong = |error: rusqlite::Error| sqlite(&self.path, &format!("the rows after {id}"), &error);
        let statement = format!("SELECT * FROM systems WHERE id > ?1 ORDER BY id LIMIT {most}");
        let mut statement = self.connection.prepare(&statement).map_err(wrong)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([id]).map_err(wrong)?;
        let mut all = VecDeque::new();
        while let Some(row) = rows.next().map_err(wrong)? {
            let id: i64 = row.get("id").map_err(wrong)?;
            all.push_back((id, self.row(id, row, &names)));
        }
        Ok(all)
    }

    /// The row with the names that ASE's JSON has for its columns.
    fn row(&self, id: i64, row: &Row<'_>, names: &[String]) -> Result<Value, Error> {
        let place = Place { path: &self.path, unit: "row", number: Some(id.unsigned_abs()) };
        let wrong = |error: rusqlite::Error| sqlite(&self.path, &format!("row {id}"), &error);
        let atoms = match row.get_ref("numbers").map_err(wrong)? {
            ValueRef::Blob(numbers) => numbers.len() / 4,
            other => return Err(place.wrong("numbers", "a blob", format!("{:?}", other.data_type()))),
        };
        let mut entries = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let value = column(name, row.get_ref(index).map_err(wrong)?, atoms);
            if let Some(value) = value.map_err(|(expected, found)| place.wrong(name, expected, found))? {
                entries.push((name.clone(), value));
            }
        }
        Ok(Value::Object(entries))
    }
}

/// What a column holds for a structure of `atoms` atoms, or what was expected and found. `None` for columns that ASE
/// derives from others.
fn column(name: &str, found: ValueRef<'_>, atoms: usize) -> Result<Option<Value>, (String, String)> {
    let array = |dtype: &str, shapes: &[&[usize]]| match found {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) => match shapes.iter().find_map(|shape| json::array_of_blob(bytes, dtype, shape)) {
            Some(value) => Ok(Some(value)),
            None => {
                let size = if dtype == "int32" { 4 } else { 8 };
                let bytes_of = |shape: &&[usize]| (shape.iter().product::<usize>() * size).to_string();
                let expected = shapes.iter().map(bytes_of).collect::<Vec<_>>().join(" or ");
                Err((format!("{expected} bytes"), format!("{}", bytes.len())))
            }
        },
        other => Err(("a blob".to_owned(), format!("{:?}", other.data_type()))),
    };
    match name {
        "numbers" | "tags" => array("int32", &[&[atoms]]),
        "positions" | "forces" | "momenta" => array("float64", &[&[atoms, 3]]),
        "initial_charges" | "masses" | "charges" => array("float64", &[&[atoms]]),
        "initial_magmoms" | "magmoms" => array("float64", &[&[atoms], &[atoms, 3]]),
        "cell" => array("float64", &[&[3, 3]]),
        "stress" => array("float64", &[&[6], &[3, 3]]),
        "dipole" => array("float64", &[&[3]]),
        "energy" | "free_energy" | "magmom" => match found {
            ValueRef::Null => Ok(None),
            ValueRef::Real(value) => Ok(Some(Value::float(value))),
            ValueRef::Integer(value) => Ok(Some(Value::float(value as f64))),
            // Before version 6 magmom was an array.
            _ => array("float64", &[&[]]),
        },
        "pbc" => match found {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(axes @ 0..8) => {
                Ok(Some(Value::list(Values::Bool([1, 2, 4].map(|axis| axes & axis != 0).to_vec()))))
            }
            other => Err(("an integer from 0 to 7".into(), format!("{other:?}"))),
        },
        "key_value_pairs" | "data" | "constraints" => {
            let value = match found {
                ValueRef::Null => return Ok(None),
                ValueRef::Text(text) => json::parse(text, None),
                ValueRef::Blob(bytes) => json::object_of_blob(bytes),
                other => return Err(("JSON".into(), format!("{:?}", other.data_type()))),
            };
            let value = value.map_err(|error| (error.expected.to_owned(), format!("other at byte {}", error.at)))?;
            Ok(Some(value))
        }
        _ => Ok(None),
    }
}

/// What SQLite says is wrong.
fn sqlite(path: &Path, place: &str, error: &rusqlite::Error) -> Error {
    FormatError::wrong(path, place, "an SQLite database that ASE wrote", error.to_string())
}

/// A path as SQLite takes it with options.
fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(byte.into()),
            other => uri += &format!("%{other:02x}"),
        }
    }
    uri + "?immutable=1"
}
