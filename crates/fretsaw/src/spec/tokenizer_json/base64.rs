//! Base64 with the standard alphabet, as lenient about padding as the oracle.
//!
//! Padding may be missing in whole or in part, but there must not be more than completes a group
//! of four, and the bits that the last symbol does not use must be zero.

/// The bytes, or nothing if the text is not base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let symbols = text.trim_end_matches('=').as_bytes();
    let padding = text.len() - symbols.len();
    let allowed = match symbols.len() % 4 {
        0 => 0,
        2 => 2,
        3 => 1,
        _ => return None,
    };
    if padding > allowed {
        return None;
    }
    let mut bytes = Vec::with_capacity(symbols.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0);
    for &symbol in symbols {
        bits = bits << 6 | u32::from(value(symbol)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

/// The text of bytes, with padding.
pub(in crate::spec) fn encode(bytes: &[u8]) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0u32;
        for place in 0..3 {
            bits = bits << 8 | u32::from(group.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            let symbol = SYMBOLS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(symbol) } else { '=' });
        }
    }
    text
}

fn value(symbol: u8) -> Option<u8> {
    match symbol {
        b'A'..=b'Z' => Some(symbol - b'A'),
        b'a'..=b'z' => Some(symbol - b'a' + 26),
        b'0'..=b'9' => Some(symbol - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn padding_and_trailing_bits() {
        let cases: &[(&str, Option<&[u8]>)] = &[
            ("", Some(b"")),
            ("Zm9v", Some(b"foo")),
            ("Zm8=", Some(b"fo")),
            ("Zm8", Some(b"fo")),
            ("Zg==", Some(b"f")),
            ("Zg=", Some(b"f")),
            ("Zg", Some(b"f")),
            ("+/+/", Some(&[0xfb, 0xff, 0xbf])),
            ("Z", None),
            ("Zm8==", None),
            ("Zg===", None),
            ("Zm9v=", None),
            ("====", None),
            ("Zh==", None),
            ("Zm9v\n", None),
            ("Zg==Zg==", None),
            ("Zm-v", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(decode(text).as_deref(), *bytes, "{text:?}");
        }
    }
    #[test]
    fn what_is_encoded_decodes() {
        let bytes: Vec<u8> = (0..=255).rev().collect();
        for length in 0..bytes.len() {
            let text = encode(&bytes[..length]);
            assert_eq!(text.len() % 4, 0, "{length}");
            assert_eq!(decode(&text).as_deref(), Some(&bytes[..length]), "{length}");
        }
        assert_eq!(encode(b"fo"), "Zm8=");
        assert_eq!(encode(&[0xfb, 0xff, 0xbf]), "+/+/");
    }
}
