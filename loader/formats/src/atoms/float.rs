//! [`float`]: numbers in text.

/// Powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Returns the nearest number, as `str::parse` does, but faster where digits and power of ten are exact: one division
/// or multiplication rounds once.
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    exact(text).or_else(|| str::from_utf8(text).ok()?.parse().ok())
}

fn exact(text: &[u8]) -> Option<f64> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (mut digits, mut mantissa, mut power) = (0, 0_u64, 0_i32);
    let mut point = false;
    while let [byte, after @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                digits += 1;
                power -= i32::from(point);
            }
            b'.' if !point => point = true,
            _ => break,
        }
        rest = after;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent: i32 = str::from_utf8(exponent).ok()?.parse().ok()?;
        power = power.checked_add(exponent)?;
        rest = &[];
    }
    // 18 digits do not overflow.
    if !rest.is_empty() || !(1..=18).contains(&digits) || mantissa > 1 << 53 {
        return None;
    }
    let scale = *POWERS.get(power.unsigned_abs() as usize)?;
    let value = if power < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let texts = "0 -0 1 -0.11553411 1.682666087605936 7.849455883459841 123456789012345678 9007199254740993 1e22 \
                     1e23 -1.5E-7 1e-22 1e-23 0.000000000000000000001 \
                     99999999999999999999 5e-324 1e400 .5 5. +2 inf nan \
                     179769313486231570000e280 1.e3 0e0 00012.50";
        for text in texts.split_whitespace() {
            let expected: f64 = text.parse().unwrap();
            let found = float(text.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
        }
        for text in ["", "-", ".", "1..2", "1e", "1e+", "--1", "1 ", "0x1", "1e99999999999", "1_0", "e5", "1d3"] {
            assert_eq!(float(text.as_bytes()), text.parse().ok(), "{text}");
        }
    }
}
