//! Seams: places in a text that no merge of the vocabulary crosses.
//!
//! A symbol that lies on both sides of a place was made, at some step, by a merge whose left token
//! ends there and whose right token begins there. Where no merge has a left token that ends in the
//! character before the place and a right one that begins with the character behind it, no symbol
//! crosses it, and what lies on its sides can be merged on its own. So a text without a
//! pre-tokenizer, as SentencePiece has it, becomes words again, which a cache can know.
//!
//! Characters are told apart as far as it pays: each of ASCII, the word mark, and all others as one.
//!
//! Cost: one look-up a character, in a table of 4 KiB; a text without marks is cut by masks
//! ([`Joins`]).

use std::sync::OnceLock;

use super::batches::in_batches;
use crate::scan::{best_level, scan, Joins, Parted};
use crate::spec::MARK;

const MARK_BYTES: [u8; 3] = [0xE2, 0x96, 0x81];
const MARK_KIND: usize = 128;
const OTHER_KIND: usize = 129;
const KINDS: usize = 130;

/// Whether a text has a mark.
pub fn has_mark(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(MARK_LEAD, bytes).any(|at| bytes[at..].starts_with(&MARK_BYTES))
}

/// Which two neighbours some merge may join.
#[derive(Clone)]
pub struct Seams {
    /// One bit for each kind of the character behind, by the kind of the one before.
    joined: Box<[[u64; 4]; KINDS]>,
    /// The same for the scanner, made when first needed.
    joins: OnceLock<Box<Joins>>,
}

/// What a character counts as.
fn kind(c: char) -> usize {
    match c {
        MARK => MARK_KIND,
        c if c.is_ascii() => c as usize,
        _ => OTHER_KIND,
    }
}

impl Seams {
    fn of(joined: Box<[[u64; 4]; KINDS]>) -> Self {
        Self { joined, joins: OnceLock::new() }
    }

    /// A text in which every place is a seam.
    pub fn new() -> Self {
        Self::of(Box::new([[0; 4]; KINDS]))
    }

    /// The table's rows.
    pub fn rows(&self) -> &[[u64; 4]] {
        &*self.joined
    }

    /// The table of these rows, if they are as many as they must be.
    pub fn from_rows(rows: &[[u64; 4]]) -> Option<Self> {
        Some(Self::of(Box::new(rows.try_into().ok()?)))
    }

    /// Joins two characters: between them there is no seam any more.
    pub fn join(&mut self, before: char, behind: char) {
        self.joins.take();
        let behind = kind(behind);
        self.joined[kind(before)][behind / 64] |= 1 << (behind % 64);
    }

    /// A text in which no place is a seam.
    pub fn none() -> Self {
        Self::of(Box::new([[u64::MAX; 4]; KINDS]))
    }

    /// Makes a seam of every place in front of a mark.
    pub fn cut_before_marks(&mut self) {
        self.joins.take();
        self.joined.iter_mut().for_each(|row| row[MARK_KIND / 64] &= !(1 << (MARK_KIND % 64)));
    }

    /// Makes a space the same as a mark.
    pub fn count_spaces_as_marks(&mut self) {
        self.joins.take();
        const SPACE: usize = b' ' as usize;
        self.joined[SPACE] = self.joined[MARK_KIND];
        for row in self.joined.iter_mut() {
            let mark = row[MARK_KIND / 64] >> (MARK_KIND % 64) & 1;
            row[SPACE / 64] = row[SPACE / 64] & !(1 << (SPACE % 64)) | mark << (SPACE % 64);
        }
    }

    /// Whether two kinds of characters are joined.
    fn are_joined(&self, before: usize, behind: usize) -> bool {
        self.joined[before][behind / 64] >> (behind % 64) & 1 == 1
    }

    /// What the scanner has to know of texts without marks.
    fn joins(&self) -> &Joins {
        let kind = |byte: Option<u8>| byte.map_or(OTHER_KIND, usize::from);
        let joined = |before, behind| self.are_joined(kind(before), kind(behind));
        self.joins.get_or_init(|| Box::new(Joins::new(joined)))
    }

    /// Hands out pieces of a text that is not empty, in batches of boundaries: they end at seams, not at
    /// all of those between letters.
    pub fn pieces<E>(
        &self,
        text: &str,
        batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        if !has_mark(text) {
            return scan(self.joins(), None, best_level(), text, batch);
        }
        let mut walk = Walk::new(self, text);
        in_batches(text.len(), || walk.step(), batch)
    }

    /// Hands out pieces of a text that is not empty and has no marks, with parts that are pieces of their
    /// own: ranges in order.
    pub fn pieces_around<E>(
        &self,
        text: &str,
        apart: &[(usize, usize)],
        batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        scan(&Parted { joins: self.joins(), apart }, None, best_level(), text, batch)
    }

    /// The seams of a text.
    pub fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        let mut walk = Walk::new(self, text);
        std::iter::from_fn(move || walk.step()).filter_map(|(at, is_seam)| is_seam.then_some(at))
    }
}

/// Walks a text from character to character.
struct Walk<'a> {
    seams: &'a Seams,
    text: &'a [u8],
    at: usize,
    /// What the character before `at` joins: everything, at the start.
    row: &'a [u64; 4],
}

impl<'a> Walk<'a> {
    fn new(seams: &'a Seams, text: &'a str) -> Self {
        Self { seams, text: text.as_bytes(), at: 0, row: &[u64::MAX; 4] }
    }

    /// Where the next character starts, and whether a seam is in front of it.
    #[inline]
    fn step(&mut self) -> Option<(usize, bool)> {
        let here = self.at;
        let (kind, len) = match *self.text.get(here)? {
            lead @ 0..=0x7F => (usize::from(lead), 1),
            MARK_LEAD if self.text[here..].starts_with(&MARK_BYTES) => (MARK_KIND, 3),
            0x80..=0xDF => (OTHER_KIND, 2),
            0xE0..=0xEF => (OTHER_KIND, 3),
            0xF0..=0xFF => (OTHER_KIND, 4),
        };
        self.at = here + len;
        let before = std::mem::replace(&mut self.row, &self.seams.joined[kind]);
        Some((here, before[kind / 64] >> (kind % 64) & 1 == 0))
    }
}

const MARK_LEAD: u8 = MARK_BYTES[0];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::draws;
    use crate::scan::{boundaries_of, levels};

    /// Seams of words: letters join letters, marks join marks, and a mark joins a letter.
    fn words() -> Seams {
        let mut seams = Seams::new();
        for before in 'a'..='z' {
            ('a'..='z').for_each(|behind| seams.join(before, behind));
            seams.join(MARK, before);
            seams.join(before, 'é');
        }
        seams.join(MARK, MARK);
        seams
    }

    fn pieces(text: &str) -> Vec<String> {
        let all = boundaries_of(|keep| words().pieces(text, keep));
        all.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
    }

    #[test]
    fn pieces_end_where_nothing_joins() {
        assert_eq!(pieces("▁a▁▁bc▁d,e1"), ["▁a", "▁▁bc", "▁d", ",", "e", "1"]);
        assert_eq!(pieces("caféa漢▁"), ["café", "a漢", "▁"]);
        assert!(words().are_joined(kind('a'), kind('漢')), "others count as one");
        assert_eq!(words().places("ab").count(), 0);
    }

    #[test]
    fn many_pieces_come_in_batches() {
        assert_eq!(pieces(&"▁word".repeat(2_000)), vec!["▁word"; 2_000]);
    }

    #[test]
    fn pieces_by_masks_end_at_seams() {
        const PARTS: [&str; 16] = [
            "a",
            "b",
            "Z",
            "1",
            "2",
            " ",
            "  ",
            ".",
            ",",
            ">",
            "\n",
            "\t",
            "\r",
            "é",
            "漢",
            "\u{1F600}",
        ];
        let mut next = draws(1);
        let is_inner = |c: char| c.is_ascii_alphabetic() || !c.is_ascii();
        for round in 0..2_000 {
            let mut seams = Seams::new();
            let chars: Vec<char> = PARTS.concat().chars().collect();
            for _ in 0..next(40) {
                seams.join(chars[next(chars.len())], chars[next(chars.len())]);
            }
            if round % 2 == 0 {
                seams.cut_before_marks();
                seams.count_spaces_as_marks();
            }
            let text: String = (0..1 + next(200)).map(|_| PARTS[next(PARTS.len())]).collect();
            // Between letters or other characters nothing is cut, nor where only some are joined to others.
            let pair = |at: usize| {
                (text[..at].chars().next_back().unwrap(), text[at..].chars().next().unwrap())
            };
            let all: Vec<usize> = seams.places(&text).collect();
            for level in levels() {
                let mut found = boundaries_of(|keep| scan(seams.joins(), None, level, &text, keep))
                    .split_off(1);
                assert_eq!(found.pop(), Some(text.len()));
                assert!(found.iter().all(|at| all.contains(at)), "{level:?} {text:?}");
                for &at in all.iter().filter(|at| !found.contains(at)) {
                    let (before, behind) = pair(at);
                    let is_left_out = is_inner(before) && is_inner(behind)
                        || !before.is_ascii()
                        || !behind.is_ascii();
                    assert!(is_left_out, "{level:?} {text:?} {at}");
                }
            }
        }
    }
}
