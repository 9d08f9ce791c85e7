//! Grapheme clusters, by which `Precompiled` goes: where one ends.
//!
//! A scan from the start of the cluster keeps the class of the last character and how far a
//! conjunct of consonants, or a chain of pictographs, has come. That regional indicators go in
//! pairs is left out: each has four bytes, and the character map looks only at clusters of up to
//! five as a whole, so nobody can tell.
//!
//! Source: Unicode Standard Annex 29, extended clusters, as the crate `unicode-segmentation` 1.13.3
//! does it.

use crate::unicode::normalization::{grapheme, Grapheme};

/// What has been seen of a cluster.
struct Cluster {
    last: Grapheme,
    /// Consonant, then linkers and what else may stand in a conjunct: whether a linker was there.
    conjunct: Option<bool>,
    /// A pictograph and what extends it: whether the joiner was last.
    pictographs: Option<bool>,
}

impl Cluster {
    fn new(first: Grapheme) -> Self {
        let conjunct = (first == Grapheme::Consonant).then_some(false);
        let pictographs = (first == Grapheme::Pictograph).then_some(false);
        Self { last: first, conjunct, pictographs }
    }

    /// Whether a character belongs to the cluster that stands before it.
    fn takes(&self, next: Grapheme) -> bool {
        use Grapheme::{
            ConjunctExtend, Consonant, Control, Extend, Linker, Pictograph, Prepend, SpacingMark,
            Zwj, L, LV, LVT, T, V,
        };
        match (self.last, next) {
            (Control, _) | (_, Control) => false,
            (_, Extend | ConjunctExtend | Linker | Zwj | SpacingMark) | (Prepend, _) => true,
            (L, L | V | LV | LVT) | (LV | V, V | T) | (LVT | T, T) => true,
            (_, Consonant) => self.conjunct == Some(true),
            (_, Pictograph) => self.pictographs == Some(true),
            _ => false,
        }
    }

    fn push(&mut self, next: Grapheme) {
        use Grapheme::{ConjunctExtend, Consonant, Extend, Linker, Pictograph, Zwj};
        self.conjunct = match next {
            Consonant => Some(false),
            Linker => self.conjunct.map(|_| true),
            ConjunctExtend | Zwj => self.conjunct,
            _ => None,
        };
        self.pictographs = match (next, self.pictographs) {
            (Pictograph, _) => Some(false),
            (Extend | ConjunctExtend | Linker, Some(false)) => Some(false),
            (Zwj, Some(false)) => Some(true),
            _ => None,
        };
        self.last = next;
    }
}

/// Where the cluster that starts at `at` ends; `at` must be before the end of the text.
pub(super) fn cluster_end(text: &str, at: usize) -> usize {
    let mut chars = text[at..].char_indices();
    let Some((_, first)) = chars.next() else { return at };
    let mut cluster = Cluster::new(grapheme(first));
    let mut last = first;
    for (offset, c) in chars {
        let next = grapheme(c);
        if !(cluster.takes(next) || (last == '\r' && c == '\n')) {
            return at + offset;
        }
        cluster.push(next);
        last = c;
    }
    text.len()
}
