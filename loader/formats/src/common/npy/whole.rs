//! [`read`]: a whole array in npy's format.

use super::header::{Header, unreadable};
use crate::ArrayType;
use std::io::Read;

/// Reads an array whose elements must be of type `element` and whose shape must be `shape`, where `None` stands for any
/// number. Returns its bytes, row by row and little-endian, and its number of rows.
pub fn read(mut from: impl Read, element: ArrayType, shape: &[Option<usize>]) -> Result<(Vec<u8>, usize), String> {
    let header = Header::read(&mut from)?;
    header.expect(element)?;
    let text = header.shape_text();
    let found = header.shape()?;
    if found.len() != shape.len() || shape.iter().zip(found).any(|(wanted, found)| wanted.is_some_and(|n| n != *found))
    {
        let wanted = shape.iter().map(|wanted| wanted.map_or("any".into(), |number| number.to_string()));
        return Err(format!("is of shape ({text}), expected ({})", wanted.collect::<Vec<_>>().join(", ")));
    }
    let expected = header.data_bytes(element)?;
    let mut bytes = Vec::new();
    // Grows with what is there, not with what the header says.
    from.by_ref().take(expected as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    // The end must be seen: checksums are compared there.
    let more = from.read(&mut [0]).map_err(unreadable)?;
    if bytes.len() + more != expected {
        let found = if more > 0 { "more".into() } else { bytes.len().to_string() };
        return Err(format!("of shape ({text}) has {expected} bytes, found {found}"));
    }
    Ok((bytes, found.first().copied().unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::ArrayType;

    /// Six bytes as 3 x 2 of int8.
    fn array(header: &str) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &[1, 2, 3, 4, 5, 6]].concat()
    }

    #[test]
    fn arrays_are_read_as_they_are_or_refused() {
        let good = "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2), }\n";
        let try_with =
            |from: &str, to: &str| read(&array(&good.replace(from, to))[..], ArrayType::I8, &[None, Some(2)]);
        assert_eq!(try_with("", ""), Ok((vec![1, 2, 3, 4, 5, 6], 3)));
        for (from, to, expected) in [
            ("|i1", "<f4", "is of dtype <f4, expected i1, little-endian"),
            ("'|i1'", "[('a', '|i1')]", "is of dtype a record, expected i1, little-endian"),
            // The same bytes, another array: columns would be taken for rows.
            ("False", "True", "is in Fortran order, expected row by row"),
            ("(3, 2)", "(2, 3)", "is of shape (2, 3), expected (any, 2)"),
            ("(3, 2)", "(6,)", "is of shape (6,), expected (any, 2)"),
            ("(3, 2)", "(2, 2)", "of shape (2, 2) has 4 bytes, found more"),
            ("(3, 2)", "(4, 2)", "of shape (4, 2) has 8 bytes, found 6"),
            ("(3, 2)", "(9223372036854775808, 2)", "is of shape (9223372036854775808, 2), too large to be"),
            ("(3, 2)", "(99999999999999, 2)", "of shape (99999999999999, 2) has 199999999999998 bytes, found 6"),
            ("descr", "desc", "has a header without dtype"),
        ] {
            assert_eq!(try_with(from, to), Err(expected.to_owned()));
        }
        let long = read(&b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"[..], ArrayType::I8, &[None]);
        assert_eq!(long, Err("has a header of 4294967295 bytes, at most 4096 are read".to_owned()));
    }
}
