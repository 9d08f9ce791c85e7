//! The splits of today's byte-level models, matched piece by piece.
//!
//! They are alternations of words, numbers, other characters and white space:
//!
//! ```text
//! cl100k  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//!         | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//! o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|...)?
//!         |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|...)?
//!         |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//! ```
//!
//! and DeepSeek's, whose words take marks and no punctuation in front. Each alternative is a run
//! or two of a character class, so a piece costs a step a character and nothing is ever tried
//! twice beyond one word. Most texts are cut by [`super::modern_starts`], whose twin this is.
//!
//! Sources: the patterns in the published tokenizer.json files and in tiktoken's `openai_public.py`.

use super::chars::Chars;

/// Class bits of these splits.
pub mod class {
    /// `\p{L}`.
    pub const LETTER: u8 = 1 << 0;
    /// `\p{N}`.
    pub const NUMBER: u8 = 1 << 1;
    /// `\s`.
    pub const SPACE: u8 = 1 << 2;
    /// Lu, Lt, Lm, Lo, M.
    pub const UPPER: u8 = 1 << 3;
    /// Ll, Lm, Lo, M.
    pub const LOWER: u8 = 1 << 4;
    /// None of `\s`, `\p{L}`, `\p{N}`; in DeepSeek's split `\p{P}` and `\p{S}`.
    pub const OTHER: u8 = 1 << 5;
    /// What may stand before a word unless it is CR or LF: what is neither letter nor number, or
    /// in DeepSeek's split neither letter nor punctuation nor symbol.
    pub const PREFIX: u8 = 1 << 6;
}
use class::{LETTER, LOWER, NUMBER, OTHER, PREFIX, SPACE, UPPER};

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// A run of letters, perhaps behind one other character.
    Letters,
    /// Upper case, then lower case; marks count as both.
    Cased,
    /// A run of letters and marks; or ASCII letters behind one ASCII punctuation character.
    DeepSeek,
}

/// Where contractions are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contractions {
    /// Nowhere.
    None,
    /// As pieces of their own.
    Apart,
    /// At the end of a word.
    Attached,
}

/// A split of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modern {
    pub words: Words,
    pub contractions: Contractions,
    /// How many numbers make a piece at most; 0 where numbers are not matched.
    pub numbers: usize,
    /// Whether slashes may follow other characters as newlines do.
    pub slashes: bool,
    /// Whether white space at the end of the text is one piece even with newlines in it.
    pub whole_tail: bool,
}

impl Modern {
    /// Where the piece that starts at `at` ends, or `None` where nothing matches.
    #[inline(always)]
    pub fn piece_end(&self, chars: &Chars<'_>, at: usize) -> Option<usize> {
        let (class, end) = chars.class(at);
        let byte = chars.byte(at);
        if self.contractions == Contractions::Apart && byte == b'\'' {
            let len = contraction(&chars.text[at..]);
            if len > 0 {
                return Some(at + len);
            }
        }
        if let Some(end) = self.word_end(chars, at, class, end) {
            return Some(end);
        }
        if class & NUMBER != 0 && self.numbers > 0 {
            return Some(self.numbers_end(chars, end));
        }
        // A space joins what follows; white space is never of the other characters.
        let others = if byte == b' ' { end } else { at };
        let behind = chars.run(others, OTHER);
        if behind > others {
            return Some(self.newlines_end(chars, behind));
        }
        (class & SPACE != 0).then(|| self.space_end(chars, at))
    }

    #[inline(always)]
    fn word_end(&self, chars: &Chars<'_>, at: usize, class: u8, end: usize) -> Option<usize> {
        let prefix = class & PREFIX != 0 && !matches!(chars.byte(at), b'\r' | b'\n');
        match self.words {
            Words::Letters => {
                let start = if prefix { end } else { at };
                let word = chars.run(start, LETTER);
                (word > start).then_some(word)
            }
            Words::Cased => {
                let behind = prefix.then_some(end);
                let starts = [behind, Some(at)];
                let lower =
                    starts.into_iter().flatten().find_map(|start| cased(chars, start, true));
                let word = lower.or_else(|| {
                    starts.into_iter().flatten().find_map(|start| cased(chars, start, false))
                })?;
                let attached =
                    self.contractions == Contractions::Attached && chars.byte(word) == b'\'';
                Some(if attached { word + contraction(&chars.text[word..]) } else { word })
            }
            Words::DeepSeek => {
                if chars.byte(at).is_ascii_punctuation() {
                    let letters = chars.text[end..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphabetic())
                        .count();
                    if letters > 0 {
                        return Some(end + letters);
                    }
                }
                let start = if prefix { end } else { at };
                let word = chars.run(start, LETTER);
                if word > start {
                    return Some(word);
                }
                // A mark is letter and prefix at once: alone it is a word of its own.
                (class & LETTER != 0).then_some(end)
            }
        }
    }

    #[inline]
    fn numbers_end(&self, chars: &Chars<'_>, mut end: usize) -> usize {
        for _ in 1..self.numbers {
            let (class, next) = chars.class(end);
            if class & NUMBER == 0 {
                break;
            }
            end = next;
        }
        end
    }

    #[inline]
    fn newlines_end(&self, chars: &Chars<'_>, mut at: usize) -> usize {
        while matches!(chars.byte(at), b'\r' | b'\n') || self.slashes && chars.byte(at) == b'/' {
            at += 1;
        }
        at
    }

    /// White space: up to its last newline, or up to but not with its last character where
    /// something follows, or all of it.
    #[inline]
    fn space_end(&self, chars: &Chars<'_>, start: usize) -> usize {
        let (mut at, mut last, mut behind_newline) = (start, start, None);
        loop {
            let (class, end) = chars.class(at);
            if class & SPACE == 0 {
                break;
            }
            if matches!(chars.byte(at), b'\r' | b'\n') {
                behind_newline = Some(end);
            }
            last = at;
            at = end;
        }
        let at_end = at == chars.text.len();
        match behind_newline {
            Some(end) if !(at_end && self.whole_tail) => end,
            _ if at_end || last == start => at,
            _ => last,
        }
    }
}

/// The end of a cased word at `start`: with lower case in it, or of upper case alone.
#[inline]
fn cased(chars: &Chars<'_>, start: usize, lower: bool) -> Option<usize> {
    let (mut at, mut behind_both) = (start, None);
    loop {
        let (class, end) = chars.class(at);
        if class & UPPER == 0 {
            if class & LOWER != 0 {
                return Some(chars.run(at, LOWER));
            }
            break;
        }
        if class & LOWER != 0 {
            behind_both = Some(end);
        }
        at = end;
    }
    // No lower case follows: the last character that counts as both must be it.
    if lower {
        behind_both
    } else {
        (at > start).then_some(at)
    }
}

/// The length in bytes of the contraction, in either case, at the start of `text`, which is an
/// apostrophe; 0 for none. The long s (U+017F) is an s there.
#[inline]
pub(super) fn contraction(text: &[u8]) -> usize {
    let letter = |at: usize| text.get(at).map_or(0, u8::to_ascii_lowercase);
    match (letter(1), letter(2)) {
        (b's' | b't' | b'm' | b'd', _) => 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => 3,
        (0xC5 | 0xE5, 0xBF) if text[1] == 0xC5 => 3,
        _ => 0,
    }
}
