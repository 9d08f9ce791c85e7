//! Piece starts of words between white space, as bit algebra.
//!
//! A piece is a word with the one character of white space before it; more white space is a piece of
//! its own. So a piece starts where white space does, and at the last character of white space where
//! that is not the only one and something follows. Where punctuation stands alone, a piece starts at
//! each punctuation character without white space before it, and behind each.
//!
//! Source: `pre_tokenizers/{whitespace,bert}.rs` of Hugging Face tokenizers 0.23.3.

use super::masks::{behind_each, Masks};
use super::window::Family;

/// Words between white space.
#[derive(Debug, Clone, Copy)]
pub struct Spaced {
    /// Whether each character that is neither letter, number, white space nor control stands alone; all
    /// others of a [`ClassTable`](crate::unicode::ClassTable) that are not white space must be letters.
    pub punctuation: bool,
}

/// What a block has to know of the one before: its top bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Carry {
    space: u64,
    alone: u64,
}

impl Family for Spaced {
    type Carry = Carry;

    #[inline(always)]
    fn starts(&self, now: &Masks, behind: &Masks, _: &[u8], at: usize, carry: &mut Carry) -> u64 {
        let alone = match self.punctuation {
            true => !(now.letter | now.number | now.space | now.control),
            false => 0,
        };
        let after_space = behind_each(now.space, &mut carry.space);
        let after_alone = behind_each(alone, &mut carry.alone);
        let last = now.last_spaces(now.space, behind.space);
        let first = u64::from(at == 0);
        let cut_by_alone = alone & !now.continuation & !after_space | after_alone & !alone;
        first | now.space & !after_space | last & after_space | cut_by_alone
    }
}
