//! Safe cuts: places where a text can be cut in two whose ids, one after the other, are the whole's.
//!
//! Proven from two or three characters next to the place, for pipelines whose split is one of the
//! scanner's (byte-level vocabularies): the split cuts there and looks over it from neither side
//! (`scan::between`), no added token is in the way (`added_tokens::edges`), and the normalizer, if there
//! is one, leaves the characters alone and lets none act on another across the place. A model that makes
//! no random choices reads pieces one by one. So it is the end of a word before white space or a sign.
//!
//! Since nothing else matters, a safe cut stays one whatever is put in front or behind.
//!
//! Cost: constant at a place; a search is linear in the distance to the cut.

use super::Pipeline;
use crate::added_tokens::Edges;
use crate::error::EncodeError;
use crate::model::Model;
use crate::normalize::Normalizer;

/// Signs that compose with nothing before them.
const SIGNS: [char; 8] = ['。', '，', '、', '！', '？', '：', '；', '」'];

impl Pipeline {
    /// Whether texts of this tokenizer have safe cuts.
    pub fn has_safe_cuts(&self) -> bool {
        let model = &self.parts.model.model;
        self.parts.plan.splitter.has_sure_cuts()
            && !self.parts.plan.needs_spans
            && !model.is_random()
            && !matches!(model, Model::SentencePiece(_))
            && self.normalizer_that_acts().is_none_or(Normalizer::is_local)
    }

    /// The first safe cut at byte `at` or behind it; for texts that [`Pipeline::has_safe_cuts`].
    pub(super) fn safe_cut_from(&self, text: &str, at: usize) -> Option<usize> {
        let at = (at..text.len()).find(|&at| text.is_char_boundary(at))?;
        let mut before = text[..at].chars().next_back();
        for (place, behind) in text[at..].char_indices() {
            if before.is_some_and(|before| self.is_safe(before, behind, &text[at + place..])) {
                return Some(at + place);
            }
            before = Some(behind);
        }
        None
    }

    /// The last safe cut at byte `at` or before it.
    pub(super) fn safe_cut_until(&self, text: &str, at: usize) -> Option<usize> {
        let end = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at))?;
        let mut behind = text[end..].chars().next();
        for (place, before) in text[..end].char_indices().rev() {
            let cut = place + before.len_utf8();
            if behind.is_some_and(|behind| self.is_safe(before, behind, &text[cut..])) {
                return Some(cut);
            }
            behind = Some(before);
        }
        None
    }

    /// Whether the place between two characters is safe; `rest` begins with the second.
    fn is_safe(&self, before: char, behind: char, rest: &str) -> bool {
        self.parts.plan.splitter.is_sure_cut(before, behind)
            && self.edges().are_apart(before, behind)
            && self.normalizer_that_acts().is_none_or(|normalizer| {
                leaves_apart(normalizer, before, behind, rest).unwrap_or(false)
            })
    }

    fn normalizer_that_acts(&self) -> Option<&Normalizer> {
        self.parts.normalizer.as_deref().filter(|normalizer| !normalizer.is_identity())
    }

    fn edges(&self) -> &Edges {
        self.edges.get_or_init(|| Box::new(Edges::new(&self.parts.added)))
    }
}

/// Whether a local normalizer leaves two characters as they are, and lets nothing behind them act on the
/// second one.
fn leaves_apart(
    normalizer: &Normalizer,
    before: char,
    behind: char,
    rest: &str,
) -> Result<bool, EncodeError> {
    let sign = behind.is_ascii() && !matches!(behind, '<' | '=' | '>') || SIGNS.contains(&behind);
    let Some(next) = rest.chars().nth(1) else { return Ok(false) };
    if !sign || !composes_with_nothing_before(before) {
        return Ok(false);
    }
    if !next.is_ascii() && !composes_with_nothing_before(next) {
        return Ok(false);
    }
    let mut buffer = [0; 4];
    for character in [before, behind] {
        let alone: &str = character.encode_utf8(&mut buffer);
        if normalizer.normalize(alone)? != alone {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Letters of common scripts that never become part of the character before them.
fn composes_with_nothing_before(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c,
            '\u{C0}'..='\u{24F}' | '\u{400}'..='\u{481}' | '\u{3041}'..='\u{3096}'
            | '\u{30A1}'..='\u{30FA}' | '\u{4E00}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7A3}')
}
