//! Words between white space, handed out as they stand: with SentencePiece's mark in front for the
//! model, or cut at punctuation too.
//!
//! The first is `WhitespaceSplit` with `Metaspace` behind it, as T5, XLM-R and their kin have them, the
//! second `BertPreTokenizer`. Nothing is written anew: a piece is a word and the one character of white
//! space before it, and more white space is a piece of its own, which stands for nothing. Only a piece
//! that the cache does not know is spelled for the model, see [`Spelling`].
//!
//! Cost: the mask scanner's; one look-up a character where words are cut at marks and there are some.

use super::batches::in_batches;
use super::seams::has_mark;
use super::{Spelling, MARK};
use crate::scan::{best_level, scan, Spaced, LETTER, SPACE};
use crate::unicode::{is_bert_punctuation, is_rust_whitespace, ClassTable, Property};

/// Where words are cut.
pub struct Words {
    /// What the first byte of a character says.
    kinds: Box<[Kind; 256]>,
    /// Whether a mark within a word starts another piece.
    at_marks: bool,
    /// How words are cut without marks.
    spaced: Spaced,
    table: ClassTable,
}

/// What a byte says of the character that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Space,
    /// It stands alone.
    Alone,
    /// It is a mark that starts a piece.
    Mark,
    /// More bytes have to be looked at.
    Unsure,
}

impl Words {
    /// Words that get a mark in front; `at_marks` if those within a word start another piece.
    pub fn marked(at_marks: bool) -> Self {
        Self::new(at_marks, false)
    }

    /// Words and punctuation, as `BertPreTokenizer` has them.
    pub fn bert() -> Self {
        Self::new(false, true)
    }

    fn new(at_marks: bool, punctuation: bool) -> Self {
        let kinds = Box::new([Kind::Unsure; 256]);
        let table = ClassTable::from_kinds(|kind| match kind.has(Property::RustWhitespace) {
            true => SPACE,
            false if kind.has(Property::BertPunctuation) => 0,
            false => LETTER,
        });
        let mut words = Self { kinds, at_marks, spaced: Spaced { punctuation }, table };
        for byte in 0..0x80u8 {
            words.kinds[usize::from(byte)] = words.kind(char::from(byte));
        }
        if !punctuation {
            // U+0085 and U+00A0; U+1680; U+2000 and on, and the mark; U+3000.
            let unsure = [0xC2, 0xE1, 0xE2, 0xE3];
            let plain = (0x80..=0xFFu8).filter(|byte| !unsure.contains(byte));
            plain.for_each(|byte| words.kinds[usize::from(byte)] = Kind::Plain);
        }
        words
    }

    /// How pieces are spelled for the model.
    pub fn spelling(&self) -> Spelling {
        match self.spaced.punctuation {
            true => Spelling::Bare,
            false => Spelling::Word,
        }
    }

    fn kind(&self, c: char) -> Kind {
        match c {
            c if is_rust_whitespace(c as u32) => Kind::Space,
            c if self.spaced.punctuation && is_bert_punctuation(c as u32) => Kind::Alone,
            MARK if self.at_marks => Kind::Mark,
            _ => Kind::Plain,
        }
    }

    /// What the character at the start of a text that is not empty is.
    #[inline]
    fn first(&self, text: &[u8]) -> Kind {
        match text.first().map_or(Kind::Plain, |&lead| self.kinds[usize::from(lead)]) {
            Kind::Unsure => {
                let len = (text[0].leading_ones() as usize).clamp(1, text.len());
                let c = std::str::from_utf8(&text[..len]).ok().and_then(|text| text.chars().next());
                c.map_or(Kind::Plain, |c| self.kind(c))
            }
            kind => kind,
        }
    }

    /// How many bytes the white space has that a text starts with; 0 if it starts with none.
    #[inline(always)]
    pub fn space_len(&self, text: &[u8]) -> usize {
        match self.kinds[usize::from(text.first().copied().unwrap_or_default())] {
            Kind::Space => 1,
            Kind::Unsure if self.first(text) == Kind::Space => text[0].leading_ones() as usize,
            _ => 0,
        }
    }

    /// How many bytes the word has that a text starts with.
    pub fn word_len(&self, text: &str) -> usize {
        let kind = |at: usize| self.first(&text.as_bytes()[at..]);
        let mut places = text.char_indices().map(|(at, _)| at).skip(1);
        match text.is_empty() || kind(0) == Kind::Alone {
            true => places.next().unwrap_or(text.len()),
            false => places.find(|&at| kind(at) != Kind::Plain).unwrap_or(text.len()),
        }
    }

    /// Hands out the pieces of a text that is not empty, in batches of boundaries.
    pub fn pieces<E>(
        &self,
        text: &str,
        batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.at_marks && has_mark(text) {
            return self.pieces_at_marks(text, batch);
        }
        scan(&self.spaced, Some(&self.table), best_level(), text, batch)
    }

    /// The same for any text, character by character.
    fn pieces_at_marks<E>(
        &self,
        text: &str,
        batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = text.as_bytes();
        // The last character, and the last place that was cut.
        let (mut at, mut previous, mut cut) = (0, 0, 0);
        // Whether the last character was white space, and whether it stands alone; nothing is cut at the
        // start.
        let (mut space_before, mut alone_before) = (true, false);
        let step = || {
            let here = at;
            let kind = self.first(bytes.get(here..).filter(|rest| !rest.is_empty())?);
            at += 1;
            while bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
                at += 1;
            }
            let space = kind == Kind::Space;
            let starts = !space_before && (kind != Kind::Plain || alone_before);
            // The last of a run of white space goes with the word behind it.
            let goes_on = !space && space_before && previous != cut;
            let place = if goes_on { previous } else { here };
            let cuts = starts || goes_on;
            (previous, cut) = (here, if cuts { place } else { cut });
            (space_before, alone_before) = (space, kind == Kind::Alone);
            Some((place, cuts))
        };
        in_batches(text.len(), step, batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::draws;
    use crate::scan::{boundaries_of, levels};

    /// Pieces as they are handed out, and as the model reads them.
    fn pieces_of(words: &Words, text: &str) -> (Vec<String>, Vec<String>) {
        let (mut raw, mut read) = (Vec::new(), Vec::new());
        for pair in boundaries_of(|keep| words.pieces(text, keep)).windows(2) {
            let piece = &text[pair[0]..pair[1]];
            raw.push(piece.to_owned());
            let mut buffer = Vec::new();
            let spelled = words.spelling().spell(piece.as_bytes(), &mut buffer);
            read.extend(Some(String::from_utf8_lossy(spelled).into_owned()));
        }
        read.retain(|piece| !piece.is_empty());
        (raw, read)
    }

    fn pieces(text: &str, at_marks: bool) -> (Vec<String>, Vec<String>) {
        pieces_of(&Words::marked(at_marks), text)
    }

    /// The mask scanner, with the instructions there are and without, and character by character.
    #[test]
    fn all_ways_cut_alike() {
        const CHARS: [&str; 16] = [
            "a",
            "Z",
            "7",
            " ",
            " ",
            "\n",
            ".",
            "'",
            "\u{7f}",
            "\u{1}",
            "é",
            "\u{85}",
            "\u{3000}",
            "…",
            "漢",
            "\u{1F600}",
        ];
        let mut next = draws(1);
        for words in [Words::marked(true), Words::marked(false), Words::bert()] {
            for _ in 0..2_000 {
                // One character often comes again and again.
                let few = 1 + next(CHARS.len());
                let text: String = (0..=next(200)).map(|_| CHARS[next(few)]).collect();
                let known = boundaries_of(|keep| words.pieces_at_marks(&text, keep));
                let Words { spaced, table, .. } = &words;
                for level in levels() {
                    let found = boundaries_of(|keep| scan(spaced, Some(table), level, &text, keep));
                    assert_eq!(found, known, "{level:?} {text:?}");
                }
                let mut lens = known.windows(2).map(|pair| pair[1] - pair[0]);
                assert!(lens.all(|len| len > 0), "{text:?}");
            }
        }
    }

    #[test]
    fn a_text_starts_with_white_space_or_a_word() {
        let bert = Words::bert();
        let space = |text: &str| bert.space_len(text.as_bytes());
        assert_eq!((space(" a"), space("\u{85}a"), space("\u{3000}"), space("é")), (1, 2, 3, 0));
        assert_eq!((space(""), space("a ")), (0, 0));
        let word = |text| bert.word_len(text);
        assert_eq!(
            (word("don't"), word("'t"), word("é漢 "), word("…."), word("")),
            (3, 1, 5, 3, 0)
        );
    }

    #[test]
    fn punctuation_stands_alone() {
        let bert = |text| pieces_of(&Words::bert(), text);
        let (raw, read) = bert("don't  (é)…\n\nx, \u{3000}.y");
        assert_eq!(read, ["don", "'", "t", "(", "é", ")", "…", "x", ",", ".", "y"]);
        let all = ["don", "'", "t", " ", " (", "é", ")", "…", "\n", "\nx", ",", " ", "\u{3000}."];
        assert_eq!(raw[..13], all);
        assert_eq!(bert("..").1, [".", "."]);
        assert_eq!(bert(" a").0, [" a"]);
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
