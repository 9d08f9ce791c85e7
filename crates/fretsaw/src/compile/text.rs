//! From a spec to what comes before a model: added tokens, the normalizer and the pre-tokenizer, for
//! those who want pieces of text and have no model yet.

use std::borrow::Cow;
use std::sync::Arc;

use super::{added, new_normalizer, splitter, steps};
use crate::added_tokens::{AddedTokens, Segment, Stage};
use crate::byte_level;
use crate::error::{EncodeError, LoadError};
use crate::normalize::{identity, Normalizer};
use crate::pipeline::Plan;
use crate::pretokenize::{Pieces, Place, Step};
use crate::scan::best_level;
use crate::settings::{MatchPolicy, SpecialSet};
use crate::spec::{Bpe, LazyModel, MergeList, Merges, Model, Spec, Vocab};
use crate::vocabulary::Vocabulary;

/// What a text goes through before a model sees it.
pub struct TextStages {
    added: AddedTokens,
    normalizer: Option<Arc<Normalizer>>,
    plan: Plan,
    /// The pre-tokenizer step by step, for text whose spans count.
    steps: Vec<Step>,
}

/// Pieces of a text, in the order in which they stand in it.
pub enum Batch<'a> {
    /// Piece `i` is `bytes[boundaries[i]..boundaries[i + 1]]`, to be spelled.
    Pieces { bytes: &'a [u8], boundaries: &'a [usize] },
    /// A piece that is spelled already.
    Spelled(&'a str),
}

impl TextStages {
    /// The stages of a spec, whatever its model.
    ///
    /// # Errors
    ///
    /// [`LoadError`] where a stage can't be done exactly.
    pub fn new(spec: &Spec) -> Result<Self, LoadError> {
        let vocabulary = match &**spec.model {
            Model::Bpe(model) => &model.vocab,
            Model::Unigram(model) => &model.vocab,
            Model::WordPiece(model) => &model.vocab,
            Model::WordLevel(model) => &model.vocab,
            Model::SentencePiece(_) => {
                let what = "of a SentencePiece model, which itself cuts text, in training";
                return Err(LoadError::unsupported("model", what));
            }
        };
        let vocabulary = Vocabulary::build(vocabulary, "model.vocab")?;
        // Byte-pair encoding reads bytes; so does counting, which spells them in the end.
        let model = Arc::new(LazyModel::Now(Model::Bpe(empty_bpe())));
        let spec = Spec { model, ..spec.clone() };
        let normalizer = new_normalizer(&spec)?;
        let added = added::added_tokens(&spec, normalizer.as_deref(), &vocabulary)?;
        let plan = splitter::plan(&spec, normalizer.is_some(), Some(None))?;
        Ok(Self { added, normalizer, plan, steps: steps(&spec) })
    }

    /// What the model reads for a piece; `buffer` holds it where it is not (part of) the piece.
    pub fn spell<'a>(&self, piece: &'a [u8], buffer: &'a mut Vec<u8>) -> Cow<'a, str> {
        if self.plan.byte_level {
            return piece.iter().map(|&byte| byte_level::CHARS[usize::from(byte)]).collect();
        }
        String::from_utf8_lossy(self.plan.splitter.spelling().spell(piece, buffer))
    }

    /// Calls `each` with the pieces of a text. An added token is a piece as it stands.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] where the normalizer or a pattern fails.
    pub fn pieces(
        &self,
        text: &str,
        each: &mut impl FnMut(Batch<'_>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let policy = MatchPolicy::new(&SpecialSet::All);
        if self.added.is_idle(Stage::Raw, policy.special) {
            return self.normalized(text, 0, each);
        }
        let mut segments = Vec::new();
        self.added.segments(Stage::Raw, text, policy, &mut segments)?;
        for Segment { start, end, token } in segments {
            match token {
                Some(_) => each(Batch::Spelled(&text[start..end]))?,
                None => self.normalized(&text[start..end], start, each)?,
            }
        }
        Ok(())
    }

    /// The same for a stretch that starts at byte `start` of the text and has no raw added tokens.
    fn normalized(
        &self,
        stretch: &str,
        start: usize,
        each: &mut impl FnMut(Batch<'_>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let policy = MatchPolicy::new(&SpecialSet::All);
        let idle = self.added.is_idle(Stage::Normalized, policy.special);
        if idle && self.plan.normalizes.does(stretch) {
            let place = Place { at_start: start == 0, normalized: false };
            return self.split(stretch, place, each);
        }
        let (text, spans) = self.normalize(stretch, start)?;
        let mut segments = Vec::new();
        if idle {
            segments.push(Segment { start: 0, end: text.len(), token: None });
        } else {
            self.added.segments(Stage::Normalized, &text, policy, &mut segments)?;
        }
        for segment in segments {
            let range = segment.start..segment.end;
            let part = &text[range.clone()];
            match (segment.token, &spans) {
                (Some(_), _) => each(Batch::Spelled(part))?,
                (None, Some(spans)) => {
                    let mut pieces = Pieces::with_spans(part, spans[range].to_vec());
                    self.steps.iter().try_for_each(|step| pieces.apply(step, best_level()))?;
                    pieces.hand_out(self.plan.byte_level, |bytes, boundaries| {
                        each(Batch::Pieces { bytes, boundaries })
                    })?;
                }
                (None, None) => {
                    let at_start = start == 0 && segment.start == 0;
                    self.split(part, Place { at_start, normalized: true }, each)?;
                }
            }
        }
        Ok(())
    }

    fn split(
        &self,
        text: &str,
        place: Place,
        each: &mut impl FnMut(Batch<'_>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.plan
            .splitter
            .pieces(text, place, |bytes, boundaries| each(Batch::Pieces { bytes, boundaries }))
    }

    /// A stretch normalized, with the spans of the original that its bytes stand for where cutting
    /// depends on them.
    fn normalize<'t>(&self, stretch: &'t str, start: usize) -> Result<Normalized<'t>, EncodeError> {
        let moved = |spans: Vec<(u32, u32)>| {
            let by = u32::try_from(start).unwrap_or(u32::MAX);
            let spans = spans.into_iter();
            spans.map(|(from, to)| (from.saturating_add(by), to.saturating_add(by))).collect()
        };
        let mut by_spans = self.plan.needs_spans;
        let Some(normalizer) = self.normalizer.as_deref() else {
            let spans = by_spans.then(|| moved(identity(stretch)));
            return Ok((Cow::Borrowed(stretch), spans));
        };
        if !by_spans {
            let (text, notes) = normalizer.normalize_noting(stretch)?;
            by_spans = notes.in_front;
            if !by_spans {
                return Ok((text, None));
            }
        }
        let (text, spans) = normalizer.normalize_spans(stretch, identity(stretch))?;
        Ok((Cow::Owned(text), Some(moved(spans))))
    }
}

/// A text, and where cutting depends on it the spans that its bytes stand for.
type Normalized<'t> = (Cow<'t, str>, Option<Vec<(u32, u32)>>);

fn empty_bpe() -> Bpe {
    Bpe {
        vocab: Vocab::new(),
        merges: Merges::Pairs(MergeList::new()),
        dropout: None,
        unk_token: None,
        continuing_subword_prefix: None,
        end_of_word_suffix: None,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
    }
}
