//! From a piece as it stands in the text to what the model reads.

use super::MARK;
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
    /// Without white space in front.
    Bare,
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
            Spelling::Bare => word_of(piece),
        }
    }
}

impl Spelling {
    /// Where the word of a piece starts, and how many bytes of marks are put in front of it.
    pub fn front(self, piece: &[u8]) -> (usize, usize) {
        if self == Spelling::Plain || self == Spelling::Marks {
            return (0, 0);
        }
        let word = word_of(piece);
        let marked = self == Spelling::Word && !word.is_empty() && !is_marked(word);
        (piece.len() - word.len(), if marked { MARK.len_utf8() } else { 0 })
    }

    /// For each byte of what [`Spelling::spell`] makes of a piece, the byte of the piece that it stands
    /// for; the mark in front of a word stands for its first.
    pub fn origins(self, piece: &[u8], origins: &mut Vec<u32>) {
        origins.clear();
        let (start, mark) = self.front(piece);
        origins.extend(std::iter::repeat_n(start as u32, mark));
        for (at, &byte) in piece.iter().enumerate().skip(start) {
            let is_mark = self == Spelling::Marks && byte == b' ';
            let len = if is_mark { MARK.len_utf8() } else { 1 };
            origins.extend(std::iter::repeat_n(at as u32, len));
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
    let word = word_of(piece);
    if word.is_empty() || is_marked(word) {
        return word;
    }
    buffer.clear();
    push_mark(buffer);
    buffer.extend_from_slice(word);
    buffer
}

/// A piece without white space in front.
#[inline]
fn word_of(piece: &[u8]) -> &[u8] {
    let plain = |at: usize| piece.get(at).is_some_and(|byte| (0x21..0x7F).contains(byte));
    match piece.first() {
        _ if plain(0) => piece,
        Some(b' ') if plain(1) => &piece[1..],
        _ => {
            let text = std::str::from_utf8(piece).unwrap_or_default();
            text.trim_start_matches(|c| is_rust_whitespace(c as u32)).as_bytes()
        }
    }
}

/// Whether a word starts with a mark.
fn is_marked(word: &[u8]) -> bool {
    word.starts_with(MARK.encode_utf8(&mut [0; 4]).as_bytes())
}

fn push_mark(buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(MARK.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins() {
        let of = |spelling: Spelling, piece: &str| {
            let (mut buffer, mut origins) = (Vec::new(), Vec::new());
            spelling.origins(piece.as_bytes(), &mut origins);
            assert_eq!(origins.len(), spelling.spell(piece.as_bytes(), &mut buffer).len());
            origins
        };
        assert_eq!(of(Spelling::Plain, " a"), [0, 1]);
        assert_eq!(of(Spelling::Marks, " a "), [0, 0, 0, 1, 2, 2, 2]);
        assert_eq!(of(Spelling::Word, " ab"), [1, 1, 1, 1, 2]);
        assert_eq!(of(Spelling::Word, " \u{2581}b"), [1, 2, 3, 4]);
        assert!(of(Spelling::Word, "  ").is_empty());
    }

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
        assert_eq!(spelled(Spelling::Bare, "\u{3000}é"), "é");
    }
}
