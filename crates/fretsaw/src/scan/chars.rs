//! A text as classes of characters, for splits that are matched piece by piece.

use crate::unicode::ClassTable;

/// A text and the class bits of its characters.
#[derive(Clone, Copy)]
pub struct Chars<'t> {
    pub text: &'t [u8],
    table: &'t ClassTable,
}

impl<'t> Chars<'t> {
    /// `text` is UTF-8.
    pub fn new(text: &'t [u8], table: &'t ClassTable) -> Self {
        Self { text, table }
    }

    /// The class bits of the character at `at` and where it ends; no bits at the end of the text.
    #[inline(always)]
    pub fn class(&self, at: usize) -> (u8, usize) {
        match self.text.get(at) {
            None => (0, at),
            Some(&byte) if byte < 0x80 => (self.table.class_bits(u32::from(byte)), at + 1),
            Some(_) => {
                let (code_point, len) = super::masks::decode(&self.text[at..]);
                (self.table.class_bits(code_point), (at + len as usize).min(self.text.len()))
            }
        }
    }

    /// Where the run of characters that have one of `bits` ends.
    #[inline(always)]
    pub fn run(&self, mut at: usize, bits: u8) -> usize {
        loop {
            let (class, end) = self.class(at);
            if class & bits == 0 {
                return at;
            }
            at = end;
        }
    }

    /// Where the character that ends at `at` starts.
    #[inline(always)]
    pub fn before(&self, at: usize) -> usize {
        let is_start = |&byte: &u8| byte & 0xC0 != 0x80;
        self.text[..at].iter().rposition(is_start).unwrap_or(0)
    }

    /// The byte at `at`; 0 at the end of the text.
    #[inline(always)]
    pub fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }
}
