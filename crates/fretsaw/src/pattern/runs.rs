//! Runs of characters of a set, found without an engine: ` {2,}`, `\s+`, `[ \n]` and the like.
//!
//! A run is matched from its first character on, as many of it as may be, and what is left over goes on
//! as a run of its own: as a backtracking engine does with such a pattern.
//!
//! Cost: a table look-up a byte; where the one member is a character of ASCII, vector instructions find
//! the fewest that count.

use memchr::memmem;

/// Whether a byte starts a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    No,
    Yes,
    /// The character decides.
    Maybe,
}

/// A set of characters, and how many of them in a row are a match.
pub(super) struct Runs {
    min: usize,
    max: usize,
    starts: Box<[Start; 256]>,
    /// The members in order, both ends of a range in it.
    members: Vec<(u32, u32)>,
    /// The fewest that count, where that is always the same text.
    fewest: Option<Box<memmem::Finder<'static>>>,
}

impl Runs {
    /// From ranges in order with both ends in them; at least one member makes a run.
    pub fn new(members: &[(u32, u32)], min: usize, max: usize) -> Self {
        let members = members.to_vec();
        let mut starts = Box::new([Start::No; 256]);
        for (byte, start) in (0..0x80).zip(starts.iter_mut()) {
            if contains(&members, byte) {
                *start = Start::Yes;
            }
        }
        for &(first, last) in &members {
            for lead in lead(first.max(0x80))..=lead(last) {
                starts[usize::from(lead)] = match last >= 0x80 {
                    true => Start::Maybe,
                    false => starts[usize::from(lead)],
                };
            }
        }
        let fewest = match members[..] {
            [(first, last)] if first == last && first < 0x80 => {
                let text = vec![first as u8; min];
                Some(Box::new(memmem::Finder::new(&text).into_owned()))
            }
            _ => None,
        };
        Self { min, max, starts, members, fewest }
    }

    /// The first match that starts at byte `at` or later.
    pub fn find(&self, text: &str, mut at: usize) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        loop {
            at += match &self.fewest {
                Some(fewest) => fewest.find(&bytes[at..])?,
                None => {
                    let starts = |&byte: &u8| self.starts[usize::from(byte)] != Start::No;
                    bytes[at..].iter().position(starts)?
                }
            };
            let (count, end) = self.run(text, at);
            if count >= self.min {
                return Some((at, end));
            }
            at = if count > 0 { end } else { at + bytes[at].leading_ones().max(1) as usize };
        }
    }

    /// Whether every run is one match.
    pub fn takes_all(&self) -> bool {
        self.min == 1 && self.max == usize::MAX
    }

    /// The first match that starts at `at`, which lies in no run, or later and is not just `byte`, if every
    /// run is one match.
    pub fn find_other(&self, text: &str, mut at: usize, byte: u8) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        let starts = |at: usize| {
            bytes.get(at).is_some_and(|&byte| self.starts[usize::from(byte)] != Start::No)
        };
        while at < bytes.len() {
            if !starts(at) {
                at += 1;
            } else if bytes[at] == byte && !starts(at + 1) {
                at += 2;
            } else {
                let (count, end) = self.run(text, at);
                if count > 0 && bytes[at..end] != [byte] {
                    return Some((at, end));
                }
                at = if count > 0 { end } else { at + bytes[at].leading_ones().max(1) as usize };
            }
        }
        None
    }

    /// How many members stand from a place on, no more than make a match, and where they end.
    fn run(&self, text: &str, start: usize) -> (usize, usize) {
        let (mut count, mut end) = (0, start);
        while count < self.max {
            let Some(&byte) = text.as_bytes().get(end) else { break };
            end += match self.starts[usize::from(byte)] {
                Start::No => break,
                Start::Yes => 1,
                Start::Maybe => match text[end..].chars().next() {
                    Some(c) if contains(&self.members, u32::from(c)) => c.len_utf8(),
                    _ => break,
                },
            };
            count += 1;
        }
        (count, end)
    }
}

/// Whether one of the ranges, which are in order, has a code point.
fn contains(ranges: &[(u32, u32)], code_point: u32) -> bool {
    let behind = ranges.partition_point(|&(first, _)| first <= code_point);
    behind.checked_sub(1).is_some_and(|at| code_point <= ranges[at].1)
}

/// The first byte of a code point that is not ASCII; of one that is no character, that of a neighbour.
fn lead(code_point: u32) -> u8 {
    match code_point {
        ..0x800 => 0xC0 | (code_point >> 6) as u8,
        0x800..0x1_0000 => 0xE0 | (code_point >> 12) as u8,
        _ => 0xF0 | (code_point >> 18) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use crate::draws::draws;
    use crate::spec;

    /// A pattern, the members of its set, the fewest and the most of them in a row.
    type Known = (&'static str, &'static [(u32, u32)], usize, usize);

    #[test]
    fn runs_are_what_the_engine_finds() {
        let space: &'static [(u32, u32)] = &[
            (9, 13),
            (32, 32),
            (0x85, 0x85),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
        ];
        let wide: &'static [(u32, u32)] = &[(0x7F, 0x801), (0xFFFF, 0x1_0001)];
        let no_max = usize::MAX;
        let all: [Known; 8] = [
            (" {2,}", &[(32, 32)], 2, no_max),
            (" +", &[(32, 32)], 1, no_max),
            ("a{2,3}", &[(97, 97)], 2, 3),
            (r"\s+", space, 1, no_max),
            (r"\s{3,}", space, 3, no_max),
            ("[ab]", &[(97, 98)], 1, 1),
            ("[a-c]{1,2}", &[(97, 99)], 1, 2),
            (r"[\x{7F}-\x{801}\x{FFFF}-\x{10001}]+", wide, 1, no_max),
        ];
        const CHARS: [&str; 18] = [
            "a",
            "b",
            "c",
            " ",
            " ",
            "\n",
            "\r",
            "\u{7F}",
            "\u{80}",
            "\u{85}",
            "é",
            "\u{800}",
            "\u{802}",
            "\u{3000}",
            "漢",
            "\u{FFFF}",
            "\u{10000}",
            "\u{10002}",
        ];
        let mut next = draws(1);
        for (source, members, min, max) in all {
            let engine = Pattern::compile(&spec::Pattern::Onig(source.into()), "p").unwrap();
            let runs = Pattern::of_runs(source, members, min, max);
            for _ in 0..2_000 {
                let few = 1 + next(CHARS.len());
                let first = next(CHARS.len());
                let text: String =
                    (0..next(40)).map(|_| CHARS[(first + next(few)) % CHARS.len()]).collect();
                let found = |pattern: &Pattern| {
                    pattern.find_iter(&text).map(|found| found.unwrap()).collect::<Vec<_>>()
                };
                assert_eq!(found(&runs), found(&engine), "{source:?} {text:?}");
                let other = |pattern: &Pattern| {
                    let found = pattern.find_other(&text, " ").map(|found| found.unwrap());
                    found.filter(|&(start, end)| &text[start..end] != " ").collect::<Vec<_>>()
                };
                assert_eq!(other(&runs), other(&engine), "{source:?} {text:?}");
            }
        }
    }
}
