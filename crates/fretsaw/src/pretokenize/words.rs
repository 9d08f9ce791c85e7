//! Words between white space, each with SentencePiece's mark in front, handed out as they stand.
//!
//! This is `WhitespaceSplit` with `Metaspace` behind it, as T5, XLM-R and their kin have them. Nothing
//! is written anew: a piece is a word and the one character of white space before it, and more white
//! space is a piece of its own, which stands for nothing. Only a piece that the cache does not know
//! is spelled for the model, see [`Spelling::Word`](super::Spelling).
//!
//! Cost: one look-up a character.

use super::batches::in_batches;
use super::seams::MARK;
use crate::unicode::is_rust_whitespace;

/// Where words are cut.
pub struct Words {
    /// Whether a mark within a word starts another piece.
    pub split: bool,
}

/// What a byte says of the character that it starts.
const PLAIN: u8 = 0;
const SPACE: u8 = 1;
/// It may be white space or a mark.
const LOOK: u8 = 2;

const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [PLAIN; 256];
    let ascii = b"\t\n\x0B\x0C\r ";
    let mut at = 0;
    while at < ascii.len() {
        kinds[ascii[at] as usize] = SPACE;
        at += 1;
    }
    // U+0085 and U+00A0; U+1680; U+2000 and on, and the mark; U+3000.
    kinds[0xC2] = LOOK;
    kinds[0xE1] = LOOK;
    kinds[0xE2] = LOOK;
    kinds[0xE3] = LOOK;
    kinds
}

impl Words {
    /// Hands out the pieces of a text that is not empty, in batches of boundaries.
    pub fn pieces<E>(
        &self,
        text: &str,
        batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut previous = 0;
        // Whether the last character and the one before it were white space; nothing is cut at the
        // start.
        let (mut space_1, mut space_2) = (true, false);
        let step = || {
            let here = at;
            let &byte = bytes.get(at)?;
            let (space, mark) = match KINDS[usize::from(byte)] {
                LOOK => look(&text[here..]),
                kind => (kind == SPACE, false),
            };
            at += 1;
            while bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
                at += 1;
            }
            let starts = space && !space_1 || mark && self.split && !space_1;
            let is_last_of_run = !space && space_1 && space_2;
            let place = if is_last_of_run { previous } else { here };
            previous = here;
            (space_1, space_2) = (space, space_1);
            Some((place, starts || is_last_of_run))
        };
        in_batches(text.len(), step, batch)
    }
}

/// Whether a text starts with white space, or with a mark.
#[inline]
fn look(text: &str) -> (bool, bool) {
    let Some(first) = text.chars().next() else { return (false, false) };
    (is_rust_whitespace(first as u32), first == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::Spelling;

    /// Pieces as they are handed out, and as the model reads them.
    fn pieces(text: &str, split: bool) -> (Vec<String>, Vec<String>) {
        let (mut raw, mut read) = (Vec::new(), Vec::new());
        let keep = |boundaries: &[usize]| {
            for pair in boundaries.windows(2) {
                let piece = &text[pair[0]..pair[1]];
                raw.push(piece.to_owned());
                let mut buffer = Vec::new();
                let spelled = Spelling::Word.spell(piece.as_bytes(), &mut buffer);
                read.extend(Some(String::from_utf8_lossy(spelled).into_owned()));
            }
            Ok::<(), std::convert::Infallible>(())
        };
        Words { split }.pieces(text, keep).unwrap_or_else(|never| match never {});
        read.retain(|piece| !piece.is_empty());
        (raw, read)
    }

    #[test]
    fn a_piece_has_one_character_of_white_space_at_most() {
        let (raw, read) = pieces("a  bc\n\n\n d\u{3000}e \u{85}", true);
        assert_eq!(raw, ["a", " ", " bc", "\n\n\n", " d", "\u{3000}e", " \u{85}"]);
        assert_eq!(read, ["\u{2581}a", "\u{2581}bc", "\u{2581}d", "\u{2581}e"]);
        assert_eq!(pieces("   x", true).0, ["  ", " x"]);
        assert_eq!(pieces(" x", true).0, [" x"]);
        assert_eq!(pieces("  ", true), (vec!["  ".to_owned()], vec![]));
    }

    #[test]
    fn marks_in_the_text_stand_for_themselves() {
        let text = "a\u{2581}b \u{2581}c\u{2581}";
        let mark = "\u{2581}";
        let split = [format!("{mark}a"), format!("{mark}b"), format!("{mark}c"), mark.to_owned()];
        assert_eq!(pieces(text, true).1, split);
        assert_eq!(pieces(text, false).1, [format!("{mark}a{mark}b"), format!("{mark}c{mark}")]);
    }
}
