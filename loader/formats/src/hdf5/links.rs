//! [`Links`]: the members of a group with the order in which they were created, which `hdf5-pure` does not tell.
//!
//! Follows "HDF5 File Format Specification Version 3.0": object headers (IV.A), their messages for links (IV.A.2.c and
//! g), version 2 B-trees (III.A.2) and fractal heaps (III.G), where groups of many members keep them, and the tables of
//! symbols of older groups (III.A.1, B and D). What these say is checked before it is followed.

use hdf5_pure::Superblock;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of a node of a B-tree that are not records: its signature, version, type and checksum.
const NODE: usize = 10;

/// Kinds of messages in an object header (IV.A.2).
const LINK_INFO: u16 = 2;
const LINK: u16 = 6;
const ATTRIBUTE: u16 = 12;
const CONTINUATION: u16 = 16;
const SYMBOL_TABLE: u16 = 17;
const ATTRIBUTE_INFO: u16 = 21;

/// A member of a group.
#[derive(Debug, Default)]
pub(super) struct Link {
    pub(super) name: String,
    /// Where it stands among those of its group by when they were created, if the group keeps that.
    pub(super) order: Option<u64>,
    /// Where its object is; none if the link names another path or file.
    pub(super) address: Option<u64>,
}

/// The members of groups, read from a file of their own.
pub(super) struct Links(Bytes);

impl Links {
    pub(super) fn open(path: &Path, superblock: &Superblock) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let (offsets, lengths) = (superblock.offset_size.into(), superblock.length_size.into());
        Ok(Self(Bytes { file, length, base: superblock.base_address.get(), offsets, lengths }))
    }

    /// The members of the group at an address, and whether it may have attributes; members of the older kind have no
    /// order. The error says what is wrong with it.
    pub(super) fn of(&mut self, group: u64) -> Result<(Vec<Link>, bool), String> {
        let messages = self.0.messages(group)?;
        // Attributes, and where many of them are.
        let has_attributes = messages.iter().any(|(kind, _)| matches!(*kind, ATTRIBUTE | ATTRIBUTE_INFO));
        Ok((self.members(&messages)?, has_attributes))
    }

    /// The members of a group, by the messages of its header.
    fn members(&mut self, messages: &[(u16, Vec<u8>)]) -> Result<Vec<Link>, String> {
        let bytes = &mut self.0;
        let offsets = bytes.offsets;
        if let Some((_, table)) = messages.iter().find(|(kind, _)| *kind == SYMBOL_TABLE) {
            return bytes.symbols(table);
        }
        let Some((_, info)) = messages.iter().find(|(kind, _)| *kind == LINK_INFO) else { return Ok(Vec::new()) };
        let mut info = Cursor(info);
        let [_, flags] = info.take(2)? else { return Err("less than 2 bytes".into()) };
        info.take(if flags & 1 > 0 { 8 } else { 0 })?;
        let (heap, names) = (info.address(offsets)?, info.address(offsets)?);
        // A group of few members has each in a message of its own.
        let (Some(heap), Some(names)) = (heap, names) else {
            let compact = messages.iter().filter(|(kind, _)| *kind == LINK);
            return compact.map(|(_, link)| self::link(link, offsets)).collect();
        };
        let heap = Heap::open(bytes, heap)?;
        let records = bytes.tree(names)?;
        let of_heap = |record: Vec<u8>| link(&heap.object(bytes, record.get(4..).unwrap_or_default())?, offsets);
        records.into_iter().map(of_heap).collect()
    }
}

/// The file, whose addresses and lengths have these widths.
struct Bytes {
    file: File,
    length: u64,
    base: u64,
    offsets: usize,
    lengths: usize,
}

impl Bytes {
    fn read(&mut self, address: u64, count: usize) -> Result<Vec<u8>, String> {
        let at = self
            .base
            .checked_add(address)
            .filter(|at| at.checked_add(count as u64).is_some_and(|end| end <= self.length));
        let at = at.ok_or_else(|| format!("{count} bytes at {address}, beyond the end of the file"))?;
        let mut bytes = vec![0; count];
        let read = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// Reads bytes that begin with a signature, and returns those after it.
    fn signed(&mut self, signature: &str, address: u64, count: usize) -> Result<Vec<u8>, String> {
        let bytes = self.read(address, count + 4)?;
        match bytes.strip_prefix(signature.as_bytes()) {
            Some(rest) => Ok(rest.to_vec()),
            None => Err(format!("no {signature} at {address}")),
        }
    }

    /// The messages of an object header, with what each is.
    fn messages(&mut self, address: u64) -> Result<Vec<(u16, Vec<u8>)>, String> {
        let start = self.read(address, 16)?;
        let is_second = start.starts_with(b"OHDR");
        let (mut blocks, prefix) = if is_second {
            // Before the size are times and limits of attributes, if the flags say so.
            let flags = start[5];
            let skipped = 6 + if flags & 0x20 > 0 { 16 } else { 0 } + if flags & 0x10 > 0 { 4 } else { 0 };
            let width = 1 << (flags & 3);
            let size = number(&self.read(address + skipped, width)?);
            (vec![(address + skipped + width as u64, size)], if flags & 4 > 0 { 6 } else { 4 })
        } else {
            (vec![(address + 16, number(&start[8..12]))], 8)
        };
        let (mut messages, mut at) = (Vec::new(), 0);
        while let Some(&(start, size)) = blocks.get(at) {
            at += 1;
            let block = self.read(start, usize::try_from(size).map_err(|_| "a block beyond memory")?)?;
            let mut rest = Cursor(&block);
            while rest.0.len() >= prefix {
                let head = rest.take(prefix)?;
                let (kind, size) = match is_second {
                    true => (head[0].into(), &head[1..3]),
                    false => (number(&head[..2]) as u16, &head[2..4]),
                };
                let mut body = Cursor(rest.take(number(size) as usize)?);
                if kind != CONTINUATION {
                    messages.push((kind, body.0.to_vec()));
                    continue;
                }
                let next = body.address(self.offsets)?.ok_or("a block without an address")?;
                let size = number(body.take(self.lengths)?);
                // A block of version 2 has a signature before its messages, and a checksum after them.
                let signs = if is_second { 4 } else { 0 };
                let of_messages = size.checked_sub(2 * signs).ok_or("a block of a few bytes")?;
                blocks.push((next.saturating_add(signs), of_messages));
                // Blocks in a circle end here.
                if blocks.iter().fold(0_u64, |all, (_, size)| all.saturating_add(*size)) > self.length {
                    return Err("an object header larger than the file".into());
                }
            }
        }
        Ok(messages)
    }

    /// The members of a group of the older kind, by the message for its symbol table.
    fn symbols(&mut self, table: &[u8]) -> Result<Vec<Link>, String> {
        let (offsets, lengths) = (self.offsets, self.lengths);
        let mut table = Cursor(table);
        let (tree, heap) = (table.address(offsets)?, table.address(offsets)?.ok_or("a group without names")?);
        let heap = self.signed("HEAP", heap, 4 + 2 * lengths + offsets)?;
        let mut heap = Cursor(&heap[4..]);
        let size = usize::try_from(number(heap.take(lengths)?)).map_err(|_| "a heap beyond memory")?;
        heap.take(lengths)?;
        let names = self.read(heap.address(offsets)?.ok_or("a heap without names")?, size)?;
        let (mut nodes, mut links, mut read) = (Vec::from_iter(tree), Vec::new(), 0_u64);
        while let Some(node) = nodes.pop() {
            let is_table = self.read(node, 4)? == *b"SNOD";
            let entry = if is_table { 2 * offsets + 24 } else { lengths + offsets };
            let prefix = if is_table { 4 } else { 4 + 2 * offsets };
            let head = self.signed(if is_table { "SNOD" } else { "TREE" }, node, prefix)?;
            let count = number(&head[2..4]) as usize;
            let entries = self.read(node.saturating_add(4 + prefix as u64), count * entry)?;
            for entry in entries.chunks_exact(entry) {
                let (first, second) = entry.split_at(if is_table { offsets } else { lengths });
                let address = Cursor(second).address(offsets)?;
                if !is_table {
                    nodes.push(address.ok_or("a node without an address")?);
                    continue;
                }
                let name = names.get(number(first) as usize..).ok_or("a name beyond its heap")?;
                let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
                // Links to other paths have a type of their own.
                let address = address.filter(|_| number(&second[offsets..offsets + 4]) != 2);
                links.push(Link { name: String::from_utf8_lossy(name).into_owned(), order: None, address });
            }
            read = read.saturating_add((4 + prefix + count * entry) as u64);
            // Nodes in a circle end here.
            if read > self.length {
                return Err("a B-tree larger than the file".into());
            }
        }
        Ok(links)
    }

    /// The records of a B-tree.
    fn tree(&mut self, address: u64) -> Result<Vec<Vec<u8>>, String> {
        let head = self.signed("BTHD", address, 14 + self.offsets)?;
        let (size, record, depth) = (number(&head[2..6]), number(&head[6..8]) as usize, number(&head[8..10]));
        let size = usize::try_from(size).ok().filter(|&size| record > 0 && size > NODE + record);
        let size = size.filter(|_| depth <= 16).ok_or("a B-tree of another form")?;
        let mut rest = Cursor(&head[12..]);
        let Some(root) = rest.address(self.offsets)? else { return Ok(Vec::new()) };
        let count = number(rest.take(2)?) as usize;
        // Bytes of how many records a child has, and of how many there are at and below it, for each depth.
        let most = (size - NODE) / record;
        let (of_child, mut below, mut all) = (width_of(most as u64), vec![0, 0], most as u64);
        for _ in 1..depth.max(1) {
            let pointer = self.offsets + of_child + below.last().copied().unwrap_or(0);
            let most = (size.saturating_sub(NODE + pointer) / (record + pointer)) as u64;
            all = all.saturating_mul(most + 1).saturating_add(most);
            below.push(width_of(all));
        }
        let (mut nodes, mut records) = (vec![(root, count, depth as usize)], Vec::new());
        while let Some((address, count, depth)) = nodes.pop() {
            let node = self.signed(if depth > 0 { "BTIN" } else { "BTLF" }, address, size - 4)?;
            let mut rest = Cursor(&node[2..]);
            for _ in 0..count {
                records.push(rest.take(record)?.to_vec());
            }
            for _ in 0..if depth > 0 { count + 1 } else { 0 } {
                let child = rest.address(self.offsets)?.ok_or("a node without an address")?;
                nodes.push((child, number(rest.take(of_child)?) as usize, depth - 1));
                rest.take(below[depth])?;
            }
            // As much as the file has.
            if (records.len() * record).max(nodes.len() * size) as u64 > self.length {
                return Err("a B-tree larger than the file".into());
            }
        }
        Ok(records)
    }
}

/// A fractal heap: blocks in rows of `width`, each row of twice the size of the one before after the second.
struct Heap {
    width: u64,
    first: u64,
    largest: u64,
    /// Bytes of an offset in the heap.
    offset: usize,
    root: u64,
    /// Rows of the root; none if that is a block of objects.
    rows: u64,
}

impl Heap {
    fn open(bytes: &mut Bytes, address: u64) -> Result<Self, String> {
        let (offsets, lengths) = (bytes.offsets, bytes.lengths);
        let head = bytes.signed("FRHP", address, 10 + 12 * lengths + 3 * offsets + 8)?;
        if number(&head[3..5]) > 0 {
            return Err("a group whose members are compressed".into());
        }
        let mut rest = Cursor(&head[10 + 10 * lengths + 2 * offsets..]);
        let (width, first, largest) = (rest.take(2)?, rest.take(lengths)?, rest.take(lengths)?);
        let (width, first, largest) = (number(width), number(first), number(largest));
        let offset = number(rest.take(2)?).div_ceil(8) as usize;
        rest.take(2)?;
        let root = rest.address(offsets)?.ok_or("a heap without blocks")?;
        let rows = number(rest.take(2)?);
        if width == 0 || !first.is_power_of_two() || width.checked_mul(first).is_none() || !(1..=8).contains(&offset) {
            return Err("a heap of another form".into());
        }
        Ok(Self { width, first, largest, offset, root, rows })
    }

    /// The object with an identifier.
    fn object(&self, bytes: &mut Bytes, id: &[u8]) -> Result<Vec<u8>, String> {
        let mut rest = Cursor(id);
        if rest.take(1)?[0] & 0x30 != 0 {
            return Err("a member with a name of more than 4000 bytes".into());
        }
        let (mut at, length) = (number(rest.take(self.offset)?), number(rest.0) as usize);
        let (mut block, mut rows) = (self.root, self.rows);
        // Down to the block that has the object: a row is found by its first offset, since sizes double from row to row.
        while rows > 0 {
            let row = match at / (self.width * self.first) {
                0 => 0,
                times => u64::from(times.ilog2()) + 1,
            };
            let scale = |row: u64| self.first.checked_shl(row.saturating_sub(1) as u32).filter(|&size| size > 0);
            let size = scale(row).filter(|_| row < rows).ok_or("an object beyond its heap")?;
            let start = if row == 0 { 0 } else { size.saturating_mul(self.width) };
            let (column, inside) = ((at - start) / size, (at - start) % size);
            let entry = 1 + bytes.offsets + self.offset + (row * self.width + column) as usize * bytes.offsets;
            let entries = bytes.signed("FHIB", block, entry + bytes.offsets)?;
            block = Cursor(&entries[entry..]).address(bytes.offsets)?.ok_or("an object in no block")?;
            (at, rows) = (inside, 0);
            // Blocks above the largest of objects have rows of blocks themselves.
            if size > self.largest {
                rows = u64::from((size / (self.first * self.width)).checked_ilog2().ok_or("a block of no rows")?) + 1;
            }
        }
        bytes.read(block.saturating_add(at), length)
    }
}

/// What a link's message says.
fn link(message: &[u8], offsets: usize) -> Result<Link, String> {
    let mut rest = Cursor(message);
    let [1, flags] = rest.take(2)? else { return Err("a link of another version".into()) };
    let kind = if flags & 8 > 0 { rest.take(1)?[0] } else { 0 };
    let order = if flags & 4 > 0 { Some(number(rest.take(8)?)) } else { None };
    rest.take(usize::from(flags & 16 > 0))?;
    let length = number(rest.take(1 << (flags & 3))?) as usize;
    let name = String::from_utf8_lossy(rest.take(length)?).into_owned();
    let address = if kind == 0 { rest.address(offsets)? } else { None };
    Ok(Link { name, order, address })
}

/// Bytes that are still to be read.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| format!("less than {count} bytes"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// An address; none if all of its bits are set.
    fn address(&mut self, width: usize) -> Result<Option<u64>, String> {
        let bytes = self.take(width)?;
        Ok(bytes.iter().any(|&byte| byte != 0xff).then(|| number(bytes)))
    }
}

/// A little-endian number of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Bytes of numbers up to `most`.
fn width_of(most: u64) -> usize {
    most.max(1).ilog2() as usize / 8 + 1
}
