//! Text whose spaces become marks, cut before they do.
//!
//! SentencePiece's way is to turn each space into a mark, U+2581, perhaps with one more in front of
//! the text, and to cut at marks or nowhere. Where that is all that a tokenizer does to its text,
//! nothing is written anew: a space counts as a mark where the text is cut, pieces keep their spaces,
//! and only a piece that the cache does not know is spelled with marks, see [`Spelling::Marks`](super::Spelling). A mark that
//! stands in the text itself is a mark as well, so that both spellings of a piece mean the same.
//!
//! Cost: that of [`Seams`]; a text that gets a mark in front is copied once.

use std::borrow::Cow;

use super::seams::Seams;
use super::Place;
use super::MARK;
use crate::spec::PrependScheme;

/// What is put in front of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// Nothing.
    Nothing,
    /// A mark, by a normalizer.
    Normalizer,
    /// A mark where there is none, by Metaspace.
    Metaspace(PrependScheme),
}

/// Where a text with spaces is cut.
pub struct Marks {
    front: Front,
    seams: Seams,
    /// Whether every mark starts a word; else a text is one word.
    at_each: bool,
}

impl Marks {
    /// Cuts at the seams of a text with marks, and with `at_each` before every mark.
    pub fn new(front: Front, mut seams: Seams, at_each: bool) -> Self {
        if at_each {
            seams.cut_before_marks();
        }
        seams.count_spaces_as_marks();
        Self { front, seams, at_each }
    }

    /// Whether a piece, not the first one, starts a word.
    pub fn starts_word(&self, piece: &str) -> bool {
        self.at_each && piece.starts_with([' ', MARK])
    }

    /// Whether words start at marks, and only there.
    pub fn are_words(&self) -> bool {
        self.at_each
    }

    /// Whether marks are all that there is: none is put in front, and they start no words.
    pub fn are_alone(&self) -> bool {
        self.front == Front::Nothing && !self.at_each
    }

    /// Where texts are cut.
    pub fn seams(&self) -> &Seams {
        &self.seams
    }

    /// Whether a text that is not empty gets a mark in front.
    pub fn adds_front(&self, text: &str, place: Place) -> bool {
        match self.front {
            Front::Nothing => false,
            Front::Normalizer => !place.normalized,
            Front::Metaspace(scheme) => {
                let here = match scheme {
                    PrependScheme::Always => true,
                    PrependScheme::First => place.at_start,
                    PrependScheme::Never => false,
                };
                here && !text.starts_with([' ', MARK])
            }
        }
    }

    /// The text with a space in front of it, for the mark that it may get.
    pub fn fronted<'t>(&self, text: &'t str, place: Place) -> Cow<'t, str> {
        if self.adds_front(text, place) {
            Cow::Owned([" ", text].concat())
        } else {
            Cow::Borrowed(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fronts() {
        let start = Place { at_start: true, normalized: false };
        let later = Place { at_start: false, normalized: true };
        let marks = |front| Marks::new(front, Seams::new(), false);
        let first = marks(Front::Metaspace(PrependScheme::First));
        assert_eq!(first.fronted("a", start), " a");
        assert_eq!(first.fronted("a", later), "a");
        assert_eq!(first.fronted(" a", start), " a");
        assert_eq!(first.fronted("\u{2581}a", start), "\u{2581}a");
        let always = marks(Front::Metaspace(PrependScheme::Always));
        assert_eq!(always.fronted("a", later), " a");
        let normalizer = marks(Front::Normalizer);
        assert_eq!(normalizer.fronted(" a", start), "  a");
        assert_eq!(normalizer.fronted("a", later), "a");
        assert_eq!(marks(Front::Nothing).fronted("a", start), "a");
    }

    #[test]
    fn a_space_is_cut_as_a_mark_is() {
        let mut seams = Seams::new();
        seams.join('a', MARK);
        seams.join(MARK, MARK);
        let places = |at_each| {
            let marks = Marks::new(Front::Nothing, seams.clone(), at_each);
            marks.seams().places("a  b \u{2581}c").collect::<Vec<_>>()
        };
        assert_eq!(places(false), [3, 4, 8]);
        assert_eq!(places(true), [1, 2, 3, 4, 5, 8]);
    }
}
