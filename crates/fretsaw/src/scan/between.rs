//! What two neighbouring characters say of the place between them, whatever stands around.
//!
//! A place is a sure cut of a split if each text that has these two characters there is cut there, and
//! the text before it and the text behind it are cut as they are on their own. The splits known here
//! look back at nothing and ahead only over white space and the letters of a contraction, so that where
//! a word ends because no word goes on, both holds. Cost: two look-ups.

use super::cut::{Cut, Runs, LEAD, MEMBER};
use super::gpt2::Gpt2;
use super::masks::{LETTER, NUMERIC};
use super::modern::{class, Contractions, Modern, Words};
use crate::unicode::ClassTable;

/// What is sure of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// It is cut, and both sides are cut as on their own.
    Cut,
    /// It may not be cut, but no match of the split reaches over it: both sides are cut as on their own.
    Apart,
    /// Nothing.
    Unknown,
}

impl Cut {
    /// What is sure of the place between two characters in a piece that this cut gets.
    pub fn between(&self, before: char, behind: char) -> Between {
        let of =
            |table: &ClassTable| (table.class_bits(before.into()), table.class_bits(behind.into()));
        match self {
            Cut::Gpt2 { family, table } => family.between(table, before, behind),
            Cut::Modern { family, table } => family.between(table, before, behind),
            Cut::Runs { runs, table, .. } => {
                let (before, behind) = of(table);
                runs.between(before, behind)
            }
            Cut::ByteRuns { runs, members } => {
                let mut buffer = [0; 4];
                let last = before.encode_utf8(&mut buffer).as_bytes().last().copied();
                let first = behind.encode_utf8(&mut buffer).as_bytes().first().copied();
                let bits = |byte: Option<u8>| byte.map_or(0, |byte| members[usize::from(byte)]);
                let (before, behind) = (bits(last), bits(first));
                runs.between(before, behind)
            }
            Cut::TrailingSpace { table } => match of(table).0 & MEMBER {
                0 => Between::Apart,
                _ => Between::Unknown,
            },
        }
    }
}

impl Gpt2 {
    /// A word ends where no letter follows.
    pub fn between(&self, table: &ClassTable, before: char, behind: char) -> Between {
        let word = table.class_bits(before.into()) & (LETTER | NUMERIC) == LETTER;
        let goes_on = table.class_bits(behind.into()) & LETTER != 0;
        if word && !goes_on {
            Between::Cut
        } else {
            Between::Unknown
        }
    }
}

impl Modern {
    /// A word ends where no letter follows, nor the apostrophe of a contraction that belongs to it.
    fn between(&self, table: &ClassTable, before: char, behind: char) -> Between {
        let letters = match self.words {
            Words::Letters | Words::DeepSeek => class::LETTER,
            Words::Cased => class::UPPER | class::LOWER,
        };
        let bits = table.class_bits(before.into());
        let word = bits & letters != 0 && bits & class::PREFIX == 0;
        let goes_on = table.class_bits(behind.into()) & letters != 0
            || self.contractions == Contractions::Attached && behind == '\'';
        if word && !goes_on {
            Between::Cut
        } else {
            Between::Unknown
        }
    }
}

impl Runs {
    /// A run reaches over no place between a member and none, unless a character leads it there.
    fn between(&self, before: u8, behind: u8) -> Between {
        let is_member = |bits: u8| bits & MEMBER != 0;
        match (is_member(before), is_member(behind)) {
            (true, true) => Between::Unknown,
            (false, true) if before & LEAD != 0 => Between::Unknown,
            (true, false) if self.min <= 1 => Between::Cut,
            _ => Between::Apart,
        }
    }
}
