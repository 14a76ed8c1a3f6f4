//! [`lmdb`]: files of LMDB, written byte by byte.

/// A file of LMDB with these keys and values, as one transaction writes it, in pages of `page_size` bytes.
pub fn lmdb(page_size: usize, pairs: &[(&str, &[u8])]) -> Vec<u8> {
    let mut pairs = pairs.to_vec();
    pairs.sort();
    let mut file = vec![0; 2 * page_size];
    // A page has room for two nodes and the places of both.
    let most = (page_size - 16) / 2 - 2;
    let mut nodes = Vec::new();
    for (key, value) in &pairs {
        let (flags, rest) = if 8 + key.len() + value.len() > most {
            (1_u16, large(&mut file, page_size, value).to_le_bytes().to_vec())
        } else {
            (0, value.to_vec())
        };
        let size = value.len() as u64 | u64::from(flags) << 32;
        nodes.push((key.as_bytes(), node(size, key.as_bytes(), &rest)));
    }
    let mut depth: u16 = 0;
    let mut root = u64::MAX;
    while !nodes.is_empty() {
        depth += 1;
        let pages = pages(&mut file, page_size, &nodes, if depth == 1 { 2 } else { 1 });
        if let [(_, page)] = pages[..] {
            root = page;
            break;
        }
        // A branch's first key stands for all that are smaller.
        let key = |index: usize, key| if index == 0 { &b""[..] } else { key };
        nodes = pages
            .iter()
            .enumerate()
            .map(|(index, &(first, page))| (first, node(page, key(index, first), &[])))
            .collect();
    }
    let last = (file.len() / page_size) as u64 - 1;
    for page in 0..2 {
        let mut meta = vec![0; 152];
        let mut put = |at: usize, bytes: &[u8]| meta[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &(page as u64).to_le_bytes());
        put(10, &8_u16.to_le_bytes());
        put(16, &0xbeef_c0de_u32.to_le_bytes());
        put(20, &1_u32.to_le_bytes());
        put(32, &(1_u64 << 30).to_le_bytes());
        put(40, &(page_size as u32).to_le_bytes());
        put(44, &8_u16.to_le_bytes());
        put(80, &u64::MAX.to_le_bytes());
        put(94, &(if page == 1 { depth } else { 0 }).to_le_bytes());
        put(120, &(pairs.len() as u64).to_le_bytes());
        put(128, &(if page == 1 { root } else { u64::MAX }).to_le_bytes());
        put(136, &(if page == 1 { last } else { 1 }).to_le_bytes());
        put(144, &(page as u64).to_le_bytes());
        file[page * page_size..][..152].copy_from_slice(&meta);
    }
    file
}

/// Bytes of a node: a size and flags, or the page below it; the key; what follows.
fn node(head: u64, key: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut node = head.to_le_bytes()[..6].to_vec();
    node.extend_from_slice(&(key.len() as u16).to_le_bytes());
    node.extend_from_slice(key);
    node.extend_from_slice(rest);
    node.resize(node.len().next_multiple_of(2), 0);
    node
}

/// Writes a value on pages of its own; returns the first.
fn large(file: &mut Vec<u8>, page_size: usize, value: &[u8]) -> u64 {
    let first = (file.len() / page_size) as u64;
    let pages = (16 + value.len()).div_ceil(page_size);
    file.extend_from_slice(&first.to_le_bytes());
    file.extend_from_slice(&[0, 0, 4, 0]);
    file.extend_from_slice(&(pages as u32).to_le_bytes());
    file.extend_from_slice(value);
    file.resize((first as usize + pages) * page_size, 0);
    first
}

/// Writes nodes on pages; returns the first key and the number of each.
fn pages<'a>(file: &mut Vec<u8>, page_size: usize, nodes: &[(&'a [u8], Vec<u8>)], flags: u16) -> Vec<(&'a [u8], u64)> {
    let mut written = Vec::new();
    let mut rest = nodes;
    while let [(first, _), ..] = rest {
        let mut free = page_size - 16;
        let fits = rest.iter().take_while(|(_, node)| {
            let needed = node.len() + 2;
            let fits = needed <= free;
            free = free.saturating_sub(needed);
            fits
        });
        let (now, later) = rest.split_at(fits.count());
        let (number, mut page) = ((file.len() / page_size) as u64, vec![0; page_size]);
        let mut upper = page_size;
        for (index, (_, node)) in now.iter().enumerate() {
            upper -= node.len();
            page[upper..upper + node.len()].copy_from_slice(node);
            page[16 + index * 2..][..2].copy_from_slice(&(upper as u16).to_le_bytes());
        }
        page[..8].copy_from_slice(&number.to_le_bytes());
        page[10..12].copy_from_slice(&flags.to_le_bytes());
        page[12..14].copy_from_slice(&((16 + now.len() * 2) as u16).to_le_bytes());
        page[14..16].copy_from_slice(&(upper as u16).to_le_bytes());
        file.extend_from_slice(&page);
        written.push((*first, number));
        rest = later;
    }
    written
}
