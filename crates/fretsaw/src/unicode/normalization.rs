//! What Hugging Face's normalizers know of each character.
//!
//! Their tables are of several Unicode versions, so these here were found by sweeping all scalar
//! values through each normalizer (see `docs/unicode.md`). A two-stage table gives the [`Kind`] of
//! a character in two loads; kind 0 of the table is that of a character that no normalizer
//! changes. Decompositions are found by a second such table, compositions by binary search.

mod tables;

use tables::{
    BLOCKS, ENTRIES, GRAPHEMES, GRAPHEME_BLOCKS, GRAPHEME_INDEX, INDEX, KINDS, PAIRS, SMALL_BLOCKS,
    SMALL_INDEX, TEXTS,
};

/// Something that a normalizer asks about a character.
///
/// The order is that of the bits in the generated table.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// NFD changes it.
    Nfd,
    /// NFKD changes it.
    Nfkd,
    /// NFC changes it, or may make one character of it and what stands before.
    Nfc,
    /// NFKC changes it, or may make one character of it and what stands before.
    Nfkc,
    /// `StripAccents` takes it away: a mark of Unicode 9.0.
    Accent,
    /// The accent stripping of `BertNormalizer` takes it away: a nonspacing mark of Unicode 8.0.
    BertAccent,
    /// `clean_text` of `BertNormalizer` takes it away.
    BertRemoved,
    /// `clean_text` of `BertNormalizer` makes a space of it.
    BertSpace,
    /// `BertNormalizer` sets it between spaces.
    BertChinese,
}

/// All that the normalizers know of a character, but for its decompositions.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    order: u8,
    flags: u16,
    lower: i32,
}

impl Kind {
    /// The place of the canonical combining class among all classes; 0 for class 0.
    #[inline]
    pub const fn order(&self) -> u8 {
        self.order
    }

    /// Whether a flag is set.
    #[inline]
    pub const fn has(&self, flag: Flag) -> bool {
        self.flags & (1 << flag as u8) != 0
    }

    /// Whether `Lowercase` changes it.
    #[inline]
    pub const fn has_lower(&self) -> bool {
        self.lower != 0
    }
}

/// The kind of a character.
#[inline]
pub fn kind(c: char) -> &'static Kind {
    let block = usize::from(INDEX[c as usize >> 8]);
    &KINDS[usize::from(BLOCKS[block << 8 | c as usize & 0xFF])]
}

/// The lower case of a character, which is itself if it has none.
///
/// U+0130 alone has two characters: this one and [`DOT_ABOVE`].
#[inline]
pub fn lower(c: char) -> char {
    char::from_u32((c as u32).wrapping_add_signed(kind(c).lower)).unwrap_or(c)
}

/// The only character whose lower case is two characters.
pub const CAPITAL_I_WITH_DOT: char = '\u{130}';
/// The second character of its lower case.
pub const DOT_ABOVE: char = '\u{307}';

/// What a character does where `Precompiled` cuts a text in graphemes.
///
/// The order is that of the numbers in the generated table.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grapheme {
    /// None of the others; regional indicators too.
    Other,
    /// A cut before and behind it, but for CR and LF together, which are of this class.
    Control,
    /// Belongs to what stands before.
    Extend,
    /// `Extend` that may also stand in a conjunct.
    ConjunctExtend,
    /// `ConjunctExtend` that joins two consonants.
    Linker,
    /// The joiner U+200D, `ConjunctExtend` that joins two pictographs.
    Zwj,
    /// Belongs to what stands before, but is nothing else that `Extend` is.
    SpacingMark,
    /// Belongs to what follows.
    Prepend,
    /// A leading consonant of Hangul.
    L,
    /// A vowel of Hangul.
    V,
    /// A trailing consonant of Hangul.
    T,
    /// A Hangul syllable without trailing consonant.
    LV,
    /// A Hangul syllable with one.
    LVT,
    /// An emoji or the like.
    Pictograph,
    /// A consonant that forms conjuncts.
    Consonant,
}

/// The grapheme class of a character.
#[inline]
pub fn grapheme(c: char) -> Grapheme {
    let block = usize::from(GRAPHEME_INDEX[c as usize >> 8]);
    let number = GRAPHEME_BLOCKS[block << 8 | c as usize & 0xFF];
    GRAPHEMES[usize::from(number & 0xF)]
}

/// Which characters are taken apart, and by what table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// As NFD does it.
    Canonical,
    /// As NFKD does it.
    Compatible,
}

const HANGUL_FIRST: u32 = 0xAC00;
const LEADING_FIRST: u32 = 0x1100;
const VOWEL_FIRST: u32 = 0x1161;
/// One before the first trailing consonant, so that 0 stands for none.
const TRAILING_BASE: u32 = 0x11A7;
const LEADINGS: u32 = 19;
const VOWELS: u32 = 21;
const TRAILINGS: u32 = 28;
const SYLLABLES: u32 = LEADINGS * VOWELS * TRAILINGS;

/// The full decomposition of a character that is no Hangul syllable, if it has one.
#[inline]
pub fn decomposition(c: char, how: Decomposition) -> Option<&'static str> {
    let block = usize::from(*SMALL_INDEX.get(c as usize >> 7)?);
    let number = usize::from(SMALL_BLOCKS[block << 7 | c as usize & 0x7F]);
    let (start, size, compatible_start, compatible_size) = *ENTRIES.get(number.checked_sub(1)?)?;
    let (start, size) = match how {
        Decomposition::Canonical => (usize::from(start), usize::from(size)),
        Decomposition::Compatible => (usize::from(compatible_start), usize::from(compatible_size)),
    };
    TEXTS.get(start..start + size).filter(|text| !text.is_empty())
}

/// The parts of a Hangul syllable; the third is U+11A7 if there are only two.
pub fn hangul_parts(c: char) -> Option<[char; 3]> {
    let number = (c as u32).checked_sub(HANGUL_FIRST).filter(|&number| number < SYLLABLES)?;
    let leading = LEADING_FIRST + number / (VOWELS * TRAILINGS);
    let vowel = VOWEL_FIRST + number / TRAILINGS % VOWELS;
    let trailing = TRAILING_BASE + number % TRAILINGS;
    Some([char::from_u32(leading)?, char::from_u32(vowel)?, char::from_u32(trailing)?])
}

/// The third of [`hangul_parts`] if there is none.
pub const NO_TRAILING: char = '\u{11A7}';

/// The character that two make by canonical composition.
pub fn compose(first: char, second: char) -> Option<char> {
    if second < '\u{300}' {
        return None;
    }
    if let Some(syllable) = compose_hangul(first as u32, second as u32) {
        return char::from_u32(syllable);
    }
    let found = PAIRS.binary_search_by_key(&(first, second), |&(first, second, _)| (first, second));
    found.ok().map(|at| PAIRS[at].2)
}

fn compose_hangul(first: u32, second: u32) -> Option<u32> {
    let leading = first.wrapping_sub(LEADING_FIRST);
    let vowel = second.wrapping_sub(VOWEL_FIRST);
    if leading < LEADINGS && vowel < VOWELS {
        return Some(HANGUL_FIRST + (leading * VOWELS + vowel) * TRAILINGS);
    }
    let syllable = first.wrapping_sub(HANGUL_FIRST);
    let trailing = second.wrapping_sub(TRAILING_BASE);
    let composes = syllable < SYLLABLES
        && syllable.is_multiple_of(TRAILINGS)
        && (1..TRAILINGS).contains(&trailing);
    composes.then(|| first + trailing)
}
