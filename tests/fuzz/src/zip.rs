//! Zip archives without compression, as npz files are. Checksums are computed, so that the fuzzer changes only
//! contents.

/// Returns an archive of uncompressed members.
pub(crate) fn stored(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in members {
        let start = archive.len() as u32;
        let mut common = Vec::new();
        // Version, flags, method, time and date.
        numbers(&mut common, &[20, 0, 0, 0, 33]);
        let length = contents.len() as u32;
        for number in [crc32fast::hash(contents), length, length] {
            common.extend(number.to_le_bytes());
        }
        numbers(&mut common, &[name.len() as u16, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(*contents);
        directory.extend(b"PK\x01\x02");
        numbers(&mut directory, &[20]);
        directory.extend(&common);
        numbers(&mut directory, &[0, 0, 0, 0, 0]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, length) = (archive.len() as u32, directory.len() as u32);
    archive.extend(directory);
    archive.extend(b"PK\x05\x06");
    numbers(&mut archive, &[0, 0, members.len() as u16, members.len() as u16]);
    archive.extend(length.to_le_bytes());
    archive.extend(start.to_le_bytes());
    numbers(&mut archive, &[0]);
    archive
}

fn numbers(to: &mut Vec<u8>, numbers: &[u16]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
