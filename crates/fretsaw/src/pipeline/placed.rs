//! A text's ids in their place: cut to length, special tokens around them, filled up.
//!
//! Source: `post_process` of Hugging Face tokenizers 0.23.3.

use std::hash::{BuildHasher, RandomState};

use super::fused::Hands;
use super::{truncation, Pipeline};
use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::post_process::Part;
use crate::settings::{MatchPolicy, Settings};
use crate::spec::{PadStrategy, Padding};

impl Pipeline {
    /// The ids of `text` and what is known about them, with the post-processor's special tokens
    /// around them or without, cut and filled up as the settings say.
    pub fn encode_with(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
    ) -> Result<Encoding, EncodeError> {
        let mut encoding = Encoding::default();
        self.extend(&mut encoding, text, policy, add_special_tokens, settings, &mut Hands::new(0))?;
        self.pad_alone(&mut encoding, settings);
        Ok(encoding)
    }

    /// Fills an encoding up that is no part of a batch, if the settings say so.
    pub fn pad_alone(&self, encoding: &mut Encoding, settings: &Settings) {
        if let Some(padding) = &settings.padding {
            self.pad(encoding, padding, encoding.ids.len());
        }
    }

    /// Whether an encoding has unknown tokens whose texts only [`Pipeline::columns`] finds.
    pub fn lacks_names(&self, encoding: &Encoding) -> bool {
        let unknown = self.parts.model.model.names_unknown();
        unknown.is_some_and(|unknown| encoding.ids.contains(&unknown))
    }

    /// Appends a text to an encoding.
    pub(super) fn extend<'m>(
        &'m self,
        encoding: &mut Encoding,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
        hands: &mut Hands<'m>,
    ) -> Result<(), EncodeError> {
        if self.parts.model.model.is_random() {
            hands.rest();
        }
        if let Some(seed) = self.start_random(settings) {
            encoding.seed = Some(seed);
        }
        let parts = self.parts.post_processor.parts(false, add_special_tokens)?;
        let texts = parts.iter().filter(|part| matches!(part, Part::Text(_))).count();
        if texts != 1 {
            return self.extend_copied(encoding, text, policy, add_special_tokens, settings, hands);
        }
        for part in parts {
            let first = encoding.ids.len();
            match part {
                Part::Text(_) => {
                    if !self.encode_long(text, policy, hands.threads, encoding) {
                        self.encode_into(text, policy, encoding, hands)?;
                    }
                    self.truncate(encoding, first, settings, add_special_tokens)?;
                    encoding.lens = [encoding.ids.len() - first, 0];
                }
                Part::Special { ids, tokens } => encoding.push_special(ids, tokens),
            }
        }
        Ok(())
    }

    /// The same where the text is in several places, or in none but still has to be encoded.
    fn extend_copied<'m>(
        &'m self,
        encoding: &mut Encoding,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
        hands: &mut Hands<'m>,
    ) -> Result<(), EncodeError> {
        let mut one = Encoding::default();
        self.encode_into(text, policy, &mut one, hands)?;
        self.truncate(&mut one, 0, settings, add_special_tokens)?;
        encoding.lens = [one.ids.len(), 0];
        for part in self.parts.post_processor.parts(false, add_special_tokens)? {
            match part {
                Part::Text(_) => encoding.append(&one),
                Part::Special { ids, tokens } => encoding.push_special(ids, tokens),
            }
        }
        Ok(())
    }

    /// Cuts the ids from `first` on, which are those of a text.
    fn truncate(
        &self,
        encoding: &mut Encoding,
        first: usize,
        settings: &Settings,
        add_special_tokens: bool,
    ) -> Result<(), EncodeError> {
        let Some(truncation) = &settings.truncation else { return Ok(()) };
        let most = self.most_ids(truncation, false, add_special_tokens);
        if let [len] = *truncation::lens(&[&encoding.ids[first..]], truncation, most)? {
            encoding.truncate(first, len, truncation.direction);
        }
        Ok(())
    }

    /// Fills an encoding up to the length that padding gives a batch whose longest has `longest`.
    pub(super) fn pad(&self, encoding: &mut Encoding, padding: &Padding, longest: usize) {
        let usual = self.usual_name(padding.pad_id) == padding.pad_token;
        let name = (!usual).then_some(padding.pad_token.as_str());
        encoding.pad(padded_len(padding, longest), padding.pad_id, name, padding.direction);
    }
}

/// The length that padding gives a batch whose longest has `longest`.
pub fn padded_len(padding: &Padding, longest: usize) -> usize {
    let len = match padding.strategy {
        PadStrategy::BatchLongest => longest,
        PadStrategy::Fixed(len) => len,
    };
    match padding.pad_to_multiple_of {
        Some(multiple) if multiple > 0 => len.next_multiple_of(multiple),
        _ => len,
    }
}

/// Another number each time.
pub fn any_seed() -> u64 {
    // The keys of a standard hasher are random.
    RandomState::new().hash_one(0)
}
