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

use super::gpt2::contraction;
use super::masks::Masks;
use super::window::Family;

/// CLIP's split.
#[derive(Debug, Clone, Copy)]
pub struct Clip;

/// What a block has to know of the one before: top bits of its masks, each as 0 or 1, and the starts that a
/// contraction at its end sets and clears here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Carry {
    letter: u64,
    space: u64,
    other: u64,
    set: u64,
    clear: u64,
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
        let after_space = now.space << 1 | carry.space;
        let other_starts = other & !(other << 1 | carry.other);
        let mut words = now.letter & !(now.letter << 1 | carry.letter)
            | now.number & !now.continuation
            | other_starts;
        words = words & !carry.clear | carry.set & !now.space;
        (carry.set, carry.clear) = (0, 0);
        let mut apostrophes = now.apostrophe & other_starts;
        while apostrophes != 0 {
            let bit = apostrophes.trailing_zeros();
            apostrophes &= apostrophes - 1;
            let len = contraction(&text[at + bit as usize..]);
            if len > 0 {
                let clear = 1u128 << (bit + 1);
                let set = 1u128 << (bit + len);
                words = words & !(clear as u64) | set as u64 & !now.space;
                carry.clear |= (clear >> 64) as u64;
                carry.set |= (set >> 64) as u64;
            }
        }
        let follows = |by: u32| now.space >> by | behind.space << (64 - by);
        let of_1 = now.space & !now.continuation & !now.space_of_2 & !now.space_of_3;
        let last = of_1 & !follows(1) | now.space_of_2 & !follows(2) | now.space_of_3 & !follows(3);
        let spaces = now.space & !after_space | last & after_space;
        carry.letter = now.letter >> 63;
        carry.space = now.space >> 63;
        carry.other = other >> 63;
        u64::from(at == 0) | words & !after_space | spaces
    }
}
