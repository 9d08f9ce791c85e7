//! How much of a text or a pair truncation leaves.
//!
//! Source: `utils/truncation.rs` of Hugging Face tokenizers 0.23.3.

use super::Pipeline;
use crate::error::EncodeError;
use crate::spec::{Direction, Truncation, TruncationStrategy};

impl Pipeline {
    /// How many ids of texts there may be beside special tokens. Where those alone are too many, the
    /// oracle's difference wraps around, so that nothing is cut.
    pub(super) fn most_ids(
        &self,
        truncation: &Truncation,
        is_pair: bool,
        add_special_tokens: bool,
    ) -> usize {
        let added = if add_special_tokens { self.num_special_tokens_to_add(is_pair) } else { 0 };
        truncation.max_length.wrapping_sub(added)
    }
}

/// How many ids of each sequence are kept, of at most `most`.
///
/// Fails where the strategy can't be followed, or the stride is not less than what is kept.
pub fn lens<T: AsRef<[u32]>>(
    sequences: &[T],
    truncation: &Truncation,
    most: usize,
) -> Result<Vec<usize>, EncodeError> {
    let fails = |reason| Err(EncodeError::Truncation { max_length: most, reason });
    let lens: Vec<usize> = sequences.iter().map(|ids| ids.as_ref().len()).collect();
    let total: usize = lens.iter().sum();
    if most == 0 {
        return Ok(vec![0; lens.len()]);
    }
    if total <= most {
        return Ok(lens);
    }
    let only = |at: usize| {
        let mut kept = lens.clone();
        kept[at] = kept[at].saturating_sub(total - most);
        kept
    };
    let kept = match (truncation.strategy, &*lens) {
        (TruncationStrategy::LongestFirst, &[first, second]) => longest_first(first, second, most),
        (TruncationStrategy::LongestFirst, _) => vec![most],
        (TruncationStrategy::OnlyFirst, _) => only(0),
        (TruncationStrategy::OnlySecond, [_, _]) => only(1),
        (TruncationStrategy::OnlySecond, _) => return fails("there is no second text to cut"),
    };
    match truncation.strategy {
        TruncationStrategy::OnlyFirst if kept[0] == 0 => {
            return fails("the first text has not as many to lose")
        }
        TruncationStrategy::OnlySecond if kept[1] == 0 => {
            return fails("the second text has not as many to lose")
        }
        _ => {}
    }
    let mut cut = kept.iter().zip(&lens).filter(|(&kept, &len)| kept < len);
    if cut.any(|(&kept, _)| kept > 0 && truncation.stride >= kept) {
        return fails("`stride` is not less than that");
    }
    Ok(kept)
}

/// The longer one is cut until both are as long, then both.
fn longest_first(first: usize, second: usize, most: usize) -> Vec<usize> {
    let shorter = first.min(second);
    let longer = if shorter > most { shorter } else { shorter.max(most - shorter) };
    let (shorter, longer) = match shorter + longer {
        sum if sum > most => (most / 2, most / 2 + most % 2),
        _ => (shorter, longer),
    };
    if first > second {
        vec![longer, shorter]
    } else {
        vec![shorter, longer]
    }
}

/// Keeps `len` ids: the first of them, or from the left the last.
pub fn keep(ids: &mut Vec<u32>, len: usize, direction: Direction) {
    match direction {
        Direction::Right => ids.truncate(len),
        Direction::Left => drop(ids.drain(..ids.len().saturating_sub(len))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(
        first: usize,
        second: Option<usize>,
        strategy: TruncationStrategy,
        most: usize,
    ) -> Result<Vec<usize>, EncodeError> {
        let truncation =
            Truncation { direction: Direction::Right, max_length: most, strategy, stride: 0 };
        let sequences: Vec<Vec<u32>> =
            std::iter::once(first).chain(second).map(|len| vec![0; len]).collect();
        lens(&sequences, &truncation, most)
    }

    #[test]
    fn strategies() {
        use TruncationStrategy::{LongestFirst, OnlyFirst, OnlySecond};
        assert_eq!(kept(9, None, LongestFirst, 4).unwrap(), [4]);
        assert_eq!(kept(9, Some(2), LongestFirst, 8).unwrap(), [6, 2]);
        assert_eq!(kept(2, Some(9), LongestFirst, 8).unwrap(), [2, 6]);
        assert_eq!(kept(9, Some(9), LongestFirst, 7).unwrap(), [3, 4]);
        assert_eq!(kept(10, Some(9), LongestFirst, 7).unwrap(), [4, 3]);
        assert_eq!(kept(2, Some(2), LongestFirst, 8).unwrap(), [2, 2]);
        assert_eq!(kept(9, Some(2), OnlyFirst, 8).unwrap(), [6, 2]);
        assert_eq!(kept(9, Some(2), LongestFirst, 0).unwrap(), [0, 0]);
        assert!(kept(2, Some(9), OnlyFirst, 8).is_err());
        assert!(kept(9, Some(2), OnlySecond, 8).is_err());
        assert!(kept(9, None, OnlySecond, 8).is_err());
    }
}
