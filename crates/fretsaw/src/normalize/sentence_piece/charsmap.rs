//! SentencePiece's map of characters as sentencepiece itself reads it: the longest key counts.
//!
//! The blob is the length of a double-array trie in bytes, the trie, and replacements with a NUL behind
//! each; the trie's values are places among these. It is checked once so that no walk leaves it.
//!
//! Source: `Normalizer` of sentencepiece 0.2.3 and the darts-clone in it.

use std::fmt;

/// A checked map.
#[derive(Debug)]
pub struct Charsmap {
    units: Vec<u32>,
    replacements: String,
}

/// What is wrong with a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenMap {
    /// It ends within the trie.
    Truncated,
    /// The trie is not a multiple of 1024 bytes.
    OddSize,
    /// A unit of the trie leads out of it, or to what it should not.
    BadTrie,
    /// The replacements do not end with a null character.
    NoEnd,
    /// The replacements are not UTF-8.
    NotUtf8,
}

impl fmt::Display for BrokenMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BrokenMap::Truncated => "it ends within its trie",
            BrokenMap::OddSize => "its trie is not of whole blocks",
            BrokenMap::BadTrie => "its trie leads nowhere",
            BrokenMap::NoEnd => "its replacements have no end",
            BrokenMap::NotUtf8 => "its replacements are not UTF-8",
        })
    }
}

const IS_VALUE: u32 = 1 << 31;
/// More matches than these are not seen.
const MOST_MATCHES: usize = 32;

fn offset(unit: u32) -> usize {
    (unit >> 10 << ((unit & 1 << 9) >> 6)) as usize
}

fn label(unit: u32) -> u32 {
    unit & (IS_VALUE | 0xFF)
}

fn has_leaf(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}

impl Charsmap {
    /// Reads a map.
    pub fn new(blob: &[u8]) -> Result<Self, BrokenMap> {
        const BLOCK_BYTES: usize = 1024;
        let (size, rest) = blob.split_first_chunk().ok_or(BrokenMap::Truncated)?;
        let size = u32::from_le_bytes(*size) as usize;
        if size >= rest.len() {
            return Err(BrokenMap::Truncated);
        }
        if size < BLOCK_BYTES || !size.is_multiple_of(BLOCK_BYTES) {
            return Err(BrokenMap::OddSize);
        }
        let (trie, replacements) = rest.split_at(size);
        if replacements.last() != Some(&0) {
            return Err(BrokenMap::NoEnd);
        }
        let unit =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |unit, &byte| unit << 8 | u32::from(byte));
        let units: Vec<u32> = trie.chunks_exact(4).map(unit).collect();
        let replacements =
            String::from_utf8(replacements.to_vec()).map_err(|_| BrokenMap::NotUtf8)?;
        let map = Self { units, replacements };
        if map.is_sound() {
            Ok(map)
        } else {
            Err(BrokenMap::BadTrie)
        }
    }

    fn is_sound(&self) -> bool {
        let inside = |at: usize, unit: u32| (at ^ offset(unit) | 0xFF) < self.units.len();
        let root = self.units[0];
        let root_is_sound =
            label(root) == 0 && !has_leaf(root) && offset(root) != 0 && inside(0, root);
        let unit_is_sound = |(at, &unit): (usize, &u32)| match unit & IS_VALUE {
            0 => {
                let leaf = |unit| self.units[at ^ offset(unit)] & IS_VALUE != 0;
                inside(at, unit) && (!has_leaf(unit) || leaf(unit))
            }
            _ => ((unit & !IS_VALUE) as usize) < self.replacements.len(),
        };
        root_is_sound && self.units.iter().enumerate().skip(1).all(unit_is_sound)
    }

    /// The longest key that `text` starts with: its length, and what replaces it, which is `None` where
    /// the map points into a character.
    pub fn find(&self, text: &[u8]) -> Option<(usize, Option<&str>)> {
        let mut found = None;
        let mut matches = 0;
        let mut at = 0;
        let mut unit = self.units[0];
        for (place, &byte) in text.iter().enumerate() {
            at ^= offset(unit) ^ usize::from(byte);
            unit = self.units[at];
            if label(unit) != u32::from(byte) {
                break;
            }
            if has_leaf(unit) {
                found = Some((place + 1, self.units[at ^ offset(unit)] & !IS_VALUE));
                matches += 1;
                if matches == MOST_MATCHES {
                    break;
                }
            }
        }
        let (len, value) = found?;
        let rest = self.replacements.get(value as usize..);
        Some((len, rest.and_then(|rest| rest.split('\0').next())))
    }

    /// Hands out the characters of keys: whether each is the first of its key and, where a key ends with
    /// it, what replaces that, which is `None` where the map points into a character. Says whether those
    /// are all: not where a key is no text, nor where keys are so long that [`MOST_MATCHES`] may count.
    ///
    /// Ends of keys are often stored once for many beginnings, and looked at once for each length.
    ///
    /// Cost: a look at 256 units for each byte of what is stored.
    #[must_use]
    pub fn each_char<'m>(
        &'m self,
        mut each: impl FnMut(char, bool, Option<Option<&'m str>>),
    ) -> bool {
        // What is yet to be looked at: a unit's place, and what there is of a character before it.
        let mut open = vec![(0, Partial::default())];
        for _ in 0..MOST_MATCHES {
            let mut longer = Vec::new();
            for (at, partial) in open {
                let base = at ^ offset(self.units[at]);
                for byte in 0..=0xFFu8 {
                    let next = base ^ usize::from(byte);
                    let unit = self.units[next];
                    if label(unit) != u32::from(byte) || next == 0 {
                        continue;
                    }
                    let mut partial = partial;
                    let Some(whole) = partial.push(byte) else { return false };
                    if let Some(c) = whole {
                        let made = has_leaf(unit).then(|| {
                            let value = self.units[next ^ offset(unit)] & !IS_VALUE;
                            let rest = self.replacements.get(value as usize..);
                            rest.and_then(|rest| rest.split('\0').next())
                        });
                        each(c, !partial.is_behind, made);
                        partial = Partial { is_behind: true, ..Partial::default() };
                    } else if has_leaf(unit) {
                        return false;
                    }
                    longer.push((next, partial));
                }
            }
            if longer.is_empty() {
                return true;
            }
            longer.sort_unstable();
            longer.dedup();
            open = longer;
        }
        false
    }

    /// Whether a key starts with these bytes.
    pub fn has_prefix(&self, prefix: &[u8]) -> bool {
        let mut at = 0;
        let mut unit = self.units[0];
        prefix.iter().all(|&byte| {
            at ^= offset(unit) ^ usize::from(byte);
            unit = self.units[at];
            label(unit) == u32::from(byte)
        })
    }
}

/// The first bytes of a character, and whether others stand before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Partial {
    bytes: [u8; 4],
    len: usize,
    is_behind: bool,
}

impl Partial {
    /// Goes on with a byte; the character if that is whole, and `None` where there is no such one.
    fn push(&mut self, byte: u8) -> Option<Option<char>> {
        *self.bytes.get_mut(self.len)? = byte;
        self.len += 1;
        match std::str::from_utf8(&self.bytes[..self.len]) {
            Ok(text) => Some(text.chars().next()),
            // Not an error in what there is.
            Err(error) if error.error_len().is_none() => Some(None),
            Err(_) => None,
        }
    }
}
