//! Piece starts of the splits of today's models, as bit algebra.
//!
//! A word starts where letters do, or at the one character before them if that may stand in front of
//! a word and is not needed before: white space that is no newline, or a single other character that
//! starts a piece itself. Other characters start a piece where their run does, or at the space before
//! it, and take the newlines behind them. White space starts pieces where its run does, behind the
//! newlines that others took, behind its last newline, and with its last character where something
//! follows. Upper case behind lower case starts a word where case counts; a contraction is looked at by
//! itself, as in GPT-2's split.
//!
//! What does not follow from neighbouring bits is found piece by piece ([`Modern::piece_end`], which is
//! also the twin that tests compare with), from the last sure start to the next: marks and characters
//! without case beside upper case where case counts, numbers of several bytes that are counted, slashes
//! behind newlines, and what a split does not match.
//!
//! Cost: linear; each piece is read at most twice beyond its masks.

use super::chars::Chars;
use super::masks::{behind_each, Masks};
use super::modern::{contraction, Contractions, Modern, Words};
use super::window::Family;
use crate::unicode::ClassTable;

/// No place: where a text starts, neither a contraction ends nor a next piece starts.
const NONE: usize = 0;

/// A split with the classes of its characters.
pub struct ModernStarts<'t> {
    pub split: Modern,
    pub table: &'t ClassTable,
}

/// What a block has to know of the one before: top bits of masks as 0 or 1, of numbers three; and where
/// things were.
#[derive(Debug, Default)]
pub struct Carry {
    letter: u64,
    space: u64,
    other: u64,
    blank: u64,
    newline: u64,
    single: u64,
    taken: u64,
    ascii_word: u64,
    cased: Cased,
    numbers: u64,
    groups: u64,
    /// Piece starts that contractions of the block before set and clear in this one.
    set: u64,
    clear: u64,
    /// Where the last contraction of a word ended.
    contracted: usize,
    /// The last piece start.
    last: usize,
    /// The next piece start, while pieces are found one by one.
    by_piece: usize,
}

/// Letters by case; as a carry, top bits.
#[derive(Debug, Default)]
struct Cased {
    /// Upper case alone.
    upper: u64,
    /// Lower case, or both.
    lower: u64,
    both: u64,
}

impl Family for ModernStarts<'_> {
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
        let (by_masks, unsure) = self.by_masks(now, behind, text, at, carry);
        let starts = match unsure {
            0 if carry.by_piece == NONE => by_masks,
            _ => self.by_pieces(by_masks, unsure, text, at, carry) | u64::from(at == 0),
        };
        if starts != 0 {
            carry.last = at + 63 - starts.leading_zeros() as usize;
        }
        starts
    }
}

impl ModernStarts<'_> {
    /// Piece starts as they follow from masks, and places that these may be wrong about: at or behind
    /// one of them and before the next sure start.
    #[inline(always)]
    fn by_masks(
        &self,
        now: &Masks,
        behind: &Masks,
        text: &[u8],
        at: usize,
        carry: &mut Carry,
    ) -> (u64, u64) {
        let Modern { words, contractions, slashes, .. } = self.split;
        let Masks { letter, number, space, blank, newline, continuation, .. } = *now;
        let other = match words {
            Words::DeepSeek => now.other,
            Words::Letters | Words::Cased => !(letter | number | space),
        };
        let after_letter = behind_each(letter, &mut carry.letter);
        let after_space = behind_each(space, &mut carry.space);
        let after_newline = behind_each(newline, &mut carry.newline);
        let after_other = behind_each(other, &mut carry.other);

        // Other characters, and those of them that may stand in front of a word.
        let others = other & !after_other;
        let mut starts = others & !behind_each(blank, &mut carry.blank);
        let mut single = starts | carry.single & continuation & 1;
        match words {
            Words::DeepSeek => single &= !now.non_ascii,
            Words::Letters | Words::Cased => {
                for _ in 0..3 {
                    single |= single << 1 & continuation;
                }
            }
        }
        let after_single = behind_each(single, &mut carry.single);

        let word_starts = letter & !after_letter;
        let mut joined = word_starts & after_single;
        let mut unsure = 0;
        match words {
            Words::DeepSeek => {
                let ascii = letter & !now.non_ascii;
                joined &= ascii;
                let words = runs_from(ascii, joined, carry.ascii_word);
                starts |= words.ends & letter;
                carry.ascii_word = words.goes_on;
                unsure = !(letter | space | other) | letter & now.prefix;
            }
            Words::Cased => {
                let (cased, unsure_of_case) = carry.cased.starts(now);
                starts |= cased;
                unsure = unsure_of_case;
            }
            Words::Letters => {}
        }
        starts |= word_starts & !(after_space & !after_newline) & !joined;

        let (numbers, unsure_numbers) = self.numbers(now, carry);
        starts |= numbers;
        unsure |= unsure_numbers;

        // White space; newlines right behind other characters belong to them.
        let taken = runs_from(newline, newline & after_other, carry.taken);
        starts |= space & !after_space & !taken.all | taken.ends & space;
        carry.taken = taken.goes_on;
        if slashes {
            unsure |= slash_starts(text, at, taken.ends & other);
        }
        let plain = space & !newline;
        let lines = plain & after_newline;
        if lines != 0 {
            starts |= self.last_lines(lines, plain, newline, behind, text, at);
        }
        starts |= now.last_spaces(space, behind.space) & !newline;

        starts = starts & !carry.clear | carry.set;
        (carry.set, carry.clear) = (0, 0);
        match contractions {
            Contractions::None => {}
            Contractions::Apart => {
                starts |= carry.contractions(text, at, starts & now.apostrophe);
            }
            Contractions::Attached => {
                let apostrophes = starts & now.apostrophe & after_letter;
                if apostrophes != 0 {
                    starts = carry.attached(text, at, starts, apostrophes);
                }
            }
        }
        (starts, unsure)
    }

    /// Starts of numbers, and numbers of several bytes where they are counted.
    #[inline(always)]
    fn numbers(&self, now: &Masks, carry: &mut Carry) -> (u64, u64) {
        let Masks { number, continuation, .. } = *now;
        match self.split.numbers {
            0 => (0, 0),
            1 => (number & !continuation, 0),
            _ => {
                // Bytes of numbers behind three others of the same run.
                let before = carry.numbers;
                let two = (number << 1 | before >> 2) & (number << 2 | before >> 1);
                let full = number & two & (number << 3 | before);
                let mut groups = number & !(number << 1 | before >> 2);
                let mut more = (groups << 3 | carry.groups) & full;
                while more != 0 {
                    groups |= more;
                    more = more << 3 & full;
                }
                carry.numbers = number >> 61;
                carry.groups = groups >> 61;
                (groups, number & continuation)
            }
        }
    }

    /// Of starts of lines in white space, those in front of which the last newline of its run is.
    #[inline(always)]
    fn last_lines(
        &self,
        lines: u64,
        plain: u64,
        newline: u64,
        behind: &Masks,
        text: &[u8],
        at: usize,
    ) -> u64 {
        let RunsFrom { ends, goes_on, .. } = runs_from(plain, lines, 0);
        let mut last = lines;
        let mut wrong = ends & newline;
        while wrong != 0 {
            let end = wrong.trailing_zeros();
            wrong &= wrong - 1;
            last &= !highest(lines & ((1 << end) - 1));
        }
        if goes_on != 0 && self.is_wrong_beyond(behind, text, at) {
            last &= !highest(lines);
        }
        last
    }

    /// Whether white space that goes on behind a block has a newline there, or ends the text where it is
    /// one piece.
    fn is_wrong_beyond(&self, behind: &Masks, text: &[u8], at: usize) -> bool {
        let ends = !behind.space | behind.newline;
        if ends != 0 {
            return behind.newline >> ends.trailing_zeros() & 1 == 1;
        }
        let chars = Chars::new(text, self.table);
        let mut place = at + 128;
        // The block behind may end in a character that goes on.
        while text.get(place).is_some_and(|byte| byte & 0xC0 == 0x80) {
            place += 1;
        }
        loop {
            let (class, end) = chars.class(place);
            if place >= text.len() {
                return self.split.whole_tail;
            }
            if matches!(text[place], b'\r' | b'\n') {
                return true;
            }
            if class & super::SPACE == 0 {
                return false;
            }
            place = end;
        }
    }

    /// Piece starts of a block where masks are not enough.
    #[cold]
    fn by_pieces(
        &self,
        by_masks: u64,
        mut unsure: u64,
        text: &[u8],
        at: usize,
        carry: &mut Carry,
    ) -> u64 {
        let chars = Chars::new(text, self.table);
        let mut next = carry.by_piece;
        let mut starts = if next == NONE { by_masks } else { 0 };
        loop {
            if next == NONE {
                if unsure == 0 {
                    break;
                }
                // The piece that the first such place is in, or that ends there.
                starts &= (1 << unsure.trailing_zeros()) - 1;
                let from = match starts {
                    0 => carry.last,
                    _ => at + 63 - starts.leading_zeros() as usize,
                };
                next = self.piece_end(&chars, from);
            }
            if next >= text.len().min(at + 64) {
                break;
            }
            let here = 1 << (next - at);
            starts |= here;
            unsure &= !(here - 1);
            if by_masks & !unsure & here != 0 {
                starts |= by_masks & !(here - 1);
                next = NONE;
            } else {
                next = self.piece_end(&chars, next);
            }
        }
        carry.by_piece = next;
        starts
    }

    /// Where the piece that starts at a place ends: a match, or all that lies before one.
    fn piece_end(&self, chars: &Chars<'_>, start: usize) -> usize {
        if let Some(end) = self.split.piece_end(chars, start) {
            return end;
        }
        let mut at = start;
        loop {
            at = chars.class(at).1;
            if at >= chars.text.len() || self.split.piece_end(chars, at).is_some() {
                return at;
            }
        }
    }
}

/// Runs of a mask that start at chosen places.
struct RunsFrom {
    /// All their bytes.
    all: u64,
    /// The places behind them.
    ends: u64,
    /// Whether the last goes on behind the block, as 0 or 1.
    goes_on: u64,
}

/// The runs of `mask` that start at `starts`, and at the start of the block if `carried` is 1: added to it,
/// the start of a run clears it and sets the bit behind.
#[inline(always)]
fn runs_from(mask: u64, starts: u64, carried: u64) -> RunsFrom {
    let (sum, over) = mask.overflowing_add(starts | carried & mask);
    let ends = sum & !mask | carried & !mask & 1;
    RunsFrom { all: mask & !sum, ends, goes_on: u64::from(over) }
}

/// The highest bit of a mask.
#[inline(always)]
fn highest(mask: u64) -> u64 {
    match mask {
        0 => 0,
        _ => 1 << (63 - mask.leading_zeros()),
    }
}

/// Which of the places are slashes.
#[inline(always)]
fn slash_starts(text: &[u8], at: usize, mut places: u64) -> u64 {
    let mut slashes = 0;
    while places != 0 {
        let place = places.trailing_zeros();
        places &= places - 1;
        slashes |= u64::from(text.get(at + place as usize) == Some(&b'/')) << place;
    }
    slashes
}

impl Cased {
    /// Upper case behind lower case, and letters for which more than their neighbours counts.
    #[inline(always)]
    fn starts(&mut self, now: &Masks) -> (u64, u64) {
        let upper = now.letter & now.upper & !now.lower;
        let lower = now.letter & now.lower;
        let both = lower & now.upper;
        let starts = upper & behind_each(lower, &mut self.lower);
        let beside =
            upper & behind_each(both, &mut self.both) | both & behind_each(upper, &mut self.upper);
        let marks = (now.upper | now.lower) & !now.letter;
        (starts, beside | marks)
    }
}

impl Carry {
    /// The starts behind contractions at these apostrophes.
    #[inline(always)]
    fn contractions(&mut self, text: &[u8], at: usize, mut apostrophes: u64) -> u64 {
        let mut starts = 0;
        while apostrophes != 0 {
            let place = apostrophes.trailing_zeros();
            apostrophes &= apostrophes - 1;
            let len = contraction(&text[at + place as usize..]);
            if len > 0 {
                let behind = 1u128 << (place as usize + len);
                starts |= behind as u64;
                self.set |= (behind >> 64) as u64;
            }
        }
        starts
    }

    /// The starts with those behind contractions that belong to the word in front of them, in place of
    /// those at their apostrophes.
    #[inline(always)]
    fn attached(&mut self, text: &[u8], at: usize, mut starts: u64, mut apostrophes: u64) -> u64 {
        while apostrophes != 0 {
            let place = apostrophes.trailing_zeros();
            apostrophes &= apostrophes - 1;
            let here = at + place as usize;
            let len = contraction(&text[here..]);
            if len > 0 && self.contracted != here {
                let behind = 1u128 << (place as usize + len);
                let within = behind - (1 << place);
                starts = starts & !(within as u64) | behind as u64;
                self.set |= (behind >> 64) as u64;
                self.clear |= (within >> 64) as u64;
                self.contracted = here + len;
            }
        }
        starts
    }
}
