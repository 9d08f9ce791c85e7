//! The compiled tokenizer: immutable, shared between threads, from text to ids and back.
//!
//! One flow: added tokens cut the text into segments; each segment between is cut into pieces;
//! each piece becomes ids, most of them from the piece cache. Nothing of a call is stored here.

mod around;
mod batch;
mod budget;
mod chars;
mod columns;
mod counting;
mod decoding;
mod fused;
mod growing;
mod long;
mod matrix;
mod offsets;
mod origin;
mod parts_of_text;
mod pieces;
mod placed;
mod request;
mod runs;
mod safe_cuts;
mod summed;
mod sums;
mod text_index;
mod text_stream;
mod trace;
mod truncation;
mod trusted;

pub use budget::{Boundary, Budget};
pub use growing::GrowingText;
pub use matrix::Matrix;
pub use pieces::{PieceOfText, ScoredPieces};
pub use request::{Input, Request};
pub use text_index::TextIndex;
pub use text_stream::{Ending, TextStream, Watched};

use std::borrow::Cow;
use std::sync::Arc;

use once_cell::race::OnceBox;
use sha2::{Digest, Sha256};

use fused::{Hands, Work};
use parts_of_text::{Part, Spans, Stretch};
use runs::RunModel;

use crate::added_tokens::{AddedTokens, Edges, Stage};
use crate::cache::CachePool;
use crate::decode::{bytes_of, AddedStrings, Decoder};
use crate::encoding::{AddedSpan, Encoding};
use crate::error::{DecodeError, EncodeError, LoadError};
use crate::model::{Lens, Model};
use crate::normalize::{identity, Normalizer};
use crate::post_process::{PostProcessor, Spaces};
use crate::pretokenize::{Pieces, Spelling, Splitter, Step};
use crate::scan::best_level;
use crate::settings::{MatchPolicy, Settings, SpecialSet};
use crate::spec::{DefaultSpecial, Model as ModelSpec, Spec};
use crate::stream::DecodeState;
use crate::tables::TokenTable;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;

/// A piece as the model sees it, and the bytes of the text that it stands for.
pub type PreToken = (String, (usize, usize));

/// A model and the piece caches that belong to it.
pub struct CachedModel {
    pub(crate) model: Model,
    pub(crate) caches: Arc<CachePool>,
    /// The bytes that the byte alphabet spells, made when first decoded.
    bytes: OnceBox<TokenTable>,
    /// How much tokens cover, made when first needed.
    lens: OnceBox<Lens>,
}

impl CachedModel {
    pub(crate) fn new(model: Model) -> Self {
        Self::with_bytes(model, None)
    }

    /// A model whose tokens' bytes may be known.
    pub(crate) fn with_bytes(model: Model, bytes: Option<TokenTable>) -> Self {
        let cell = OnceBox::new();
        if let Some(bytes) = bytes {
            cell.get_or_init(|| Box::new(bytes));
        }
        Self { model, caches: CachePool::new(), bytes: cell, lens: OnceBox::new() }
    }

    /// How much tokens cover of a piece; `prefix` is WordPiece's.
    pub(crate) fn lens(&self, prefix: &str) -> &Lens {
        self.lens.get_or_init(|| Box::new(Lens::new(&self.model, prefix)))
    }

    /// What the byte alphabet spells in each token.
    #[inline]
    pub(crate) fn bytes(&self) -> &TokenTable {
        self.bytes.get_or_init(|| Box::new(bytes_of(self.model.vocabulary().strings())))
    }
}

/// A model, and the steps in front of it where the splitter does not do.
struct Way<'a> {
    model: &'a CachedModel,
    steps: Option<&'a [Step]>,
}

/// How a text is cut, and what the model then sees.
pub(crate) struct Plan {
    pub splitter: Splitter,
    /// Pieces are bytes for a vocabulary in the byte alphabet; else they are text.
    pub byte_level: bool,
    /// Whether the splitter also does what the normalizer would do.
    pub normalizes: Normalizes,
    /// The splitter is exact only over text whose spans are known.
    pub needs_spans: bool,
}

/// For which texts a splitter does what the normalizer would do.
pub(crate) enum Normalizes {
    None,
    All,
    /// Those that don't have this in them, which the normalizer replaces.
    Without(String),
}

impl Normalizes {
    /// Whether it does for this text.
    pub fn does(&self, text: &str) -> bool {
        match self {
            Normalizes::None => false,
            Normalizes::All => true,
            Normalizes::Without(replaced) => {
                memchr::memmem::find(text.as_bytes(), replaced.as_bytes()).is_none()
            }
        }
    }
}

/// The parts that `compile` puts together.
pub(crate) struct Parts {
    pub spec: Arc<Spec>,
    pub added: AddedTokens,
    pub normalizer: Option<Arc<Normalizer>>,
    pub post_processor: PostProcessor,
    pub plan: Arc<Plan>,
    pub model: Arc<CachedModel>,
    pub decoder: Decoder,
    /// What decoding sees of the added tokens.
    pub strings: AddedStrings,
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
    /// Whether the model can make a control id from text, so that `special="none"` needs one that
    /// can't; found out when first needed.
    reaches_control_ids: OnceBox<bool>,
    /// The model without control ids, made when first needed.
    masked: OnceBox<CachedModel>,
    /// The pre-tokenizer step by step, for texts whose spans matter.
    steps: OnceBox<Vec<Step>>,
    /// The model that reads pieces as text, for such texts; the second without control ids.
    general: [OnceBox<CachedModel>; 2],
    /// What each id stands for in the middle of a text, made when first asked for.
    inside: OnceBox<TokenTable>,
    /// The white space at the ends of each token, found when first needed.
    spaces: OnceBox<Vec<Spaces>>,
    /// SHA-256 of the canonical spec, made when first asked for.
    fingerprint: OnceBox<[u8; 32]>,
    /// Where added tokens may be in the way of a safe cut, made when first needed.
    edges: OnceBox<Edges>,
    /// The runs of a SentencePiece model's texts, found when first needed.
    runs: OnceBox<Option<RunModel>>,
}

impl Pipeline {
    pub(crate) fn from_parts(parts: Parts) -> Self {
        Self {
            parts,
            reaches_control_ids: OnceBox::new(),
            masked: OnceBox::new(),
            steps: OnceBox::new(),
            general: Default::default(),
            inside: OnceBox::new(),
            spaces: OnceBox::new(),
            fingerprint: OnceBox::new(),
            edges: OnceBox::new(),
            runs: OnceBox::new(),
        }
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What the tokenizer was compiled from.
    pub fn spec(&self) -> &Spec {
        &self.parts.spec
    }

    /// SHA-256 of the canonical spec: equal for tokenizers whose every output is equal by
    /// construction.
    pub fn fingerprint(&self) -> &[u8; 32] {
        self.fingerprint
            .get_or_init(|| Box::new(Sha256::digest(self.parts.spec.canonical()).into()))
    }

    /// The fingerprint of this tokenizer with other settings.
    pub fn fingerprint_with(&self, settings: &Settings) -> [u8; 32] {
        let Spec { truncation, padding, .. } = &*self.parts.spec;
        if (truncation, padding) == (&settings.truncation, &settings.padding) {
            return *self.fingerprint();
        }
        let Settings { truncation, padding, .. } = settings.clone();
        Sha256::digest(Spec { truncation, padding, ..(*self.parts.spec).clone() }.canonical())
            .into()
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

    /// The tokenizer.json of a spec that this was compiled from, perhaps with other settings.
    pub fn to_json(&self, settings: &Settings) -> Result<Vec<u8>, LoadError> {
        crate::compile::check_ids_survive(&self.parts)?;
        let Settings { truncation, padding, .. } = settings.clone();
        crate::spec::to_json(&Spec { truncation, padding, ..(*self.parts.spec).clone() })
    }

    /// The content of a compiled file of this tokenizer, perhaps with other settings: `load_file` and
    /// `load_bytes` take it. `origin` is the digest of what it was made from.
    pub fn to_fret(
        &self,
        settings: &Settings,
        origin: Option<[u8; 16]>,
    ) -> Result<Vec<u8>, LoadError> {
        let (truncation, padding) = (settings.truncation.as_ref(), settings.padding.as_ref());
        crate::compile::to_fret(&self.parts, truncation, padding, origin)
    }

    /// Truncation and padding as the file has them.
    pub fn file_settings(&self) -> Settings {
        let Spec { truncation, padding, .. } = &*self.parts.spec;
        Settings { truncation: truncation.clone(), padding: padding.clone(), seed: None }
    }

    /// How many special tokens the post-processor is taken to add to a text or a pair.
    pub fn num_special_tokens_to_add(&self, is_pair: bool) -> usize {
        self.parts.post_processor.added(is_pair)
    }

    /// The model's own tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.parts.model.model.vocabulary()
    }

    /// The id of a token string, added tokens first.
    pub fn token_to_id(&self, token: &str) -> Option<u32> {
        self.parts.added.id_of(token).or_else(|| self.vocabulary().id(token.as_bytes()))
    }

    /// The token string of an id, added tokens first, in their normalized spelling.
    pub fn id_to_token(&self, id: u32) -> Option<&str> {
        let added = self.parts.added.get(id).map(|token| token.spelling.as_str());
        added.or_else(|| self.vocabulary().token(id))
    }

    /// Token strings and ids: the model's in id order, then added tokens that it does not have.
    pub fn vocab(&self, with_added_tokens: bool) -> impl Iterator<Item = (&str, u32)> + '_ {
        let added = self.parts.added.names().iter().filter(move |(content, _)| {
            with_added_tokens && self.vocabulary().id(content.as_bytes()).is_none()
        });
        self.vocabulary().iter().chain(added.map(|(content, id)| (content.as_str(), *id)))
    }

    /// The model to encode with: one that can't make control ids where the policy keeps them out.
    fn model(&self, policy: MatchPolicy<'_>) -> &CachedModel {
        if !self.is_masked(policy) {
            return &self.parts.model;
        }
        self.masked.get_or_init(|| Box::new(crate::compile::masked_model(&self.parts)))
    }

    /// Whether control ids have to be kept out of the model's candidates.
    fn is_masked(&self, policy: MatchPolicy<'_>) -> bool {
        let kept_out = *policy.special == SpecialSet::None || policy.trusted.is_some();
        kept_out && self.reaches_control_ids()
    }

    /// Whether the model can make a control id.
    fn reaches_control_ids(&self) -> bool {
        *self.reaches_control_ids.get_or_init(|| {
            let control = self.parts.added.tokens().iter().filter(|token| token.control);
            Box::new(self.parts.model.model.reaches(&control.map(|token| token.id).collect()))
        })
    }

    /// Appends the ids of `text`, without any of the post-processor's, and where added tokens stood.
    pub(crate) fn encode_into<'m>(
        &'m self,
        text: &str,
        policy: MatchPolicy<'_>,
        encoding: &mut Encoding,
        hands: &mut Hands<'m>,
    ) -> Result<(), EncodeError> {
        if let Some(done) = self.encode_by_runs(text, policy, &mut encoding.ids) {
            return done;
        }
        if let Some(done) = self.encode_around(text, policy, encoding, hands) {
            return done;
        }
        let model = self.model(policy);
        self.each_part(text, policy, Spans::WhereNeeded, &mut |part| match part {
            Part::Text(stretch) => {
                let way = self.way(model, policy, &stretch);
                let work = hands.work(way.model, self.spelling(&way));
                self.encode_stretch(&way, work, stretch, &mut encoding.ids)
            }
            Part::Added { token, matched, place } => {
                let index = encoding.ids.len();
                match place {
                    Some((start, end)) => encoding.added.push(AddedSpan { index, start, end }),
                    None => encoding.named.push((index, matched.to_owned())),
                }
                encoding.ids.push(self.parts.added.tokens()[token].id);
                Ok(())
            }
        })
    }

    /// Appends the ids of `text` run by run, where a SentencePiece model allows it and no added token is
    /// looked for.
    #[inline]
    fn encode_by_runs(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        ids: &mut Vec<u32>,
    ) -> Option<Result<(), EncodeError>> {
        let Model::SentencePiece(model) = &self.parts.model.model else { return None };
        let added = &self.parts.added;
        let is_idle = |stage| added.is_idle(stage, policy.special);
        if text.is_empty() || !is_idle(Stage::Raw) || !is_idle(Stage::Normalized) {
            return None;
        }
        let rules = self.parts.normalizer.as_ref()?.sentence_piece()?;
        let new_runs = || Box::new(crate::compile::runs(&self.parts).map(RunModel::new));
        let runs = self.runs.get_or_init(new_runs).as_ref()?;
        Some(runs.encode(model, rules, text, ids))
    }

    /// Whether the ids of a piece say what each covers, but for some that don't.
    fn tells_lens(&self, policy: MatchPolicy<'_>) -> bool {
        self.model(policy).lens(self.word_prefix()).covers_all()
    }

    /// What WordPiece spells in front of a token that does not start a word.
    fn word_prefix(&self) -> &str {
        match self.parts.spec.model.options() {
            ModelSpec::WordPiece(words) => &words.continuing_subword_prefix,
            _ => "",
        }
    }

    /// How a stretch is encoded; `model` is that of the policy.
    #[inline]
    fn way<'a>(
        &'a self,
        model: &'a CachedModel,
        policy: MatchPolicy<'_>,
        stretch: &Stretch<'_>,
    ) -> Way<'a> {
        match stretch.by_spans {
            false => Way { model, steps: None },
            true => Way { model: self.general(policy), steps: Some(self.steps()) },
        }
    }

    /// How pieces are spelled for the model on a way.
    fn spelling(&self, way: &Way<'_>) -> Spelling {
        match way.steps {
            Some(_) => Spelling::Plain,
            None => self.parts.plan.splitter.spelling(),
        }
    }

    /// Appends the ids of a stretch.
    #[inline]
    fn encode_stretch<'m>(
        &self,
        way: &Way<'m>,
        work: &mut Work<'m>,
        stretch: Stretch<'_>,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        match (way.steps, stretch.origin) {
            (Some(steps), Some(origin)) => {
                let spans = origin.into_spans(stretch.text);
                work.encode_steps(steps, Pieces::with_spans(stretch.text, spans), ids)
            }
            _ => {
                let splitter = &self.parts.plan.splitter;
                work.encode_segment(splitter, stretch.text, stretch.place, ids)
            }
        }
    }

    /// The pre-tokenizer step by step, made when first needed.
    fn steps(&self) -> &[Step] {
        self.steps.get_or_init(|| Box::new(crate::compile::steps(&self.parts.spec)))
    }

    /// The model for texts whose spans matter, made when first needed.
    fn general(&self, policy: MatchPolicy<'_>) -> &CachedModel {
        let masked = self.is_masked(policy);
        self.general[usize::from(masked)]
            .get_or_init(|| Box::new(crate::compile::text_model(&self.parts, masked)))
    }

    /// The token string of an id that did not come from an added token in the text.
    fn usual_name(&self, id: u32) -> &str {
        self.vocabulary().token(id).or_else(|| self.id_to_token(id)).unwrap_or("")
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
        chars::check_addressable(text.len())?;
        let mut pieces = Pieces::with_spans(text, identity(text));
        for step in self.steps() {
            pieces.apply(step, best_level())?;
        }
        let spans = pieces.spans().unwrap_or_default();
        let place = |&(start, end): &(usize, usize)| {
            let stands_for = (spans[start].0 as usize, spans[end - 1].1 as usize);
            (pieces.text()[start..end].to_owned(), stands_for)
        };
        Ok(pieces.ranges().iter().map(place).collect())
    }

    /// The token strings of an encoding of `text` that has names: an added token is the text that it
    /// matched, and so is what a Unigram model does not know.
    pub fn tokens<'a>(&'a self, encoding: &'a Encoding, text: &'a str) -> Vec<&'a str> {
        let mut tokens: Vec<&str> = encoding.ids.iter().map(|&id| self.usual_name(id)).collect();
        for span in &encoding.added {
            tokens[span.index] = &text[span.start..span.end];
        }
        for (index, token) in &encoding.named {
            tokens[*index] = token;
        }
        tokens
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
        let settings = self.file_settings();
        self.encode_with(text, MatchPolicy::new(special), true, &settings)
            .map(|encoding| encoding.ids)
    }

    #[inline]
    fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        if self.parts.decoder.is_bytes() {
            return self.strings().get(id);
        }
        self.inside.get_or_init(|| Box::new(self.parts.decoder.inside(self.strings()))).get(id)
    }

    fn vocab_size(&self) -> u32 {
        let model = self.vocabulary().id_end();
        model.max(self.parts.strings.id_end())
    }

    fn decode_step(
        &self,
        state: &mut DecodeState,
        id: u32,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        let token = self.strings().get(id);
        let unknown = DecodeError::UnknownId { id, vocab_size: self.vocab_size() };
        self.parts.decoder.step(token.ok_or(unknown)?, state, out)
    }

    fn decode_finish(&self, state: &mut DecodeState, out: &mut String) -> Result<(), DecodeError> {
        self.decode_ids_finish(state, out)
    }

    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, DecodeError> {
        if !self.parts.decoder.is_bytes() {
            return self.decode(ids).map(String::into_bytes);
        }
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        for &id in ids {
            let unknown = DecodeError::UnknownId { id, vocab_size: self.vocab_size() };
            bytes.extend_from_slice(self.token_bytes(id).ok_or(unknown)?);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
