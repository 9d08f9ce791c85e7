//! Byte-pair encoding: as long as two neighbours can merge, join those of the lowest rank, the leftmost
//! among equals.

use std::collections::HashMap;

/// Merges by the texts of both sides; a pair that is there twice has its last rank.
#[derive(Debug, Default)]
pub struct Merges {
    ranks: HashMap<(Vec<u8>, Vec<u8>), u64>,
}

impl Merges {
    pub fn new(list: &[(String, String)]) -> Self {
        let pair = |(left, right): &(String, String)| (left.clone().into(), right.clone().into());
        Self { ranks: list.iter().map(pair).zip(0..).collect() }
    }

    /// The tokens of a piece that starts as its characters.
    pub fn apply(&self, piece: &str) -> Vec<String> {
        let symbols = piece.chars().map(|c| c.to_string().into_bytes()).collect();
        let rank =
            |left: &[u8], right: &[u8]| self.ranks.get(&(left.into(), right.into())).copied();
        merge(symbols, rank).into_iter().filter_map(|token| String::from_utf8(token).ok()).collect()
    }
}

/// Joins neighbours as long as `rank` has one for some.
pub fn merge(
    mut symbols: Vec<Vec<u8>>,
    rank: impl Fn(&[u8], &[u8]) -> Option<u64>,
) -> Vec<Vec<u8>> {
    loop {
        let pairs = symbols.windows(2).zip(0..);
        let ranked = pairs.filter_map(|(pair, at)| Some((rank(&pair[0], &pair[1])?, at)));
        let Some((_, at)) = ranked.min() else { return symbols };
        let right = symbols.remove(at + 1);
        symbols[at].extend(right);
    }
}
