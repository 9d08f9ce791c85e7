//! From a piece as it stands in the text to what the model reads.

use super::seams::MARK;
use crate::unicode::is_rust_whitespace;

/// How pieces are spelled for the model. Pieces that are the same are spelled the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// As they are.
    Plain,
    /// With a mark for each space.
    Marks,
    /// Without white space in front, and with a mark there instead.
    Word,
}

impl Spelling {
    /// What the model reads for a piece that is UTF-8; `buffer` holds it where it is not (part of)
    /// the piece.
    #[inline]
    pub fn spell<'a>(self, piece: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        match self {
            Spelling::Plain => piece,
            Spelling::Marks => with_marks(piece, buffer),
            Spelling::Word => word(piece, buffer),
        }
    }
}

fn with_marks<'a>(piece: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    if !piece.contains(&b' ') {
        return piece;
    }
    buffer.clear();
    for &byte in piece {
        match byte {
            b' ' => push_mark(buffer),
            other => buffer.push(other),
        }
    }
    buffer
}

fn word<'a>(piece: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    let Ok(text) = std::str::from_utf8(piece) else { return piece };
    let word = text.trim_start_matches(|c| is_rust_whitespace(c as u32));
    if word.starts_with(MARK) || word.is_empty() {
        return word.as_bytes();
    }
    buffer.clear();
    push_mark(buffer);
    buffer.extend_from_slice(word.as_bytes());
    buffer
}

fn push_mark(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(MARK.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let spelled = |spelling: Spelling, piece: &str| {
            let mut buffer = Vec::new();
            String::from_utf8_lossy(spelling.spell(piece.as_bytes(), &mut buffer)).into_owned()
        };
        assert_eq!(spelled(Spelling::Plain, " a"), " a");
        assert_eq!(spelled(Spelling::Marks, "é"), "é");
        assert_eq!(spelled(Spelling::Marks, " a  "), "\u{2581}a\u{2581}\u{2581}");
        assert_eq!(spelled(Spelling::Word, "\u{3000}é b"), "\u{2581}é b");
        assert_eq!(spelled(Spelling::Word, " \u{2581}b"), "\u{2581}b");
        assert_eq!(spelled(Spelling::Word, " \n "), "");
    }
}
