//! [`Pages`]: which pages of an array in a file have been compared with their checksums.

use super::FileError;
use crate::error::Error;
use crate::layout::Schema;
use safetensors::Dtype;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The key of the checksums in the metadata of a file.
pub(super) const KEY: &str = "graphpack_checksums";
/// The version of [`Checksums`] that files are written with.
pub(super) const VERSION: u32 = 1;
/// Bytes of a page, but for files of more than 64 GiB: a page is read whole where a batch needs any of it.
pub(super) const PAGE: u64 = 1 << 16;
/// Checksums of a file, besides one of each whole array.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Checksums {
    pub(super) version: u32,
    /// Checksums of what the header says.
    pub(super) header: Sums,
    /// Bytes of a page, a power of two.
    pub(super) page: u64,
    /// Checksums of the pages of each array.
    pub(super) pages: BTreeMap<String, Sums>,
    /// Checksums of the columns of each index, as int64: the same whatever their type in the file.
    pub(super) entries: BTreeMap<String, Sums>,
    /// Checksums of the units of fields, if the file has units, which `header` does not cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) units: Option<Sums>,
}

impl Checksums {
    /// Returns placeholders as long as the checksums of these tensors, each with its number of bytes, will be.
    pub(super) fn room<'a>(page: u64, schema: &Schema, tensors: impl Iterator<Item = (&'a str, u64)>) -> Self {
        let of = |sums: u64| Sums(vec![0; sums as usize]);
        let entries = schema.indices().iter().map(|index| (index.name.clone(), of(index.width() as u64)));
        let pages = tensors.map(|(name, bytes)| (name.to_owned(), of(bytes.div_ceil(page)))).collect();
        let entries = entries.collect();
        Self { version: VERSION, header: Sums::default(), page, pages, entries, units: None }
    }

    /// Returns the checksum of all that a header says but for units: the description, these checksums but for the one
    /// of the header, and name, type and shape of each tensor.
    pub(super) fn of_header<'a>(
        &self,
        description: &str,
        tensors: impl Iterator<Item = (&'a str, Dtype, &'a [usize])>,
    ) -> serde_json::Result<Sums> {
        let tensors: BTreeMap<_, _> = tensors.map(|(name, dtype, shape)| (name, (dtype, shape))).collect();
        let all = (description, self.version, self.page, &self.pages, &self.entries, tensors);
        Ok(Sums(vec![crc32fast::hash(&serde_json::to_vec(&all)?)]))
    }
}

/// Returns the checksum of what a header says of units; none where it says nothing.
pub(super) fn of_units(text: &str) -> Option<Sums> {
    (!text.is_empty()).then(|| Sums(vec![crc32fast::hash(text.as_bytes())]))
}

/// CRC-32s, in files as eight hexadecimal digits each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Sums(pub(super) Vec<u32>);

impl From<Sums> for String {
    fn from(sums: Sums) -> Self {
        sums.0.iter().map(|sum| format!("{sum:08x}")).collect()
    }
}

impl TryFrom<String> for Sums {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (numbers, rest) = text.as_bytes().as_chunks::<8>();
        let number = |digits: &[u8; 8]| {
            let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            u32::from_str_radix(digits, 16).ok()
        };
        let numbers = numbers.iter().map(number).collect::<Option<_>>().filter(|_| rest.is_empty());
        numbers.map(Self).ok_or_else(|| format!("expected eight hexadecimal digits for each checksum, found {text:?}"))
    }
}

/// Returns the page size for a file of this many bytes: at least 64 KiB, and such that there are at most 2^20 pages.
pub(super) fn page_of(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20).next_power_of_two().max(PAGE)
}

/// Checksums of bytes that come piece by piece: of all, and of each page.
pub(super) struct Summing {
    page: u64,
    whole: crc32fast::Hasher,
    last: crc32fast::Hasher,
    /// Bytes so far.
    pub(super) bytes: u64,
    pages: Vec<u32>,
}

impl Summing {
    pub(super) fn new(page: u64) -> Self {
        let new = crc32fast::Hasher::new;
        Self { page, whole: new(), last: new(), bytes: 0, pages: Vec::new() }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.page - self.bytes % self.page;
            let (here, rest) = bytes.split_at(bytes.len().min(room as usize));
            self.last.update(here);
            self.bytes += here.len() as u64;
            if here.len() as u64 == room {
                self.end_page();
            }
            bytes = rest;
        }
    }

    fn end_page(&mut self) {
        let page = std::mem::take(&mut self.last);
        self.whole.combine(&page);
        self.pages.push(page.finalize());
    }

    /// Returns the checksum of all bytes and those of the pages.
    pub(super) fn finish(mut self) -> (u32, Sums) {
        if !self.bytes.is_multiple_of(self.page) {
            self.end_page();
        }
        (self.whole.finalize(), Sums(self.pages))
    }
}

/// An array in a file, and which of its pages have been compared with their checksums: each once, when any of it is
/// read for the first time.
#[derive(Debug)]
pub(super) struct Pages {
    name: String,
    /// Where it is in the file.
    place: Range<u64>,
    /// A page has two to the power of this many bytes.
    shift: u32,
    /// None if the file has no checksums.
    sums: Vec<u32>,
    checked: Box<[AtomicBool]>,
}

impl Pages {
    /// Array `name` of a file, with the bytes of a page, a power of two, and the checksums of its pages, if it has
    /// any. Errors with the number of checksums that there must be.
    pub(super) fn new(name: &str, place: Range<u64>, sums: Option<(u64, Vec<u32>)>) -> Result<Self, u64> {
        let (page, sums) = match sums {
            Some((page, sums)) => match (place.end - place.start).div_ceil(page) {
                expected if sums.len() as u64 != expected => return Err(expected),
                _ => (page, sums),
            },
            None => (PAGE, Vec::new()),
        };
        let shift = page.trailing_zeros();
        let checked = sums.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Self { name: name.to_owned(), place, shift, sums, checked })
    }

    /// Where the array starts in the file.
    pub(super) fn start(&self) -> u64 {
        self.place.start
    }

    /// Compares all pages that `bytes`, read from the offset `at`, are of, and that were not compared before. `fetch`
    /// reads from an offset what is not in `bytes`, into `room`; it returns false if that cannot be had now, and so
    /// does this.
    pub(super) fn check(
        &self,
        path: &Path,
        at: u64,
        bytes: &[u8],
        room: &mut [u8],
        fetch: impl FnMut(u64, &mut [u8]) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let Some(pages) = self.unchecked(at, bytes.len()) else { return Ok(true) };
        let pages = pages.filter(|&page| !self.checked[page].load(Ordering::Relaxed));
        self.compare(path, pages, at, bytes, room, fetch)
    }

    /// The pages of some bytes from the offset `at` on, unless all of them were compared.
    #[inline]
    pub(super) fn unchecked(&self, at: u64, bytes: usize) -> Option<RangeInclusive<usize>> {
        if self.sums.is_empty() || bytes == 0 {
            return None;
        }
        let from = at - self.place.start;
        let pages = (from >> self.shift) as usize..=((from + bytes as u64 - 1) >> self.shift) as usize;
        (!pages.clone().all(|page| self.checked[page].load(Ordering::Relaxed))).then_some(pages)
    }

    #[cold]
    fn compare(
        &self,
        path: &Path,
        pages: impl Iterator<Item = usize>,
        at: u64,
        bytes: &[u8],
        room: &mut [u8],
        mut fetch: impl FnMut(u64, &mut [u8]) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        for page in pages {
            let Range { start, end } = self.bytes(page);
            let mut hasher = crc32fast::Hasher::new();
            if at <= start && end <= at + bytes.len() as u64 {
                hasher.update(&bytes[(start - at) as usize..(end - at) as usize]);
            } else {
                let mut next = start;
                while next < end {
                    let length = room.len().min((end - next) as usize);
                    if !fetch(next, &mut room[..length])? {
                        return Ok(false);
                    }
                    hasher.update(&room[..length]);
                    next += length as u64;
                }
            }
            let (expected, found) = (self.sums[page], hasher.finalize());
            if expected != found {
                let (path, tensor, bytes) = (path.to_owned(), self.name.clone(), start..end);
                return Err(FileError::Damaged { path, tensor, bytes, expected, found }.into());
            }
            self.checked[page].store(true, Ordering::Relaxed);
        }
        Ok(true)
    }

    /// Where a page is in the file.
    fn bytes(&self, page: usize) -> Range<u64> {
        let start = self.place.start + ((page as u64) << self.shift);
        start..self.place.end.min(start.saturating_add(1 << self.shift))
    }

    /// All was compared.
    pub(super) fn all_checked(&self) {
        self.checked.iter().for_each(|checked| checked.store(true, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::{Pages, Summing, Sums};
    use std::path::Path;

    #[test]
    fn each_page_is_compared_once_however_its_bytes_come() {
        let bytes: Vec<u8> = (0..1000_u32).map(|number| (number * number) as u8).collect();
        let mut summing = Summing::new(64);
        [&bytes[..1], &bytes[1..64], &bytes[64..700], &bytes[700..]].into_iter().for_each(|piece| summing.push(piece));
        let (whole, sums) = summing.finish();
        assert_eq!((whole, sums.0.len(), sums.0[15]), (crc32fast::hash(&bytes), 16, crc32fast::hash(&bytes[960..])));
        let text = String::from(sums.clone());
        assert_eq!((text.len(), Sums::try_from(text)), (128, Ok(sums.clone())));
        assert!(Sums::try_from("+1234567".to_owned()).is_err() && Sums::try_from("1234567".to_owned()).is_err());

        // In a file from offset 100 on; a byte of the page from 292 on is damaged.
        let file = |offset: u64, into: &mut [u8]| {
            let from = offset as usize - 100;
            into.copy_from_slice(&bytes[from..from + into.len()]);
            into.iter_mut().zip(offset..).filter(|(_, at)| *at == 300).for_each(|(byte, _)| *byte ^= 1);
        };
        let pages = Pages::new("x", 100..1100, Some((64, sums.0))).expect("as many checksums as pages");
        let mut room = [0; 10];
        let mut fetched = Vec::new();
        let mut check = |range: std::ops::Range<u64>| {
            let mut bytes = vec![0; (range.end - range.start) as usize];
            file(range.start, &mut bytes);
            fetched.clear();
            let found = pages.check(Path::new("f"), range.start, &bytes, &mut room, |offset, into| {
                fetched.push(offset);
                file(offset, into);
                Ok(true)
            });
            (found.map_err(|error| error.to_string()), fetched.len())
        };
        assert_eq!(check(110..120), (Ok(true), 7));
        assert_eq!(check(101..164), (Ok(true), 0));
        assert_eq!(check(164..292), (Ok(true), 0));
        assert_eq!(check(1099..1100), (Ok(true), 4));
        let (error, _) = check(292..293);
        let error = error.expect_err("it is damaged");
        assert!(
            error.starts_with("f: tensor \"x\" is damaged") && error.ends_with("bytes 292..356 of the file"),
            "{error}"
        );
        assert!(check(200..400).0.is_err());
        assert!(Pages::new("x", 100..1100, Some((64, vec![0; 15]))).is_err_and(|expected| expected == 16));
    }
}
