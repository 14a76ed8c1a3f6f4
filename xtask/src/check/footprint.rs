//! [`Footprint`]: the flash and RAM that a program takes, from the sections of its ELF file.

use crate::run::Outcome;
use std::fs;
use std::path::Path;

/// The bytes of a program, without its stack.
pub(crate) struct Footprint {
    /// Vectors, code and constants.
    pub(crate) text: u32,
    /// Variables with an initial value, which takes flash, too.
    pub(crate) data: u32,
    /// Variables that begin as zeros.
    pub(crate) bss: u32,
}

impl Footprint {
    /// Reads the program's file.
    pub(crate) fn of(program: &Path) -> Outcome<Self> {
        let name = program.display();
        let file = fs::read(program).map_err(|error| format!("{name}: {error}"))?;
        Self::parse(&file).ok_or_else(|| format!("{name}: expected a 32-bit ELF file, little-endian"))
    }

    /// Follows the System V ABI, chapters ELF Header and Sections.
    fn parse(file: &[u8]) -> Option<Self> {
        const NO_BITS: u32 = 8;
        const WRITE: u32 = 1;
        const ALLOCATED: u32 = 2;
        let word = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
        let half = |at: usize| Some(usize::from(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?)));
        if !file.starts_with(b"\x7fELF\x01\x01") {
            return None;
        }
        let (table, entry, entries) = (word(0x20)? as usize, half(0x2E)?, half(0x30)?);
        let mut footprint = Self { text: 0, data: 0, bss: 0 };
        for section in (0..entries).map(|i| table + i * entry) {
            let (kind, flags, size) = (word(section + 4)?, word(section + 8)?, word(section + 20)?);
            if flags & ALLOCATED == 0 {
                continue;
            }
            match (kind == NO_BITS, flags & WRITE != 0) {
                (true, _) => footprint.bss += size,
                (false, true) => footprint.data += size,
                (false, false) => footprint.text += size,
            }
        }
        Some(footprint)
    }
}
