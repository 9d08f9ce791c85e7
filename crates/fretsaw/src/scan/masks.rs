//! Class masks of a block with every character in them, not just ASCII.
//!
//! Each byte of a character gets the character's bit; the bits that a character at the end of a
//! block sends into the next block are carried there.

use super::classify::{AsciiMasks, Classify};
use super::modern::class;
use crate::unicode::ClassTable;

/// Class bits that a [`ClassTable`] for the scanner gives out.
pub const LETTER: u8 = 1 << 0;
pub const NUMBER: u8 = 1 << 1;
pub const SPACE: u8 = 1 << 2;
/// What the Digits pre-tokenizer calls a number, which is another Unicode version's.
pub const NUMERIC: u8 = 1 << 3;
// The classes of today's splits begin with the same three.
const _: () = assert!(class::LETTER == LETTER && class::NUMBER == NUMBER && class::SPACE == SPACE);

/// Masks of one block; bit `i` speaks of byte `i`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Masks {
    pub letter: u64,
    pub number: u64,
    pub space: u64,
    pub numeric: u64,
    /// The classes of today's splits, see [`class`]: upper and lower case, and of ASCII punctuation as
    /// `other`; `prefix` only beyond ASCII.
    pub upper: u64,
    pub lower: u64,
    pub other: u64,
    pub prefix: u64,
    /// U+0020 alone.
    pub blank: u64,
    pub apostrophe: u64,
    /// Control characters of ASCII.
    pub control: u64,
    /// CR and LF.
    pub newline: u64,
    /// Bytes of characters beyond ASCII.
    pub non_ascii: u64,
    /// Bytes that do not start a character.
    pub continuation: u64,
    /// First bytes of white space of two and of three bytes.
    pub space_of_2: u64,
    pub space_of_3: u64,
}

impl Masks {
    /// What stands behind the end of the text: white space without end.
    pub const BEYOND: Masks = Masks {
        letter: 0,
        number: 0,
        space: u64::MAX,
        numeric: 0,
        upper: 0,
        lower: 0,
        other: 0,
        prefix: 0,
        blank: u64::MAX,
        apostrophe: 0,
        control: 0,
        newline: 0,
        non_ascii: 0,
        continuation: 0,
        space_of_2: 0,
        space_of_3: 0,
    };

    /// First bytes of white space behind which there is none of `here`, nor of `there` in the next block.
    #[inline(always)]
    pub fn last_spaces(&self, here: u64, there: u64) -> u64 {
        let follows = |by: u32| here >> by | there << (64 - by);
        let of_1 = self.space & !self.continuation & !self.space_of_2 & !self.space_of_3;
        of_1 & !follows(1) | self.space_of_2 & !follows(2) | self.space_of_3 & !follows(3)
    }
}

/// A mask moved behind each of its bytes; `top` is the last bit of the block before, and then this one's.
#[inline(always)]
pub fn behind_each(mask: u64, top: &mut u64) -> u64 {
    mask << 1 | std::mem::replace(top, mask >> 63)
}

/// Bits of a character that lie in the block behind the one it starts in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spill {
    letter: u64,
    number: u64,
    space: u64,
    numeric: u64,
    upper: u64,
    lower: u64,
    other: u64,
    prefix: u64,
}

/// The masks of `block`, which is `text[start..]`, padded with spaces at the end of the text. Without a
/// table only ASCII has classes.
#[inline(always)]
pub fn masks<C: Classify>(
    block: &[u8; 64],
    text: &[u8],
    start: usize,
    table: Option<&ClassTable>,
    spill: &mut Spill,
) -> Masks {
    let ascii: AsciiMasks = C::classify(block);
    let sign = !(ascii.letter | ascii.digit | ascii.space | ascii.control | ascii.non_ascii);
    let mut masks = Masks {
        letter: ascii.letter | spill.letter,
        number: ascii.digit | spill.number,
        space: ascii.space | spill.space,
        numeric: ascii.digit | spill.numeric,
        upper: ascii.upper | spill.upper,
        lower: ascii.letter & !ascii.upper | spill.lower,
        other: sign | spill.other,
        prefix: spill.prefix,
        blank: ascii.blank,
        apostrophe: ascii.apostrophe,
        control: ascii.control,
        newline: ascii.newline,
        non_ascii: ascii.non_ascii,
        continuation: ascii.continuation,
        space_of_2: 0,
        space_of_3: 0,
    };
    *spill = Spill::default();
    let Some(table) = table else { return masks };
    let mut leads = ascii.non_ascii & !ascii.continuation;
    while leads != 0 {
        let at = leads.trailing_zeros();
        leads &= leads - 1;
        let (code_point, len) = decode(&text[start + at as usize..]);
        let class = table.class_bits(code_point);
        let bits = u128::from((1u8 << len) - 1) << at;
        let (here, beyond) = (bits as u64, (bits >> 64) as u64);
        let pick = |class_bit: u8| 0u64.wrapping_sub(u64::from(class & class_bit != 0));
        masks.letter |= here & pick(LETTER);
        masks.number |= here & pick(NUMBER);
        masks.space |= here & pick(SPACE);
        masks.numeric |= here & pick(NUMERIC);
        masks.upper |= here & pick(class::UPPER);
        masks.lower |= here & pick(class::LOWER);
        masks.other |= here & pick(class::OTHER);
        masks.prefix |= here & pick(class::PREFIX);
        if beyond != 0 {
            spill.letter |= beyond & pick(LETTER);
            spill.number |= beyond & pick(NUMBER);
            spill.space |= beyond & pick(SPACE);
            spill.numeric |= beyond & pick(NUMERIC);
            spill.upper |= beyond & pick(class::UPPER);
            spill.lower |= beyond & pick(class::LOWER);
            spill.other |= beyond & pick(class::OTHER);
            spill.prefix |= beyond & pick(class::PREFIX);
        }
        if class & SPACE != 0 {
            let lead = 1u64 << at;
            match len {
                2 => masks.space_of_2 |= lead,
                _ => masks.space_of_3 |= lead,
            }
        }
    }
    masks
}

/// The code point and length of the character at the start of `bytes`, which is not ASCII.
///
/// The text is UTF-8, so all bytes are there; were they not, zeros stand for them.
#[inline(always)]
pub(super) fn decode(bytes: &[u8]) -> (u32, u32) {
    let at = |index: usize| u32::from(bytes.get(index).copied().unwrap_or(0)) & 0x3F;
    match bytes[0] {
        lead @ 0..=0xDF => ((u32::from(lead) & 0x1F) << 6 | at(1), 2),
        lead @ 0xE0..=0xEF => ((u32::from(lead) & 0x0F) << 12 | at(1) << 6 | at(2), 3),
        lead => ((u32::from(lead) & 0x07) << 18 | at(1) << 12 | at(2) << 6 | at(3), 4),
    }
}
