//! Offsets in characters.
//!
//! Source: `BytesToCharOffsetConverter` of Hugging Face tokenizers 0.23.3.

use crate::encoding::Offsets;
use crate::error::EncodeError;

/// An error where a text has places that 32 bits can't say.
pub fn check_addressable(bytes: usize) -> Result<(), EncodeError> {
    match u32::try_from(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(EncodeError::TextTooLong { bytes }),
    }
}

/// From bytes of a text to characters.
pub struct Chars {
    /// The character that each byte is of; none in a text of ASCII, where the two are the same.
    char_of_byte: Option<Vec<u32>>,
    len: usize,
}

impl Chars {
    pub fn new(text: &str) -> Self {
        let char_of_byte = (!text.is_ascii()).then(|| {
            let mut chars = Vec::with_capacity(text.len());
            for (at, c) in text.chars().enumerate() {
                chars.extend(std::iter::repeat_n(at as u32, c.len_utf8()));
            }
            chars
        });
        Self { char_of_byte, len: text.len() }
    }

    /// The character of a byte, if the text has so many.
    fn get(&self, byte: usize) -> Option<u32> {
        match &self.char_of_byte {
            Some(chars) => chars.get(byte).copied(),
            None => (byte < self.len).then_some(byte as u32),
        }
    }

    /// Offsets in characters of the characters that bytes are of, from the first to the last.
    #[inline]
    pub fn covering(&self, first: usize, last: usize) -> Offsets {
        let start = self.get(first).unwrap_or(first as u32);
        (start, self.get(last).unwrap_or(start) + 1)
    }

    /// Offsets in characters for places in bytes at which characters start, or the text ends.
    pub fn between(&self, start: usize, end: usize) -> Offsets {
        let chars = |byte: usize| self.get(byte).unwrap_or_else(|| self.count());
        (chars(start), chars(end))
    }

    /// How many characters there are.
    fn count(&self) -> u32 {
        match &self.char_of_byte {
            Some(chars) => chars.last().map_or(0, |last| last + 1),
            None => self.len as u32,
        }
    }

    /// Offsets in characters for those in bytes. An end within a character leaves that one out; a
    /// start at the end of the text stays in bytes.
    #[inline]
    pub fn offsets(&self, (start, end): (usize, usize)) -> Offsets {
        match (self.get(start), self.get(end)) {
            (Some(start), Some(end)) => (start, end),
            (Some(start), None) => {
                let last = end.checked_sub(1).and_then(|last| self.get(last));
                (start, last.unwrap_or(start + 1) + 1)
            }
            _ => (start as u32, end as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_to_characters() {
        let chars = Chars::new("aéb");
        assert_eq!(chars.offsets((0, 1)), (0, 1));
        assert_eq!(chars.offsets((1, 3)), (1, 2));
        assert_eq!(chars.offsets((1, 2)), (1, 1));
        assert_eq!(chars.offsets((3, 4)), (2, 3));
        assert_eq!(chars.offsets((3, 9)), (2, 4));
        assert_eq!(chars.offsets((4, 4)), (4, 4));
        assert_eq!(Chars::new("abc").offsets((1, 3)), (1, 3));
    }
}
