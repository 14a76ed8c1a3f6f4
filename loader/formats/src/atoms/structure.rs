//! What a structure has whatever its format: [`push_atoms`], elements and positions; [`push_cell`] and
//! [`push_periodic`], cells and the directions in which they repeat; and the files of a data set ([`files_in`]).

use super::{Place, SeenFields};
use crate::common::{Compression, Record, Values, file_names};
use crate::{FileFormat, FormatError, ReadError};
use graphpack_loader::{Error, Level};
use std::fs;
use std::path::{Path, PathBuf};

/// Adds `cell` (rows are its vectors) and `pbc`, which say zero and false for a molecule. Nothing repeats along a
/// vector of zeros, whatever `pbc` says. Errors unless the vectors along which the structure repeats are independent.
pub(crate) fn push_cell(
    record: &mut Record,
    place: Place<'_>,
    fields: &mut SeenFields,
    cell: [f64; 9],
    mut pbc: [bool; 3],
) -> Result<(), Error> {
    if let Some(number) = cell.iter().find(|number| !number.is_finite()) {
        return Err(place.wrong("cell", "finite numbers", number.to_string()));
    }
    let vectors = [0, 1, 2].map(|axis| [cell[axis * 3], cell[axis * 3 + 1], cell[axis * 3 + 2]]);
    for axis in 0..3 {
        if pbc[axis] && vectors[axis] == [0.0; 3] {
            pbc[axis] = false;
            let vector = ["a", "b", "c"][axis];
            fields.skip_as(place, "pbc", || format!("there is no cell vector {vector} to repeat along"));
        }
    }
    let repeated: Vec<_> = (0..3).filter(|&axis| pbc[axis]).map(|axis| vectors[axis]).collect();
    if spanned(&repeated) < 1e-9 {
        let axes: String = (0..3).filter(|&axis| pbc[axis]).map(|axis| ['a', 'b', 'c'][axis]).collect();
        let expected = format!("independent cell vectors where the structure repeats ({axes})");
        return Err(place.wrong("cell", expected, format!("a flat cell, {vectors:?}")));
    }
    record.push("cell", Level::Graph, 9, Values::F64(cell.to_vec()));
    record.push("pbc", Level::Graph, 3, Values::Bool(pbc.to_vec()));
    Ok(())
}

/// Adds `cell` and `pbc` as a file has them, where it does: without `pbc` all directions repeat if there is a cell.
pub(crate) fn push_periodic(
    record: &mut Record,
    place: Place<'_>,
    fields: &mut SeenFields,
    cell: Option<Values>,
    pbc: Option<Values>,
) -> Result<(), Error> {
    let (cell, pbc) = (cell.map(Values::floats), pbc.map(Values::floats));
    let cell = cell.and_then(|cell| <[f64; 9]>::try_from(cell).ok());
    let pbc = pbc.and_then(|pbc| <[f64; 3]>::try_from(pbc).ok());
    if cell.is_none() && pbc.is_none() {
        return Ok(());
    }
    let cell = cell.unwrap_or_default();
    let periodic = f64::from(u8::from(cell != [0.0; 9]));
    push_cell(record, place, fields, cell, pbc.unwrap_or([periodic; 3]).map(|along| along != 0.0))
}

/// The length, area or volume that unit vectors in these directions span: 1 if they are at right angles or there are
/// none, 0 if one follows from the others.
fn spanned(vectors: &[[f64; 3]]) -> f64 {
    let unit: Vec<[f64; 3]> = vectors
        .iter()
        .map(|vector| {
            // The largest component first: squares of very long or short vectors are not finite.
            let largest = vector.iter().fold(0.0, |most: f64, component| most.max(component.abs()));
            let scaled = vector.map(|component| if largest > 0.0 { component / largest } else { 0.0 });
            let length = scaled.iter().map(|component| component * component).sum::<f64>().sqrt();
            scaled.map(|component| if length > 0.0 { component / length } else { 0.0 })
        })
        .collect();
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    match unit[..] {
        [] => 1.0,
        [a] => dot(a, a),
        [a, b] => dot(cross(a, b), cross(a, b)).sqrt(),
        [a, b, c, ..] => dot(cross(a, b), c).abs(),
    }
}

/// Errors unless these are atomic numbers.
pub(crate) fn expect_elements(place: Place<'_>, name: &str, z: &[i64]) -> Result<(), Error> {
    match z.iter().position(|z| !(1..=118).contains(z)) {
        Some(atom) => Err(place.wrong(name, "atomic numbers from 1 to 118", format!("{} at atom {atom}", z[atom]))),
        None => Ok(()),
    }
}

/// Adds `z`, which must be atomic numbers, and `pos`, which must be three finite numbers for each.
pub(crate) fn push_atoms(record: &mut Record, place: Place<'_>, z: Vec<i64>, pos: Vec<f64>) -> Result<(), Error> {
    expect_elements(place, "numbers", &z)?;
    if let Some(at) = pos.iter().position(|x| !x.is_finite()) {
        return Err(place.wrong("positions", "finite numbers", format!("{} at atom {}", pos[at], at / 3)));
    }
    record.nodes = z.len();
    record.push("z", Level::NODE, 1, Values::I64(z));
    record.push("pos", Level::NODE, 3, Values::F64(pos));
    Ok(())
}

/// The file itself, or the files of a folder whose names end in one of `endings`, in the order of their names; and how
/// many bytes they have. Folders in the folder are listed, and so are files of other formats and tables. Errors if
/// there are no files.
pub(crate) fn files_in(
    path: &Path,
    endings: &[impl AsRef<str>],
    fields: &mut SeenFields,
) -> Result<(Vec<PathBuf>, u64), Error> {
    let metadata = |path: &Path| fs::metadata(path).map_err(|source| ReadError::open(path, source));
    let whole = metadata(path)?;
    if !whole.is_dir() {
        return Ok((vec![path.to_owned()], whole.len()));
    }
    let (mut files, mut bytes, mut folders, mut others) = (Vec::new(), 0, Vec::new(), Vec::new());
    for name in file_names(path).map_err(|source| ReadError::open(path, source))? {
        let (file, lower) = (path.join(&name), name.to_ascii_lowercase());
        let found = metadata(&file)?;
        if found.is_dir() {
            folders.push(name);
        } else if found.is_file() && endings.iter().any(|ending| lower.ends_with(ending.as_ref())) {
            bytes += found.len();
            files.push(file);
        } else if found.is_file() {
            others.push((name, lower));
        }
    }
    if files.is_empty() {
        let endings = endings.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
        return Err(FormatError::wrong(path, "", format!("files {endings}"), "none"));
    }
    for name in folders {
        fields.note(&format!("{name}/"), || "left out, a folder in a folder of files".into());
    }
    let is_table = |name: &str| Compression::endings(&[".csv", ".tsv"]).iter().any(|ending| name.ends_with(ending));
    for (name, lower) in others {
        match FileFormat::of(path.join(&name)) {
            Ok(format) => fields.note(&name, || format!("left out, {} in a folder of other files", format.name())),
            Err(_) if is_table(&lower) => fields.note(&name, || "left out, a table in a folder of other files".into()),
            Err(_) => {}
        }
    }
    Ok((files, bytes))
}

#[cfg(test)]
mod tests {
    use super::push_cell;
    use crate::atoms::{Place, SeenFields};
    use crate::common::Record;

    #[test]
    fn cells_are_flat_only_where_they_repeat() {
        let mut fields = SeenFields::default();
        let mut push = |cell: [f64; 9], pbc: [bool; 3]| {
            let place = Place { path: "a.xyz".as_ref(), unit: "line", number: Some(2) };
            push_cell(&mut Record::default(), place, &mut fields, cell, pbc).map_err(|error| error.to_string())
        };
        let [slab, flat] = [[1., 0., 0., 0., 2., 0., 0., 0., 0.], [1e-200, 0., 0., 0., 2., 0., 1., 1., 1e-11]];
        assert_eq!(push(slab, [true, true, false]), Ok(()));
        assert_eq!(push(flat, [true, false, true]), Ok(()));
        let message = push(flat, [true; 3]).unwrap_err();
        assert!(message.starts_with("a.xyz, line 2, cell: expected independent cell vectors where the structure"));
        assert!(message.contains("repeats (abc), found a flat cell, [[1e-200"), "{message}");
        assert!(push([f64::NAN; 9], [false; 3]).is_err() && push([0.0; 9], [false; 3]).is_ok());
        assert_eq!(push(slab, [false, false, true]), Ok(()));
        assert_eq!(fields.skipped(), ["pbc is passed over: there is no cell vector c to repeat along (a.xyz, line 2)"]);
    }
}
