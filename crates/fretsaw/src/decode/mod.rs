//! Decoders: from tokens back to text.

mod chain;
mod utf8;

pub use chain::{Chain, ChainState};
pub use utf8::Utf8State;

use std::sync::OnceLock;

use crate::byte_level;
use crate::error::{DecodeError, EncodeError};
use crate::stream::DecodeState;
use crate::tables::TokenTable;

/// How the tokens of ids become text.
pub enum Decoder {
    /// Characters of the byte alphabet become bytes; a token with any other character is itself.
    /// The bytes of each id.
    ByteLevel(TokenTable),
    /// Any other decoder, or none: the string of each id and what is done with it.
    Chain {
        strings: TokenTable,
        chain: Chain,
        /// What each id stands for in the middle of a text, made when first asked for.
        inside: OnceLock<TokenTable>,
    },
}

impl Decoder {
    /// The decoder of byte-level tokens; `None` when their bytes would pass 4 GiB.
    ///
    /// `is_text` says which ids stand for their string as it is.
    pub fn byte_level(strings: &TokenTable, is_text: impl Fn(u32) -> bool) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for (id, token) in strings.iter() {
            let text = std::str::from_utf8(token).unwrap_or_default();
            if is_text(id) || !byte_level::unspell(text, &mut bytes) {
                bytes.extend_from_slice(token);
            }
            ends.push((id, bytes.len()));
        }
        let mut start = 0;
        let entries = ends.iter().map(|&(id, end)| {
            let token = &bytes[start..end];
            start = end;
            (id, token)
        });
        TokenTable::build(strings.len(), entries).map(Decoder::ByteLevel)
    }

    /// Whether the text is just the bytes of all ids, one after the other.
    #[inline]
    pub fn is_bytes(&self) -> bool {
        matches!(self, Decoder::ByteLevel(_))
    }

    /// The string of each id for a chain; for byte-level vocabularies its bytes.
    #[inline]
    pub fn token(&self, id: u32) -> Option<&[u8]> {
        match self {
            Decoder::ByteLevel(table) => table.get(id),
            Decoder::Chain { strings, .. } => strings.get(id),
        }
    }

    /// The bytes that an id stands for in the middle of a text.
    #[inline]
    pub fn bytes(&self, id: u32) -> Option<&[u8]> {
        match self {
            Decoder::ByteLevel(table) => table.get(id),
            Decoder::Chain { strings, chain, inside } => {
                inside.get_or_init(|| texts_inside(strings, chain)).get(id)
            }
        }
    }

    /// The text of all tokens.
    pub fn decode<'t>(
        &self,
        tokens: impl IntoIterator<Item = &'t [u8]>,
    ) -> Result<String, DecodeError> {
        let mut text = String::new();
        match self {
            Decoder::ByteLevel(_) => {
                let bytes: Vec<u8> = tokens.into_iter().flatten().copied().collect();
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            Decoder::Chain { chain, .. } => {
                let tokens = tokens.into_iter();
                let tokens = tokens.map(|token| std::str::from_utf8(token).unwrap_or_default());
                chain.decode(tokens, &mut text).map_err(step_failed)?;
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
            Decoder::ByteLevel(_) => {
                state.push_bytes(token, out);
                Ok(())
            }
            Decoder::Chain { chain, .. } => {
                let token = std::str::from_utf8(token).unwrap_or_default();
                chain.push(token, state.chain(), out).map_err(step_failed)
            }
        }
    }

    /// Appends what was held back.
    pub fn finish(&self, state: &mut DecodeState, out: &mut String) -> Result<(), DecodeError> {
        match self {
            Decoder::ByteLevel(_) => {
                state.finish(out);
                Ok(())
            }
            Decoder::Chain { chain, .. } => chain.finish(state.chain(), out).map_err(step_failed),
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
fn texts_inside(strings: &TokenTable, chain: &Chain) -> TokenTable {
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
