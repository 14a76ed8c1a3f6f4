//! [`Lmdb`]: values of an LMDB file by their keys.

use crate::{FormatError, ReadError};
use graphpack_loader::Error;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The most levels that LMDB gives a tree.
const DEPTH: u16 = 32;
/// Bytes of a page's header, and of a node's.
const HEADER: usize = 16;
const NODE: usize = 8;
/// What a page and a node are.
const BRANCH: u16 = 1;
const LEAF: u16 = 2;
const OVERFLOW: u16 = 4;
const BIG: u16 = 1;
/// The root of a tree without pages.
const NONE: u64 = u64::MAX;

/// An LMDB file of format 1, written on a little-endian machine of 64 bits, which is what such data sets are. Pages
/// are read by position; every number in them is checked before it is followed.
pub(super) struct Lmdb {
    path: PathBuf,
    file: File,
    page_size: usize,
    /// How many pages there are.
    pages: u64,
    root: u64,
    depth: u16,
    /// The page last read at each level: keys that follow each other share most of them.
    levels: Vec<Page>,
}

#[derive(Default)]
struct Page {
    number: Option<u64>,
    bytes: Vec<u8>,
}

impl Lmdb {
    /// Opens a file and checks that it is as long as it says.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let failed = |source| ReadError::open(path, source);
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let wrong = |place: &str, expected: String, found: String| FormatError::wrong(path, place, expected, found);
        let meta = |file: &mut File, at: u64| -> Result<Vec<u8>, Error> {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(at)).map_err(failed)?;
            file.take(152).read_to_end(&mut bytes).map_err(failed)?;
            Ok(bytes)
        };
        let first = meta(&mut file, 0)?;
        if first.len() < 152 || u32_at(&first, 16) != Some(0xbeef_c0de) {
            return Err(wrong("", "an LMDB database".into(), "other bytes".into()));
        }
        if u32_at(&first, 20) != Some(1) {
            return Err(wrong("", "version 1 of LMDB's format".into(), format!("{:?}", u32_at(&first, 20))));
        }
        let page_size = u32_at(&first, 40).unwrap_or(0) as usize;
        if !page_size.is_power_of_two() || !(256..=65536).contains(&page_size) {
            return Err(wrong("page 0", "pages of 256 to 65536 bytes".into(), format!("{page_size} bytes")));
        }
        // Of the two pages that say where the tree is, the one written last holds.
        let second = meta(&mut file, page_size as u64)?;
        let time = |meta: &[u8]| u64_at(meta, 144).unwrap_or(0);
        let is_sound = second.len() == 152 && second[16..24] == first[16..24];
        let meta = if is_sound && time(&second) > time(&first) { second } else { first };
        let last = u64_at(&meta, 136).unwrap_or(NONE);
        let needed = last.checked_add(1).and_then(|pages| pages.checked_mul(page_size as u64));
        if needed.is_none_or(|needed| length < needed) {
            let pages = last.saturating_add(1);
            return Err(wrong("", format!("{pages} pages of {page_size} bytes"), format!("{length} bytes")));
        }
        // The main database: flags, depth and root.
        let (flags, depth, root) = (u16_at(&meta, 92), u16_at(&meta, 94), u64_at(&meta, 128));
        let (Some(0), Some(depth @ 0..=DEPTH), Some(root)) = (flags, depth, root) else {
            return Err(wrong("", "a database of plain keys and values".into(), format!("flags {flags:?}")));
        };
        let path = path.to_owned();
        Ok(Self { path, file, page_size, pages: last + 1, root, depth, levels: vec![] })
    }

    /// How long the file is.
    pub(super) fn bytes(&self) -> u64 {
        self.pages * self.page_size as u64
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the value of a key into `value`; returns false if there is no such key.
    pub(super) fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        let mut number = self.root;
        if number == NONE {
            return Ok(false);
        }
        for level in 0..self.depth {
            self.load(level, number)?;
            let page = Nodes { bytes: &self.levels[usize::from(level)].bytes };
            let wrong = |expected: &str| self.wrong(number, expected, "others");
            let is_leaf = level + 1 == self.depth;
            if page.flags() != Some(if is_leaf { LEAF } else { BRANCH }) {
                return Err(wrong(if is_leaf { "a leaf page" } else { "a branch page" }));
            }
            let count = page.count().ok_or_else(|| wrong("nodes within the page"))?;
            // The first node whose key is greater. A branch's first key stands for all that are smaller.
            let (mut from, mut to) = (usize::from(!is_leaf), count);
            while from < to {
                let middle = (from + to) / 2;
                let node = page.node(middle).ok_or_else(|| wrong("nodes within the page"))?;
                if node.key <= key { from = middle + 1 } else { to = middle }
            }
            let Some(node) = from.checked_sub(1) else { return Ok(false) };
            let node = page.node(node).ok_or_else(|| wrong("nodes within the page"))?;
            if !is_leaf {
                number = node.child;
                continue;
            }
            if node.key != key {
                return Ok(false);
            }
            value.clear();
            let (size, rest) = (node.size, node.rest);
            match node.flags {
                0 => value.extend_from_slice(rest.get(..size).ok_or_else(|| wrong("a value within the page"))?),
                BIG => {
                    let first = u64_at(rest, 0).ok_or_else(|| wrong("the page of a large value"))?;
                    self.read_large(first, size, value)?;
                }
                _ => return Err(wrong("plain values")),
            }
            return Ok(true);
        }
        Err(self.wrong(number, "a tree with a leaf", "none"))
    }

    /// Has the page with this number at a level of `levels`.
    fn load(&mut self, level: u16, number: u64) -> Result<(), Error> {
        let level = usize::from(level);
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Page::default);
        }
        if self.levels[level].number == Some(number) {
            return Ok(());
        }
        let Page { bytes: mut page, .. } = std::mem::take(&mut self.levels[level]);
        page.resize(self.page_size, 0);
        self.read(number, 1, 0, &mut page)?;
        if u64_at(&page, 0) != Some(number) {
            return Err(self.wrong(number, "a page with its number", "another"));
        }
        self.levels[level] = Page { number: Some(number), bytes: page };
        Ok(())
    }

    /// Reads a value that has pages of its own.
    fn read_large(&mut self, first: u64, size: usize, value: &mut Vec<u8>) -> Result<(), Error> {
        let mut header = [0; HEADER];
        self.read(first, 1, 0, &mut header)?;
        let pages = u32_at(&header, 12).unwrap_or(0).into();
        if (u64_at(&header, 0), u16_at(&header, 10)) != (Some(first), Some(OVERFLOW)) {
            return Err(self.wrong(first, "a page of a large value", "another"));
        }
        if (HEADER as u64 + size as u64).div_ceil(self.page_size as u64) > pages {
            return Err(self.wrong(first, &format!("pages for {size} bytes"), &format!("{pages}")));
        }
        // Pages that there are bound what is allocated.
        self.check(first, pages)?;
        value.resize(size, 0);
        self.read(first, pages, HEADER as u64, value)
    }

    fn check(&self, number: u64, pages: u64) -> Result<(), Error> {
        match number.checked_add(pages) {
            Some(end) if end <= self.pages => Ok(()),
            _ => Err(self.wrong(number, &format!("{pages} of {} pages", self.pages), "pages that are not there")),
        }
    }

    /// Fills `bytes` from pages of the file, `offset` bytes after their beginning.
    fn read(&mut self, number: u64, pages: u64, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.check(number, pages)?;
        let start = SeekFrom::Start(number * self.page_size as u64 + offset);
        let read = self.file.seek(start).and_then(|_| self.file.read_exact(bytes));
        read.map_err(|source| self.wrong(number, &format!("{} bytes", bytes.len()), &source.to_string()))
    }

    fn wrong(&self, page: u64, expected: &str, found: &str) -> Error {
        FormatError::wrong(&self.path, format!("page {page}"), expected, found)
    }
}

/// The nodes of a page.
struct Nodes<'a> {
    bytes: &'a [u8],
}

/// A key, and the page below it or the size of its value and what follows the key.
struct Node<'a> {
    key: &'a [u8],
    flags: u16,
    child: u64,
    size: usize,
    rest: &'a [u8],
}

impl<'a> Nodes<'a> {
    fn flags(&self) -> Option<u16> {
        // The bit for pages changed in memory may remain set.
        Some(u16_at(self.bytes, 10)? & (BRANCH | LEAF | OVERFLOW | 0x60))
    }

    fn count(&self) -> Option<usize> {
        let lower = usize::from(u16_at(self.bytes, 12)?);
        (lower <= self.bytes.len()).then(|| lower.checked_sub(HEADER).map(|bytes| bytes / 2))?
    }

    fn node(&self, index: usize) -> Option<Node<'a>> {
        let node = self.bytes.get(usize::from(u16_at(self.bytes, HEADER + index * 2)?)..)?;
        let [low, high, flags, key] = [0, 2, 4, 6].map(|at| u16_at(node, at));
        let (low, high, flags) = (low?, high?, flags?);
        let (key, rest) = node.get(NODE..)?.split_at_checked(key?.into())?;
        let size = u32::from(low) | u32::from(high) << 16;
        let child = u64::from(size) | u64::from(flags) << 32;
        Some(Node { key, flags, child, size: size as usize, rest })
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|&bytes| u16::from_le_bytes(bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|&bytes| u64::from_le_bytes(bytes))
}
