//! GPT-2's byte alphabet: a character for each byte, so that tokens can be written as text.
//!
//! The 188 printable bytes stand for themselves; the other 68 are U+0100 onward in byte order, so
//! that the space is `Ġ` (U+0120) and 0xAD, the last, is U+0143.
//!
//! Source: Radford et al. 2019, `encoder.py`, `bytes_to_unicode`.

/// The character of each byte.
pub const CHARS: [char; 256] = {
    let mut chars = ['\0'; 256];
    let mut next = 0x100u32;
    let mut byte = 0usize;
    while byte < 256 {
        chars[byte] = if is_printable(byte as u8) {
            byte as u8 as char
        } else {
            let mapped = next;
            next += 1;
            match char::from_u32(mapped) {
                Some(character) => character,
                None => '\0',
            }
        };
        byte += 1;
    }
    chars
};

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// The bytes of the characters below U+0144, where they have one.
const BYTES: [Option<u8>; 0x144] = {
    let mut bytes = [None; 0x144];
    let mut byte = 0usize;
    while byte < 256 {
        bytes[CHARS[byte] as usize] = Some(byte as u8);
        byte += 1;
    }
    bytes
};

/// The byte that a character stands for.
#[inline]
pub fn byte_of(character: char) -> Option<u8> {
    BYTES.get(character as usize).copied().flatten()
}

/// The bytes that a token spelled in the alphabet stands for, appended to `bytes`; false, and
/// nothing is appended, where a character is outside the alphabet.
pub fn unspell(token: &str, bytes: &mut Vec<u8>) -> bool {
    let before = bytes.len();
    for character in token.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => {
                bytes.truncate(before);
                return false;
            }
        }
    }
    true
}

/// Appends the spelling of `bytes` to `text`.
pub fn spell(bytes: &[u8], text: &mut String) {
    text.extend(bytes.iter().map(|&byte| CHARS[usize::from(byte)]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_map_matches_gpt2() {
        for (byte, character) in [
            (0x20, '\u{120}'),
            (0x21, '!'),
            (0x7E, '~'),
            (0x00, '\u{100}'),
            (0x7F, '\u{121}'),
            (0xAD, '\u{143}'),
            (0xAE, '\u{AE}'),
            (0xFF, '\u{FF}'),
        ] {
            assert_eq!(CHARS[byte], character, "{byte:#x}");
        }
        for byte in 0..=255u8 {
            assert_eq!(byte_of(CHARS[usize::from(byte)]), Some(byte), "a bijection");
        }
        assert_eq!(CHARS.iter().filter(|&&c| (c as u32) < 0x100).count(), 188);
        assert_eq!(
            (byte_of(' '), byte_of('\u{AD}'), byte_of('\u{144}'), byte_of('漢')),
            (None, None, None, None)
        );
    }
}
