//! A text's ids once more, with where each comes from.
//!
//! Every step keeps, for each byte of its text, the bytes of the original that it stands for, so that
//! the model's spans lead back to the original. Ids are those of encoding; this way is slower, and only
//! taken when somebody asks.
//!
//! Source: `tokenizer/pre_tokenizer.rs` of Hugging Face tokenizers 0.23.3 (`into_encoding`): an id
//! stands for all that the first to the last byte of its text stand for; where its bytes count past
//! the end of the piece, they are taken for those of the original as they are.

use std::sync::Arc;

use super::parts_of_text::{Part, Spans, Stretch};
use super::Pipeline;
use crate::byte_level;
use crate::encoding::{Columns, Offsets};
use crate::error::EncodeError;
use crate::model::{Model, ModelScratch, Traced};
use crate::pretokenize::Pieces;
use crate::scan::best_level;
use crate::settings::MatchPolicy;

/// Whose ids are traced, and what they get beside what is found.
#[derive(Clone, Copy)]
pub struct Whose {
    /// The type of each id.
    pub type_id: u32,
    /// The word that all ids are of; else pieces are words.
    pub word: Option<u32>,
}

impl Pipeline {
    /// Appends the ids of a text and what is known of each.
    pub(super) fn trace(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        whose: Whose,
        scratch: &mut ModelScratch,
        columns: &mut Columns,
    ) -> Result<(), EncodeError> {
        let mut tracing = Tracing { whose, pieces: 0, chars: Chars::new(text), columns };
        self.each_part(text, policy, Spans::Everywhere, &mut |part| match part {
            Part::Added { token, matched, place } => {
                let id = self.parts.added.tokens()[token].id;
                let own = (self.usual_name(id) != matched).then(|| Arc::from(matched));
                let (start, end) = place.unwrap_or_default();
                tracing.push(id, own, (start, end));
                tracing.pieces += 1;
                Ok(())
            }
            Part::Text(stretch) => self.trace_stretch(stretch, policy, scratch, &mut tracing),
        })
    }

    fn trace_stretch(
        &self,
        stretch: Stretch<'_>,
        policy: MatchPolicy<'_>,
        scratch: &mut ModelScratch,
        tracing: &mut Tracing<'_>,
    ) -> Result<(), EncodeError> {
        let mut pieces = Pieces::with_spans(stretch.text, stretch.spans.unwrap_or_default());
        self.steps().iter().try_for_each(|step| pieces.apply(step, best_level()))?;
        let spans = pieces.spans().unwrap_or_default();
        let mut bytes = Vec::new();
        for &(start, end) in pieces.ranges() {
            let piece = &pieces.text()[start..end];
            bytes.clear();
            let spelled = self.parts.plan.byte_level && !byte_level::unspell(piece, &mut bytes);
            let model: &Model = match spelled {
                true => &self.general(policy.special).model,
                false => &self.model(policy.special).model,
            };
            let read = if bytes.is_empty() { piece.as_bytes() } else { &bytes };
            model.each_token(read, scratch, |Traced { id, start: from, end: to, own }| {
                let own = own.then(|| &piece[from..to]);
                let own = own.filter(|text| self.usual_name(id) != *text).map(Arc::from);
                let place = match spans[start..end].get(from..to) {
                    Some([first, .., last]) => (first.0 as usize, last.1 as usize),
                    Some([one]) => (one.0 as usize, one.1 as usize),
                    Some([]) => (spans[start].0 as usize + from, spans[start].0 as usize + to),
                    None => (from, to),
                };
                tracing.push(id, own, place);
            })?;
            tracing.pieces += 1;
        }
        Ok(())
    }
}

/// What is found out about a text.
struct Tracing<'a> {
    whose: Whose,
    /// How many pieces came so far.
    pieces: u32,
    chars: Chars,
    columns: &'a mut Columns,
}

impl Tracing<'_> {
    fn push(&mut self, id: u32, own: Option<Arc<str>>, bytes: (usize, usize)) {
        let Whose { type_id, word } = self.whose;
        let word = word.unwrap_or(self.pieces);
        self.columns.push(id, own, self.chars.offsets(bytes), Some(word), type_id);
    }
}

/// From bytes of a text to characters.
struct Chars {
    /// The character that each byte is of; none in a text of ASCII, where the two are the same.
    char_of_byte: Option<Vec<u32>>,
    len: usize,
}

impl Chars {
    fn new(text: &str) -> Self {
        let char_of_byte = (!text.is_ascii()).then(|| {
            let mut chars = Vec::with_capacity(text.len());
            for (at, c) in text.chars().enumerate() {
                chars.extend(std::iter::repeat_n(at as u32, c.len_utf8()));
            }
            chars
        });
        Self { char_of_byte, len: text.len() }
    }

    /// The character of a byte, if the text has so many.
    fn get(&self, byte: usize) -> Option<u32> {
        match &self.char_of_byte {
            Some(chars) => chars.get(byte).copied(),
            None => (byte < self.len).then_some(byte as u32),
        }
    }

    /// Offsets in characters for those in bytes. An end within a character leaves that one out; a
    /// start at the end of the text stays in bytes.
    fn offsets(&self, (start, end): (usize, usize)) -> Offsets {
        match (self.get(start), self.get(end)) {
            (Some(start), Some(end)) => (start, end),
            (Some(start), None) => {
                let last = end.checked_sub(1).and_then(|last| self.get(last));
                (start, last.unwrap_or(start + 1) + 1)
            }
            _ => (start as u32, end as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_to_characters() {
        let chars = Chars::new("aéb");
        assert_eq!(chars.offsets((0, 1)), (0, 1));
        assert_eq!(chars.offsets((1, 3)), (1, 2));
        assert_eq!(chars.offsets((1, 2)), (1, 1));
        assert_eq!(chars.offsets((3, 4)), (2, 3));
        assert_eq!(chars.offsets((3, 9)), (2, 4));
        assert_eq!(chars.offsets((4, 4)), (4, 4));
        assert_eq!(Chars::new("abc").offsets((1, 3)), (1, 3));
    }
}
