//! Literals of Python, as far as `repr` writes them: strings and bytes in either quotes, with escapes.
//!
//! One pass over the literal.

/// The bytes of a literal: `'\u00e9'` and `b'\xc3\xa9'` are the same two.
pub fn unquote(literal: &str) -> Option<Vec<u8>> {
    let (is_bytes, quoted) = match literal.strip_prefix('b') {
        Some(quoted) => (true, quoted),
        None => (false, literal),
    };
    let quote = quoted.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    read(inner, is_bytes, Some(quote))
}

/// The bytes of a bytes literal without its quotes.
pub fn unescape(inner: &str) -> Option<Vec<u8>> {
    read(inner, true, None)
}

fn read(inner: &str, is_bytes: bool, quote: Option<char>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if Some(c) == quote {
            return None;
        }
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let code = match chars.next()? {
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'a' => 0x07,
            'b' => 0x08,
            'f' => 0x0C,
            'v' => 0x0B,
            c @ ('\\' | '\'' | '"') => c as u32,
            'x' => digits(&mut chars, 2)?,
            'u' if !is_bytes => digits(&mut chars, 4)?,
            'U' if !is_bytes => digits(&mut chars, 8)?,
            _ => return None,
        };
        match u8::try_from(code) {
            Ok(byte) if is_bytes => out.push(byte),
            _ => out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Some(out)
}

/// That many hexadecimal digits.
fn digits(chars: &mut std::str::Chars<'_>, count: usize) -> Option<u32> {
    (0..count).try_fold(0u32, |value, _| {
        let digit = chars.next()?.to_digit(16)?;
        value.checked_mul(16)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let cases: &[(&str, Option<&[u8]>)] = &[
            (r"'a'", Some(b"a")),
            (r#""it's""#, Some(b"it's")),
            (r"'\x00'", Some(b"\0")),
            (r"'\xe9'", Some("\u{e9}".as_bytes())),
            (r"b'\xe9'", Some(b"\xe9")),
            (r"'\u2028\U0001f600'", Some("\u{2028}\u{1f600}".as_bytes())),
            (r"'\n\t\r\\\''", Some(b"\n\t\r\\'")),
            ("'\u{e9}'", Some("\u{e9}".as_bytes())),
            (r"b'\u2028'", None),
            (r"'\x0'", None),
            (r"'\ud800'", None),
            (r"'a", None),
            (r"'", None),
            (r"'a'b'", None),
            (r"a", None),
            (r"'\q'", None),
            (r"'\'", None),
            ("", None),
        ];
        for (literal, bytes) in cases {
            assert_eq!(unquote(literal).as_deref(), *bytes, "{literal}");
        }
        assert_eq!(unescape(r"\xff'\n").as_deref(), Some(&b"\xff'\n"[..]));
    }
}
