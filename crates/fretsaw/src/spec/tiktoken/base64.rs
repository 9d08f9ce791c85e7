//! Base64 as Python's `base64.b64decode` takes it without `validate`.
//!
//! Bytes outside the alphabet are passed over. Padding that completes a group of four ends the
//! text, whatever follows; elsewhere it is passed over too. The bits that the last symbol does not
//! use may be anything. Source: `binascii.a2b_base64` of CPython 3.11.

/// The bytes, or nothing where Python raises.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    // Symbols of the group so far, their bits that made no byte yet, and padding in a row.
    let (mut symbols, mut bits, mut padding) = (0usize, 0u32, 0usize);
    for &byte in text {
        if byte == b'=' {
            if symbols >= 2 {
                padding += 1;
                if symbols + padding >= 4 {
                    return Some(bytes);
                }
            }
            continue;
        }
        let Some(value) = value(byte) else { continue };
        padding = 0;
        bits = bits << 6 | value;
        if symbols > 0 {
            let kept = 6 - 2 * symbols as u32;
            bytes.push((bits >> kept) as u8);
            bits &= (1 << kept) - 1;
        }
        symbols = (symbols + 1) % 4;
    }
    (symbols == 0).then_some(bytes)
}

fn value(symbol: u8) -> Option<u32> {
    let value = match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn as_python_takes_it() {
        // Right-hand sides are those of CPython 3.11.
        let cases: &[(&[u8], Option<&[u8]>)] = &[
            (b"", Some(b"")),
            (b"Zm9v", Some(b"foo")),
            (b"Zm8=", Some(b"fo")),
            (b"Zg==", Some(b"f")),
            (b"Zh==", Some(b"f")),
            (b"Zm8", None),
            (b"Zg=", None),
            (b"Z", None),
            (b"Z===", None),
            (b"====", Some(b"")),
            (b"=Zg==", Some(b"f")),
            (b"Zg==Zg==", Some(b"f")),
            (b"Zg=a=", Some(b"f\x06")),
            (b"Z=g==", Some(b"f")),
            (b"Zm-9v", Some(b"foo")),
            (b"\xef\xbb\xbfZg==", Some(b"f")),
            (b"+/+/", Some(b"\xfb\xff\xbf")),
        ];
        for (text, bytes) in cases {
            assert_eq!(decode(text).as_deref(), *bytes, "{:?}", String::from_utf8_lossy(text));
        }
    }
}
