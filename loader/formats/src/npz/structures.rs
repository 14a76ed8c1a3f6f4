//! [`read`]: all structures of a file in memory.

use super::records;
use crate::common::structure::floats;
use crate::{FormatError, Record, Records, Values};
use graphpack_loader::Structures;
use std::path::Path;

/// Reads atoms and positions of a file, see [this module](crate::npz).
pub fn read(path: impl AsRef<Path>) -> Result<Structures, FormatError> {
    let (mut records, mut record) = (records(path)?, Record::default());
    let mut structures = Structures::new();
    while records.next(&mut record)? {
        let mut of = |name: &str| {
            let at = record.fields.iter().position(|field| field.name == name);
            at.map(|at| record.fields.swap_remove(at).values)
        };
        let (Some(Values::I64(z)), Some(pos)) = (of("z"), of("pos")) else { continue };
        let pos: Vec<f32> = floats(pos).into_iter().map(|x| x as f32).collect();
        let atoms = z.iter().map(|&z| z as u8).zip(pos.as_chunks::<3>().0.iter().copied());
        structures.push(std::mem::take(&mut record.name), atoms, None);
    }
    Ok(structures)
}
