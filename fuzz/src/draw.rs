//! From a fuzzer's bytes to values. What is asked for beyond their end is 0, so that every input means
//! something and longer ones mean more.

use arbitrary::Unstructured;

/// Bytes that are used up from the front.
pub struct Draw<'d> {
    bytes: Unstructured<'d>,
}

/// What texts are made of: what splits, normalizers and decoders tell apart.
const UNITS: [&str; 64] = [
    "a",
    "b",
    "e",
    "s",
    "t",
    "the",
    "ing",
    "hello",
    "A",
    "S",
    "The",
    "é",
    "ß",
    "ж",
    "Ж",
    "漢",
    "字",
    "ह",
    "ि",
    "한",
    "1",
    "42",
    "٣",
    "½",
    " ",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u{A0}",
    "\u{85}",
    "\u{2003}",
    "\u{3000}",
    "'",
    "'s",
    "'S",
    "'re",
    "'ll",
    "\u{2019}",
    ".",
    "!",
    "...",
    "-",
    "/",
    "_",
    "<|",
    "|>",
    "<s>",
    "<|endoftext|>",
    "<mark>",
    "\u{2581}",
    "\u{301}",
    "\u{200D}",
    "\u{FEFF}",
    "😀",
    "👩\u{200D}👩",
    "\u{17F}",
    "\u{212A}",
    "ﬁ",
    "\0",
    "\u{FFFD}",
    "\u{1C89}",
    "\u{10FFFF}",
];

impl<'d> Draw<'d> {
    pub fn new(bytes: &'d [u8]) -> Self {
        Self { bytes: Unstructured::new(bytes) }
    }

    /// A number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.bytes.int_in_range(0..=count - 1).unwrap_or(0)
    }

    /// Whether something happens that has one chance in `count`; not at the end of the bytes.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or(0)
    }

    pub fn u32(&mut self) -> u32 {
        self.bytes.arbitrary().unwrap_or(0)
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Whether there is anything left.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All that is left, as it is.
    pub fn rest(&mut self) -> &'d [u8] {
        self.bytes.bytes(self.bytes.len()).unwrap_or_default()
    }

    /// A list of up to `most` things, as long as there is something left.
    pub fn list<T>(&mut self, most: usize, mut each: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        let mut list = Vec::new();
        while list.len() < count && !self.is_empty() {
            list.push(each(self));
        }
        list
    }

    /// A text of some of `units`.
    pub fn text_of(&mut self, units: &[&str], most: usize) -> String {
        self.list(most, |draw| *draw.pick(units)).concat()
    }

    /// Any text, made of all that is left: of units, or the bytes themselves.
    pub fn text(&mut self) -> String {
        if self.byte() & 1 == 1 {
            return String::from_utf8_lossy(self.rest()).into_owned();
        }
        let mut text = String::new();
        while !self.is_empty() {
            self.unit(&mut text);
        }
        text
    }

    /// A short text.
    pub fn short_text(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(most + 1) {
            self.unit(&mut text);
        }
        text
    }

    fn unit(&mut self, text: &mut String) {
        match usize::from(self.byte()) {
            at @ 0..=191 => text.push_str(UNITS[at % UNITS.len()]),
            at @ 192..=223 => text.extend(char::from_u32(at as u32 - 160)),
            224..=239 => text.extend(char::from_u32(self.u32() % 0x11_0000)),
            at => {
                let unit = UNITS[at * 7 % UNITS.len()];
                text.push_str(&unit.repeat(1 + self.below(80)));
            }
        }
    }
}
