//! The four normalization forms, character by character.
//!
//! A character is decomposed; a run of a starter and the marks behind it is kept back until the
//! next starter comes. Then the marks are sorted by combining class (stable, so n log n at worst,
//! and not at all if they are in order) and, in the composing forms, composed with their starter
//! where no mark of the same class stands between; if none is left, the next starter may compose
//! with this one. Memory is that of one run.
//!
//! Each character comes with a *change* as the oracle counts it: 0 if it takes the place of a
//! character, 1 if it is added behind one, -n if it takes the place of n + 1 characters.
//!
//! Source: Unicode Standard Annex 15, as the crate `unicode-normalization-alignments` 0.1.12 does it.

use crate::unicode::normalization::{
    compose, decomposition, hangul_parts, kind, Decomposition, Flag, NO_TRAILING,
};

use super::spans::Change;

/// A normalization form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are Unicode's own
pub enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

impl Form {
    /// The name in tokenizer.json.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Nfc => "NFC",
            Form::Nfd => "NFD",
            Form::Nfkc => "NFKC",
            Form::Nfkd => "NFKD",
        }
    }

    /// What the characters have that the form may change, or that may act on those before.
    pub(super) fn flag(self) -> Flag {
        match self {
            Form::Nfc => Flag::Nfc,
            Form::Nfd => Flag::Nfd,
            Form::Nfkc => Flag::Nfkc,
            Form::Nfkd => Flag::Nfkd,
        }
    }

    pub(super) fn composes(self) -> bool {
        matches!(self, Form::Nfc | Form::Nfkc)
    }

    fn decomposition(self) -> Decomposition {
        match self {
            Form::Nfc | Form::Nfd => Decomposition::Canonical,
            Form::Nfkc | Form::Nfkd => Decomposition::Compatible,
        }
    }

    /// The normalized text with the change of each character.
    pub(super) fn changes(self, text: &str) -> Vec<Change> {
        let mut changes = Vec::with_capacity(text.len());
        let mut composer = Composer::new(self);
        text.chars().for_each(|c| composer.push(c, |change| changes.push(change)));
        composer.finish(|change| changes.push(change));
        changes
    }
}

struct Part {
    order: u8,
    c: char,
    change: i64,
}

/// A text in the course of being normalized.
pub(super) struct Composer {
    form: Form,
    /// A starter, unless the text starts with marks, and the marks behind it.
    run: Vec<Part>,
}

impl Composer {
    pub fn new(form: Form) -> Self {
        Self { form, run: Vec::new() }
    }

    /// Takes the next character; `emit` gets what is settled by it.
    pub fn push(&mut self, c: char, mut emit: impl FnMut(Change)) {
        if c.is_ascii() {
            self.push_part(c, 0, &mut emit);
        } else if let Some([leading, vowel, trailing]) = hangul_parts(c) {
            self.push_part(leading, 0, &mut emit);
            self.push_part(vowel, 1, &mut emit);
            if trailing != NO_TRAILING {
                self.push_part(trailing, 1, &mut emit);
            }
        } else if let Some(parts) = decomposition(c, self.form.decomposition()) {
            for (at, part) in parts.chars().enumerate() {
                self.push_part(part, i64::from(at > 0), &mut emit);
            }
        } else {
            self.push_part(c, 0, &mut emit);
        }
    }

    /// Gives what is left; the composer can then start another text.
    pub fn finish(&mut self, mut emit: impl FnMut(Change)) {
        self.settle();
        self.flush(&mut emit);
    }

    fn push_part(&mut self, c: char, change: i64, emit: &mut impl FnMut(Change)) {
        let order = kind(c).order();
        if order == 0 && !self.run.is_empty() {
            self.settle();
            if self.composes_with_starter(c, change) {
                return;
            }
            self.flush(emit);
        }
        self.run.push(Part { order, c, change });
    }

    /// Puts the marks of the run in order and composes them with its starter.
    fn settle(&mut self) {
        let Some(first) = self.run.first() else { return };
        let starts = first.order == 0;
        let marks = usize::from(starts);
        if self.run.len() < 2 {
            return;
        }
        if !self.run[marks..].is_sorted_by_key(|part| part.order) {
            self.run[marks..].sort_by_key(|part| part.order);
        }
        if starts && self.form.composes() {
            self.compose_marks();
        }
    }

    fn compose_marks(&mut self) {
        let (mut starter, mut change) = (self.run[0].c, self.run[0].change);
        let mut last = None;
        let mut kept = 1;
        for at in 1..self.run.len() {
            let part = &self.run[at];
            let free = last.is_none_or(|last| last < part.order);
            let composed = if free { compose(starter, part.c) } else { None };
            if let Some(composed) = composed {
                starter = composed;
                change += part.change - 1;
                continue;
            }
            last = Some(part.order);
            self.run.swap(kept, at);
            kept += 1;
        }
        self.run.truncate(kept);
        (self.run[0].c, self.run[0].change) = (starter, change);
    }

    /// Composes a starter that follows with that of the settled run, if nothing stands between.
    fn composes_with_starter(&mut self, c: char, change: i64) -> bool {
        let [starter] = &mut self.run[..] else { return false };
        if !self.form.composes() || starter.order != 0 {
            return false;
        }
        let Some(composed) = compose(starter.c, c) else { return false };
        starter.c = composed;
        starter.change += change - 1;
        true
    }

    fn flush(&mut self, emit: &mut impl FnMut(Change)) {
        self.run.drain(..).for_each(|part| emit((part.c, part.change)));
    }
}
