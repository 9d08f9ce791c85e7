//! The runs of a whole text, handed out in groups: by masks where all is ASCII, walked elsewhere.
//!
//! Between two characters of ASCII a cut depends on both and on whether what stands behind the second one
//! may become one with it, which only characters beyond ASCII do here. So [`Composing`] finds these cuts 64
//! bytes at a time. What lies between two of them is a run if it is ASCII without symbols; else it is
//! walked on its own.
//!
//! Cost: some 100 ns for 64 bytes of ASCII.

use super::{Run, Runs, CONTINUES, ENDS, IS_SYMBOL, STARTS, UNSURE};
use crate::scan::{best_level, scan, Composing, Joins};

/// How many walked runs are found together.
const WALKED: usize = 16;

pub(super) struct Masked {
    joins: Joins,
    /// Whether some symbol starts with a character of ASCII.
    has_symbols: bool,
}

impl Masked {
    /// `neighbours` says of each character of ASCII which others some piece may join it to, a bit each;
    /// `None` where one may become one with what stands before it.
    pub fn new(runs: &Runs, neighbours: &[u128; 128]) -> Option<Self> {
        let kind = |byte: usize| runs.kind(byte as u32);
        let has = |flag| (0..128).filter(move |&byte| kind(byte).has(flag));
        let set = |bytes: &mut dyn Iterator<Item = usize>| bytes.fold(0u128, |set, b| set | 1 << b);
        if has(CONTINUES).next().is_some() {
            return None;
        }
        let never = !set(&mut has(STARTS));
        let words = set(&mut (0..128).filter(|&byte| runs.is_word[byte]));
        let mut rows: [u128; 128] = std::array::from_fn(|byte| {
            let in_word = if words >> byte & 1 == 1 { words } else { 0 };
            let all = if kind(byte).has(ENDS) { 0 } else { u128::MAX };
            neighbours[byte] | never | in_word | all
        });
        join_symbols(runs, &mut rows);
        let joined = |before: Option<u8>, behind: Option<u8>| match (before, behind) {
            (Some(before), Some(behind)) => rows[usize::from(before)] >> behind & 1 == 1,
            _ => true,
        };
        Some(Self { joins: Joins::new(joined), has_symbols: has(IS_SYMBOL).next().is_some() })
    }
}

/// Joins what are neighbours in a symbol of several characters, and its ends to all that stands there.
fn join_symbols(runs: &Runs, rows: &mut [u128; 128]) {
    for symbol in runs.symbols.all().filter(|symbol| symbol.len() > 1) {
        for pair in symbol.windows(2).filter(|pair| pair.is_ascii()) {
            rows[usize::from(pair[0])] |= 1 << pair[1];
        }
        match *symbol {
            [first, ..] if first.is_ascii() => rows.iter_mut().for_each(|row| *row |= 1 << first),
            _ => {}
        }
        match *symbol {
            [.., last] if last.is_ascii() => rows[usize::from(last)] = u128::MAX,
            _ => {}
        }
    }
}

/// Runs on the way to who takes them in groups.
struct Groups<'r, const N: usize, G> {
    runs: &'r mut [Run; N],
    count: usize,
    give: G,
}

impl<const N: usize, E, G: FnMut(&[Run]) -> Result<(), E>> Groups<'_, N, G> {
    #[inline(always)]
    fn push(&mut self, run: Run) -> Result<(), E> {
        if self.count == N {
            (self.give)(self.runs)?;
            self.count = 0;
        }
        self.runs[self.count] = run;
        self.count += 1;
        Ok(())
    }
}

impl Runs {
    /// Calls `give` with the runs of a text that is not empty, `N` at a time, and then returns how many
    /// there are still: at least one. Says whether the last run may end where the text goes on.
    pub fn in_groups<const N: usize, E>(
        &self,
        text: &str,
        runs: &mut [Run; N],
        give: impl FnMut(&[Run]) -> Result<(), E>,
    ) -> Result<(usize, bool), E> {
        let mut groups = Groups { runs, count: 0, give };
        let Some(masked) = &self.masked else {
            let ends_well = self.walked(text, 0, |run| groups.push(run))?;
            return Ok((groups.count, ends_well));
        };
        // Where the last part that was walked ends, and whether a run may end there.
        let mut walked = (0, false);
        scan(&Composing(&masked.joins), None, best_level(), text, |cuts| {
            let (Some(&first), Some(&last)) = (cuts.first(), cuts.last()) else { return Ok(()) };
            let is_plain = !masked.has_symbols && text.as_bytes()[first..last].is_ascii();
            for cut in cuts.windows(2) {
                let part = &text[cut[0]..cut[1]];
                if is_plain || self.is_plain(part.as_bytes(), masked) {
                    let id = match *part.as_bytes() {
                        [byte] => self.kind(u32::from(byte)).id(),
                        _ => UNSURE,
                    };
                    groups.push(Run { end: cut[1], id })?;
                } else {
                    walked = (cut[1], self.walked(part, cut[0], |run| groups.push(run))?);
                }
            }
            Ok(())
        })?;
        let ends_well = match (walked, text.as_bytes().last()) {
            ((end, ends_well), _) if end == text.len() => ends_well,
            (_, Some(&byte)) => self.kind(u32::from(byte)).has(ENDS),
            _ => false,
        };
        Ok((groups.count, ends_well))
    }

    /// Whether a part of a text is ASCII without the start of a symbol.
    #[inline]
    fn is_plain(&self, part: &[u8], masked: &Masked) -> bool {
        let has_symbol = |&byte: &u8| self.kind(u32::from(byte)).has(IS_SYMBOL);
        part.is_ascii() && !(masked.has_symbols && part.iter().any(has_symbol))
    }

    /// Finds the runs of a part of a text that starts at a place character by character; says whether the
    /// last one may end where the text goes on.
    fn walked<E>(
        &self,
        part: &str,
        start: usize,
        mut each: impl FnMut(Run) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut walk = self.walk(part);
        let mut found = [Run::EMPTY; WALKED];
        loop {
            let count = walk.fill(&mut found);
            if count == 0 {
                return Ok(walk.ends_well());
            }
            for run in &found[..count] {
                each(Run { end: start + run.end, id: run.id })?;
            }
        }
    }
}
