//! All of a normalizer at once for text of ASCII: a table from byte to byte.
//!
//! Where every step looks at a character alone, what they do to a byte of ASCII together is known
//! before any text comes. The steps one by one are the twin, which a test compares with this.
//!
//! Cost: one look-up a byte, instead of a pass for each step.

use std::borrow::Cow;

use super::{Notes, Step};

/// What the byte becomes is nothing.
const REMOVED: u8 = 0xFF;

/// The steps have to be asked.
const UNSURE: u8 = 0xFE;

/// What becomes of each byte.
pub(super) struct Ascii {
    table: Box<[u8; 128]>,
    /// Whether all stay as they are.
    is_identity: bool,
}

impl Ascii {
    /// The table of steps, if they have one.
    pub fn new(steps: &[Step]) -> Option<Self> {
        let mut table = Box::new([UNSURE; 128]);
        for (byte, made) in (0..).zip(table.iter_mut()) {
            *made = steps.iter().try_fold(byte, |byte, step| match byte {
                REMOVED | UNSURE => Some(byte),
                byte => step.of_ascii(byte),
            })?;
        }
        let is_identity = table.iter().zip(0..).all(|(&made, byte)| made == byte);
        (!steps.is_empty()).then_some(Self { table, is_identity })
    }

    /// The normalized text, if it is ASCII and the table says all of it.
    pub fn normalize<'t>(&self, text: &'t str) -> Option<(Cow<'t, str>, Notes)> {
        if !text.is_ascii() {
            return None;
        }
        if self.is_identity {
            return Some((Cow::Borrowed(text), Notes::default()));
        }
        let mut made = vec![0; text.len()];
        let (mut changed, mut special) = (0, 0);
        for (new, &byte) in made.iter_mut().zip(text.as_bytes()) {
            *new = self.table[usize::from(byte & 0x7F)];
            changed |= *new ^ byte;
            special |= *new;
        }
        let changed = changed != 0;
        // What stands for no byte of ASCII has its top bit set.
        let removed = special >= UNSURE && made.contains(&REMOVED);
        if special >= UNSURE && made.contains(&UNSURE) {
            return None;
        }
        if !changed {
            return Some((Cow::Borrowed(text), Notes::default()));
        }
        if removed {
            made.retain(|&byte| byte != REMOVED);
        }
        let notes = Notes { moved: removed, in_front: false };
        Some((Cow::Owned(String::from_utf8(made).ok()?), notes))
    }
}

impl Step {
    /// What becomes of a byte of ASCII wherever it stands in such text; nothing where that depends on
    /// what stands around it.
    fn of_ascii(&self, byte: u8) -> Option<u8> {
        let made = |text: &str| match text.as_bytes() {
            [] => REMOVED,
            &[one] if one.is_ascii() => one,
            _ => UNSURE,
        };
        match self {
            Step::Form(_) => Some(byte),
            Step::PerChar(rule) => {
                let mut new = String::new();
                match rule.changes_char(char::from(byte)) {
                    true => rule.replace(char::from(byte), |c| new.push(c)),
                    false => new.push(char::from(byte)),
                }
                Some(made(&new))
            }
            // With a line feed behind it a carriage return is one character to it.
            Step::Precompiled(_) if byte == b'\r' => Some(UNSURE),
            Step::Precompiled(map) => {
                let text = [byte];
                match map.find(std::str::from_utf8(&text).ok()?) {
                    Ok(None) => Some(byte),
                    Ok(Some("")) | Err(_) => Some(UNSURE),
                    Ok(Some(new)) => Some(made(new)),
                }
            }
            Step::Strip { .. } | Step::Replace(_) | Step::Prepend(_) | Step::SentencePiece(_) => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Normalizer, PerChar};
    use super::*;

    /// Steps one by one, as for text that is not ASCII.
    fn one_by_one(steps: &[Step], text: &str) -> (String, Notes) {
        let (mut text, mut notes) = (text.to_owned(), Notes::default());
        for step in steps {
            let mut noted = Notes::default();
            text = step.normalize(&text, &mut noted).unwrap().into_owned();
            notes.moved |= noted.moved;
        }
        (text, notes)
    }

    #[test]
    fn the_table_does_what_the_steps_do() {
        let bert = || {
            vec![
                Step::PerChar(PerChar::BertRemove),
                Step::PerChar(PerChar::BertSpaces),
                Step::PerChar(PerChar::BertChinese),
                Step::Form(Form::Nfd),
                Step::PerChar(PerChar::BertAccents),
                Step::PerChar(PerChar::Lowercase),
            ]
        };
        let nmt = || {
            vec![
                Step::PerChar(PerChar::NmtRemove),
                Step::PerChar(PerChar::NmtSpaces),
                Step::Form(Form::Nfkc),
                Step::PerChar(PerChar::StripAccents),
            ]
        };
        for steps in [bert(), nmt()] {
            let table = Ascii::new(&steps).unwrap();
            let all: String = (0..128u8).map(char::from).collect();
            for text in ["", "abc", "A b\nC", "\r\n", "\u{0}x", "a\u{7F}", &all] {
                let (made, notes) = table.normalize(text).unwrap();
                assert_eq!((made.into_owned(), notes), one_by_one(&steps, text), "{text:?}");
            }
            assert!(matches!(table.normalize("abc"), Some((Cow::Borrowed("abc"), _))));
            assert!(table.normalize("é").is_none());
        }
        let (same, notes) = Ascii::new(&[Step::Form(Form::Nfc)]).unwrap().normalize("a\r").unwrap();
        assert!(matches!((same, notes.moved), (Cow::Borrowed("a\r"), false)));
        let spelled = Normalizer::new(vec![Step::PerChar(PerChar::ByteLevel)]);
        assert_eq!(spelled.normalize("a b").unwrap(), "aĠb");
        assert!(Ascii::new(&[Step::Strip { left: true, right: true }]).is_none());
        assert!(Ascii::new(&[]).is_none());
    }
}
