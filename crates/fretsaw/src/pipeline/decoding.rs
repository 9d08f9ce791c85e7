//! From ids back to text, as the oracle of the format does it.
//!
//! Ids that no token has are passed over, or refused where the oracle refuses them; special tokens are
//! left out where that is asked for. Cost: linear in the text.

use super::Pipeline;
use crate::decode::{has_bit, Decoder, Strings};
use crate::error::DecodeError;
use crate::stream::DecodeState;
use crate::tokenizer::Tokenizer;

impl Pipeline {
    /// The text of `ids` as the format's oracle gives it: ids that no token has are passed over,
    /// or refused where the oracle refuses them.
    pub fn decode_ids(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
    ) -> Result<String, DecodeError> {
        let by_steps = matches!(self.parts.decoder, Decoder::Pieces(_));
        if !self.parts.decoder.is_bytes() && !by_steps {
            let mut tokens = Vec::with_capacity(ids.len());
            for &id in ids {
                tokens.extend(self.decodable(id, skip_special_tokens)?);
            }
            return self.parts.decoder.decode(tokens);
        }
        if by_steps || skip_special_tokens && self.parts.spec.defaults.skipped_tokens_separate {
            let mut text = String::new();
            let mut state = DecodeState::default();
            for &id in ids {
                self.decode_ids_step(&mut state, id, skip_special_tokens, &mut text)?;
            }
            self.decode_ids_finish(&mut state, &mut text)?;
            return Ok(text);
        }
        Ok(String::from_utf8(self.bytes_of(ids, skip_special_tokens)?)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// The bytes of all ids, one after the other.
    fn bytes_of(&self, ids: &[u32], skip_special_tokens: bool) -> Result<Vec<u8>, DecodeError> {
        let left_out = if skip_special_tokens { &self.parts.skipped[..] } else { &[] };
        let strict = self.parts.spec.defaults.strict_ids;
        let mut bytes = Vec::with_capacity(ids.len() * 6 + 16);
        let appended = self.strings().append_all(ids, left_out, strict, &mut bytes);
        let unknown = |id| DecodeError::UnknownId { id, vocab_size: self.vocab_size() };
        appended.map_err(unknown).map(|()| bytes)
    }

    /// The bytes that `ids` stand for, by the same rules.
    pub fn decode_ids_to_bytes(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
    ) -> Result<Vec<u8>, DecodeError> {
        if !self.parts.decoder.is_bytes() {
            return self.decode_ids(ids, skip_special_tokens).map(String::into_bytes);
        }
        self.bytes_of(ids, skip_special_tokens)
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
            Some(token) => self.parts.decoder.step(token, state, out)?,
            None if self.parts.spec.defaults.skipped_tokens_separate => {
                self.parts.decoder.separate(state, out);
            }
            None => {}
        }
        Ok(())
    }

    /// Ends a stream by the same rules; appends what was held back.
    pub fn decode_ids_finish(
        &self,
        state: &mut DecodeState,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        self.parts.decoder.finish(state, out)
    }

    /// The bytes of every id one after the other, and where those of each start: one more than there are
    /// ids. An id without a token has none.
    pub fn token_table(&self) -> (Vec<u8>, Vec<i64>) {
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for id in 0..self.vocab_size() {
            bytes.extend_from_slice(self.token_bytes(id).unwrap_or_default());
            offsets.push(bytes.len() as i64);
        }
        (bytes, offsets)
    }

    /// What decoding sees of each id.
    #[inline]
    pub(super) fn strings(&self) -> Strings<'_> {
        let model = &self.parts.model;
        let table = match &self.parts.decoder {
            Decoder::ByteLevel => model.bytes(),
            Decoder::Chain(_) => model.model.vocabulary().strings(),
            Decoder::Pieces(pieces) => pieces.table(),
        };
        Strings::new(table, &self.parts.strings)
    }

    /// Whether `skip_special_tokens` leaves an id out.
    pub fn is_skipped(&self, id: u32) -> bool {
        has_bit(&self.parts.skipped, id)
    }

    #[inline]
    fn decodable(&self, id: u32, skip_special_tokens: bool) -> Result<Option<&[u8]>, DecodeError> {
        match self.strings().get(id) {
            None if self.parts.spec.defaults.strict_ids => {
                Err(DecodeError::UnknownId { id, vocab_size: self.vocab_size() })
            }
            Some(_) if skip_special_tokens && self.is_skipped(id) => Ok(None),
            found => Ok(found),
        }
    }
}
