//! All columns of an encoding: sequences traced, cut, put together and filled up.
//!
//! Source: `tokenizer/mod.rs` of Hugging Face tokenizers 0.23.3 (`encode`, `post_process`).

use std::sync::Arc;

use super::request::Request;
use super::trace::Whose;
use super::{truncation, Pipeline};
use crate::encoding::{Columns, Encoding, Filling};
use crate::error::EncodeError;
use crate::model::{ModelScratch, Random};
use crate::post_process::process;
use crate::settings::{MatchPolicy, Settings};
use crate::spec::{Padding, Truncation};

impl Pipeline {
    /// Everything known of a request's ids. The settings have the seed that the ids came from, if the
    /// model makes random choices; where padding looks at the whole batch, `longest` is what the
    /// longest of it has.
    pub fn columns(
        &self,
        request: &Request<'_>,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
        longest: Option<usize>,
    ) -> Result<Columns, EncodeError> {
        let mut scratch = ModelScratch::default();
        scratch.set_random(Random::new(settings.seed.unwrap_or_default()));
        let mut sequences = Vec::new();
        for (input, type_id) in request.inputs().zip(0..) {
            let mut columns = Columns::default();
            let alone = match input {
                super::Input::Text(_) => None,
                super::Input::Words(_) => Some(0),
            };
            for (text, at) in input.texts().iter().zip(0..) {
                let whose = Whose { type_id, word: alone.map(|first: u32| first + at) };
                self.trace(text, policy, whose, &mut scratch, &mut columns)?;
            }
            sequences.push(columns);
        }
        self.post_process(sequences, add_special_tokens, settings, longest)
    }

    /// What is known of ids without a look at their texts: types, masks and sequences. Offsets, words
    /// and token strings are no ones.
    pub fn outline(
        &self,
        encoding: &Encoding,
        is_pair: bool,
        add_special_tokens: bool,
        settings: &Settings,
    ) -> Result<Columns, EncodeError> {
        let settings = Settings { truncation: None, ..settings.clone() };
        let texts = encoding.lens.iter().take(1 + usize::from(is_pair));
        let sequences = texts.zip(0..).map(|(&len, type_id)| Columns::blank(len, type_id));
        let longest = Some(encoding.ids.len());
        self.post_process(sequences.collect(), add_special_tokens, &settings, longest)
    }

    /// One encoding of one sequence or two, cut, with special tokens and filled up.
    pub fn post_process(
        &self,
        mut sequences: Vec<Columns>,
        add_special_tokens: bool,
        settings: &Settings,
        longest: Option<usize>,
    ) -> Result<Columns, EncodeError> {
        if let Some(truncation) = &settings.truncation {
            self.cut(&mut sequences, truncation, add_special_tokens)?;
        }
        let processor = self.parts.spec.post_processor.as_ref();
        let name = |id| self.usual_name(id);
        let mut columns = process(processor, sequences, add_special_tokens, &name)?;
        if let Some(padding) = &settings.padding {
            let longest = longest.unwrap_or(columns.len());
            self.fill(&mut columns, padding, longest);
        }
        Ok(columns)
    }

    fn cut(
        &self,
        sequences: &mut [Columns],
        truncation: &Truncation,
        add_special_tokens: bool,
    ) -> Result<(), EncodeError> {
        let most = self.most_ids(truncation, sequences.len() > 1, add_special_tokens);
        let ids: Vec<&[u32]> = sequences.iter().map(|columns| &*columns.ids).collect();
        let lens = truncation::lens(&ids, truncation, most)?;
        for (columns, len) in sequences.iter_mut().zip(lens) {
            columns.truncate(len, truncation.stride, truncation.direction)?;
        }
        Ok(())
    }

    /// Fills an encoding up to the length that padding gives a batch whose longest has `longest`.
    pub fn fill(&self, columns: &mut Columns, padding: &Padding, longest: usize) {
        let own = (self.usual_name(padding.pad_id) != padding.pad_token)
            .then(|| Arc::from(padding.pad_token.as_str()));
        let filling = Filling {
            id: padding.pad_id,
            type_id: padding.pad_type_id,
            name: own,
            direction: padding.direction,
        };
        columns.pad(super::placed::padded_len(padding, longest), &filling);
    }

    /// The token string of each id.
    pub fn names<'a>(&'a self, columns: &'a Columns) -> impl Iterator<Item = &'a str> + 'a {
        let own = columns.names.iter();
        own.zip(&columns.ids)
            .map(|(own, &id)| own.as_deref().unwrap_or_else(|| self.usual_name(id)))
    }
}
