//! Names of graphs, types and features as names of files.

/// Returns whether a name can be that of a file.
pub(crate) fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0'])
}

/// Makes any name a part of a path: bytes other than letters, digits, `_`, `-`, and `.` after the first, become `~` and
/// two hexadecimal digits.
pub(crate) fn plain(name: &str) -> String {
    let byte = |(at, &byte): (usize, &u8)| match byte {
        b'.' if at > 0 => ".".to_owned(),
        b'_' | b'-' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("~{byte:02x}"),
    };
    let plain: String = name.as_bytes().iter().enumerate().map(byte).collect();
    if plain.is_empty() { "~".into() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_are_parts_of_paths_and_stay_apart() {
        for (name, expected) in [
            ("paper", "paper"),
            ("_N", "_N"),
            ("a.b-1", "a.b-1"),
            ("..", "~2e."),
            ("a/b", "a~2fb"),
            ("~", "~7e"),
            ("", "~"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }
}
