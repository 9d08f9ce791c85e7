//! The unigram model: from each place every token that starts there offers its end the sum so far and
//! its score; the first of the best offers stands. Where no single character is a token, the unknown
//! one offers to cover it for the lowest score of all minus 10. Unknown characters in a row are one
//! string, which may be a token after all.

use std::collections::HashMap;

/// Tokens with scores; ids are places.
pub struct Book<'a> {
    pub ids: HashMap<&'a str, u32>,
    pub scores: &'a [f64],
    pub unknown: Option<u32>,
}

impl Book<'_> {
    /// The ids of a piece; `None` where the unknown token is needed and is not there.
    pub fn encode(&self, piece: &str) -> Option<Vec<u32>> {
        let least =
            self.scores
                .iter()
                .fold(f64::INFINITY, |least, &score| if score < least { score } else { least });
        let mut best: Vec<Option<(f64, usize, u32)>> = vec![None; piece.len() + 1];
        for (start, c) in piece.char_indices() {
            let before = if start == 0 { 0.0 } else { best[start]?.0 };
            let mut offer = |end: usize, score: f64, id: Option<u32>| {
                let score = score + before;
                if best[end].is_none_or(|(so_far, ..)| score > so_far) {
                    best[end] = Some((score, start, id?));
                }
                Some(())
            };
            let char_end = start + c.len_utf8();
            for end in (char_end..=piece.len()).filter(|&end| piece.is_char_boundary(end)) {
                if let Some(&id) = self.ids.get(&piece[start..end]) {
                    offer(end, self.scores[id as usize], Some(id));
                }
            }
            if !self.ids.contains_key(&piece[start..char_end]) {
                offer(char_end, least - 10.0, self.unknown)?;
            }
        }
        self.way_back(piece, &best)
    }

    fn way_back(&self, piece: &str, best: &[Option<(f64, usize, u32)>]) -> Option<Vec<u32>> {
        let (mut found, mut end, mut pending) = (Vec::new(), piece.len(), None);
        let token = |(start, end): (usize, usize)| {
            self.ids.get(&piece[start..end]).copied().or(self.unknown)
        };
        while end > 0 {
            let (_, start, id) = best[end]?;
            if Some(id) == self.unknown {
                pending = Some((start, pending.map_or(end, |(_, end)| end)));
            } else {
                found.extend(pending.take().and_then(token));
                found.push(id);
            }
            end = start;
        }
        found.extend(pending.and_then(token));
        found.reverse();
        Some(found)
    }
}
