//! What every tokenizer can do, and the simplest one.

use crate::error::{DecodeError, EncodeError};
use crate::settings::SpecialSet;
use crate::stream::DecodeState;

/// From text to ids and back.
pub trait Tokenizer: Send + Sync {
    /// The ids of `text`; added tokens match as the tokenizer's format has it.
    fn encode(&self, text: &str) -> Result<Vec<u32>, EncodeError>;

    /// The ids of `text`, where just the added tokens of `special` match.
    fn encode_with_special(
        &self,
        text: &str,
        special: &SpecialSet,
    ) -> Result<Vec<u32>, EncodeError>;

    /// The bytes that an id stands for in decoded text, or `None` where no token has it.
    fn token_bytes(&self, id: u32) -> Option<&[u8]>;

    /// One past the largest id.
    fn vocab_size(&self) -> u32;

    /// The bytes of `ids`, one after the other. Strict: an unknown id is an error.
    fn decode_bytes(&self, ids: &[u32]) -> Result<Vec<u8>, DecodeError> {
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        for &id in ids {
            let token = self.token_bytes(id);
            let unknown = DecodeError::UnknownId { id, vocab_size: self.vocab_size() };
            bytes.extend_from_slice(token.ok_or(unknown)?);
        }
        Ok(bytes)
    }

    /// The text of `ids`, with one U+FFFD for each maximal ill-formed subpart.
    fn decode(&self, ids: &[u32]) -> Result<String, DecodeError> {
        let mut text = String::new();
        let mut state = DecodeState::default();
        for &id in ids {
            self.decode_step(&mut state, id, &mut text)?;
        }
        self.decode_finish(&mut state, &mut text)?;
        Ok(text)
    }

    /// Decodes one more id of a stream: appends to `out` what is settled by it.
    fn decode_step(
        &self,
        state: &mut DecodeState,
        id: u32,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        let token = self.token_bytes(id);
        let unknown = DecodeError::UnknownId { id, vocab_size: self.vocab_size() };
        state.push_bytes(token.ok_or(unknown)?, out);
        Ok(())
    }

    /// Ends a stream: appends to `out` what was held back.
    fn decode_finish(&self, state: &mut DecodeState, out: &mut String) -> Result<(), DecodeError> {
        state.finish(out);
        Ok(())
    }
}

/// The byte tokenizer: 256 ids, and the id of a byte is its value.
///
/// ```
/// use fretsaw::{ByteTokenizer, Tokenizer};
/// assert_eq!(ByteTokenizer.encode("é").unwrap(), [0xC3, 0xA9]);
/// assert_eq!(ByteTokenizer.decode(&[0xC3, 0xA9, 0xFF]).unwrap(), "é\u{FFFD}");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ByteTokenizer;

/// Every byte, so that each has a slice of its own.
static BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut at = 0;
    while at < 256 {
        bytes[at] = at as u8;
        at += 1;
    }
    bytes
};

impl Tokenizer for ByteTokenizer {
    fn encode(&self, text: &str) -> Result<Vec<u32>, EncodeError> {
        Ok(text.bytes().map(u32::from).collect())
    }

    fn encode_with_special(
        &self,
        text: &str,
        _special: &SpecialSet,
    ) -> Result<Vec<u32>, EncodeError> {
        self.encode(text)
    }

    fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        let id = id as usize;
        BYTES.get(id..id.checked_add(1)?)
    }

    fn vocab_size(&self) -> u32 {
        256
    }
}
