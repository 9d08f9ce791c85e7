//! Decoders: from tokens back to text.

mod chain;
mod pieces;
mod strings;
mod utf8;

pub use chain::{Chain, ChainState};
pub use pieces::{Denormalize, PieceDecoder, PieceState};
pub use utf8::Utf8State;

pub use strings::{has_bit, AddedStrings, Strings};

use crate::byte_level;
use crate::error::{DecodeError, EncodeError};
use crate::stream::DecodeState;
use crate::tables::TokenTable;

/// How tokens become text.
pub enum Decoder {
    /// Characters of the byte alphabet become bytes; a token with any other character is itself.
    /// Tokens come as those bytes, see [`bytes_of`].
    ByteLevel,
    /// Any other decoder, or none.
    Chain(Chain),
    /// That of SentencePiece. Pieces come prepared, see [`PieceDecoder::table`].
    Pieces(PieceDecoder),
}

/// The bytes of tokens that the byte alphabet spells.
pub fn bytes_of(strings: &TokenTable) -> TokenTable {
    strings.rewritten(unspell)
}

/// Appends the bytes of one token.
pub fn unspell(token: &[u8], bytes: &mut Vec<u8>) {
    if !byte_level::unspell(std::str::from_utf8(token).unwrap_or_default(), bytes) {
        bytes.extend_from_slice(token);
    }
}

impl Decoder {
    /// Whether the text is just the bytes of all tokens, one after the other.
    #[inline]
    pub fn is_bytes(&self) -> bool {
        matches!(self, Decoder::ByteLevel)
    }

    /// What each token stands for in the middle of a text.
    pub fn inside(&self, strings: Strings<'_>) -> TokenTable {
        match self {
            Decoder::ByteLevel => strings.table(),
            Decoder::Chain(chain) => texts_inside(strings, chain),
            Decoder::Pieces(pieces) => pieces.inside(strings),
        }
    }

    /// The text of all tokens.
    pub fn decode<'t>(
        &self,
        tokens: impl IntoIterator<Item = &'t [u8]>,
    ) -> Result<String, DecodeError> {
        let mut text = String::new();
        match self {
            Decoder::ByteLevel => {
                let bytes: Vec<u8> = tokens.into_iter().flatten().copied().collect();
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            Decoder::Chain(chain) => {
                let tokens = tokens.into_iter();
                let tokens = tokens.map(|token| std::str::from_utf8(token).unwrap_or_default());
                chain.decode(tokens, &mut text).map_err(step_failed)?;
            }
            Decoder::Pieces(_) => {
                let mut state = DecodeState::default();
                for token in tokens {
                    self.step(token, &mut state, &mut text)?;
                }
                self.finish(&mut state, &mut text)?;
            }
        }
        Ok(text)
    }

    /// Appends what one more token settles.
    #[inline]
    pub fn step(
        &self,
        token: &[u8],
        state: &mut DecodeState,
        out: &mut String,
    ) -> Result<(), DecodeError> {
        match self {
            Decoder::ByteLevel => {
                state.push_bytes(token, out);
                Ok(())
            }
            Decoder::Chain(chain) => {
                let token = std::str::from_utf8(token).unwrap_or_default();
                chain.push(token, state.chain(), out).map_err(step_failed)
            }
            Decoder::Pieces(pieces) => {
                pieces.step(token, state.pieces(), out);
                Ok(())
            }
        }
    }

    /// Ends what a token that is left out ends where it separates its neighbours.
    pub fn separate(&self, state: &mut DecodeState, out: &mut String) {
        match self {
            Decoder::Pieces(pieces) => pieces.separate(state.pieces(), out),
            _ => state.finish(out),
        }
    }

    /// Appends what was held back.
    pub fn finish(&self, state: &mut DecodeState, out: &mut String) -> Result<(), DecodeError> {
        match self {
            Decoder::ByteLevel => {
                state.finish(out);
                Ok(())
            }
            Decoder::Chain(chain) => chain.finish(state.chain(), out).map_err(step_failed),
            Decoder::Pieces(pieces) => match pieces.finish(state.pieces(), out) {
                true => Ok(()),
                false => Err(DecodeError::Denormalizer),
            },
        }
    }
}

/// Why a step of a chain failed.
fn step_failed(error: EncodeError) -> DecodeError {
    match error {
        EncodeError::StepLimit { pattern, .. } => DecodeError::StepLimit { pattern },
        EncodeError::NormalizerFails { normalizer: "Strip" } => DecodeError::NothingToStrip,
        _ => DecodeError::PatternGoesBack,
    }
}

/// What each token adds to a text behind another token; a byte of a fallback is that byte.
fn texts_inside(strings: Strings<'_>, chain: &Chain) -> TokenTable {
    const BEFORE: &str = "a";
    let text = |tokens: &[&str]| {
        let mut text = String::new();
        // Where a pattern fails, nothing can be said.
        chain.decode(tokens.iter().copied(), &mut text).map(|()| text).unwrap_or_default()
    };
    let alone = text(&[BEFORE]);
    let inside: Vec<(u32, Vec<u8>)> = strings
        .iter()
        .map(|(id, token)| {
            let token = std::str::from_utf8(token).unwrap_or_default();
            let bytes = match chain.byte_of(token) {
                Some(byte) => vec![byte],
                None => {
                    let both = text(&[BEFORE, token]);
                    both.strip_prefix(&alone).unwrap_or(&both).as_bytes().to_vec()
                }
            };
            (id, bytes)
        })
        .collect();
    let entries = inside.iter().map(|(id, bytes)| (*id, bytes.as_slice()));
    // The texts can't be much longer than the strings; were they, nothing is said.
    TokenTable::build(strings.len(), entries).unwrap_or_else(TokenTable::empty)
}
