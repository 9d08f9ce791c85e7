//! Piece starts between characters that nothing joins, as bit algebra.
//!
//! A table says which two neighbours are joined. ASCII characters fall into letters, digits, spaces,
//! signs and the rest, all others into one more class; where no two characters of two classes are joined,
//! every place between these classes is a start. Where some are, but not all, each such place is looked
//! up, except between letters, which are many: there, and inside of other characters, nothing starts. A
//! start that is left out makes a longer piece, never a wrong one.
//!
//! Cost: about 150 operations for 64 bytes, and a look-up for each place that two signs or a sign and
//! something else have between them.

use super::masks::{behind_each, Masks};
use super::window::Family;

/// Letters, digits, spaces, signs, the rest of ASCII, other characters.
const CLASSES: usize = 6;
const LETTERS: usize = 0;
const OTHERS: usize = 5;

/// Which neighbours are joined.
#[derive(Clone)]
pub struct Joins {
    /// By class before and behind: all ones where nothing is joined.
    apart: [[u64; CLASSES]; CLASSES],
    /// By class before and behind: all ones where each place is looked up.
    mixed: [[u64; CLASSES]; CLASSES],
    /// For each ASCII character, which others are joined to it from behind, a bit each.
    ascii: Box<[u128; 128]>,
}

impl Joins {
    /// `joined` says whether a character is joined to the one behind it; `None` is any beyond ASCII.
    pub fn new(joined: impl Fn(Option<u8>, Option<u8>) -> bool) -> Self {
        let mut members: [Vec<Option<u8>>; CLASSES] = Default::default();
        members[OTHERS].push(None);
        (0..128).for_each(|byte| members[class(byte)].push(Some(byte)));
        let (mut apart, mut mixed) = ([[0; CLASSES]; CLASSES], [[0; CLASSES]; CLASSES]);
        for (before, firsts) in members.iter().enumerate() {
            for (behind, seconds) in members.iter().enumerate() {
                let any = || firsts.iter().any(|&a| seconds.iter().any(|&b| joined(a, b)));
                let is_many = before == behind && matches!(before, LETTERS | OTHERS);
                let looked_up = before != OTHERS && behind != OTHERS;
                let all = || firsts.iter().all(|&a| seconds.iter().all(|&b| joined(a, b)));
                if is_many || all() {
                    continue;
                }
                if !any() {
                    apart[before][behind] = u64::MAX;
                } else if looked_up {
                    mixed[before][behind] = u64::MAX;
                }
            }
        }
        let row = |before: u8| {
            let bit = |behind: u8| u128::from(joined(Some(before), Some(behind))) << behind;
            (0..128).map(bit).fold(0, |row, bit| row | bit)
        };
        Self { apart, mixed, ascii: Box::new(std::array::from_fn(|before| row(before as u8))) }
    }

    /// Whether two ASCII characters are joined.
    #[inline]
    fn are_joined(&self, before: u8, behind: u8) -> bool {
        self.ascii[usize::from(before & 127)] >> (behind & 127) & 1 == 1
    }
}

/// The class of an ASCII character.
fn class(byte: u8) -> usize {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' => LETTERS,
        b'0'..=b'9' => 1,
        b' ' => 2,
        b'!'..=b'~' => 3,
        _ => 4,
    }
}

impl Family for Joins {
    /// The top bits of the classes' masks.
    type Carry = [u64; CLASSES];

    #[inline(always)]
    fn starts(
        &self,
        now: &Masks,
        _behind: &Masks,
        text: &[u8],
        at: usize,
        carry: &mut Self::Carry,
    ) -> u64 {
        let Masks { letter, number, blank, other, non_ascii, .. } = *now;
        let rest = !(letter | number | blank | other | non_ascii);
        let masks = [letter, number, blank, other, rest, non_ascii];
        let (mut starts, mut mixed) = (u64::from(at == 0), 0);
        for ((&mask, carried), (apart, looked_up)) in
            masks.iter().zip(carry.iter_mut()).zip(self.apart.iter().zip(&self.mixed))
        {
            let behind = behind_each(mask, carried);
            let of = |chosen: &[u64; CLASSES]| {
                masks.iter().zip(chosen).fold(0, |all, (mask, chosen)| all | mask & chosen)
            };
            starts |= behind & of(apart);
            mixed |= behind & of(looked_up);
        }
        while mixed != 0 {
            let place = at + mixed.trailing_zeros() as usize;
            let bit = mixed & mixed.wrapping_neg();
            mixed ^= bit;
            let is_start = match text.get(place.wrapping_sub(1)..=place) {
                Some(&[before, behind]) => !self.are_joined(before, behind),
                _ => false,
            };
            starts |= if is_start { bit } else { 0 };
        }
        starts
    }
}

/// The same where a character may become one with a character beyond ASCII behind it, and it is not known
/// then what it is joined to: nothing starts in front of such two.
pub struct Composing<'a>(pub &'a Joins);

impl Family for Composing<'_> {
    type Carry = [u64; CLASSES];

    #[inline(always)]
    fn starts(
        &self,
        now: &Masks,
        behind: &Masks,
        text: &[u8],
        at: usize,
        carry: &mut Self::Carry,
    ) -> u64 {
        let starts = self.0.starts(now, behind, text, at, carry);
        starts & !(now.non_ascii >> 1 | behind.non_ascii << 63) | u64::from(at == 0)
    }
}

/// The same in a text with parts of its own, which are pieces: ranges in order, none empty, none of which
/// starts before the one in front of it ends.
pub struct Parted<'a> {
    pub joins: &'a Joins,
    pub apart: &'a [(usize, usize)],
}

/// The carry of the text around them, and how many of them lie before.
#[derive(Default)]
pub struct PartedCarry {
    around: [u64; CLASSES],
    passed: usize,
}

impl Family for Parted<'_> {
    type Carry = PartedCarry;

    #[inline(always)]
    fn starts(
        &self,
        now: &Masks,
        behind: &Masks,
        text: &[u8],
        at: usize,
        carry: &mut PartedCarry,
    ) -> u64 {
        let mut starts = self.joins.starts(now, behind, text, at, &mut carry.around);
        // Bits of this block from a place on, and the bit of a place.
        let from = |place: usize| match place.saturating_sub(at) {
            bit @ 0..64 => u64::MAX << bit,
            _ => 0,
        };
        let bit = |place: usize| if place < at { 0 } else { from(place) & !(from(place) << 1) };
        while let Some(&(start, end)) = self.apart.get(carry.passed).filter(|part| part.0 < at + 64)
        {
            starts = starts & !(from(start) & !from(end)) | bit(start) | bit(end);
            if end >= at + 64 {
                break;
            }
            carry.passed += 1;
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::super::{boundaries_of, levels, scan, Level};
    use super::*;
    use crate::draws::draws;

    fn boundaries(family: &impl Family, level: Level, text: &str) -> Vec<usize> {
        boundaries_of(|keep| scan(family, None, level, text, keep))
    }

    #[test]
    fn nothing_starts_in_front_of_two_that_may_become_one() {
        let joins = Joins::new(|before, behind| {
            before.is_none() || behind.is_none() || before == behind || behind == Some(b'.')
        });
        let mut next = draws(2);
        for round in 0..4_000 {
            let len = [1 + next(300), 64 * (1 + next(4))][round % 2];
            let parts = ["a", "b", " ", ".", "1", "\n", "é", "漢"];
            let few = 3 + next(6);
            let text: String = (0..len).map(|_| parts[next(few)]).collect();
            let mut known = boundaries(&joins, Level::Scalar, &text);
            let is_beyond = |at: usize| text.as_bytes().get(at + 1).is_some_and(|byte| *byte > 127);
            known.retain(|&at| at == 0 || at == text.len() || !is_beyond(at));
            for level in levels() {
                assert_eq!(boundaries(&Composing(&joins), level, &text), known, "{text:?}");
            }
        }
    }

    #[test]
    fn parts_are_pieces_and_the_text_between_is_cut_as_on_its_own() {
        let joins = Joins::new(|before, behind| before == behind || behind == Some(b'.'));
        let mut next = draws(1);
        for round in 0..4_000 {
            let len = [1 + next(300), 64 * (1 + next(4))][round % 2];
            let text: String = (0..len).map(|_| ["a", "b", " ", ".", "1", "\n"][next(6)]).collect();
            let (mut apart, mut at) = (Vec::new(), 0);
            while at < len {
                at += [0, next(20), next(80)][next(3)];
                let end =
                    [at + 1, at + 1 + next(5), at + 1 + next(150), at / 64 * 64 + 64][next(4)];
                if end > len {
                    break;
                }
                apart.push((at, end));
                at = end;
            }
            let mut known = vec![0];
            let mut done = 0;
            for &(start, end) in apart.iter().chain([&(len, len)]) {
                if done < start {
                    let own = boundaries(&joins, Level::Scalar, &text[done..start]);
                    known.extend(own[1..].iter().map(|at| done + at));
                }
                if start < end {
                    known.push(end);
                }
                done = end;
            }
            for level in levels() {
                let parted = Parted { joins: &joins, apart: &apart };
                assert_eq!(boundaries(&parted, level, &text), known, "{text:?} {apart:?}");
            }
        }
    }
}
