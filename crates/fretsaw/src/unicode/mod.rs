//! Unicode classes exactly as each part of the oracles has them.
//!
//! The regular expression engines, Rust's `char` methods and the `unicode_categories` crate inside
//! the oracles are of different Unicode versions, so each question here names who is asked. The
//! answers were found by sweeping all scalar values through the oracles; `docs/unicode.md` tells
//! what came out.
//!
//! Every code point has a [`Kind`], the combination of all answers about it. A two-stage table
//! gives it in two loads: the upper bits of the code point pick one of some 160 blocks of 256
//! kinds. A scanner that needs only a few classes makes itself a [`ClassTable`] of the same shape
//! with its own bits in place of kinds.
//!
//! Code points are `u32`. Surrogates are `Cs` and values past U+10FFFF are `Cn`; neither has any
//! property.

pub mod normalization;
mod tables;

use tables::{BLOCKS, FIRST_KIND, INDEX, KINDS, SCRIPTS};

/// General category. The number of a category is its place in this list.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are Unicode's own
pub enum Category {
    Lu,
    Ll,
    Lt,
    Lm,
    Lo,
    Mn,
    Mc,
    Me,
    Nd,
    Nl,
    No,
    Pc,
    Pd,
    Ps,
    Pe,
    Pi,
    Pf,
    Po,
    Sm,
    Sc,
    Sk,
    So,
    Zs,
    Zl,
    Zp,
    Cc,
    Cf,
    Cs,
    Co,
    Cn,
}

impl Category {
    /// How many categories there are.
    pub const COUNT: usize = Category::Cn as usize + 1;

    /// All of them, each in its place.
    pub const ALL: [Category; Category::COUNT] = {
        use Category::*;
        [
            Lu, Ll, Lt, Lm, Lo, Mn, Mc, Me, Nd, Nl, No, Pc, Pd, Ps, Pe, Pi, Pf, Po, Sm, Sc, Sk, So,
            Zs, Zl, Zp, Cc, Cf, Cs, Co, Cn,
        ]
    };

    /// True for `\p{L}`: Lu, Ll, Lt, Lm, Lo.
    pub const fn is_letter(self) -> bool {
        self as u8 <= Category::Lo as u8
    }

    /// True for `\p{M}`: Mn, Mc, Me.
    pub const fn is_mark(self) -> bool {
        self as u8 >= Category::Mn as u8 && self as u8 <= Category::Me as u8
    }

    /// True for `\p{N}`: Nd, Nl, No.
    pub const fn is_number(self) -> bool {
        self as u8 >= Category::Nd as u8 && self as u8 <= Category::No as u8
    }

    /// True for `\p{P}`: Pc, Pd, Ps, Pe, Pi, Pf, Po.
    pub const fn is_punctuation(self) -> bool {
        self as u8 >= Category::Pc as u8 && self as u8 <= Category::Po as u8
    }

    /// True for `\p{S}`: Sm, Sc, Sk, So.
    pub const fn is_symbol(self) -> bool {
        self as u8 >= Category::Sm as u8 && self as u8 <= Category::So as u8
    }

    /// True for `\p{Z}`: Zs, Zl, Zp.
    pub const fn is_separator(self) -> bool {
        self as u8 >= Category::Zs as u8 && self as u8 <= Category::Zp as u8
    }
}

/// A regular expression engine of an oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Oniguruma in its Ruby dialect: Hugging Face `tokenizers`.
    Onig,
    /// fancy-regex on the `regex` crate: `tiktoken`.
    Regex,
}

/// A set of code points that some part of an oracle knows.
///
/// The order is that of the bits in the generated table.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// `\s` in Oniguruma.
    OnigSpace,
    /// `\w` in Oniguruma, outside brackets: it has `²³¹¼½¾`, which `[\w]` lacks.
    OnigWord,
    /// `[\w]` in Oniguruma.
    OnigWordInBrackets,
    /// `\d` in Oniguruma.
    OnigDigit,
    /// `\p{Han}` in Oniguruma.
    OnigHan,
    /// `\s` in fancy-regex.
    RegexSpace,
    /// `\w` in fancy-regex.
    RegexWord,
    /// `\d` in fancy-regex.
    RegexDigit,
    /// `\p{Han}` in fancy-regex.
    RegexHan,
    /// `char::is_numeric` in `tokenizers`: its `Digits`.
    RustNumeric,
    /// `char::is_whitespace` in `tokenizers`: its `WhitespaceSplit` and `BertPreTokenizer`.
    RustWhitespace,
    /// `\w` of the `regex` crate in `tokenizers`: `single_word` of added tokens, and `Whitespace`.
    WordBoundary,
    /// `\s` of the `regex` crate in `tokenizers`: `lstrip` and `rstrip`, and `Whitespace`.
    StripSpace,
    /// What the pre-tokenizer `Punctuation` isolates.
    Punctuation,
    /// What `BertPreTokenizer` isolates.
    BertPunctuation,
}

/// All that the oracles say of a code point, but for its script.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    onig: Category,
    regex: Category,
    properties: u16,
}

static PAST_THE_END: Kind = Kind { onig: Category::Cn, regex: Category::Cn, properties: 0 };

impl Kind {
    /// The general category in an engine: what `\p{Lu}` and the like match.
    pub const fn category(&self, engine: Engine) -> Category {
        match engine {
            Engine::Onig => self.onig,
            Engine::Regex => self.regex,
        }
    }

    /// Whether a property holds.
    pub const fn has(&self, property: Property) -> bool {
        self.properties & (1 << property as u8) != 0
    }

    /// Whether `\s` of an engine matches.
    pub const fn is_space(&self, engine: Engine) -> bool {
        match engine {
            Engine::Onig => self.has(Property::OnigSpace),
            Engine::Regex => self.has(Property::RegexSpace),
        }
    }
}

/// The kind of a code point.
pub fn kind(code_point: u32) -> &'static Kind {
    match INDEX.get((code_point >> 8) as usize) {
        Some(&block) => {
            let byte = BLOCKS[usize::from(block) << 8 | (code_point & 0xFF) as usize];
            &KINDS[usize::from(byte - FIRST_KIND)]
        }
        None => &PAST_THE_END,
    }
}

/// Hands out all code points in order, as runs of one kind: blocks that are one run at a time.
pub fn each_kind_run(mut each: impl FnMut(u32, u32, &'static Kind)) {
    for (block, &number) in (0u32..).zip(INDEX.iter()) {
        let kinds = &BLOCKS[usize::from(number) << 8..][..256];
        let mut first = 0;
        while first < 256 {
            let byte = kinds[first];
            let len = kinds[first..].iter().take_while(|&&other| other == byte).count();
            let start = block << 8 | first as u32;
            each(start, start + len as u32 - 1, &KINDS[usize::from(byte - FIRST_KIND)]);
            first += len;
        }
    }
}

/// The general category in Oniguruma.
pub fn onig_category(code_point: u32) -> Category {
    kind(code_point).onig
}

/// The general category in fancy-regex.
pub fn regex_category(code_point: u32) -> Category {
    kind(code_point).regex
}

/// See [`Property::OnigSpace`].
pub fn is_onig_space(code_point: u32) -> bool {
    kind(code_point).has(Property::OnigSpace)
}

/// See [`Property::RegexSpace`].
pub fn is_regex_space(code_point: u32) -> bool {
    kind(code_point).has(Property::RegexSpace)
}

/// See [`Property::RustNumeric`].
pub fn is_rust_numeric(code_point: u32) -> bool {
    kind(code_point).has(Property::RustNumeric)
}

/// See [`Property::RustWhitespace`].
pub fn is_rust_whitespace(code_point: u32) -> bool {
    kind(code_point).has(Property::RustWhitespace)
}

/// See [`Property::WordBoundary`].
pub fn is_word(code_point: u32) -> bool {
    kind(code_point).has(Property::WordBoundary)
}

/// See [`Property::StripSpace`].
pub fn is_strip_space(code_point: u32) -> bool {
    kind(code_point).has(Property::StripSpace)
}

/// See [`Property::Punctuation`].
pub fn is_punctuation(code_point: u32) -> bool {
    kind(code_point).has(Property::Punctuation)
}

/// See [`Property::BertPunctuation`].
pub fn is_bert_punctuation(code_point: u32) -> bool {
    kind(code_point).has(Property::BertPunctuation)
}

/// The class of a code point in the pre-tokenizer `UnicodeScripts`; 0 is the class that never cuts.
///
/// It cuts between two neighbours of different classes. Its Hiragana, Katakana and Han are one
/// class, U+30FC belongs to it too, and the space is of class 0.
pub fn script_class(code_point: u32) -> u8 {
    let after = SCRIPTS.partition_point(|&(start, _, _)| start <= code_point);
    match SCRIPTS[..after].last() {
        Some(&(_, end, class)) if code_point <= end => class,
        _ => 0,
    }
}

/// A byte of class bits for every code point: the two-stage table of one scanner.
///
/// Made once per pattern in some tens of microseconds; 68 KiB, of which a scanner with a handful of
/// classes touches about half at most, for blocks that its classes can't tell apart are one.
pub struct ClassTable {
    index: Box<[u8; INDEX.len()]>,
    /// 256 blocks, the most that the index can name, so that no look-up needs a bounds check.
    blocks: Box<[u8; 256 * 256]>,
}

impl ClassTable {
    /// A table from categories and two sets that cut across them.
    ///
    /// `bits_of[category as usize]` are the bits of a category; `space_bits` are OR-ed into those
    /// of the engine's `\s`, `numeric_bits` into those of Rust's `char::is_numeric`.
    pub fn new(
        engine: Engine,
        bits_of: [u8; Category::COUNT],
        space_bits: u8,
        numeric_bits: u8,
    ) -> Self {
        Self::from_kinds(|kind| {
            let space = if kind.is_space(engine) { space_bits } else { 0 };
            let numeric = if kind.has(Property::RustNumeric) { numeric_bits } else { 0 };
            bits_of[kind.category(engine) as usize] | space | numeric
        })
    }

    /// A table from any rule about kinds.
    pub fn from_kinds(bits_of: impl Fn(&Kind) -> u8) -> Self {
        let mut bits_of_byte = [0; 256];
        for (bits, kind) in bits_of_byte[usize::from(FIRST_KIND)..].iter_mut().zip(&KINDS) {
            *bits = bits_of(kind);
        }
        let mut blocks = Box::new([0; 256 * 256]);
        let mut used = 0;
        let mut new_number = [0u8; 256];
        for (number, kinds) in BLOCKS.chunks_exact(256).enumerate() {
            let (known, free) = blocks.split_at_mut(used * 256);
            for (bits, &byte) in free.iter_mut().zip(kinds) {
                *bits = bits_of_byte[usize::from(byte)];
            }
            let same = known.chunks_exact(256).position(|block| *block == free[..256]);
            new_number[number] = same.unwrap_or(used) as u8;
            used += usize::from(same.is_none());
        }
        blocks[used * 256..].fill(0);
        let index = Box::new(INDEX.map(|block| new_number[usize::from(block)]));
        Self { index, blocks }
    }

    /// A table from sets of code points, each a list of ranges with both ends in it, and the bits
    /// of their members; `None` where they need more blocks than a table can name.
    pub fn from_sets(sets: &[(u8, Vec<(u32, u32)>)]) -> Option<Self> {
        let mut flat = vec![0u8; INDEX.len() * 256];
        for (bits, ranges) in sets {
            for &(first, last) in ranges {
                let members = flat.get_mut(first as usize..=last as usize).unwrap_or_default();
                members.iter_mut().for_each(|member| *member |= bits);
            }
        }
        let mut blocks = Box::new([0; 256 * 256]);
        let mut index = Box::new([0u8; INDEX.len()]);
        let mut known: hashbrown::HashMap<&[u8], u8> = hashbrown::HashMap::new();
        for (place, block) in index.iter_mut().zip(flat.chunks_exact(256)) {
            let next = known.len();
            *place = match known.get(block) {
                Some(&number) => number,
                None => {
                    let number = u8::try_from(next).ok()?;
                    known.insert(block, number);
                    blocks[next * 256..][..256].copy_from_slice(block);
                    number
                }
            };
        }
        Some(Self { index, blocks })
    }

    /// The bytes that the UTF-8 of characters with any of these bits starts with, and perhaps others that no
    /// text starts a character with.
    pub fn first_bytes(&self, bits: u8) -> [bool; 256] {
        let mut first = [false; 256];
        let has_any: Vec<bool> = self
            .blocks
            .chunks_exact(256)
            .map(|block| block.iter().any(|class| class & bits != 0))
            .collect();
        for (number, &block) in self.index.iter().enumerate() {
            let start = (number as u32) << 8;
            let lead = match start {
                // Blocks of several first bytes are looked at character by character.
                0..0x800 => {
                    for code_point in start..start + 256 {
                        let byte = match code_point {
                            0..0x80 => code_point,
                            _ => 0xC0 | code_point >> 6,
                        };
                        first[byte as usize] |= self.class_bits(code_point) & bits != 0;
                    }
                    continue;
                }
                0x800..0x1_0000 => 0xE0 | start >> 12,
                _ => 0xF0 | start >> 18,
            };
            first[lead as usize] |= has_any[usize::from(block)];
        }
        first
    }

    /// The class bits of a code point; 0 past U+10FFFF.
    #[inline]
    pub fn class_bits(&self, code_point: u32) -> u8 {
        match self.index.get((code_point >> 8) as usize) {
            Some(&block) => self.blocks[usize::from(block) << 8 | (code_point & 0xFF) as usize],
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests;
