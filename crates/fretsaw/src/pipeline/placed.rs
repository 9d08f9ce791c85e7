//! A text's ids in their place: cut to length, special tokens around them, filled up.
//!
//! Source: `post_process` of Hugging Face tokenizers 0.23.3.

use std::hash::{BuildHasher, RandomState};

use super::{fused, Pipeline};
use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::post_process::Part;
use crate::settings::{MatchPolicy, Settings};
use crate::spec::{PadStrategy, Padding, Truncation, TruncationStrategy};

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
        self.extend(&mut encoding, text, policy, add_special_tokens, settings, false)?;
        if let Some(padding) = &settings.padding {
            let longest = encoding.ids.len();
            self.pad(&mut encoding, padding, longest);
        }
        Ok(encoding)
    }

    /// The same encoding with the texts of unknown tokens, of which it keeps no trace; `len` is its
    /// length. The settings have its seed, if it has one.
    pub fn with_names(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
        len: usize,
    ) -> Result<Encoding, EncodeError> {
        let mut encoding = Encoding::default();
        self.extend(&mut encoding, text, policy, add_special_tokens, settings, true)?;
        if let Some(padding) = &settings.padding {
            self.pad(&mut encoding, padding, len);
        }
        Ok(encoding)
    }

    /// Whether an encoding has unknown tokens whose texts [`Pipeline::with_names`] finds.
    pub fn lacks_names(&self, encoding: &Encoding) -> bool {
        let unknown = self.parts.model.model.names_unknown();
        unknown.is_some_and(|unknown| encoding.ids.contains(&unknown))
    }

    /// Appends a text to an encoding, with the texts of unknown tokens or without.
    pub(super) fn extend(
        &self,
        encoding: &mut Encoding,
        text: &str,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
        names: bool,
    ) -> Result<(), EncodeError> {
        if self.parts.model.model.is_random() {
            let seed = settings.seed.unwrap_or_else(any_seed);
            encoding.seed = Some(seed);
            fused::seed(seed);
        }
        let parts = self.parts.post_processor.parts(add_special_tokens);
        if !parts.contains(&Part::Text) {
            // A text that appears nowhere can still be one that the model fails on.
            self.encode_into(text, policy, false, &mut Encoding::default())?;
        }
        for part in parts {
            let first = encoding.ids.len();
            match part {
                Part::Text => {
                    self.encode_into(text, policy, names, encoding)?;
                    if let Some(truncation) = &settings.truncation {
                        self.truncate(encoding, first, truncation, add_special_tokens)?;
                    }
                }
                Part::Special { ids, tokens } => {
                    encoding.ids.extend_from_slice(ids);
                    encoding.named.extend(
                        tokens.iter().enumerate().map(|(at, token)| (first + at, token.clone())),
                    );
                }
            }
        }
        Ok(())
    }

    /// Cuts the ids from `first` on, which are those of a text.
    fn truncate(
        &self,
        encoding: &mut Encoding,
        first: usize,
        truncation: &Truncation,
        add_special_tokens: bool,
    ) -> Result<(), EncodeError> {
        let added = if add_special_tokens { self.parts.post_processor.added } else { 0 };
        // Where special tokens alone are too many, the oracle's difference wraps around, so that
        // nothing is cut.
        let most = truncation.max_length.wrapping_sub(added);
        let len = encoding.ids.len() - first;
        if len <= most {
            return Ok(());
        }
        let fails = |reason| Err(EncodeError::Truncation { max_length: most, reason });
        if most > 0 && truncation.strategy == TruncationStrategy::OnlySecond {
            return fails("there is no second text to cut");
        }
        if most > 0 && truncation.stride >= most {
            return fails("`stride` is not less than that");
        }
        encoding.truncate(first, most, truncation.direction);
        Ok(())
    }

    /// Fills an encoding up to the length that padding gives a batch whose longest has `longest`.
    pub(super) fn pad(&self, encoding: &mut Encoding, padding: &Padding, longest: usize) {
        let len = match padding.strategy {
            PadStrategy::BatchLongest => longest,
            PadStrategy::Fixed(len) => len,
        };
        let len = match padding.pad_to_multiple_of {
            Some(multiple) if multiple > 0 => len.next_multiple_of(multiple),
            _ => len,
        };
        let usual = self.usual_name(padding.pad_id) == padding.pad_token;
        let name = (!usual).then_some(padding.pad_token.as_str());
        encoding.pad(len, padding.pad_id, name, padding.direction);
    }
}

/// Another number each time.
fn any_seed() -> u64 {
    // The keys of a standard hasher are random.
    RandomState::new().hash_one(0)
}
