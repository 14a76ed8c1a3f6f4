//! [`Metadata`]: what the metadata of ASE's databases state of units, as SchNetPack and ASE's own descriptions do.

use super::{Place, SeenFields, Value, unit_of};
use crate::common::unit_factor;
use graphpack_loader::Error;

/// The units that the metadata of a database state.
#[derive(Default)]
pub(crate) struct Metadata {
    /// The factor of positions and cells to angstrom.
    pub(crate) length: f64,
    /// Names of key-value pairs and data with their units.
    units: Vec<(String, String)>,
}

impl Metadata {
    /// Reads them: SchNetPack's `_distance_unit` and `_property_unit_dict`, and the units in ASE's `key_descriptions`.
    /// What else they say is noted as left out. Errors if the unit of lengths is none.
    pub(super) fn read(metadata: Option<&Value>, place: Place<'_>, fields: &mut SeenFields) -> Result<Self, Error> {
        let (mut read, mut left_out) = (Self { length: 1.0, units: Vec::new() }, Vec::new());
        for (name, value) in metadata.map(Value::entries).unwrap_or_default() {
            match (&**name, value) {
                (_, Value::Null) => {}
                ("_distance_unit", Value::Text(unit)) => match unit_factor(unit) {
                    Some((factor, to @ "angstrom")) => {
                        read.length = factor;
                        note(fields, "pos and cell", unit, factor, to);
                    }
                    _ => return Err(place.wrong(name, "a unit of length", format!("{unit:?}"))),
                },
                ("_property_unit_dict", Value::Object(units)) => {
                    units.iter().for_each(|(name, unit)| read.add(name, unit));
                }
                ("key_descriptions", Value::Object(described)) => {
                    for (name, parts) in described {
                        if let Value::List(parts) = parts
                            && let [_, _, unit] = &parts[..]
                        {
                            read.add(name, unit);
                        }
                    }
                }
                _ => left_out.push(&**name),
            }
        }
        if !left_out.is_empty() {
            fields.note("metadata", || format!("left out, {}", left_out.join(", ")));
        }
        Ok(read)
    }

    fn add(&mut self, name: &str, unit: &Value) {
        // As SchNetPack and ASE write that numbers have none.
        if let Value::Text(unit) = unit
            && !["", "1", "-"].contains(&unit.trim())
            && self.units.iter().all(|(known, _)| known != name)
        {
            self.units.push((name.to_owned(), unit.trim().to_owned()));
        }
    }

    /// The factor of a name's numbers and the unit that they have then, which the metadata state. What the calculator
    /// computed is in ASE's units whatever they state.
    pub(super) fn unit(&self, name: &str, is_result: bool, fields: &mut SeenFields) -> (f64, Option<&str>) {
        let Some((_, unit)) = self.units.iter().find(|(known, _)| known == name) else { return (1.0, None) };
        let (factor, to) = unit_factor(unit).unwrap_or((1.0, unit));
        if !is_result {
            note(fields, name, unit, factor, to);
        } else if (factor, Some(to)) != (1.0, unit_of(name)) {
            fields.note(&format!("unit of {name}"), || {
                format!("{unit} in the metadata, not taken for what the calculator computed in ASE's units")
            });
        }
        (factor, Some(to))
    }
}

fn note(fields: &mut SeenFields, name: &str, unit: &str, factor: f64, to: &str) {
    if factor != 1.0 {
        fields.note(&format!("unit of {name}"), || format!("{unit} in the metadata, to {to}, times {factor}"));
    }
}
