//! How a packer stands in a saved state: with the weights of two sets, unless there are weights of others.

use crate::layout::MAX_SETS;
use graphpack_core::Packer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Saved {
    Two(Packer<2>),
    All(Packer<MAX_SETS>),
}

pub(super) fn serialize<S: Serializer>(packer: &Packer<MAX_SETS>, serializer: S) -> Result<S::Ok, S::Error> {
    let two = packer.with_components::<2>();
    if two.with_components::<MAX_SETS>() == *packer { two.serialize(serializer) } else { packer.serialize(serializer) }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Packer<MAX_SETS>, D::Error> {
    Ok(match Saved::deserialize(deserializer)? {
        Saved::Two(packer) => packer.with_components(),
        Saved::All(packer) => packer,
    })
}
