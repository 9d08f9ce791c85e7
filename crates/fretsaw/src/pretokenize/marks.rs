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

use super::seams::{Seams, MARK};
use super::Place;
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
}

impl Marks {
    /// Cuts at the seams of a text with marks.
    pub fn new(front: Front, mut seams: Seams) -> Self {
        seams.count_spaces_as_marks();
        Self { front, seams }
    }

    /// Where texts are cut.
    pub fn seams(&self) -> &Seams {
        &self.seams
    }

    /// The text with a space in front of it, for the mark that it may get.
    pub fn fronted<'t>(&self, text: &'t str, place: Place) -> Cow<'t, str> {
        let wanted = match self.front {
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
        };
        if wanted {
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
        let marks = |front| Marks::new(front, Seams::new());
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
        let mut at_each = seams.clone();
        at_each.cut_before_marks();
        let places = |seams: Seams| {
            let marks = Marks::new(Front::Nothing, seams);
            marks.seams().places("a  b \u{2581}c").collect::<Vec<_>>()
        };
        assert_eq!(places(seams), [3, 4, 8]);
        assert_eq!(places(at_each), [1, 2, 3, 4, 5, 8]);
    }
}
