//! What a caller may ask of a single call: kept apart from the pipeline, which never changes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::spec::{Padding, Truncation};

/// Which added tokens match in text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SpecialSet {
    /// Every added token.
    #[default]
    All,
    /// None; and the model's own control ids are out of reach too.
    None,
    /// Those with these texts.
    Only(BTreeSet<String>),
    /// Every added token, but one that is flagged special is an error.
    Error,
    /// Every added token that is not flagged special; one that is hides what overlaps it all the
    /// same, as with Hugging Face's `encode_special_tokens`.
    Plain,
}

impl SpecialSet {
    /// Every added token matches.
    pub fn all() -> Self {
        SpecialSet::All
    }

    /// No added token matches.
    pub fn none() -> Self {
        SpecialSet::None
    }

    /// Just the added tokens with these texts match.
    pub fn only<S: AsRef<str>>(contents: &[S]) -> Self {
        SpecialSet::Only(contents.iter().map(|content| content.as_ref().to_owned()).collect())
    }

    /// Whether an added token with this text may match.
    pub fn allows(&self, content: &str) -> bool {
        match self {
            SpecialSet::All | SpecialSet::Error | SpecialSet::Plain => true,
            SpecialSet::None => false,
            SpecialSet::Only(contents) => contents.contains(content),
        }
    }
}

/// How added tokens are matched in one call.
#[derive(Debug, Clone, Copy)]
pub struct MatchPolicy<'a> {
    /// Which added tokens match.
    pub special: &'a SpecialSet,
    /// Where they may match: half-open spans in bytes of the text, or everywhere. With spans, the model's
    /// own control ids are out of reach.
    pub trusted: Option<&'a [(usize, usize)]>,
}

impl<'a> MatchPolicy<'a> {
    /// A policy without trusted spans.
    pub fn new(special: &'a SpecialSet) -> Self {
        MatchPolicy { special, trusted: None }
    }
}

/// How encodings are made, cut and filled up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is longer is cut.
    pub truncation: Option<Truncation>,
    /// What is shorter is filled up.
    pub padding: Option<Padding>,
    /// What the random choices of a model that makes any follow from, together with the place of the
    /// text in its batch; they are other ones each time where there is none.
    pub seed: Option<u64>,
}

impl Settings {
    /// Encodings stay as they are.
    pub const NONE: Settings = Settings { truncation: None, padding: None, seed: None };

    /// The settings for the text at this place of a batch: a seed of its own, if there is one.
    pub fn at(&self, index: usize) -> Cow<'_, Settings> {
        match self.seed {
            None => Cow::Borrowed(self),
            Some(seed) => {
                let seed = seed ^ (index as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
                Cow::Owned(Settings { seed: Some(seed), ..self.clone() })
            }
        }
    }
}
