//! [`push_cell`]: cells and the directions in which they repeat.

use super::{Place, SeenFields};
use crate::{FormatError, Record, Values};
use graphpack_loader::Level;

/// Adds `cell` (rows are its vectors) and `pbc`, which say zero and false for a molecule. Nothing repeats along a
/// vector of zeros, whatever `pbc` says. Errors unless the vectors along which the structure repeats are independent.
pub(crate) fn push_cell(
    record: &mut Record,
    place: Place<'_>,
    fields: &mut SeenFields,
    cell: [f64; 9],
    mut pbc: [bool; 3],
) -> Result<(), FormatError> {
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

#[cfg(test)]
mod tests {
    use super::push_cell;
    use crate::Record;
    use crate::atoms::{Place, SeenFields};

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
