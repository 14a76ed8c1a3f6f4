//! Arrays as NumPy writes them: a [`Header`] with dtype, order and shape, then the elements.
//!
//! Headers are parsed here, and every number is checked before it is used, because the library for it (`npyz`)
//! allocates and multiplies by the numbers in them before its caller can check these. Errors are texts about the array,
//! to which the caller adds the file's name.

use crate::ArrayType;
use std::io::{self, Read, Write};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Bytes of the longest header that is read; that of an array without named fields has 128.
const LONGEST: usize = 4096;
/// The length of a header that is written is a multiple of this, as NumPy has it.
const ALIGNMENT: usize = 64;

/// Dtype, order and shape of an array in a npy file.
#[derive(Debug)]
pub struct Header {
    dtype: String,
    by_row: Option<bool>,
    shape_text: String,
    shape: Option<Vec<usize>>,
    start: u64,
}

impl Header {
    /// Reads a header, up to where the elements start.
    pub fn read(from: &mut impl Read) -> Result<Self, String> {
        let (text, start) = text(from)?;
        let value = |key: &str| Some(text.split_once(key)?.1.trim_start().strip_prefix(':')?.trim_start());
        let dtype = value("'descr'").ok_or("has a header without dtype")?;
        let dtype = dtype.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(dtype, _)| dtype);
        let shape = value("'shape'").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let shape_text = shape.map_or("", |(shape, _)| shape).to_owned();
        let numbers = shape_text.split(',').map(str::trim).filter(|number| !number.is_empty());
        Ok(Self {
            dtype: dtype.unwrap_or("a record").to_owned(),
            by_row: value("'fortran_order'").and_then(|order| match order {
                _ if order.starts_with("False") => Some(true),
                _ if order.starts_with("True") => Some(false),
                _ => None,
            }),
            shape: shape.and_then(|_| numbers.map(|number| number.parse().ok()).collect()),
            shape_text,
            start,
        })
    }

    /// Writes the header of an array whose elements follow row by row, little-endian.
    pub fn write(to: &mut impl Write, element: ArrayType, shape: &[usize]) -> io::Result<()> {
        let order = if element.bytes() == 1 { '|' } else { '<' };
        let numbers: Vec<String> = shape.iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let text = format!(
            "{{'descr': '{order}{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
            element.code(),
            numbers.join(", ")
        );
        let length = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(ALIGNMENT) - MAGIC.len() - 4;
        if length > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} dimensions are too many", shape.len()),
            ));
        }
        to.write_all(MAGIC)?;
        to.write_all(&[1, 0])?;
        to.write_all(&(length as u16).to_le_bytes())?;
        to.write_all(format!("{text:<0$}\n", length - 1).as_bytes())
    }

    /// Where in the file the elements start.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The type of its elements.
    pub fn element(&self) -> Result<ArrayType, String> {
        let found = ArrayType::from_code(self.dtype.trim_start_matches(['<', '|']));
        found.ok_or_else(|| format!("is of dtype {}, expected numbers or bool, little-endian", self.dtype))
    }

    /// The type of its elements, whose bytes are in either order, and whether they are big-endian.
    pub(crate) fn element_of_any_order(&self) -> Result<(ArrayType, bool), String> {
        let found = match self.dtype.strip_prefix('>').and_then(ArrayType::from_code) {
            Some(big) => Ok((big, true)),
            None => self.element().map(|element| (element, false)),
        };
        found.map_err(|_| match &*self.dtype {
            "|O" | "O" => "objects of Python, which only Python can read: save them as numbers or texts".into(),
            other => format!("dtype {other}, which is neither numbers nor true and false"),
        })
    }

    /// Bytes of a text, if its elements are texts.
    pub fn text_bytes(&self) -> Option<usize> {
        let dtype = self.dtype.trim_start_matches(['<', '>', '|', '=']);
        match dtype.split_at_checked(1)? {
            ("U", length) => length.parse::<usize>().ok()?.checked_mul(4),
            ("S", length) => length.parse().ok(),
            _ => None,
        }
    }

    /// The text that an element's bytes are.
    pub fn text(&self, bytes: &[u8]) -> String {
        let text: String = if self.dtype.contains('U') {
            let letter = if self.dtype.starts_with('>') { u32::from_be_bytes } else { u32::from_le_bytes };
            let letters = bytes.as_chunks().0.iter().map(|bytes| letter(*bytes));
            letters.map(|letter| char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        } else {
            String::from_utf8_lossy(bytes).into_owned()
        };
        text.trim_end_matches('\0').to_owned()
    }

    /// Checks that its elements are of this type.
    pub fn expect(&self, element: ArrayType) -> Result<(), String> {
        if self.element() == Ok(element) {
            return Ok(());
        }
        Err(format!("is of dtype {}, expected {}, little-endian", self.dtype, element.code()))
    }

    /// The shape, provided that elements are row by row.
    pub fn shape(&self) -> Result<&[usize], String> {
        if !self.by_row()? {
            return Err("is in Fortran order, expected row by row".into());
        }
        self.any_shape()
    }

    /// Whether elements are row by row (in C order), not column by column (in Fortran order).
    pub fn by_row(&self) -> Result<bool, String> {
        self.by_row.ok_or_else(|| "has a header without order".into())
    }

    /// The shape, in whatever order elements are.
    pub fn any_shape(&self) -> Result<&[usize], String> {
        self.shape.as_deref().ok_or_else(|| format!("has a header with shape ({})", self.shape_text))
    }

    /// The shape as it is written in the file, without parentheses.
    pub fn shape_text(&self) -> &str {
        &self.shape_text
    }

    /// Bytes of all elements.
    pub fn data_bytes(&self, element: ArrayType) -> Result<usize, String> {
        let bytes = self.any_shape()?.iter().try_fold(element.bytes(), |bytes, &n| bytes.checked_mul(n));
        bytes.ok_or_else(|| format!("is of shape ({}), too large to be", self.shape_text))
    }
}

fn unreadable(error: io::Error) -> String {
    format!("cannot be read: {error}")
}

/// The text of the header and where it ends.
fn text(from: &mut impl Read) -> Result<(String, u64), String> {
    let mut start = [0; 8];
    from.read_exact(&mut start).map_err(unreadable)?;
    // Versions 2 and 3 have a longer length.
    let mut length = [0; 4];
    let known = match start {
        [.., 1, 0] => from.read_exact(&mut length[..2]).map(|()| 2),
        [.., 2 | 3, 0] => from.read_exact(&mut length).map(|()| 4),
        _ => Ok(0),
    };
    let width = known.map_err(unreadable)?;
    if width == 0 || !start.starts_with(MAGIC) {
        return Err("is not in npy's format, version 1 to 3".into());
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(format!("has a header of {length} bytes, at most {LONGEST} are read"));
    }
    let mut text = vec![0; length];
    from.read_exact(&mut text).map_err(unreadable)?;
    Ok((String::from_utf8_lossy(&text).into_owned(), (start.len() + width + length) as u64))
}

#[cfg(test)]
mod tests {
    use super::Header;
    use crate::ArrayType;

    #[test]
    fn headers_are_those_that_numpy_writes() {
        for (element, shape, text) in [
            (ArrayType::F32, &[3, 2][..], "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"),
            (ArrayType::I64, &[7], "{'descr': '<i8', 'fortran_order': False, 'shape': (7,), }"),
            (ArrayType::Bool, &[], "{'descr': '|b1', 'fortran_order': False, 'shape': (), }"),
        ] {
            let mut bytes = Vec::new();
            Header::write(&mut bytes, element, shape).expect("memory takes it");
            assert_eq!((bytes.len(), &bytes[..10]), (128, &b"\x93NUMPY\x01\x00\x76\x00"[..]));
            assert_eq!(String::from_utf8_lossy(&bytes[10..]), format!("{text:<117}\n"));
            let header = Header::read(&mut &bytes[..]).expect("it is a header");
            assert_eq!((header.element(), header.shape(), header.start()), (Ok(element), Ok(shape), 128));
        }
        assert!(Header::write(&mut Vec::new(), ArrayType::I8, &[1; 2000]).is_err());
    }

    #[test]
    fn what_is_not_numbers_has_no_element() {
        for dtype in ["'>f4'", "'<c8'", "'<U3'", "[('a', '<f4')]", "'<M8[s]'"] {
            let text = format!("{{'descr': {dtype}, 'fortran_order': False, 'shape': (1,)}}");
            let bytes = [b"\x93NUMPY\x02\x00", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
            let error = Header::read(&mut &bytes[..]).expect("it is a header").element().expect_err(dtype);
            assert!(error.ends_with(", expected numbers or bool, little-endian"), "{error}");
        }
    }

    #[test]
    fn headers_are_those_of_the_array_that_is_expected_or_refused() {
        let good = "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 2), }\n";
        let bytes_with = |from: &str, to: &str| {
            let text = good.replace(from, to);
            let header = [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
            let header = Header::read(&mut &header[..])?;
            header.expect(ArrayType::I8)?;
            header.shape()?;
            header.data_bytes(ArrayType::I8)
        };
        assert_eq!(bytes_with("", ""), Ok(6));
        for (from, to, expected) in [
            ("|i1", "<f4", "is of dtype <f4, expected i1, little-endian"),
            ("'|i1'", "[('a', '|i1')]", "is of dtype a record, expected i1, little-endian"),
            // The same bytes, another array: columns would be taken for rows.
            ("False", "True", "is in Fortran order, expected row by row"),
            ("(3, 2)", "(9223372036854775808, 2)", "is of shape (9223372036854775808, 2), too large to be"),
            ("descr", "desc", "has a header without dtype"),
        ] {
            assert_eq!(bytes_with(from, to), Err(expected.to_owned()));
        }
        let long = Header::read(&mut &b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"[..]).expect_err("it is too long");
        assert_eq!(long, "has a header of 4294967295 bytes, at most 4096 are read");
    }
}
