//! Cuts: splits that refine spans of a text, one after the other, without rewriting it.
//!
//! A chain of pre-tokenizers that each isolate what they find is a list of cuts; what a cut does
//! not match stays together as a piece of its own, as in the oracle's `Isolated`. Steps behind
//! ByteLevel see its alphabet, that is bytes ([`Cut::ByteRuns`]).

use std::convert::Infallible;

use super::chars::Chars;
use super::gpt2::Gpt2;
use super::modern::Modern;
use super::modern_starts::ModernStarts;
use super::window::scan;
use super::Level;
use crate::unicode::ClassTable;

/// One cut.
pub enum Cut {
    /// GPT-2's split by the mask scanner.
    Gpt2 { family: Gpt2, table: ClassTable },
    /// A split of today's models.
    Modern { family: Modern, table: ClassTable },
    /// Runs of a class of characters; `starts` are the first bytes that members have.
    Runs { runs: Runs, table: ClassTable, starts: Box<[bool; 256]> },
    /// Runs of a class of bytes.
    ByteRuns { runs: Runs, members: Box<[u8; 256]> },
    /// White space before the end of a line: `\s+$` as Oniguruma has it.
    TrailingSpace { table: ClassTable },
}

/// Class bits of [`Runs`] and [`Cut::TrailingSpace`].
pub const MEMBER: u8 = 1;
/// What may stand once before a run.
pub const LEAD: u8 = 2;

/// A run of members, perhaps with one leading character that is no member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runs {
    /// The fewest and the most members of a piece; what is left of a run stays unmatched.
    pub min: usize,
    pub max: usize,
}

/// Something that is read unit by unit: characters or bytes, with their class bits.
trait Units {
    /// The class bits of the unit at `at` and where it ends; no bits at the end.
    fn unit(&self, at: usize) -> (u8, usize);

    /// The first place from `at` on where a member may start; `end` if there is none before.
    fn candidate(&self, at: usize, end: usize) -> usize;

    /// Where the unit that ends at `at` starts.
    fn before(&self, at: usize) -> usize;
}

struct Members<'a> {
    chars: Chars<'a>,
    starts: &'a [bool; 256],
}

impl Units for Members<'_> {
    #[inline(always)]
    fn unit(&self, at: usize) -> (u8, usize) {
        self.chars.class(at)
    }

    #[inline(always)]
    fn candidate(&self, at: usize, end: usize) -> usize {
        let rest = self.chars.text[at..end].iter();
        rest.copied().position(|byte| self.starts[usize::from(byte)]).map_or(end, |more| at + more)
    }

    #[inline(always)]
    fn before(&self, at: usize) -> usize {
        self.chars.before(at)
    }
}

struct Bytes<'a> {
    text: &'a [u8],
    members: &'a [u8; 256],
}

impl Units for Bytes<'_> {
    #[inline(always)]
    fn unit(&self, at: usize) -> (u8, usize) {
        match self.text.get(at) {
            Some(&byte) => (self.members[usize::from(byte)], at + 1),
            None => (0, at),
        }
    }

    #[inline(always)]
    fn candidate(&self, at: usize, end: usize) -> usize {
        let rest = self.text[at..end].iter();
        let is_member = |byte: u8| self.members[usize::from(byte)] & MEMBER != 0;
        rest.copied().position(is_member).map_or(end, |more| at + more)
    }

    #[inline(always)]
    fn before(&self, at: usize) -> usize {
        at - 1
    }
}

/// From so many bytes on, a split of today's models is cut by masks.
const LONG: usize = 64;

impl Cut {
    /// Runs of the members of a table.
    pub fn runs(runs: Runs, table: ClassTable) -> Self {
        let starts = Box::new(table.first_bytes(MEMBER));
        Cut::Runs { runs, table, starts }
    }

    /// Cuts pieces of a text, which come as boundaries, and writes those that become of them; a piece in
    /// which nothing can match is passed over.
    pub fn refine(&self, level: Level, text: &str, boundaries: &[usize], refined: &mut Vec<usize>) {
        refined.clear();
        refined.push(0);
        let bytes = text.as_bytes();
        // Where a member may start, at or behind the piece at hand.
        let mut candidate = 0;
        for pair in boundaries.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            let is_passed_over = match self {
                Cut::Runs { table, starts, .. } => {
                    let members = Members { chars: Chars::new(bytes, table), starts };
                    candidate = members.candidate(candidate.max(start), bytes.len());
                    candidate >= end
                }
                Cut::ByteRuns { members, .. } => {
                    let units = Bytes { text: bytes, members };
                    candidate = units.candidate(candidate.max(start), bytes.len());
                    candidate >= end
                }
                Cut::TrailingSpace { table } => {
                    let chars = Chars::new(&bytes[..end], table);
                    let is_space = chars.class(chars.before(end)).0 & MEMBER != 0;
                    !is_space && memchr::memchr(b'\n', &bytes[start..end]).is_none()
                }
                Cut::Gpt2 { .. } | Cut::Modern { .. } => false,
            };
            if is_passed_over {
                refined.push(end);
            } else {
                self.apply(level, text, start, end, refined);
            }
        }
    }

    /// Hands out the pieces of a text that is not empty, in batches of boundaries.
    pub fn pieces<E>(
        &self,
        level: Level,
        text: &str,
        mut batch: impl FnMut(&[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Cut::Gpt2 { family, table } => scan(family, Some(table), level, text, batch),
            Cut::Modern { family, table } if text.len() >= LONG => {
                let starts = ModernStarts { split: *family, table };
                scan(&starts, Some(table), level, text, batch)
            }
            _ => {
                let mut boundaries = vec![0];
                self.apply(level, text, 0, text.len(), &mut boundaries);
                batch(&boundaries)
            }
        }
    }

    /// Appends the ends of the scanner's pieces.
    fn scan_into(&self, level: Level, text: &str, start: usize, end: usize, ends: &mut Vec<usize>) {
        let push = |boundaries: &[usize]| {
            ends.extend(boundaries[1..].iter().map(|end| start + end));
            Ok::<(), Infallible>(())
        };
        self.pieces(level, &text[start..end], push).unwrap_or_else(|never| match never {});
    }

    /// Cuts `text[start..end]`, which is not empty, and appends where its pieces end.
    pub fn apply(&self, level: Level, text: &str, start: usize, end: usize, ends: &mut Vec<usize>) {
        let bytes = &text.as_bytes()[..end];
        match self {
            Cut::Gpt2 { .. } => self.scan_into(level, text, start, end, ends),
            Cut::Modern { .. } if end - start >= LONG => {
                self.scan_into(level, text, start, end, ends);
            }
            Cut::Modern { family, table } => {
                let chars = Chars::new(bytes, table);
                isolate(
                    start,
                    end,
                    ends,
                    |at| chars.class(at).1,
                    |at| Some((at, family.piece_end(&chars, at)?)),
                );
            }
            Cut::Runs { runs, table, starts } => {
                let members = Members { chars: Chars::new(bytes, table), starts };
                runs.cut(&members, start, end, ends);
            }
            Cut::ByteRuns { runs, members } => {
                runs.cut(&Bytes { text: bytes, members }, start, end, ends)
            }
            Cut::TrailingSpace { table } => {
                let chars = Chars::new(bytes, table);
                trailing_space(&chars, start, end, ends);
            }
        }
    }
}

/// Appends the ends of matches and of what lies between them. `find` looks at one place only.
#[inline(always)]
fn isolate(
    start: usize,
    end: usize,
    ends: &mut Vec<usize>,
    next: impl Fn(usize) -> usize,
    find: impl Fn(usize) -> Option<(usize, usize)>,
) {
    let (mut at, mut done) = (start, start);
    while at < end {
        match find(at) {
            Some((from, to)) => {
                if done < from {
                    ends.push(from);
                }
                ends.push(to);
                (at, done) = (to, to);
            }
            None => at = next(at),
        }
    }
    if done < end {
        ends.push(end);
    }
}

impl Runs {
    #[inline(always)]
    fn cut(&self, units: &impl Units, start: usize, end: usize, ends: &mut Vec<usize>) {
        let (mut at, mut done) = (start, start);
        loop {
            at = units.candidate(at, end);
            if at >= end {
                break;
            }
            let (class, behind) = units.unit(at);
            if class & MEMBER == 0 {
                at = behind;
                continue;
            }
            // What leads the run is no member, so that it is in no match before.
            let before = if at > done { units.before(at) } else { at };
            let leads = before < at && units.unit(before).0 & (MEMBER | LEAD) == LEAD;
            let from = if leads { before } else { at };
            let (to, count) = self.take(units, at);
            if count < self.min {
                at = to;
                continue;
            }
            if done < from {
                ends.push(from);
            }
            ends.push(to);
            (at, done) = (to, to);
        }
        if done < end {
            ends.push(end);
        }
    }

    /// Up to `max` members from `at` on: where they end, and how many they are.
    #[inline(always)]
    fn take(&self, units: &impl Units, mut at: usize) -> (usize, usize) {
        let mut count = 0;
        while count < self.max {
            let (class, behind) = units.unit(at);
            if class & MEMBER == 0 {
                break;
            }
            (at, count) = (behind, count + 1);
        }
        (at, count)
    }
}

/// `\s+$`: the line may end at a newline or at the end of the text.
fn trailing_space(chars: &Chars<'_>, start: usize, end: usize, ends: &mut Vec<usize>) {
    let (mut at, mut done) = (start, start);
    while at < end {
        let (class, behind) = chars.class(at);
        if class & MEMBER == 0 {
            at = behind;
            continue;
        }
        let run = chars.run(at, MEMBER);
        let line = chars.text[behind..run].iter().rposition(|&byte| byte == b'\n');
        let to = if run == end { Some(end) } else { line.map(|line| behind + line) };
        if let Some(to) = to {
            if done < at {
                ends.push(at);
            }
            ends.push(to);
            done = to;
        }
        // What is left of the run starts at its last newline and matches no more.
        at = run;
    }
    if done < end {
        ends.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::draws;
    use crate::scan::classify::levels;

    fn members(bits: impl Fn(char) -> u8) -> ClassTable {
        let ascii: Vec<(u8, Vec<(u32, u32)>)> = [MEMBER, LEAD]
            .into_iter()
            .map(|bit| {
                let set =
                    (0..128u32).filter(|&c| char::from_u32(c).is_some_and(|c| bits(c) & bit != 0));
                (bit, set.map(|c| (c, c)).collect())
            })
            .collect();
        ClassTable::from_sets(&ascii).expect("few blocks")
    }

    fn pieces(cut: &Cut, text: &str) -> Vec<String> {
        let ends_at = |level| {
            let mut ends = Vec::new();
            cut.apply(level, text, 0, text.len(), &mut ends);
            ends
        };
        let ends: Vec<usize> = ends_at(Level::Scalar);
        levels()
            .into_iter()
            .for_each(|level| assert_eq!(ends_at(level), ends, "{level:?} {text:?}"));
        let mut start = 0;
        ends.iter().map(|&end| text[std::mem::replace(&mut start, end)..end].to_owned()).collect()
    }

    #[test]
    fn runs_take_a_lead_and_leave_short_rests() {
        let table = || {
            members(|c| {
                if c.is_ascii_digit() {
                    MEMBER
                } else if c == ' ' {
                    LEAD
                } else {
                    0
                }
            })
        };
        let cut = Cut::runs(Runs { min: 3, max: 3 }, table());
        assert_eq!(pieces(&cut, "12345x 678"), ["123", "45x", " 678"]);
        let cut = Cut::runs(Runs { min: 1, max: usize::MAX }, table());
        assert_eq!(pieces(&cut, "a  12 3"), ["a ", " 12", " 3"]);
    }

    #[test]
    fn trailing_space_ends_at_lines() {
        let cut = Cut::TrailingSpace { table: members(|c| u8::from(c.is_ascii_whitespace())) };
        assert_eq!(pieces(&cut, "a \n b \n"), ["a", " ", "\n b", " \n"]);
        assert_eq!(pieces(&cut, "a b"), ["a b"]);
    }

    #[test]
    fn what_is_passed_over_would_not_be_cut() {
        const PARTS: [&str; 12] =
            ["a", "1", "23", " ", " ", "\n", ".", "é", "\u{3000}", "漢", "²", "\u{1F600}"];
        let set = |first: char, last: char| (u32::from(first), u32::from(last));
        let runs = |min, max, members, lead| {
            let table = ClassTable::from_sets(&[(MEMBER, members), (LEAD, lead)]).unwrap();
            Cut::runs(Runs { min, max }, table)
        };
        let space = || vec![set(' ', ' '), set('\u{3000}', '\u{3000}')];
        let all = usize::MAX;
        let mut bytes = Box::new([0; 256]);
        bytes[usize::from(b'1')] = MEMBER;
        bytes[usize::from(b' ')] = LEAD;
        let spaces =
            ClassTable::from_sets(&[(MEMBER, vec![set('\t', '\r'), set(' ', ' ')])]).unwrap();
        let cuts = [
            runs(1, 1, vec![set('\n', '\n')], vec![]),
            runs(1, all, vec![set('a', 'z'), set('é', 'é')], space()),
            runs(1, all, vec![set('.', '.'), set('\u{3000}', '\u{3001}')], space()),
            Cut::TrailingSpace { table: spaces },
            runs(2, 3, vec![set('1', '9'), set('²', '²')], space()),
            runs(1, all, vec![set('\u{4E00}', '\u{9FFF}')], vec![]),
            Cut::ByteRuns { runs: Runs { min: 1, max: 1 }, members: bytes },
        ];
        let mut next = draws(1);
        for _ in 0..3_000 {
            let text: String = (0..1 + next(40)).map(|_| PARTS[next(PARTS.len())]).collect();
            let mut boundaries = vec![0, text.len()];
            for _ in 0..4 {
                let cut = &cuts[next(cuts.len())];
                let mut known = vec![0];
                for pair in boundaries.windows(2) {
                    cut.apply(Level::Scalar, &text, pair[0], pair[1], &mut known);
                }
                for level in levels() {
                    let mut refined = Vec::new();
                    cut.refine(level, &text, &boundaries, &mut refined);
                    assert_eq!(refined, known, "{level:?} {text:?}");
                }
                boundaries = known;
            }
        }
    }
}
