//! The driver: walks a text in blocks of 64 bytes and hands out boundaries in batches.

use super::classify::{Classify, Level, Scalar};
use super::masks::{masks, Masks, Spill};
use crate::unicode::ClassTable;

/// How many boundaries a batch holds at least, but for the last; few, since short texts are many and
/// the array is cleared for each.
const BATCH: usize = 128;

/// A split whose piece starts follow from the masks of a block and its neighbours.
pub trait Family {
    /// What a block has to know of the one before.
    type Carry: Default;

    /// Piece starts in the block at `text[at..]` with the masks `now`; `behind` are the masks of
    /// the block behind it.
    fn starts(
        &self,
        now: &Masks,
        behind: &Masks,
        text: &[u8],
        at: usize,
        carry: &mut Self::Carry,
    ) -> u64;
}

/// Finds the pieces of `text` and calls `batch` with boundaries: piece `i` of a batch is
/// `boundaries[i]..boundaries[i + 1]`. Each batch begins with the boundary that ended the last.
///
/// Without a table only ASCII has classes. Stops at the first error of `batch`.
pub fn scan<F: Family, E>(
    family: &F,
    table: Option<&ClassTable>,
    level: Level,
    text: &str,
    batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    match level {
        Level::Scalar => walk::<Scalar, F, E>(family, table, text.as_bytes(), batch),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `best_level` gives this level only where the CPU has these features.
            unsafe { walk_avx2(family, table, text.as_bytes(), batch) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: as above.
            unsafe { walk_avx512(family, table, text.as_bytes(), batch) }
        }
    }
}

/// # Safety
/// The CPU must have AVX2, BMI1 and BMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn walk_avx2<F: Family, E>(
    family: &F,
    table: Option<&ClassTable>,
    text: &[u8],
    batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    walk::<super::classify::Avx2, F, E>(family, table, text, batch)
}

/// # Safety
/// The CPU must have AVX2, BMI1, BMI2 and AVX-512 F, BW and VBMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vbmi2")]
unsafe fn walk_avx512<F: Family, E>(
    family: &F,
    table: Option<&ClassTable>,
    text: &[u8],
    batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    walk::<super::classify::Avx512, F, E>(family, table, text, batch)
}

#[inline(always)]
fn walk<C: Classify, F: Family, E>(
    family: &F,
    table: Option<&ClassTable>,
    text: &[u8],
    mut batch: impl FnMut(&[usize]) -> Result<(), E>,
) -> Result<(), E> {
    if text.is_empty() {
        return Ok(());
    }
    let mut spill = Spill::default();
    let mut carry = F::Carry::default();
    if text.len() <= 64 {
        let now = block_masks::<C>(text, 0, table, &mut spill);
        let starts = family.starts(&now, &Masks::BEYOND, text, 0, &mut carry);
        let mut boundaries = [0usize; 65];
        let mut count = 0;
        if let Some(room) = boundaries.first_chunk_mut() {
            count = C::places(starts & u64::MAX >> (64 - text.len()), 0, room);
        }
        boundaries[count] = text.len();
        return batch(&boundaries[..=count]);
    }
    let mut boundaries = [0usize; BATCH + 64];
    let mut count = 0;
    let mut now = block_masks::<C>(text, 0, table, &mut spill);
    let mut at = 0;
    while at < text.len() {
        let behind = block_masks::<C>(text, at + 64, table, &mut spill);
        let mut starts = family.starts(&now, &behind, text, at, &mut carry);
        if text.len() - at < 64 {
            starts &= (1 << (text.len() - at)) - 1;
        }
        if let Some(room) = boundaries[count..].first_chunk_mut() {
            count += C::places(starts, at, room);
        }
        if count >= BATCH {
            batch(&boundaries[..count])?;
            boundaries[0] = boundaries[count - 1];
            count = 1;
        }
        now = behind;
        at += 64;
    }
    boundaries[count] = text.len();
    batch(&boundaries[..=count])
}

#[inline(always)]
fn block_masks<C: Classify>(
    text: &[u8],
    at: usize,
    table: Option<&ClassTable>,
    spill: &mut Spill,
) -> Masks {
    match text.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        Some(block) => masks::<C>(block, text, at, table, spill),
        None if at >= text.len() => Masks::BEYOND,
        None => {
            let mut block = [b' '; 64];
            let rest = &text[at..];
            block[..rest.len()].copy_from_slice(rest);
            masks::<C>(&block, text, at, table, spill)
        }
    }
}

/// Takes what is handed out in batches, for tests: all boundaries.
#[cfg(test)]
pub fn boundaries_of(
    hand_out: impl FnOnce(
        &mut dyn FnMut(&[usize]) -> Result<(), std::convert::Infallible>,
    ) -> Result<(), std::convert::Infallible>,
) -> Vec<usize> {
    let mut all = vec![0];
    let mut keep = |boundaries: &[usize]| {
        assert_eq!(all.pop(), boundaries.first().copied(), "it begins where the last one ended");
        all.extend_from_slice(boundaries);
        Ok(())
    };
    hand_out(&mut keep).unwrap_or_else(|never| match never {});
    all
}

#[cfg(test)]
mod tests {
    use super::super::classify::levels;
    use super::super::{Digits, Gpt2, LETTER, NUMBER, NUMERIC, SPACE};
    use super::*;
    use crate::unicode::{Engine, Property};

    /// Each level that there is, forced, at each length and so at each place within the blocks.
    #[test]
    fn every_level_cuts_alike() {
        let table = ClassTable::from_kinds(|kind| {
            let category = kind.category(Engine::Onig);
            let bit = |on: bool, bit: u8| if on { bit } else { 0 };
            bit(category.is_letter(), LETTER)
                | bit(category.is_number(), NUMBER)
                | bit(kind.is_space(Engine::Onig), SPACE)
                | bit(kind.has(Property::RustNumeric), NUMERIC)
        });
        const CHARS: [&str; 16] = [
            "a",
            "b",
            " ",
            " ",
            "\n",
            "'",
            "s",
            "ll",
            "7",
            ".",
            "é",
            "\u{a0}",
            "\u{3000}",
            "漢",
            "²",
            "\u{1F600}",
        ];
        for digits in [Digits::None, Digits::Runs, Digits::Individual] {
            let family = Gpt2 { digits };
            for seed in 0..600usize {
                let few = 1 + seed % CHARS.len();
                let chosen = (0..seed).map(|at| (at * at * 31 + seed * 7 + at / 3) % few);
                let text: String = chosen.map(|at| CHARS[at]).collect();
                let pieces =
                    |level| boundaries_of(|keep| scan(&family, Some(&table), level, &text, keep));
                let known = pieces(Level::Scalar);
                assert_eq!(known.last().copied().unwrap_or(0), text.len());
                for level in levels() {
                    assert_eq!(pieces(level), known, "{level:?} {text:?}");
                }
            }
        }
    }
}
