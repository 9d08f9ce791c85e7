//! Ranks as pairs -> [`Spec`]: the compact form in which vocabularies come with the package.
//!
//! The first 256 tokens are bytes, and each later one joins two earlier ones. The data are the 256
//! bytes in rank order, then the left and then the right rank of each later token: three planes
//! each, of the low, the middle and the high byte.

use super::{from_ranks, Spec};
use crate::error::{LoadError, Problem};

const BYTES: usize = 256;
const PLANES: usize = 3;

/// Makes the tokenizer that tiktoken makes of these ranks and of `more` tokens with ranks of their
/// own.
///
/// # Errors
///
/// [`LoadError::Invalid`] where the data are cut short or a pair names a later token, and what
/// [`from_ranks`] says.
pub fn from_pairs(
    data: &[u8],
    more: &[(Vec<u8>, u32)],
    pattern: &str,
    special_tokens: &[(String, u32)],
) -> Result<Spec, LoadError> {
    let (tokens, ends) = joined(data)
        .ok_or_else(|| LoadError::at("pairs", Problem::NoVocabulary { tried: "pairs of ranks" }))?;
    let starts = [0].into_iter().chain(ends.iter().copied());
    let ranks = starts.zip(&ends).zip(0..).map(|((start, &end), rank)| (&tokens[start..end], rank));
    let more = more.iter().map(|(token, rank)| (&token[..], *rank));
    from_ranks(ranks.chain(more), pattern, special_tokens)
}

/// The bytes of all tokens in rank order, and where each ends.
fn joined(data: &[u8]) -> Option<(Vec<u8>, Vec<usize>)> {
    let (bytes, planes) = data.split_at_checked(BYTES)?;
    let later = planes.len() / (2 * PLANES);
    if planes.len() != later * 2 * PLANES {
        return None;
    }
    let mut tokens = bytes.to_vec();
    let mut ends: Vec<usize> = (1..=BYTES).collect();
    let plane = |number: usize, at: usize| usize::from(planes[number * later + at]);
    for at in 0..later {
        for side in [0, PLANES] {
            let rank = plane(side, at) | plane(side + 1, at) << 8 | plane(side + 2, at) << 16;
            let end = *ends.get(rank).filter(|_| rank < BYTES + at)?;
            let start = if rank == 0 { 0 } else { ends[rank - 1] };
            tokens.extend_from_within(start..end);
        }
        ends.push(tokens.len());
    }
    Some((tokens, ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 256 bytes, and pairs in planes.
    fn data(pairs: &[[usize; 2]]) -> Vec<u8> {
        let mut data: Vec<u8> = (0..=255).collect();
        for side in 0..2 {
            for plane in 0..PLANES {
                data.extend(pairs.iter().map(|pair| (pair[side] >> (8 * plane)) as u8));
            }
        }
        data
    }

    #[test]
    fn later_tokens_join_earlier_ones() {
        let (tokens, ends) = joined(&data(&[[97, 98], [256, 256]])).expect("well-formed");
        assert_eq!(&tokens[BYTES..], b"ababab");
        assert_eq!(ends[BYTES - 1..], [256, 258, 262]);
    }

    #[test]
    fn what_is_cut_short_or_looks_ahead_is_refused() {
        let good = data(&[[97, 98]]);
        assert!(joined(&good).is_some());
        assert!(joined(&good[..good.len() - 1]).is_none());
        assert!(joined(&good[..100]).is_none());
        assert!(joined(&data(&[[97, 256]])).is_none());
        assert!(from_pairs(&good[..100], &[], ".", &[]).is_err());
    }
}
