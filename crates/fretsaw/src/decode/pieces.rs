//! The decoder of SentencePiece: pieces one after the other, `▁` as a space.
//!
//! Control pieces are nothing, an unknown one is a fixed text, byte pieces in a row are the characters
//! that they spell, with U+FFFD for each byte that belongs to none. A `▁` in front of the first piece
//! falls away; with `strips_all` it does so in front of every piece as long as there is no text. A
//! denormalizer gets the whole text, so that nothing of it comes out before the end.
//!
//! Each piece is prepared once: a byte that says what it is, and its text.
//!
//! Source: `SentencePieceProcessor::Decode` of sentencepiece 0.2.3.

use crate::spec::MARK;
use crate::tables::TokenTable;

use super::Strings;

/// What is done to a whole text; nothing where it fails.
pub type Denormalize = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a prepared piece is.
const TEXT: u8 = 0;
const MARKED: u8 = 1;
const BYTE: u8 = 2;
const UNKNOWN: u8 = 3;
const NOTHING: u8 = 4;

/// A decoder with its prepared pieces.
pub struct PieceDecoder {
    table: TokenTable,
    strips_first: bool,
    strips_all: bool,
    denormalize: Option<Denormalize>,
}

/// What is remembered between two pieces.
#[derive(Debug, Clone, Default)]
pub struct PieceState {
    /// Whether there is text.
    started: bool,
    /// Whether no `▁` falls away any more.
    past_start: bool,
    /// Bytes that may still become a character.
    bytes: Vec<u8>,
    /// Text that waits for the denormalizer.
    held: String,
}

impl PieceDecoder {
    /// A decoder of pieces by id; `None` where they are too long.
    pub fn new(
        pieces: impl Iterator<Item = (u32, Vec<u8>)>,
        len: usize,
        strips_first: bool,
        strips_all: bool,
        denormalize: Option<Denormalize>,
    ) -> Option<Self> {
        let pieces: Vec<(u32, Vec<u8>)> = pieces.collect();
        let entries = pieces.iter().map(|(id, piece)| (*id, piece.as_slice()));
        let table = TokenTable::build(len, entries)?;
        Some(Self { table, strips_first, strips_all, denormalize })
    }

    /// A piece that is there for its text.
    pub fn piece(piece: &str) -> Vec<u8> {
        let mut prepared = vec![if piece.starts_with(MARK) { MARKED } else { TEXT }];
        prepared.extend_from_slice(piece.replace(MARK, " ").as_bytes());
        prepared
    }

    /// Text as it is.
    pub fn text(text: &[u8]) -> Vec<u8> {
        [&[TEXT], text].concat()
    }

    /// The unknown piece.
    pub fn unknown(surface: &str) -> Vec<u8> {
        [&[UNKNOWN], surface.as_bytes()].concat()
    }

    /// A byte piece.
    pub fn byte(byte: u8) -> Vec<u8> {
        vec![BYTE, byte]
    }

    /// A control piece.
    pub fn nothing() -> Vec<u8> {
        vec![NOTHING]
    }

    /// The prepared pieces.
    pub fn table(&self) -> &TokenTable {
        &self.table
    }

    /// What each piece stands for in the middle of a text.
    pub fn inside(&self, strings: Strings<'_>) -> TokenTable {
        strings.table().rewritten(|piece, text| {
            text.extend_from_slice(piece.get(1..).unwrap_or_default());
        })
    }

    /// Appends what one more prepared piece settles.
    pub fn step(&self, piece: &[u8], state: &mut PieceState, out: &mut String) {
        match piece {
            [BYTE, byte] => {
                state.bytes.push(*byte);
                self.settle(state, out, false);
            }
            [kind, text @ ..] => {
                self.settle(state, out, true);
                state.past_start |= state.started;
                let mut text = std::str::from_utf8(text).unwrap_or_default();
                let strips = !state.past_start && self.strips_first && *kind == MARKED;
                if strips {
                    text = &text[1..];
                }
                if *kind == NOTHING {
                    return;
                }
                self.append(text, state, out);
                state.past_start |= strips && !self.strips_all || state.started;
            }
            [] => {}
        }
    }

    /// Ends a run of bytes, as any piece does that is none.
    pub fn separate(&self, state: &mut PieceState, out: &mut String) {
        self.settle(state, out, true);
    }

    /// Ends the text; says whether the denormalizer could.
    pub fn finish(&self, state: &mut PieceState, out: &mut String) -> bool {
        self.settle(state, out, true);
        let text = std::mem::take(state).held;
        match &self.denormalize {
            Some(denormalize) => denormalize(&text).map(|text| out.push_str(&text)).is_some(),
            None => true,
        }
    }

    fn append(&self, text: &str, state: &mut PieceState, out: &mut String) {
        state.started |= !text.is_empty();
        match self.denormalize {
            Some(_) => state.held.push_str(text),
            None => out.push_str(text),
        }
    }

    /// Appends the characters that bytes spell; those that may still become one stay, unless nothing
    /// follows them.
    fn settle(&self, state: &mut PieceState, out: &mut String, at_end: bool) {
        let bytes = std::mem::take(&mut state.bytes);
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (valid, unfinished) = match std::str::from_utf8(rest) {
                Ok(valid) => (valid.len(), false),
                Err(error) => (error.valid_up_to(), error.error_len().is_none()),
            };
            let (text, behind) = rest.split_at(valid);
            self.append(std::str::from_utf8(text).unwrap_or_default(), state, out);
            if unfinished && !at_end {
                state.bytes.extend_from_slice(behind);
                return;
            }
            rest = match behind {
                [_, rest @ ..] => {
                    self.append("\u{FFFD}", state, out);
                    rest
                }
                [] => behind,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(decoder: &PieceDecoder, ids: &[u32]) -> String {
        let (mut state, mut out) = (PieceState::default(), String::new());
        for &id in ids {
            decoder.step(decoder.table().get(id).unwrap(), &mut state, &mut out);
        }
        assert!(decoder.finish(&mut state, &mut out));
        out
    }

    fn decoder(strips_first: bool, strips_all: bool) -> PieceDecoder {
        let mut pieces = vec![
            PieceDecoder::nothing(),
            PieceDecoder::unknown(" ? "),
            PieceDecoder::piece("▁a"),
            PieceDecoder::piece("▁"),
            PieceDecoder::piece("b▁c"),
        ];
        pieces.extend([0xE3, 0x81, 0x82, b'x'].map(PieceDecoder::byte));
        let len = pieces.len();
        PieceDecoder::new((0..).zip(pieces), len, strips_first, strips_all, None).unwrap()
    }

    #[test]
    fn marks_in_front_fall_away() {
        for (strips_first, strips_all, ids, expected) in [
            (true, false, &[0, 2, 2][..], "a a"),
            (true, false, &[3, 2], " a"),
            (true, true, &[3, 3, 2, 2], "a a"),
            (false, false, &[2, 4], " ab c"),
            (true, true, &[1, 2], " ?  a"),
        ] {
            assert_eq!(decode(&decoder(strips_first, strips_all), ids), expected, "{ids:?}");
        }
    }

    #[test]
    fn bytes_become_characters_or_each_a_mark() {
        let decoder = decoder(true, true);
        for (ids, expected) in [
            (&[5, 6, 7, 8][..], "\u{3042}x"),
            (&[5, 6, 8], "\u{FFFD}\u{FFFD}x"),
            (&[5, 6], "\u{FFFD}\u{FFFD}"),
            (&[5, 0, 6, 7], "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(decode(&decoder, ids), expected, "{ids:?}");
        }
    }
}
