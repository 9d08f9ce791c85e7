//! Decoding id by id: text comes out as soon as it is settled and is never taken back.
//!
//! The chunks and what [`StreamDecoder::finish`] gives equal the decoding of all ids at once. What a
//! decoder holds back is said at `decode::chain`; that of byte-level vocabularies three bytes of an
//! unfinished character. [`Stops`] are what a stream may end at.

mod stops;

pub use stops::{Found, Search, Stops};

use std::ops::Deref;

use crate::decode::{ChainState, PieceState, Utf8State};
use crate::error::DecodeError;
use crate::tokenizer::Tokenizer;

/// What a decoder remembers between two ids.
#[derive(Debug, Clone, Default)]
pub struct DecodeState {
    /// Bytes of an unfinished character.
    pub(crate) utf8: Utf8State,
    /// What decoders other than ByteLevel remember; made when first needed.
    chain: Option<Box<ChainState>>,
    /// What the decoder of SentencePiece remembers; likewise.
    pieces: Option<Box<PieceState>>,
}

impl DecodeState {
    /// The bytes of an unfinished character.
    pub fn pending(&self) -> &[u8] {
        self.utf8.pending()
    }

    /// Takes more bytes and appends the characters that they complete.
    pub fn push_bytes(&mut self, bytes: &[u8], out: &mut String) {
        self.utf8.push_bytes(bytes, out);
    }

    /// The state of a chain of decoders.
    pub(crate) fn chain(&mut self) -> &mut ChainState {
        self.chain.get_or_insert_default()
    }

    /// The state of a decoder of pieces.
    pub(crate) fn pieces(&mut self) -> &mut PieceState {
        self.pieces.get_or_insert_default()
    }

    /// Appends what the held bytes are worth when nothing follows.
    pub fn finish(&mut self, out: &mut String) {
        self.utf8.finish(out);
    }
}

/// Decodes a stream of ids.
///
/// ```
/// use fretsaw::{ByteTokenizer, StreamDecoder};
/// let mut stream = StreamDecoder::new(&ByteTokenizer);
/// assert_eq!(stream.push(0xC3).unwrap(), "");
/// assert_eq!(stream.push(0xA9).unwrap(), "é");
/// assert_eq!(stream.finish().unwrap(), "");
/// ```
#[derive(Debug, Clone)]
pub struct StreamDecoder<T> {
    tokenizer: T,
    state: DecodeState,
}

impl<T: Deref<Target: Tokenizer>> StreamDecoder<T> {
    /// A stream that starts from nothing.
    pub fn new(tokenizer: T) -> Self {
        Self { tokenizer, state: DecodeState::default() }
    }

    /// Takes one more id and returns the text that it settles, which may be empty.
    pub fn push(&mut self, id: u32) -> Result<String, DecodeError> {
        let mut text = String::new();
        self.tokenizer.decode_step(&mut self.state, id, &mut text)?;
        Ok(text)
    }

    /// The bytes held back of an unfinished character, three at the most.
    pub fn pending(&self) -> &[u8] {
        self.state.pending()
    }

    /// Ends the stream and returns what was held back; the decoder starts from nothing again.
    pub fn finish(&mut self) -> Result<String, DecodeError> {
        let mut text = String::new();
        self.tokenizer.decode_finish(&mut self.state, &mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::ByteTokenizer;

    fn chunks(bytes: &[u8]) -> (Vec<String>, String) {
        let mut stream = StreamDecoder::new(&ByteTokenizer);
        let chunks =
            bytes.iter().map(|&byte| stream.push(u32::from(byte)).expect("a byte")).collect();
        assert!(stream.pending().len() <= 3);
        (chunks, stream.finish().expect("bytes"))
    }

    #[test]
    fn bytes_that_form_no_character_do_not_stall() {
        let (parts, rest) = chunks(&[0xC3, 0xA9, 0xFF, 0xE2, 0x82]);
        assert_eq!(parts, ["", "é", "\u{FFFD}", "", ""]);
        assert_eq!(rest, "\u{FFFD}");
    }
}
