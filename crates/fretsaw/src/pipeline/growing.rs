//! A text that grows: after each addition the ids of the whole, of which only the end is encoded again.
//!
//! What stands before the last safe cut keeps its ids whatever follows; the text behind it is kept and
//! encoded again with what is added. Where a tokenizer has no safe cuts, that is the whole text.
//!
//! Cost: linear in the addition and in the text behind the last safe cut.

use std::sync::Arc;

use super::fused::Hands;
use super::{trusted, Pipeline};
use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::post_process::Part;
use crate::settings::{MatchPolicy, Settings, SpecialSet};

/// The ids of a text, and what it takes to go on.
pub struct GrowingText {
    pipeline: Arc<Pipeline>,
    special: SpecialSet,
    add_special_tokens: bool,
    /// Whether there are safe cuts, and the text comes once among special tokens.
    by_parts: bool,
    ids: Vec<u32>,
    /// So many of them stay whatever follows.
    kept: usize,
    /// The text that the others are of, but for special tokens.
    tail: String,
    /// Where added tokens may match in it, in bytes; everywhere if there is nothing here.
    trusted: Option<Vec<(usize, usize)>>,
}

impl Clone for GrowingText {
    /// A copy with room for what comes next, so that going on does not move all of it.
    fn clone(&self) -> Self {
        let mut ids = Vec::with_capacity(self.ids.len() + self.ids.len() / 2);
        ids.extend_from_slice(&self.ids);
        Self {
            pipeline: self.pipeline.clone(),
            special: self.special.clone(),
            add_special_tokens: self.add_special_tokens,
            by_parts: self.by_parts,
            ids,
            kept: self.kept,
            tail: self.tail.clone(),
            trusted: self.trusted.clone(),
        }
    }
}

impl GrowingText {
    /// The empty text.
    ///
    /// # Errors
    ///
    /// As encoding it.
    pub fn new(
        pipeline: Arc<Pipeline>,
        special: SpecialSet,
        add_special_tokens: bool,
    ) -> Result<Self, EncodeError> {
        // A model that is another one once there are spans can't keep ids from before.
        let by_parts = pipeline.frame(add_special_tokens)?.0 == 1
            && pipeline.has_safe_cuts()
            && !pipeline.reaches_control_ids();
        let mut ids = Vec::new();
        if by_parts {
            for part in pipeline.parts.post_processor.parts(false, add_special_tokens)? {
                match part {
                    Part::Special { ids: front, .. } => ids.extend_from_slice(front),
                    Part::Text(_) => break,
                }
            }
        }
        let kept = ids.len();
        let (tail, trusted) = (String::new(), None);
        let mut text =
            Self { pipeline, special, add_special_tokens, by_parts, ids, kept, tail, trusted };
        text.extend("", None)?;
        Ok(text)
    }

    /// The tokenizer that the ids are of.
    pub fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// The ids of the whole text.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// How many bytes are encoded when so many are added, at most.
    pub fn work_bytes(&self, more: usize) -> usize {
        self.tail.len() + more
    }

    /// Adds a text at the end, with the spans in bytes of it where added tokens may match (everywhere, if
    /// there are none), and returns how many of the ids before are still the first ones.
    ///
    /// # Errors
    ///
    /// As encoding the whole; nothing has changed then.
    pub fn extend(
        &mut self,
        more: &str,
        spans: Option<&[(usize, usize)]>,
    ) -> Result<usize, EncodeError> {
        let from = self.tail.len();
        let moved = match (&self.trusted, spans) {
            (None, None) => None,
            (known, spans) => {
                let all = |start: usize, end: usize| vec![(start, end)];
                let mut joined = known.clone().unwrap_or_else(|| all(0, from));
                match spans {
                    Some(spans) => {
                        joined.extend(spans.iter().map(|(start, end)| (from + start, from + end)));
                    }
                    None => joined.extend(all(from, from + more.len())),
                }
                Some(joined)
            }
        };
        self.tail.push_str(more);
        let made = self.encode_tail(moved.as_deref());
        let Ok((ids, stays, cut)) = made else {
            self.tail.truncate(from);
            return made.map(|_| 0);
        };
        self.tail.drain(..cut);
        self.trusted = moved.map(|spans| trusted::clip(&spans, cut, cut + self.tail.len()));
        let old = &self.ids[self.kept..];
        let same = self.kept + old.iter().zip(&ids).take_while(|(old, new)| old == new).count();
        self.ids.truncate(self.kept);
        // Room for what comes next, so that a long text is not moved for a short addition.
        self.ids.reserve(ids.len() + ids.len() / 2);
        self.ids.extend_from_slice(&ids);
        self.kept += stays;
        Ok(same)
    }

    /// The ids of the tail and of the special tokens behind it, how many of them stay, and the byte of
    /// the tail that they are before.
    fn encode_tail(
        &self,
        trusted: Option<&[(usize, usize)]>,
    ) -> Result<(Vec<u32>, usize, usize), EncodeError> {
        let pipeline = &self.pipeline;
        let policy = MatchPolicy { special: &self.special, trusted };
        if !self.by_parts {
            let add = self.add_special_tokens;
            let encoding = pipeline.encode_with(&self.tail, policy, add, &Settings::NONE)?;
            return Ok((encoding.ids, 0, 0));
        }
        let cut = pipeline.safe_cut_until(&self.tail, self.tail.len()).unwrap_or(0);
        let mut encoding = Encoding::default();
        let mut hands = Hands::new(1);
        let mut stays = 0;
        for (start, end) in [(0, cut), (cut, self.tail.len())] {
            stays = encoding.ids.len();
            let spans = trusted.map(|spans| trusted::clip(spans, start, end));
            let policy = MatchPolicy { special: &self.special, trusted: spans.as_deref() };
            pipeline.encode_into(&self.tail[start..end], policy, &mut encoding, &mut hands)?;
        }
        let parts = pipeline.parts.post_processor.parts(false, self.add_special_tokens)?;
        let behind = parts.iter().skip_while(|part| !matches!(part, Part::Text(_)));
        for part in behind {
            if let Part::Special { ids, .. } = part {
                encoding.ids.extend_from_slice(ids);
            }
        }
        Ok((encoding.ids, stays, cut))
    }
}
