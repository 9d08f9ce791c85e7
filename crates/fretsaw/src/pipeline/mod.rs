//! The compiled tokenizer: immutable, shared between threads, from text to ids and back.
//!
//! One flow: added tokens cut the text into segments; each segment between is cut into pieces;
//! each piece becomes ids, most of them from the piece cache. Nothing of a call is stored here.

mod batch;
mod fused;
mod trusted;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::added_tokens::{AddedTokens, Segment, Stage};
use crate::cache::CachePool;
use crate::decode::Decoder;
use crate::encoding::{AddedSpan, Encoding};
use crate::error::{DecodeError, EncodeError};
use crate::model::Bpe;
use crate::normalize::{identity, Normalizer};
use crate::post_process::{Part, PostProcessor};
use crate::pretokenize::{Pieces, Splitter};
use crate::scan::best_level;
use crate::settings::{MatchPolicy, SpecialSet};
use crate::spec::{DefaultSpecial, Spec};
use crate::stream::DecodeState;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;

/// A piece as the model sees it, and the bytes of the text that it stands for.
pub type PreToken = (String, (usize, usize));

/// A model and the piece caches that belong to it.
pub struct CachedModel {
    pub(crate) bpe: Bpe,
    pub(crate) caches: Arc<CachePool>,
}

impl CachedModel {
    pub(crate) fn new(bpe: Bpe) -> Self {
        Self { bpe, caches: CachePool::new() }
    }
}

/// The parts that `compile` puts together.
pub(crate) struct Parts {
    pub spec: Arc<Spec>,
    pub added: AddedTokens,
    pub normalizer: Option<Normalizer>,
    pub post_processor: PostProcessor,
    pub splitter: Splitter,
    pub model: CachedModel,
    /// Whether the model can make a control id from text, so that `special="none"` needs one that
    /// can't.
    pub reaches_control_ids: bool,
    pub decoder: Decoder,
    /// One past the largest id.
    pub id_end: u32,
    /// One bit an id: left out by `skip_special_tokens`.
    pub skipped: Vec<u64>,
}

/// A compiled tokenizer.
///
/// ```
/// use fretsaw::{load_bytes, Tokenizer};
/// let json = br#"{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
///     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
///     "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true}}"#;
/// let tokenizer = load_bytes(json).unwrap();
/// assert_eq!(tokenizer.encode("abba").unwrap(), [2, 1, 0]);
/// assert_eq!(tokenizer.decode(&[2, 1, 0]).unwrap(), "abba");
/// ```
pub struct Pipeline {
    parts: Parts,
    /// The model without control ids, made when first needed.
    masked: OnceLock<CachedModel>,
    /// SHA-256 of the canonical spec, made when first asked for.
    fingerprint: OnceLock<[u8; 32]>,
}

impl Pipeline {
    pub(crate) fn from_parts(parts: Parts) -> Self {
        Self { parts, masked: OnceLock::new(), fingerprint: OnceLock::new() }
    }

    /// What the tokenizer was compiled from.
    pub fn spec(&self) -> &Spec {
        &self.parts.spec
    }

    /// SHA-256 of the canonical spec: equal for tokenizers whose every output is equal by
    /// construction.
    pub fn fingerprint(&self) -> &[u8; 32] {
        self.fingerprint.get_or_init(|| Sha256::digest(self.parts.spec.canonical()).into())
    }

    /// The added tokens.
    pub fn added_tokens(&self) -> &AddedTokens {
        &self.parts.added
    }

    /// What matches where the caller does not say.
    pub fn default_special(&self) -> SpecialSet {
        match self.parts.spec.defaults.special {
            DefaultSpecial::All => SpecialSet::All,
            DefaultSpecial::Error => SpecialSet::Error,
            DefaultSpecial::None => SpecialSet::None,
        }
    }

    /// The model's own tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.parts.model.bpe.vocabulary
    }

    /// The id of a token string, added tokens first.
    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        self.parts.added.id_of(token).or_else(|| self.vocabulary().id(token.as_bytes()))
    }

    /// The token string of an id, added tokens first, in their normalized spelling.
    pub fn id_to_token(&self, id: u32) -> Option<&str> {
        let added = self.parts.added.get(id).map(|token| token.pattern.as_str());
        added.or_else(|| self.vocabulary().token(id))
    }

    /// Token strings and ids: the model's in id order, then added tokens that it does not have.
    pub fn vocab(&self, with_added_tokens: bool) -> impl Iterator<Item = (&str, u32)> + '_ {
        let added = self.parts.added.tokens().iter().filter(move |token| {
            with_added_tokens && self.vocabulary().id(token.content.as_bytes()).is_none()
        });
        self.vocabulary().iter().chain(added.map(|token| (token.content.as_str(), token.id)))
    }

    /// The model to encode with: one that can't make control ids where `special` forbids them.
    fn model(&self, special: &SpecialSet) -> &CachedModel {
        if *special != SpecialSet::None || !self.parts.reaches_control_ids {
            return &self.parts.model;
        }
        self.masked.get_or_init(|| crate::compile::masked_model(&self.parts))
    }

    /// Appends the ids of `text`, without any of the post-processor's, and where added tokens stood.
    pub fn encode_into(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        encoding: &mut Encoding,
    ) -> Result<(), EncodeError> {
        let model = self.model(policy.special);
        if self.parts.added.is_idle(Stage::Raw, policy.special) {
            return self.encode_stretch(model, text, 0, policy, encoding);
        }
        let mut segments = Vec::new();
        self.parts.added.segments(Stage::Raw, text, policy, &mut segments)?;
        for segment in segments {
            let part = &text[segment.start..segment.end];
            match segment.token {
                Some(token) => self.push_added(token, segment, encoding),
                None => {
                    let spans = policy
                        .trusted
                        .map(|spans| trusted::clip(spans, segment.start, segment.end));
                    let policy = MatchPolicy { special: policy.special, trusted: spans.as_deref() };
                    self.encode_stretch(model, part, segment.start, policy, encoding)?;
                }
            }
        }
        Ok(())
    }

    /// Encodes a stretch without raw added tokens that starts at byte `start` of the text.
    fn encode_stretch(
        &self,
        model: &CachedModel,
        stretch: &str,
        start: usize,
        policy: MatchPolicy<'_>,
        encoding: &mut Encoding,
    ) -> Result<(), EncodeError> {
        let text = match &self.parts.normalizer {
            Some(normalizer) => normalizer.normalize(stretch)?,
            None => Cow::Borrowed(stretch),
        };
        if self.parts.added.is_idle(Stage::Normalized, policy.special) {
            return fused::encode_segment(
                model,
                &self.parts.splitter,
                &text,
                start == 0,
                &mut encoding.ids,
            );
        }
        let unchanged = text.as_ptr() == stretch.as_ptr() && text.len() == stretch.len();
        let spans = match (policy.trusted, &self.parts.normalizer) {
            (Some(spans), Some(normalizer)) if !unchanged => {
                Some(trusted::moved(normalizer, stretch, spans)?)
            }
            (spans, _) => spans.map(<[_]>::to_vec),
        };
        let policy = MatchPolicy { special: policy.special, trusted: spans.as_deref() };
        let mut segments = Vec::new();
        self.parts.added.segments(Stage::Normalized, &text, policy, &mut segments)?;
        for segment in segments {
            let part = &text[segment.start..segment.end];
            match segment.token {
                None => {
                    let first = start == 0 && segment.start == 0;
                    fused::encode_segment(
                        model,
                        &self.parts.splitter,
                        part,
                        first,
                        &mut encoding.ids,
                    )?;
                }
                Some(token) if unchanged => {
                    let (from, to) = (start + segment.start, start + segment.end);
                    self.push_added(token, Segment { start: from, end: to, ..segment }, encoding);
                }
                Some(token) => {
                    encoding.named.push((encoding.ids.len(), part.to_owned()));
                    encoding.ids.push(self.parts.added.tokens()[token].id);
                }
            }
        }
        Ok(())
    }

    fn push_added(&self, token: usize, segment: Segment, encoding: &mut Encoding) {
        let index = encoding.ids.len();
        encoding.added.push(AddedSpan { index, start: segment.start, end: segment.end });
        encoding.ids.push(self.parts.added.tokens()[token].id);
    }

    /// The ids of `text` and what is known about them, with the post-processor's special tokens
    /// around them or without.
    pub fn encode_with(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
    ) -> Result<Encoding, EncodeError> {
        let mut encoding = Encoding::default();
        self.extend(&mut encoding, text, policy, add_special_tokens)?;
        Ok(encoding)
    }

    /// Appends a text to an encoding.
    fn extend(
        &self,
        encoding: &mut Encoding,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
    ) -> Result<(), EncodeError> {
        if self.parts.post_processor.is_idle() {
            return self.encode_into(text, policy, encoding);
        }
        for part in &self.parts.post_processor.single {
            match part {
                Part::Text => self.encode_into(text, policy, encoding)?,
                Part::Special { ids, tokens } if add_special_tokens => {
                    let first = encoding.ids.len();
                    encoding.ids.extend_from_slice(ids);
                    encoding.named.extend(
                        tokens.iter().enumerate().map(|(at, token)| (first + at, token.clone())),
                    );
                }
                Part::Special { .. } => {}
            }
        }
        Ok(())
    }

    /// The normalized text.
    pub fn normalize<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, EncodeError> {
        match &self.parts.normalizer {
            Some(normalizer) => normalizer.normalize(text),
            None => Ok(Cow::Borrowed(text)),
        }
    }

    /// The pieces that the pre-tokenizer cuts a text into.
    pub fn pre_tokenize(&self, text: &str) -> Result<Vec<PreToken>, EncodeError> {
        let steps = crate::compile::steps(&self.parts.spec);
        let mut pieces = Pieces::with_spans(text, identity(text));
        for step in &steps {
            pieces.apply(step, best_level())?;
        }
        let spans = pieces.spans().unwrap_or_default();
        let place = |&(start, end): &(usize, usize)| {
            let stands_for = (spans[start].0 as usize, spans[end - 1].1 as usize);
            (pieces.text()[start..end].to_owned(), stands_for)
        };
        Ok(pieces.ranges().iter().map(place).collect())
    }

    /// The token strings of an encoding of `text`: an added token is the text that it matched.
    pub fn tokens<'a>(&'a self, encoding: &'a Encoding, text: &'a str) -> Vec<&'a str> {
        let mut tokens: Vec<&str> =
            encoding.ids.iter().map(|&id| self.id_to_token(id).unwrap_or("")).collect();
        for span in &encoding.added {
            tokens[span.index] = &text[span.start..span.end];
        }
        for (index, token) in &encoding.named {
            tokens[*index] = token;
        }
        tokens
    }

    /// The text of `ids` as the format's oracle gives it: ids that no token has are passed over,
    /// or refused where the oracle refuses them.
    pub fn decode_ids(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
    ) -> Result<String, DecodeError> {
        let separate = skip_special_tokens && self.parts.spec.defaults.skipped_tokens_separate;
        if !self.parts.decoder.is_bytes() || separate {
            let mut text = String::new();
            let mut state = DecodeState::default();
            for &id in ids {
                self.decode_ids_step(&mut state, id, skip_special_tokens, &mut text)?;
            }
            state.finish(&mut text);
            return Ok(text);
        }
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        for &id in ids {
            bytes.extend_from_slice(self.decodable(id, skip_special_tokens)?.unwrap_or_default());
        }
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// The bytes that `ids` stand for, by the same rules.
    pub fn decode_ids_to_bytes(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
    ) -> Result<Vec<u8>, DecodeError> {
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        for &id in ids {
            bytes.extend_from_slice(self.decodable(id, skip_special_tokens)?.unwrap_or_default());
        }
        Ok(bytes)
    }

    /// Decodes one more id of a stream by the same rules; appends what is settled by it.
    pub fn decode_ids_step(
        &self,
        state: &mut DecodeState,
        id: u32,
        skip_special_tokens: bool,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        match self.decodable(id, skip_special_tokens)? {
            Some(token) => self.parts.decoder.step(token, state, out),
            None if self.parts.spec.defaults.skipped_tokens_separate => state.finish(out),
            None => {}
        }
        Ok(())
    }

    /// Whether `skip_special_tokens` leaves an id out.
    pub fn is_skipped(&self, id: u32) -> bool {
        let id = id as usize;
        self.parts.skipped.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    #[inline]
    fn decodable(&self, id: u32, skip_special_tokens: bool) -> Result<Option<&[u8]>, DecodeError> {
        match self.token_bytes(id) {
            None if self.parts.spec.defaults.strict_ids => {
                Err(DecodeError::UnknownId { id, vocab_size: self.vocab_size() })
            }
            Some(_) if skip_special_tokens && self.is_skipped(id) => Ok(None),
            found => Ok(found),
        }
    }
}

impl Tokenizer for Pipeline {
    fn encode(&self, text: &str) -> Result<Vec<u32>, EncodeError> {
        self.encode_with_special(text, &self.default_special())
    }

    fn encode_with_special(
        &self,
        text: &str,
        special: &SpecialSet,
    ) -> Result<Vec<u32>, EncodeError> {
        self.encode_with(text, MatchPolicy::new(special), true).map(|encoding| encoding.ids)
    }

    #[inline]
    fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        self.parts.decoder.bytes(id)
    }

    fn vocab_size(&self) -> u32 {
        self.parts.id_end
    }

    fn decode_step(
        &self,
        state: &mut DecodeState,
        id: u32,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        let token = self.token_bytes(id);
        let unknown = DecodeError::UnknownId { id, vocab_size: self.vocab_size() };
        self.parts.decoder.step(token.ok_or(unknown)?, state, out);
        Ok(())
    }
}
