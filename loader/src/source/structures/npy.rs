//! [`read`]: an array in npy's format, a header with dtype, order and shape, then the elements.
//!
//! Every number in the header is checked before anything follows from it: files come from elsewhere.

use std::io::Read;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Bytes of the longest header that is read; that of an array without named fields has 128.
const LONGEST: usize = 4096;

/// The bytes of an array of elements such as `f4`, little-endian and row by row, and its number of rows. `shape` is what it must have, none
/// where any number will do. Errors say what is wrong with the array.
pub(super) fn read(mut from: impl Read, dtype: &str, shape: &[Option<usize>]) -> Result<(Vec<u8>, usize), String> {
    let header = header(&mut from)?;
    let value = |key: &str| Some(header.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start());
    let found = value("'descr'").ok_or("has a header without dtype")?;
    let plain = found.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(dtype, _)| dtype);
    if plain.is_none_or(|plain| plain.trim_start_matches(['<', '|']) != dtype) {
        let found = plain.map_or("a record", |dtype| dtype);
        return Err(format!("is of dtype {found}, expected {dtype}, little-endian"));
    }
    if !value("'fortran_order'").is_some_and(|order| order.starts_with("False")) {
        return Err("is in Fortran order, expected row by row".into());
    }
    let text = value("'shape'").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).map_or("", |(shape, _)| shape);
    let numbers = text.split(',').map(str::trim).filter(|number| !number.is_empty());
    let numbers: Result<Vec<usize>, _> = numbers.map(str::parse).collect();
    let fits = |found: &[usize]| {
        found.len() == shape.len() && shape.iter().zip(found).all(|(wanted, found)| wanted.is_none_or(|n| n == *found))
    };
    let Some(found) = numbers.ok().filter(|found| fits(found)) else {
        let wanted = shape.iter().map(|wanted| wanted.map_or("any".into(), |number| number.to_string()));
        return Err(format!("is of shape ({text}), expected ({})", wanted.collect::<Vec<_>>().join(", ")));
    };
    let width = dtype[1..].parse().ok();
    let expected = found.iter().copied().map(Some).chain([width]);
    let expected = expected.reduce(|a, b| a?.checked_mul(b?)).flatten();
    let expected = expected.ok_or_else(|| format!("is of shape ({text}), too large to be"))?;
    let mut bytes = Vec::new();
    // Grows with what is there, not with what the header says.
    from.by_ref().take(expected as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    // The end must be seen: checksums are compared there.
    let more = from.read(&mut [0]).map_err(unreadable)?;
    if bytes.len() + more != expected {
        let found = if more > 0 { "more".into() } else { bytes.len().to_string() };
        return Err(format!("of shape ({text}) has {expected} bytes, found {found}"));
    }
    Ok((bytes, found[0]))
}

/// The text of the header.
fn header(from: &mut impl Read) -> Result<String, String> {
    let mut start = [0; 8];
    from.read_exact(&mut start).map_err(unreadable)?;
    // Versions 2 and 3 have a longer length.
    let mut length = [0; 4];
    let known = match start {
        [.., 1, 0] => from.read_exact(&mut length[..2]).map(|()| true),
        [.., 2 | 3, 0] => from.read_exact(&mut length).map(|()| true),
        _ => Ok(false),
    };
    if !known.map_err(unreadable)? || !start.starts_with(MAGIC) {
        return Err("is not in npy's format, version 1 to 3".into());
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(format!("has a header of {length} bytes, at most {LONGEST} are read"));
    }
    let mut text = vec![0; length];
    from.read_exact(&mut text).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn unreadable(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}

#[cfg(test)]
mod tests {
    use super::read;

    /// Six bytes as 3 x 2 of int8.
    fn array(header: &str) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &[1, 2, 3, 4, 5, 6]].concat()
    }

    #[test]
    fn arrays_are_read_as_they_are_or_refused() {
        let good = "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2), }\n";
        let try_with = |from: &str, to: &str| read(&array(&good.replace(from, to))[..], "i1", &[None, Some(2)]);
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
        let long = read(&b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"[..], "i1", &[None]);
        assert_eq!(long, Err("has a header of 4294967295 bytes, at most 4096 are read".to_owned()));
    }
}
