//! [`read`]: structures without edges, of which all are in memory.

use super::records;
use crate::{FormatError, Record, Records, Values};
use graphpack_loader::Structures;
use std::path::Path;

/// Reads elements, positions and cells of a file or folder; their labels are left to [`records`].
pub fn read(path: impl AsRef<Path>) -> Result<Structures, FormatError> {
    let path = path.as_ref();
    let mut records = records(path)?;
    let mut record = Record::default();
    let mut structures = Structures::new();
    while records.next(&mut record)? {
        let field = |name: &str| record.field(name).map(|field| &field.values);
        let (Some(Values::I64(z)), Some(Values::F64(pos)), Some(Values::F64(cell)), Some(Values::Bool(pbc))) =
            (field("z"), field("pos"), field("cell"), field("pbc"))
        else {
            continue;
        };
        let cell = match pbc[..] {
            [true, true, true] => Some([0, 3, 6].map(|at| [cell[at], cell[at + 1], cell[at + 2]])),
            [false, false, false] => None,
            _ => {
                let found = format!("{pbc:?} of {:?}", record.name);
                return Err(FormatError::wrong(path, "pbc", "all or no directions that repeat", found));
            }
        };
        let atoms = z.iter().zip(pos.as_chunks().0).map(|(&z, pos)| (z as u8, pos.map(|value| value as f32)));
        structures.push(record.name.clone(), atoms.collect::<Vec<_>>(), cell);
    }
    Ok(structures)
}
