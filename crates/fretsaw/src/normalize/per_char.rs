//! Normalizers that look at one character at a time.
//!
//! Each rule gives for a character what stands in its place: itself, nothing, or others. ASCII
//! that a rule leaves alone is skipped in blocks.

use std::borrow::Cow;

use crate::byte_level::CHARS;
use crate::unicode::normalization::{kind, lower, Flag, CAPITAL_I_WITH_DOT, DOT_ABOVE};

use super::rewrite::{run_end, Rewrite};
use super::spans::{Aligned, Change};
use super::Notes;

/// What is done to each character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerChar {
    /// Lower case, without regard to what stands around.
    Lowercase,
    /// `StripAccents`: marks are taken away.
    StripAccents,
    /// The accents that `BertNormalizer` takes away after NFD.
    BertAccents,
    /// What `clean_text` of `BertNormalizer` takes away.
    BertRemove,
    /// What `clean_text` of `BertNormalizer` makes a space of, afterwards.
    BertSpaces,
    /// Chinese characters get spaces around them.
    BertChinese,
    /// What `Nmt` takes away.
    NmtRemove,
    /// What `Nmt` makes a space of, afterwards.
    NmtSpaces,
    /// Each byte becomes its character in GPT-2's alphabet.
    ByteLevel,
}

impl PerChar {
    /// The name in tokenizer.json.
    pub(super) fn name(self) -> &'static str {
        match self {
            PerChar::Lowercase => "Lowercase",
            PerChar::StripAccents => "StripAccents",
            PerChar::NmtRemove | PerChar::NmtSpaces => "Nmt",
            PerChar::ByteLevel => "ByteLevel",
            PerChar::BertAccents
            | PerChar::BertRemove
            | PerChar::BertSpaces
            | PerChar::BertChinese => "BertNormalizer",
        }
    }

    /// Whether a character is changed.
    #[inline]
    pub(super) fn changes_char(self, c: char) -> bool {
        match self {
            PerChar::Lowercase => kind(c).has_lower(),
            PerChar::StripAccents => kind(c).has(Flag::Accent),
            PerChar::BertAccents => kind(c).has(Flag::BertAccent),
            PerChar::BertRemove => kind(c).has(Flag::BertRemoved),
            PerChar::BertSpaces => kind(c).has(Flag::BertSpace),
            PerChar::BertChinese => kind(c).has(Flag::BertChinese),
            PerChar::NmtRemove => is_removed_by_nmt(c),
            PerChar::NmtSpaces => is_space_to_nmt(c),
            PerChar::ByteLevel => !c.is_ascii() || CHARS[c as usize] != c,
        }
    }

    /// Gives what stands in the place of a character that is changed.
    #[inline]
    pub(super) fn replace(self, c: char, mut emit: impl FnMut(char)) {
        match self {
            PerChar::Lowercase => {
                emit(lower(c));
                if c == CAPITAL_I_WITH_DOT {
                    emit(DOT_ABOVE);
                }
            }
            PerChar::StripAccents
            | PerChar::BertAccents
            | PerChar::BertRemove
            | PerChar::NmtRemove => {}
            PerChar::BertSpaces | PerChar::NmtSpaces => emit(' '),
            PerChar::BertChinese => [' ', c, ' '].into_iter().for_each(emit),
            PerChar::ByteLevel => {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).bytes();
                bytes.for_each(|byte| emit(CHARS[usize::from(byte)]));
            }
        }
    }

    /// The text with all characters replaced.
    pub(super) fn normalize<'t>(self, text: &'t str, notes: &mut Notes) -> Cow<'t, str> {
        let mut rewrite = Rewrite::new(text);
        self.visit(text, |start, end, c| {
            let made = rewrite.replace(start, end);
            let before = made.len();
            self.replace(c, |c| made.push(c));
            notes.note(&text[start..end], &made[before..]);
        });
        rewrite.finish()
    }

    /// The same with spans, for a text whose first character stands for something.
    pub(super) fn normalize_spans(self, aligned: &mut Aligned) {
        aligned.change(|text, changed| {
            self.visit(text, |start, end, c| {
                changed.begin(start, end);
                let mut change = 0;
                self.replace(c, |c| {
                    changed.push((c, change));
                    change = 1;
                });
            });
        });
    }

    /// Calls `visit` for each character that changes: start, end, the character.
    fn visit(self, text: &str, visit: impl FnMut(usize, usize, char)) {
        match self {
            PerChar::Lowercase => {
                self.visit_but(text, |byte| byte < 0x80 && !byte.is_ascii_uppercase(), visit);
            }
            PerChar::StripAccents | PerChar::BertAccents | PerChar::BertChinese => {
                self.visit_but(text, |byte| byte < 0x80, visit);
            }
            PerChar::BertRemove | PerChar::BertSpaces | PerChar::NmtRemove | PerChar::NmtSpaces => {
                self.visit_but(text, |byte| (0x20..0x7F).contains(&byte), visit);
            }
            PerChar::ByteLevel => self.visit_but(text, |byte| (0x21..0x7F).contains(&byte), visit),
        }
    }

    /// Skips what is `plain`, which must be ASCII that the rule leaves alone.
    #[inline(always)]
    fn visit_but(
        self,
        text: &str,
        plain: impl Fn(u8) -> bool,
        mut visit: impl FnMut(usize, usize, char),
    ) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            at = run_end(bytes, at, &plain);
            let Some(c) = text[at..].chars().next() else { break };
            let end = at + c.len_utf8();
            if self.changes_char(c) {
                visit(at, end, c);
            }
            at = end;
        }
    }

    /// The new characters with their changes, and how many characters fall away in front of them.
    pub(super) fn changes(self, text: &str) -> (Vec<Change>, usize) {
        let mut changes: Vec<Change> = Vec::with_capacity(text.len());
        let mut removed_in_front = 0;
        for c in text.chars() {
            if !self.changes_char(c) {
                changes.push((c, 0));
                continue;
            }
            let before = changes.len();
            self.replace(c, |c| changes.push((c, i64::from(changes.len() > before))));
            if changes.len() == before {
                match changes.last_mut() {
                    Some((_, change)) => *change -= 1,
                    None => removed_in_front += 1,
                }
            }
        }
        (changes, removed_in_front)
    }
}

/// A list in the oracle's source, of SentencePiece's rule `nmt_nfkc`; U+0085 is not in it.
fn is_removed_by_nmt(c: char) -> bool {
    matches!(
        c,
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}'
    )
}

fn is_space_to_nmt(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{C}' | '\r' | '\u{1680}' | '\u{200B}'
            ..='\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{FEFF}' | '\u{FFFD}'
    )
}
