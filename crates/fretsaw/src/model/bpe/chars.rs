//! From the characters of a piece to the first symbols, with every option of the oracle's BPE.
//!
//! Source: `merge_word` of Hugging Face tokenizers 0.23.3, whose order of things is kept: a
//! character with its prefix and suffix is a token, or its bytes are (`byte_fallback`), or it is
//! unknown, and unknown neighbours may fuse; without an unknown token it leaves no trace. A
//! pending unknown is written only when the next known character or the end comes, so bytes of a
//! fallback overtake it.

use crate::error::EncodeError;
use crate::vocabulary::Vocabulary;

/// The options that turn characters into symbols.
#[derive(Debug, Default)]
pub struct CharStart {
    /// Put before every character but the first.
    pub prefix: Option<String>,
    /// Put behind the last character.
    pub suffix: Option<String>,
    /// `<0x00>` to `<0xFF>`, where the model falls back to bytes: those it has.
    pub byte_tokens: Option<Box<[Option<u32>; 256]>>,
    /// What stands for an unknown character: its text and, where the vocabulary has it, its id.
    pub unknown: Option<(String, Option<u32>)>,
    /// Unknown neighbours become one.
    pub fuse_unknown: bool,
    /// The ids of ASCII characters, where they are spelled as they are.
    pub ascii: Option<Box<[Option<u32>; 128]>>,
}

impl CharStart {
    /// Gives the first symbols of `piece`, each with the bytes that it counts for. `piece` is UTF-8;
    /// ill-formed bytes end a character each and are unknown.
    #[inline]
    pub fn symbols(
        &self,
        piece: &[u8],
        vocabulary: &Vocabulary,
        mut push: impl FnMut(u32, usize),
    ) -> Result<(), EncodeError> {
        let mut decorated = Vec::new();
        let mut pending: Option<(u32, usize)> = None;
        let mut start = 0;
        while start < piece.len() {
            let end = start + char_len(&piece[start..]);
            let plain = &piece[start..end];
            let key = self.decorate(plain, start == 0, end == piece.len(), &mut decorated);
            start = end;
            let known = match (&self.ascii, plain) {
                (Some(ascii), [byte]) if byte.is_ascii() => ascii[usize::from(*byte)],
                _ => vocabulary.id(key),
            };
            if let Some(id) = known {
                if let Some((unknown, len)) = pending.take() {
                    push(unknown, len);
                }
                push(id, plain.len());
            } else if !self.fall_back(key, &mut push) {
                if let Some((token, id)) = &self.unknown {
                    if let Some((unknown, len)) = pending.take_if(|_| !self.fuse_unknown) {
                        push(unknown, len);
                    }
                    let missing = || EncodeError::UnknownTokenMissing { token: token.clone() };
                    let before = pending.map_or(0, |(_, len)| len);
                    pending = Some((id.ok_or_else(missing)?, before + plain.len()));
                }
            }
        }
        if let Some((unknown, len)) = pending {
            push(unknown, len);
        }
        Ok(())
    }

    /// Whether there is a token for each byte, so that no character leaves no trace.
    pub fn has_all_bytes(&self) -> bool {
        self.byte_tokens.as_ref().is_some_and(|tokens| tokens.iter().all(Option::is_some))
    }

    /// The character as the vocabulary spells it at this place.
    fn decorate<'a>(
        &self,
        plain: &'a [u8],
        first: bool,
        last: bool,
        buffer: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        let prefix = self.prefix.as_deref().filter(|_| !first).unwrap_or("");
        let suffix = self.suffix.as_deref().filter(|_| last).unwrap_or("");
        if prefix.is_empty() && suffix.is_empty() {
            return plain;
        }
        buffer.clear();
        buffer.extend_from_slice(prefix.as_bytes());
        buffer.extend_from_slice(plain);
        buffer.extend_from_slice(suffix.as_bytes());
        buffer
    }

    /// Gives the byte tokens of `key` if the model falls back to bytes and has them all.
    fn fall_back(&self, key: &[u8], push: &mut impl FnMut(u32, usize)) -> bool {
        let Some(byte_tokens) = &self.byte_tokens else { return false };
        let token = |byte: &u8| byte_tokens[usize::from(*byte)];
        let known = key.iter().all(|byte| token(byte).is_some());
        if known {
            key.iter().filter_map(token).for_each(|id| push(id, 1));
        }
        known
    }
}

/// How many bytes the character at the start of `bytes` has, at least 1.
fn char_len(bytes: &[u8]) -> usize {
    let len = match bytes[0] {
        0x00..=0xBF => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
    };
    len.min(bytes.len())
}
