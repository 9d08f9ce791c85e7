//! Steps that rewrite the text: ByteLevel and Metaspace.

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Range;

use crate::byte_level;
use crate::error::EncodeError;
use crate::scan::{scan, Digits, Gpt2, Level};
use crate::spec::{PrependScheme, SplitBehavior};
use crate::unicode::ClassTable;

use super::cut::at_characters;
use super::draft::{Draft, Origin};
use super::Pieces;

impl Pieces<'_> {
    /// Replaces spaces by a mark, puts it in front where the scheme says so, and cuts before each.
    pub(super) fn metaspace(&mut self, mark: char, scheme: PrependScheme, split: bool) {
        let mut draft = Draft::new(&self.text, &self.origin, self.ranges.len());
        for &(start, end) in &self.ranges {
            let piece = &self.text[start..end];
            let from = draft.text.len();
            let wanted = match scheme {
                PrependScheme::Always => true,
                PrependScheme::First => self.origin.is_at_start(start),
                PrependScheme::Never => false,
            };
            if wanted && !piece.starts_with([' ', mark]) {
                draft.push(mark, start);
            }
            let mut done = start;
            for (at, _) in piece.match_indices(' ') {
                draft.copy(done..start + at);
                draft.push(mark, start + at);
                done = start + at + 1;
            }
            draft.copy(done..end);
            if split {
                let (text, ranges) = (&draft.text[from..], &mut draft.ranges);
                at_characters(text, from, SplitBehavior::MergedWithNext, ranges, |c| c == mark);
            } else {
                draft.ranges.push((from, draft.text.len()));
            }
        }
        self.adopt(draft.text, draft.ranges, draft.origin);
    }

    /// Puts a space in front, cuts as GPT-2 does, and spells the pieces in the byte alphabet.
    pub(super) fn byte_level(
        &mut self,
        add_prefix_space: bool,
        split: Option<(&ClassTable, Level)>,
        spell: bool,
    ) -> Result<(), EncodeError> {
        let mut draft = Draft::new(&self.text, &self.origin, self.ranges.len());
        let mut failed = None;
        for &(start, end) in &self.ranges {
            let piece = &self.text[start..end];
            let spaced = add_prefix_space && !piece.starts_with(' ');
            let piece: Cow<'_, str> =
                if spaced { format!(" {piece}").into() } else { piece.into() };
            let lead = usize::from(spaced);
            gpt2_parts(&piece, split, |from, to| {
                // Byte `n` of the piece is byte `start + n - lead` of the text, but for the space.
                let space = (spaced && from == 0).then_some(start);
                let bytes = start + from.max(lead) - lead..start + to - lead;
                let done = self.byte_level_part(&mut draft, Part { space, bytes }, spell);
                failed = failed.take().or(done.err());
            });
        }
        if let Some(error) = failed {
            return Err(error);
        }
        self.adopt(draft.text, draft.ranges, draft.origin);
        Ok(())
    }

    /// Appends one piece of ByteLevel: perhaps a space, which stands for what the first character of
    /// the whole piece does, and a part of the text.
    fn byte_level_part(
        &self,
        draft: &mut Draft<'_>,
        part: Part,
        spell: bool,
    ) -> Result<(), EncodeError> {
        let from = draft.text.len();
        let Part { space, bytes } = part;
        if !spell {
            if let Some(at) = space {
                draft.push(' ', at);
            }
            draft.copy(bytes);
            draft.ranges.push((from, draft.text.len()));
            return Ok(());
        }
        if let Some(at) = space {
            draft.push(byte_level::CHARS[usize::from(b' ')], at);
        }
        draft.spell(bytes.clone());
        match self.reach(space.unwrap_or(bytes.start), bytes.end) {
            Reach::All => {}
            Reach::InFront => {
                if let Some(at) = space {
                    draft.push(' ', at);
                }
                draft.copy(bytes);
            }
            Reach::Broken => return Err(EncodeError::NormalizerFails { normalizer: "ByteLevel" }),
        }
        draft.ranges.push((from, draft.text.len()));
        Ok(())
    }

    /// How much of a piece the oracle spells. It means the whole, but asks for it as the bytes of
    /// the original text that the piece stands for.
    fn reach(&self, start: usize, end: usize) -> Reach {
        let Origin::Spans(spans) = &self.origin else { return Reach::All };
        // An added space alone stands for what the byte at `start` does.
        let (first, last) = (spans[start], spans[end.max(start + 1) - 1]);
        if last.1 <= first.0 {
            Reach::InFront
        } else if first.0 == first.1 {
            Reach::Broken
        } else {
            Reach::All
        }
    }

    fn adopt(&mut self, text: String, ranges: Vec<(usize, usize)>, origin: Origin) {
        (self.text, self.ranges, self.origin) = (Cow::Owned(text), ranges, origin);
    }
}

/// A piece that ByteLevel makes.
struct Part {
    /// The byte of the text that an added space shares its origin with.
    space: Option<usize>,
    /// The rest, as bytes of the text.
    bytes: Range<usize>,
}

/// How much of a piece ByteLevel spells.
enum Reach {
    /// All of it, as it should.
    All,
    /// A piece that stands for nothing of the original: its spelling is put in front of it.
    InFront,
    /// A piece whose first character alone stands for nothing: the oracle panics.
    Broken,
}

/// Calls `part` with the pieces of GPT-2's split, or with the whole.
fn gpt2_parts(
    piece: &str,
    split: Option<(&ClassTable, Level)>,
    mut part: impl FnMut(usize, usize),
) {
    let Some((table, level)) = split else { return part(0, piece.len()) };
    let family = Gpt2 { digits: Digits::None };
    let done: Result<(), Infallible> = scan(&family, Some(table), level, piece, |boundaries| {
        boundaries.windows(2).for_each(|pair| part(pair[0], pair[1]));
        Ok(())
    });
    done.unwrap_or_else(|never| match never {});
}
