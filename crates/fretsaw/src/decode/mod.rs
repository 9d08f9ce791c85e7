//! Decoders: from tokens back to text.

use crate::byte_level;
use crate::stream::DecodeState;
use crate::tables::TokenTable;

/// How the tokens of ids become text.
pub enum Decoder {
    /// Characters of the byte alphabet become bytes; a token with any other character is itself.
    /// The bytes of each id.
    ByteLevel(TokenTable),
    /// No decoder: the string of each id, with a space between two.
    Spaced(TokenTable),
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
    pub fn is_bytes(&self) -> bool {
        matches!(self, Decoder::ByteLevel(_))
    }

    /// The bytes that one id contributes.
    #[inline]
    pub fn bytes(&self, id: u32) -> Option<&[u8]> {
        match self {
            Decoder::ByteLevel(table) | Decoder::Spaced(table) => table.get(id),
        }
    }

    /// Appends what one more token settles.
    #[inline]
    pub fn step(&self, token: &[u8], state: &mut DecodeState, out: &mut String) {
        let first = state.start();
        if !first && !self.is_bytes() {
            out.push(' ');
        }
        state.push_bytes(token, out);
    }
}
