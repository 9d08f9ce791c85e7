//! What sentencepiece 0.2.3 does with a text under a model of normal pieces, without a map of characters.

/// The rules for a text that has no map of characters.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
    pub as_suffix: bool,
}

/// A piece with its score.
pub type Scored = (String, f32);

const MARK: &str = "\u{2581}";

impl Rules {
    /// The text that the model sees.
    pub fn normalize(self, text: &str) -> String {
        let space = if self.escape_whitespaces { MARK } else { " " };
        let mut text = text.to_owned();
        if self.remove_extra_whitespaces {
            text = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        }
        if text.is_empty() {
            return text;
        }
        let mut text = text.replace(' ', space);
        if self.add_dummy_prefix && !self.as_suffix {
            text.insert_str(0, space);
        }
        if self.remove_extra_whitespaces {
            text.truncate(text.trim_end_matches(space).len());
        }
        if self.add_dummy_prefix && self.as_suffix {
            text.push_str(space);
        }
        text
    }
}

/// The model: pieces and scores; `None` is the unknown piece.
pub struct Model<'a> {
    pub pieces: &'a [Scored],
}

impl Model<'_> {
    fn id(&self, piece: &str) -> Option<usize> {
        self.pieces.iter().position(|(known, _)| known == piece)
    }

    /// Merges by the score of what they make, the leftmost among equals.
    pub fn merged(&self, text: &str) -> Vec<String> {
        let mut symbols: Vec<String> = text.chars().map(String::from).collect();
        loop {
            let score = |pair: &[String]| self.id(&pair.concat()).map(|id| self.pieces[id].1);
            let pairs = symbols.windows(2).map(score).enumerate();
            let scored = pairs.filter_map(|(at, score)| Some((score?, at)));
            let best =
                scored.max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)));
            let Some((_, at)) = best else { return symbols };
            let right = symbols.remove(at + 1);
            symbols[at] += &right;
        }
    }

    /// The way with the highest sum, from left to right in 32-bit numbers; a character that is no piece
    /// is unknown, for the lowest score minus 10.
    pub fn best(&self, text: &str) -> Vec<String> {
        let least = self.pieces.iter().fold(f32::MAX, |least, (_, score)| least.min(*score));
        let mut best: Vec<Option<(f32, usize)>> = vec![None; text.len() + 1];
        best[0] = Some((0.0, 0));
        for (start, c) in text.char_indices() {
            let sum = best[start].map_or(0.0, |(sum, _)| sum);
            let mut offer = |end: usize, score: f32| {
                let score = score + sum;
                if best[end].is_none_or(|(so_far, _)| score > so_far) {
                    best[end] = Some((score, start));
                }
            };
            let char_end = start + c.len_utf8();
            for end in (char_end..=text.len()).filter(|&end| text.is_char_boundary(end)) {
                if let Some(id) = self.id(&text[start..end]) {
                    offer(end, self.pieces[id].1);
                }
            }
            if self.id(&text[start..char_end]).is_none() {
                offer(char_end, least - 10.0);
            }
        }
        let (mut found, mut end) = (Vec::new(), text.len());
        while end > 0 {
            let start = best[end].map_or(0, |(_, start)| start);
            found.push(text[start..end].to_owned());
            end = start;
        }
        found.reverse();
        found
    }

    /// Ids behind the unknown piece, which is 0 and stands once for unknowns in a row.
    pub fn ids(&self, found: &[String]) -> Vec<u32> {
        let mut ids: Vec<u32> =
            found.iter().map(|piece| self.id(piece).map_or(0, |id| id as u32 + 1)).collect();
        ids.dedup_by(|right, left| (*right, *left) == (0, 0));
        ids
    }
}
