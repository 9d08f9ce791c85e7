//! Runs of a text that SentencePiece can normalize and search each on its own.
//!
//! The text is looked at before anything is done to it. Between two characters there is a cut where
//! neither a key of the map of characters nor a user-defined symbol goes over the place, what comes of
//! the character before it ends with something else than a space, and no piece of the vocabulary has
//! what that ends with next to what the other one begins with. So a run of spaces goes with what
//! stands behind it, and what becomes of a run depends on nothing else. Letters and digits of ASCII are
//! not told apart: between them nothing is cut, nor in front of and behind a symbol of several characters.
//!
//! What a character does is one number in a two-stage table, and which two characters some piece joins a
//! bit by the hash of both: a place may pass for joined that is not, which only makes a run longer.
//!
//! Where all is ASCII, masks find the cuts ([`masked`]); the rest is walked.
//!
//! Cost: linear; what is walked, a look-up a character and one for two neighbours, but for letters and
//! digits of ASCII a byte's class alone. The tables have 8 bytes a character that pieces or the map know.

mod masked;

use std::collections::{HashMap, HashSet};

use masked::Masked;

use crate::prefixes::Prefixes;
use crate::spec::MARK;

const BLOCK_BITS: u32 = 7;
const BLOCK: usize = 1 << BLOCK_BITS;
const BLOCKS: usize = 0x11_0000 >> BLOCK_BITS;

/// What a character alone becomes: an id below these, nothing that is known, or not to be said.
pub const UNKNOWN: u32 = 0xFF_FFFE;
pub const UNSURE: u32 = 0xFF_FFFF;

/// What a character does, in one number: the hash of the first character that it becomes and of the
/// last one, the id of the piece that it is alone, and flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind(u64);

/// A run may start with it, or end with it.
const STARTS: u64 = 1 << 56;
const ENDS: u64 = 1 << 57;
/// It may become one with what stands before it.
const CONTINUES: u64 = 1 << 58;
/// It is a space, or becomes one.
const IS_SPACE: u64 = 1 << 59;
/// A user-defined symbol may start with it.
const IS_SYMBOL: u64 = 1 << 60;
/// What it ends with is not known.
const ENDS_ANYHOW: u64 = 1 << 61;

/// A character that no piece knows, and that stays as it is.
const STRANGER: Kind = Kind(STARTS | ENDS | (UNKNOWN as u64) << 32);

impl Kind {
    fn first(self) -> u32 {
        self.0 as u32 & 0xFFFF
    }

    fn last(self) -> u32 {
        self.0 as u32 >> 16
    }

    fn id(self) -> u32 {
        (self.0 >> 32) as u32 & 0xFF_FFFF
    }

    fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }
}

/// What is said of a character, to make the tables from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It becomes characters of which these are the first and the last, neither of them a space; alone it
    /// is a piece, [`UNKNOWN`] or [`UNSURE`].
    Plain { first: char, last: char, id: u32 },
    /// It becomes a space, behind which a run may end.
    Space { ends: bool },
    /// It may become one with what stands before it, and if `solid` ends with something else than a
    /// space then.
    Continues { solid: bool },
    /// Nothing is said of it.
    Odd,
}

/// Where texts are cut.
pub struct Runs {
    /// Letters and digits of ASCII that have nothing special about them.
    is_word: Box<[bool; 256]>,
    index: Box<[u16]>,
    blocks: Vec<[Kind; BLOCK]>,
    joined: Vec<u64>,
    /// How much of a hash counts.
    shift: u32,
    /// Whether some piece joins a mark to what stands before it.
    joins_marks: bool,
    symbols: Prefixes,
    /// Whether there is a cut in front of every space behind a letter or digit.
    words_apart: bool,
    /// How many characters come of a byte at most.
    growth: usize,
    /// How the cuts between characters of ASCII are found all at once.
    masked: Option<Masked>,
}

/// The tables while they are made.
pub struct RunsBuilder {
    runs: Runs,
    /// Which characters are joined, exactly.
    pairs: HashSet<(char, char)>,
    /// What the first and the last of the characters are that one of ASCII becomes.
    ascii: [(char, char); 128],
}

impl RunsBuilder {
    /// Tables that know no character; `pairs` will be joined, or fewer. Spaces become `mark`.
    pub fn new(symbols: Prefixes, pairs: usize) -> Self {
        let bits = (pairs * 8).next_power_of_two().ilog2().clamp(12, 22);
        let runs = Runs {
            is_word: Box::new([false; 256]),
            index: vec![0; BLOCKS].into_boxed_slice(),
            blocks: vec![[STRANGER; BLOCK]],
            joined: vec![0; 1 << bits >> 6],
            shift: 32 - bits,
            joins_marks: false,
            symbols,
            words_apart: false,
            growth: 1,
            masked: None,
        };
        Self {
            runs,
            pairs: HashSet::new(),
            ascii: std::array::from_fn(|c| (c as u8 as char, c as u8 as char)),
        }
    }

    /// Says what a character does.
    pub fn set(&mut self, c: char, role: Role) {
        let one = |first, last, id, flags| {
            Kind(u64::from(hash(first)) | u64::from(hash(last)) << 16 | u64::from(id) << 32 | flags)
        };
        let kind = match role {
            Role::Plain { first, last, id } => one(first, last, id, STARTS | ENDS),
            Role::Space { ends: false } => one(MARK, MARK, UNSURE, STARTS | IS_SPACE),
            Role::Space { ends: true } => one(MARK, MARK, UNSURE, STARTS | ENDS | IS_SPACE),
            Role::Continues { solid: true } => {
                one(MARK, MARK, UNSURE, CONTINUES | ENDS | ENDS_ANYHOW)
            }
            Role::Continues { solid: false } => one(MARK, MARK, UNSURE, CONTINUES),
            Role::Odd => one(MARK, MARK, UNSURE, 0),
        };
        if let (Some(ends), Role::Plain { first, last, .. }) =
            (self.ascii.get_mut(c as usize), role)
        {
            *ends = (first, last);
        }
        let symbol = if starts_symbol(&self.runs.symbols, c) { IS_SYMBOL } else { 0 };
        let Runs { index, blocks, is_word, .. } = &mut self.runs;
        let block = &mut index[c as usize >> BLOCK_BITS];
        if *block == 0 {
            *block = blocks.len() as u16;
            blocks.push([STRANGER; BLOCK]);
        }
        blocks[usize::from(*block)][c as usize % BLOCK] = Kind(kind.0 | symbol);
        if c.is_ascii_alphanumeric() {
            let plain = matches!(role, Role::Plain { first, last, .. } if (first, last) == (c, c));
            is_word[c as usize] = plain && symbol == 0;
        }
    }

    /// Joins two characters of normalized texts.
    pub fn join(&mut self, before: char, behind: char) {
        let place = self.runs.place(hash(before), hash(behind));
        self.runs.joined[place / 64] |= 1 << (place % 64);
        self.pairs.insert((before, behind));
        self.runs.joins_marks |= behind == MARK && before != MARK;
    }

    /// Says that as many characters may come of a byte.
    pub fn grows_by(&mut self, chars: usize) {
        self.runs.growth = self.runs.growth.max(chars);
    }

    /// By character of ASCII, behind which others some piece may join it to, a bit each.
    fn neighbours(&self) -> [u128; 128] {
        let (mut firsts, mut lasts) = (HashMap::<_, u128>::new(), HashMap::<_, Vec<usize>>::new());
        for (byte, &own) in self.ascii.iter().enumerate() {
            let is_space = self.runs.kind(byte as u32).has(IS_SPACE);
            let (first, last) = if is_space { (MARK, MARK) } else { own };
            *firsts.entry(first).or_default() |= 1 << byte;
            lasts.entry(last).or_default().push(byte);
        }
        let mut neighbours = [0; 128];
        for (before, behind) in &self.pairs {
            for &byte in lasts.get(before).into_iter().flatten() {
                neighbours[byte] |= firsts.get(behind).copied().unwrap_or_default();
            }
        }
        neighbours
    }

    /// The tables.
    pub fn build(mut self) -> Runs {
        let space = self.runs.kind(u32::from(' '));
        self.runs.words_apart = !self.runs.joins_marks && space.has(STARTS);
        self.runs.masked = Masked::new(&self.runs, &self.neighbours());
        self.runs
    }
}

/// A number other than 0 for a character: 0 is that of all strangers.
fn hash(c: char) -> u32 {
    ((c as u32).wrapping_mul(0x9E37_79B1) >> 16).max(1)
}

fn starts_symbol(symbols: &Prefixes, c: char) -> bool {
    let mut bytes = [0; 4];
    symbols.starts_with(c.encode_utf8(&mut bytes).as_bytes()[0])
}

impl Runs {
    /// The bit of two neighbours, by the hashes of both.
    #[inline]
    fn place(&self, before: u32, behind: u32) -> usize {
        ((before << 16 | behind).wrapping_mul(0x85EB_CA6B) >> self.shift) as usize
    }

    #[inline]
    fn kind(&self, c: u32) -> Kind {
        let block = self.index.get((c >> BLOCK_BITS) as usize).copied().unwrap_or_default();
        self.blocks[usize::from(block)][c as usize % BLOCK]
    }

    /// Whether there may be a cut between two characters if what stands behind them allows it.
    #[inline]
    fn cuts(&self, before: Kind, behind: Kind) -> bool {
        if !before.has(ENDS) || !behind.has(STARTS) {
            return false;
        }
        if before.has(ENDS_ANYHOW) {
            return behind.has(IS_SPACE) && !self.joins_marks;
        }
        let place = self.place(before.last(), behind.first());
        self.joined[place / 64] >> (place % 64) & 1 == 0
    }

    /// Whether a run may start with the first character of a text, as behind another one.
    pub fn may_start(&self, text: &str) -> bool {
        text.chars().next().is_some_and(|c| !self.kind(c as u32).has(CONTINUES))
    }

    /// Whether a text starts with a space, or what becomes one.
    pub fn starts_with_space(&self, text: &str) -> bool {
        text.chars().next().is_some_and(|c| self.kind(c as u32).has(IS_SPACE))
    }

    /// How many characters come of a byte at most; of one of ASCII, one.
    pub fn growth(&self) -> usize {
        self.growth
    }

    /// The runs of a text, found character by character.
    fn walk<'a>(&'a self, text: &'a str) -> Walk<'a> {
        Walk {
            runs: self,
            text: text.as_bytes(),
            at: 0,
            before: Kind(0),
            place: 0,
            cuts: false,
            only: UNSURE,
            id: UNSURE,
        }
    }
}

/// A run of a text: where it ends, and what it is if it is one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub end: usize,
    pub id: u32,
}

impl Run {
    pub const EMPTY: Run = Run { end: 0, id: UNSURE };
}

/// A walk through a text from character to character. A place is a cut only once it is known what stands
/// behind the character behind it.
struct Walk<'a> {
    runs: &'a Runs,
    text: &'a [u8],
    at: usize,
    /// The last character.
    before: Kind,
    /// Where it starts, and whether there may be a cut.
    place: usize,
    cuts: bool,
    /// What the run before that place is if it is one character, and what the last character is.
    only: u32,
    id: u32,
}

impl Walk<'_> {
    /// Whether the last run may end where the text goes on: asked when all are found.
    fn ends_well(&self) -> bool {
        self.before.has(ENDS)
    }

    /// The next runs; none at the end of the text, and `N - 1` or less.
    #[inline]
    fn fill<const N: usize>(&mut self, found: &mut [Run; N]) -> usize {
        let Self { runs, text, mut at, mut before, mut place, mut cuts, mut only, mut id } = *self;
        let mut count = 0;
        if at > text.len() {
            return 0;
        }
        while at < text.len() && count + 2 < N {
            let byte = text[at];
            let start = at;
            let kind = if byte < 0x80 {
                at += 1;
                runs.kind(u32::from(byte))
            } else {
                let (c, len) = decode(&text[at..]);
                at += len;
                runs.kind(c)
            };
            let cut = cuts && !kind.has(CONTINUES);
            // Written always and kept where it counts.
            found[count] = Run { end: place, id: only };
            count += usize::from(cut);
            only = if cut || place == 0 { id } else { UNSURE };
            if kind.has(IS_SYMBOL) {
                let symbol = runs.symbols.longest(&text[start..]);
                if let Some(len) = symbol.filter(|len| start + len != at) {
                    (at, place, cuts) = (start + len, start, false);
                    (before, id) = (Kind(0), UNSURE);
                    continue;
                }
            }
            cuts = runs.cuts(before, kind);
            (before, place, id) = (kind, start, kind.id());
            if runs.is_word[usize::from(byte)] {
                let from = at;
                while text.get(at).is_some_and(|&byte| runs.is_word[usize::from(byte)]) {
                    at += 1;
                }
                let is_apart = runs.words_apart && text.get(at) == Some(&b' ');
                if at > from || is_apart {
                    found[count] = Run { end: place, id: only };
                    count += usize::from(cuts);
                    // A space and a word, again and again.
                    while runs.words_apart && count + 2 < N && is_spaced_word(runs, text, at) {
                        found[count] = Run { end: at, id: UNSURE };
                        count += 1;
                        at += 2;
                        while text.get(at).is_some_and(|&byte| runs.is_word[usize::from(byte)]) {
                            at += 1;
                        }
                    }
                    (before, cuts) = (runs.kind(u32::from(text[at - 1])), false);
                    (only, id, place) = (UNSURE, UNSURE, at - 1);
                }
            }
        }
        if at == text.len() && count + 2 < N {
            found[count] = Run { end: place, id: only };
            count += usize::from(cuts);
            let only = if cuts || place == 0 { id } else { UNSURE };
            found[count] = Run { end: at, id: only };
            count += 1;
            at += 1;
        }
        *self = Self { runs, text, at, before, place, cuts, only, id };
        count
    }
}

/// Whether a space and a letter or digit stand at a place.
#[inline]
fn is_spaced_word(runs: &Runs, text: &[u8], at: usize) -> bool {
    matches!(text.get(at..at + 2), Some(&[b' ', byte]) if runs.is_word[usize::from(byte)])
}

/// The code point and the length of a character that is not ASCII; `text` is UTF-8.
#[inline]
fn decode(text: &[u8]) -> (u32, usize) {
    let more = |at: usize| u32::from(text.get(at).copied().unwrap_or_default() & 0x3F);
    match u32::from(text[0]) {
        lead @ 0..=0xDF => ((lead & 0x1F) << 6 | more(1), 2),
        lead @ 0xE0..=0xEF => ((lead & 0x0F) << 12 | more(1) << 6 | more(2), 3),
        lead => ((lead & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3), 4),
    }
}

#[cfg(test)]
mod tests;
