//! Encodings of text files.

/// Name of the encoding that is assumed of text in no other.
pub(super) const WINDOWS_1252: &str = "Windows-1252";
/// The letters of the bytes from 0x80 to 0x9f in Windows-1252; all others are those of Unicode.
const SPECIAL_LETTERS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Returns the text of a file without a byte-order mark, and the name of its encoding unless it is
/// UTF-8.
pub fn decode(bytes: &[u8]) -> (String, Option<&'static str>) {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<_> = bytes.as_chunks().0.iter().copied().map(unit).collect();
        (String::from_utf16_lossy(&units), Some("UTF-16"))
    };
    match bytes {
        [0xff, 0xfe, text @ ..] | text @ [1..=255, 0, ..] => utf16(text, u16::from_le_bytes),
        [0xfe, 0xff, text @ ..] | text @ [0, 1..=255, ..] => utf16(text, u16::from_be_bytes),
        _ => {
            if let Ok(text) = str::from_utf8(bytes) {
                return (text.trim_start_matches('\u{feff}').to_owned(), None);
            }
            let special: Vec<_> = SPECIAL_LETTERS.chars().collect();
            let letter = |&byte: &u8| match byte {
                0x80..=0x9f => special[usize::from(byte - 0x80)],
                byte => char::from(byte),
            };
            (bytes.iter().map(letter).collect(), Some(WINDOWS_1252))
        }
    }
}
