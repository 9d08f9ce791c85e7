//! `Precompiled`: the map of characters that SentencePiece stores in a model.
//!
//! A map is a double-array trie over bytes, whose values are places in a string of replacements
//! with a NUL behind each. The text is cut in grapheme clusters. If a cluster of up to five bytes
//! starts with a key, the replacement of the *shortest* such key takes the place of the whole
//! cluster; otherwise the same is done for each of its characters. (SentencePiece itself takes the
//! longest key at each place and knows no clusters.)
//!
//! ASCII that the map leaves alone is skipped, but for the last character before others, which may
//! begin a cluster. A map that points outside itself loads, and fails on the texts that go there.
//!
//! Source: the crate `spm_precompiled` 0.1.4 and `normalizers/precompiled.rs` of tokenizers 0.23.3.

use std::borrow::Cow;
use std::fmt;

use crate::error::EncodeError;

use super::graphemes::cluster_end;
use super::rewrite::Rewrite;
use super::spans::Change;
use super::Notes;

/// The longest cluster that is looked up as a whole, in bytes.
const CLUSTER_BYTES: usize = 5;

/// A map of characters.
pub struct Precompiled {
    units: Vec<u32>,
    replacements: String,
    /// Whether each ASCII character may be mapped to something else.
    ascii_changes: [bool; 128],
}

/// Why a map can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenCharsmap {
    /// It ends within the trie.
    Truncated,
    /// The replacements are not UTF-8.
    NotUtf8,
}

impl fmt::Display for BrokenCharsmap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BrokenCharsmap::Truncated => "it ends within its trie",
            BrokenCharsmap::NotUtf8 => "its replacements are not UTF-8",
        })
    }
}

const FAILS: EncodeError = EncodeError::NormalizerFails { normalizer: "Precompiled" };

impl Precompiled {
    /// Reads a map: the length of the trie in bytes, the trie, both little-endian, the replacements.
    pub fn new(charsmap: &[u8]) -> Result<Self, BrokenCharsmap> {
        let (size, rest) = charsmap.split_first_chunk().ok_or(BrokenCharsmap::Truncated)?;
        let trie_bytes = u32::from_le_bytes(*size) as usize / 4 * 4;
        let (trie, replacements) =
            rest.split_at_checked(trie_bytes).ok_or(BrokenCharsmap::Truncated)?;
        let unit =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |unit, &byte| unit << 8 | u32::from(byte));
        let units = trie.chunks_exact(4).map(unit).collect();
        let replacements =
            String::from_utf8(replacements.to_vec()).map_err(|_| BrokenCharsmap::NotUtf8)?;
        let mut map = Self { units, replacements, ascii_changes: [false; 128] };
        for byte in 0..128 {
            let c = [byte];
            let text = std::str::from_utf8(&c).unwrap_or_default();
            map.ascii_changes[usize::from(byte)] = map.find(text) != Ok(None);
        }
        map.ascii_changes[usize::from(b'\r')] = true; // CR and LF are one cluster
        Ok(map)
    }

    /// The replacement of the shortest key that starts `text`.
    pub(super) fn find(&self, text: &str) -> Result<Option<&str>, EncodeError> {
        let unit = |at: u32| self.units.get(at as usize).copied().ok_or(FAILS);
        let mut value = None;
        let mut at = offset(unit(0)?);
        for &byte in text.as_bytes() {
            if byte == 0 {
                break;
            }
            at ^= u32::from(byte);
            let node = unit(at)?;
            if node & (1 << 31 | 0xFF) != u32::from(byte) {
                break;
            }
            at ^= offset(node);
            if node >> 8 & 1 == 1 {
                let found = unit(at)? & !(1 << 31);
                value = value.or(Some(found));
            }
        }
        let Some(start) = value else { return Ok(None) };
        let rest = self.replacements.get(start as usize..).ok_or(FAILS)?;
        Ok(rest.split('\0').next())
    }

    /// Calls `visit` for each part of the text and its replacement, where it has one.
    fn parts<'m>(
        &'m self,
        text: &str,
        cluster: (usize, usize),
        mut visit: impl FnMut(usize, usize, Option<&'m str>),
    ) -> Result<(), EncodeError> {
        let (start, end) = cluster;
        if end - start <= CLUSTER_BYTES {
            if let Some(found) = self.find(&text[start..end])? {
                visit(start, end, Some(found));
                return Ok(());
            }
        }
        for (offset, c) in text[start..end].char_indices() {
            let (start, end) = (start + offset, start + offset + c.len_utf8());
            visit(start, end, self.find(&text[start..end])?);
        }
        Ok(())
    }

    /// Where the run of ASCII that stays as it is ends, from `at` on.
    fn unchanged_end(&self, bytes: &[u8], at: usize) -> usize {
        let changes = |&byte: &u8| byte >= 0x80 || self.ascii_changes[usize::from(byte)];
        let run = bytes[at..].iter().position(changes).unwrap_or(bytes.len() - at);
        // What is not ASCII may belong to the character before.
        let joins = bytes.get(at + run).is_some_and(|&next| next >= 0x80);
        at + run - usize::from(joins && run > 0)
    }

    pub(super) fn normalize<'t>(
        &self,
        text: &'t str,
        notes: &mut Notes,
    ) -> Result<Cow<'t, str>, EncodeError> {
        let mut rewrite = Rewrite::new(text);
        let mut at = 0;
        while at < text.len() {
            let from = self.unchanged_end(text.as_bytes(), at);
            if from > at {
                at = from;
                continue;
            }
            let end = cluster_end(text, at);
            self.parts(text, (at, end), |start, end, found| {
                let part = &text[start..end];
                if let Some(found) = found.filter(|&found| found != part) {
                    notes.note(part, found);
                    rewrite.replace(start, end).push_str(found);
                }
            })?;
            at = end;
        }
        Ok(rewrite.finish())
    }

    /// The new characters with their changes; `None` if no key was found.
    pub(super) fn changes(&self, text: &str) -> Result<Option<Vec<Change>>, EncodeError> {
        let mut changes = Vec::with_capacity(text.len());
        let mut found_any = false;
        let mut at = 0;
        while at < text.len() {
            let end = cluster_end(text, at);
            self.parts(text, (at, end), |start, end, found| {
                let part = &text[start..end];
                found_any |= found.is_some();
                replace(&mut changes, part, found.unwrap_or(part));
            })?;
            at = end;
        }
        Ok(found_any.then_some(changes))
    }
}

/// How far the children of a unit lie from it.
fn offset(unit: u32) -> u32 {
    unit >> 10 << ((unit & 1 << 9) >> 6)
}

/// Adds a replaced part. What it has too few in characters is counted at the last character so
/// far, which may be of another part; with none there it is forgotten.
fn replace(changes: &mut Vec<Change>, old: &str, new: &str) {
    let old_chars = old.chars().count();
    let new_chars = new.chars().count();
    let added = |at: usize| i64::from(at >= old_chars);
    changes.extend(new.chars().enumerate().map(|(at, c)| (c, added(at))));
    if new_chars < old_chars {
        if let Some((_, change)) = changes.last_mut() {
            *change -= (old_chars - new_chars) as i64;
        }
    }
}
