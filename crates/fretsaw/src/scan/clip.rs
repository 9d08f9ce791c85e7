//! Piece starts of CLIP's split, as bit algebra:
//!
//! `'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`, with white space between.
//!
//! A piece starts where the class changes (letter, other) and at each number; the one character of white
//! space before it belongs to it, and more white space is a piece of its own. A contraction is found at an
//! apostrophe that starts a run of others; they are looked at one by one.
//!
//! Source: Radford et al. 2021, `simple_tokenizer.py`; the regular expression as Oniguruma in Hugging Face
//! tokenizers 0.23.3 runs it.

use super::gpt2::Contracted;
use super::masks::{behind_each, Masks};
use super::window::Family;

/// CLIP's split.
#[derive(Debug, Clone, Copy)]
pub struct Clip;

/// What a block has to know of the one before: top bits of its masks, each as 0 or 1, and contractions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Carry {
    letter: u64,
    space: u64,
    other: u64,
    contracted: Contracted,
}

impl Family for Clip {
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
        let after_space = behind_each(now.space, &mut carry.space);
        let other_starts = other & !behind_each(other, &mut carry.other);
        let mut words = now.letter & !behind_each(now.letter, &mut carry.letter)
            | now.number & !now.continuation
            | other_starts;
        // A contraction that ends at white space sets a start where that has its own.
        words = carry.contracted.apply(text, at, words, |_| now.apostrophe & other_starts);
        let last = now.last_spaces(now.space, behind.space);
        let spaces = now.space & !after_space | last & after_space;
        u64::from(at == 0) | words & !after_space | spaces
    }
}
