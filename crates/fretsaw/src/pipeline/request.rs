//! What is encoded at once: a text or words, alone or with a second one.

use super::fused::{self, Hands};
use super::Pipeline;
use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::post_process::Part;
use crate::settings::{MatchPolicy, Settings};

/// One sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input<'a> {
    /// A text.
    Text(&'a str),
    /// Words that were cut before; each is encoded as a text of its own.
    Words(Vec<&'a str>),
}

/// A sequence, or a pair of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a> {
    pub first: Input<'a>,
    pub second: Option<Input<'a>>,
}

impl<'a> Request<'a> {
    /// A single text.
    pub fn text(text: &'a str) -> Self {
        Self { first: Input::Text(text), second: None }
    }

    /// The sequences.
    pub fn inputs(&self) -> impl Iterator<Item = &Input<'a>> {
        std::iter::once(&self.first).chain(&self.second)
    }

    /// How many bytes there are to encode.
    pub fn size_bytes(&self) -> usize {
        self.inputs().map(|input| input.texts().iter().map(|text| text.len()).sum::<usize>()).sum()
    }
}

impl<'a> Input<'a> {
    /// The text, or the words.
    pub fn texts(&self) -> &[&'a str] {
        match self {
            Input::Text(text) => std::slice::from_ref(text),
            Input::Words(words) => words,
        }
    }
}

impl Pipeline {
    /// The ids of a request, with special tokens or without, and cut as the settings say; not filled
    /// up. Of a pair or of words only ids are known.
    ///
    /// Of spans in `policy` those of a single text count.
    pub fn encode_request(
        &self,
        request: &Request<'_>,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
    ) -> Result<Encoding, EncodeError> {
        let mut encoding = Encoding::default();
        if let Request { first: Input::Text(text), second: None } = request {
            self.extend(
                &mut encoding,
                text,
                policy,
                add_special_tokens,
                settings,
                &mut Hands::new(1),
            )?;
            return Ok(encoding);
        }
        encoding.seed = self.start_random(settings);
        let (mut texts, mut hands) = (Vec::new(), Hands::new(1));
        for input in request.inputs() {
            let mut one = Encoding::default();
            for text in input.texts() {
                self.encode_into(text, MatchPolicy::new(policy.special), &mut one, &mut hands)?;
            }
            texts.push(one.ids);
        }
        let is_pair = request.second.is_some();
        if let Some(truncation) = &settings.truncation {
            let most = self.most_ids(truncation, is_pair, add_special_tokens);
            let lens = super::truncation::lens(&texts, truncation, most)?;
            for (ids, len) in texts.iter_mut().zip(lens) {
                super::truncation::keep(ids, len, truncation.direction);
            }
        }
        for (len, ids) in encoding.lens.iter_mut().zip(&texts) {
            *len = ids.len();
        }
        for part in self.parts.post_processor.parts(is_pair, add_special_tokens)? {
            match part {
                Part::Text(at) => encoding.ids.extend_from_slice(&texts[*at]),
                Part::Special { ids, .. } => encoding.ids.extend_from_slice(ids),
            }
        }
        Ok(encoding)
    }

    /// Makes the random choices of this thread follow from a seed, if the model makes any; returns it.
    pub(super) fn start_random(&self, settings: &Settings) -> Option<u64> {
        let random = self.parts.model.model.is_random();
        let seed = random.then(|| settings.seed.unwrap_or_else(super::placed::any_seed));
        seed.inspect(|&seed| fused::seed(seed))
    }
}
