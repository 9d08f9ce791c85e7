//! Piece starts of GPT-2's split, as bit algebra:
//!
//! `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
//!
//! A piece starts where the class changes (letter, number, other), unless a space stands before:
//! then it starts at the space. White space starts a piece at the start of its run, and its last
//! character does so again where something else follows (`\s+(?!\S)` gives one back). A
//! contraction is found at an apostrophe that starts a piece. Contractions are rare enough to be
//! looked at one by one.
//!
//! The Digits pre-tokenizer before it cuts the text at numbers first, so that white space before
//! a number is at the end of its text and a space does not join it.
//!
//! Source: Radford et al. 2019, `encoder.py`; the regular expression as Oniguruma in Hugging Face
//! tokenizers 0.23.3 runs it.

use super::masks::{behind_each, Masks};
use super::window::Family;

/// A Digits pre-tokenizer in front of the split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digits {
    /// There is none.
    None,
    /// Runs of numbers stand alone.
    Runs,
    /// Each number stands alone.
    Individual,
}

/// GPT-2's split.
#[derive(Debug, Clone, Copy)]
pub struct Gpt2 {
    pub digits: Digits,
}

/// What a block has to know of the one before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Carry {
    /// The top bits of the masks before, each as 0 or 1.
    letter: u64,
    number: u64,
    space: u64,
    numeric: u64,
    other: u64,
    blank: u64,
    contracted: Contracted,
}

impl Family for Gpt2 {
    type Carry = Carry;

    #[inline(always)]
    fn starts(
        &self,
        now: &Masks,
        behind: &Masks,
        text: &[u8],
        at: usize,
        carry: &mut Carry,
    ) -> u64 {
        let other = !(now.letter | now.number | now.space);
        let after_blank = behind_each(now.blank, &mut carry.blank);
        let changes = now.letter & !behind_each(now.letter, &mut carry.letter)
            | now.number & !behind_each(now.number, &mut carry.number)
            | other & !behind_each(other, &mut carry.other);
        let mut starts =
            changes & !after_blank | now.space & !behind_each(now.space, &mut carry.space);

        // What keeps a run of white space whole: more white space, or where Digits cuts.
        let digits = self.digits != Digits::None;
        let numeric = |masks: &Masks| if digits { masks.numeric } else { 0 };
        starts |= now.last_spaces(now.space | numeric(now), behind.space | numeric(behind));

        if digits {
            let was_numeric = behind_each(now.numeric, &mut carry.numeric);
            starts |= !now.numeric & was_numeric;
            starts |= match self.digits {
                Digits::Individual => now.numeric & !now.continuation,
                _ => now.numeric & !was_numeric,
            };
        }

        let apostrophes = |starts| now.apostrophe & starts;
        carry.contracted.apply(text, at, starts, apostrophes)
    }
}

/// Piece starts that contractions at the end of a block set and clear in the one behind it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Contracted {
    set: u64,
    clear: u64,
}

impl Contracted {
    /// The piece starts of the block at `text[at..]`, with those of contractions in place of those that they
    /// go over. `apostrophes` says which may start one, from the starts as the block before left them.
    #[inline(always)]
    pub fn apply(
        &mut self,
        text: &[u8],
        at: usize,
        starts: u64,
        apostrophes: impl FnOnce(u64) -> u64,
    ) -> u64 {
        let mut starts = starts & !self.clear | self.set;
        *self = Self::default();
        let mut apostrophes = apostrophes(starts);
        while apostrophes != 0 {
            let bit = apostrophes.trailing_zeros();
            apostrophes &= apostrophes - 1;
            let len = contraction(&text[at + bit as usize..]);
            if len > 0 {
                let clear = 1u128 << (bit + 1);
                let set = 1u128 << (bit + len);
                starts = starts & !(clear as u64) | set as u64;
                self.clear |= (clear >> 64) as u64;
                self.set |= (set >> 64) as u64;
            }
        }
        starts
    }
}

/// The length of the contraction at the start of `text`, which is an apostrophe; 0 for none.
#[inline]
fn contraction(text: &[u8]) -> u32 {
    match text {
        [_, b's' | b't' | b'm' | b'd', ..] => 2,
        [_, b'r', b'e', ..] | [_, b'v', b'e', ..] | [_, b'l', b'l', ..] => 3,
        _ => 0,
    }
}
