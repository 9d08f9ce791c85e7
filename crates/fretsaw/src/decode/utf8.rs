//! Text from bytes that come in parts.
//!
//! Bytes of an unfinished character are held back, three at the most; bytes that can form none
//! become one U+FFFD for each maximal ill-formed subpart, as `String::from_utf8_lossy` has it. Cost:
//! linear in the bytes.

/// The bytes of a character that is not finished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Utf8State {
    pending: [u8; 3],
    pending_len: u8,
}

impl Utf8State {
    /// The bytes of an unfinished character.
    pub fn pending(&self) -> &[u8] {
        &self.pending[..usize::from(self.pending_len)]
    }

    /// Takes more bytes and appends the characters that they complete.
    pub fn push_bytes(&mut self, bytes: &[u8], out: &mut String) {
        if self.pending_len == 0 {
            self.settle(bytes, out);
            return;
        }
        // The held bytes and up to three more always settle the first character.
        let mut joined = [0u8; 6];
        let held = usize::from(self.pending_len);
        let taken = bytes.len().min(3);
        joined[..held].copy_from_slice(self.pending());
        joined[held..held + taken].copy_from_slice(&bytes[..taken]);
        let head = &joined[..held + taken];
        let used = first_character(head, out);
        if used == 0 {
            self.hold(head);
        } else {
            // What is held is the start of a character, so an ill-formed subpart has all of it.
            self.pending_len = 0;
            self.settle(&bytes[used - held..], out);
        }
    }

    /// Decodes what can be decoded of `bytes` and holds back an unfinished end.
    fn settle(&mut self, mut bytes: &[u8], out: &mut String) {
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    out.push_str(text);
                    self.pending_len = 0;
                    return;
                }
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    out.push_str(std::str::from_utf8(valid).unwrap_or_default());
                    match error.error_len() {
                        Some(len) => {
                            out.push(char::REPLACEMENT_CHARACTER);
                            bytes = &rest[len..];
                        }
                        None => {
                            self.hold(rest);
                            return;
                        }
                    }
                }
            }
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.pending[..bytes.len()].copy_from_slice(bytes);
        self.pending_len = bytes.len() as u8;
    }

    /// Appends what the held bytes are worth when nothing follows.
    pub fn finish(&mut self, out: &mut String) {
        if self.pending_len > 0 {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        *self = Self::default();
    }
}

/// Appends the first character of `bytes`, or U+FFFD for its first ill-formed subpart, and returns
/// how many bytes that took; 0 where more bytes must come first.
fn first_character(bytes: &[u8], out: &mut String) -> usize {
    let (valid, error_len) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            (valid, error.error_len())
        }
    };
    if let Some(first) = valid.chars().next() {
        out.push(first);
        return first.len_utf8();
    }
    if error_len.is_some() {
        out.push(char::REPLACEMENT_CHARACTER);
    }
    error_len.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_of_every_short_byte_string_equals_lossy_decoding() {
        let alphabet =
            [0x41, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF];
        let mut index = [0usize; 5];
        loop {
            let bytes: Vec<u8> = index.iter().map(|&i| alphabet[i]).collect();
            let want = String::from_utf8_lossy(&bytes);
            for cut in 0..32u32 {
                let mut state = Utf8State::default();
                let mut text = String::new();
                let mut start = 0;
                for end in 1..=bytes.len() {
                    if end == bytes.len() || cut >> end & 1 == 1 {
                        state.push_bytes(&bytes[start..end], &mut text);
                        start = end;
                    }
                }
                state.finish(&mut text);
                assert_eq!(text, want, "{bytes:x?} cut {cut:b}");
            }
            let Some(at) = index.iter().position(|&i| i + 1 < alphabet.len()) else { break };
            index[at] += 1;
            index[..at].fill(0);
        }
    }
}
