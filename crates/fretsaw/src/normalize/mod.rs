//! Normalizers: what happens to the text before it is cut.
//!
//! A [`Normalizer`] is a list of steps. [`Normalizer::normalize`] gives the text alone and borrows
//! it where nothing changes: each step looks for what it would change, skips ASCII in blocks, and
//! copies what lies between. [`Normalizer::normalize_spans`] goes by the same changes and gives for
//! each byte of the new text the bytes of the original that it stands for as well. Both take time
//! in proportion to the text, but for the sorting of a run of combining marks (n log n) and for
//! what a regular expression takes.
//!
//! Source: the normalizers of Hugging Face tokenizers 0.23.3 and its `NormalizedString`. That one
//! is at fault where something was put in front of the first character with nothing to stand for
//! (`Replace` by an empty match, `Prepend` of an empty text): a step after it forgets to take
//! these bytes off, and either repeats them or fails. So do we: such a text goes through spans.

mod ascii;
mod compose;
mod form;
mod graphemes;
mod losing;
mod per_char;
mod precompiled;
mod replace;
mod rewrite;
mod sentence_piece;
mod spans;

use std::borrow::Cow;

use crate::error::EncodeError;
use crate::unicode::is_rust_whitespace;

use ascii::Ascii;
pub use compose::Form;
pub use per_char::PerChar;
pub use precompiled::Precompiled;
pub use replace::Replace;
pub use sentence_piece::{Charsmap, PartOf, SentencePiece, Spaces};
use spans::Aligned;

/// The original bytes that a byte of a normalized text stands for: start and end.
pub type Span = (u32, u32);

/// What matters of how a normalized text came to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Notes {
    /// Something was put in front of the text that stands for nothing: what is done next depends on
    /// spans.
    pub in_front: bool,
    /// More was done than to put characters in the places of others of as many bytes: where it was
    /// not, each byte stands for the one in its place.
    pub moved: bool,
}

impl Notes {
    /// Notes that one part of a text gave way to another.
    #[inline]
    fn note(&mut self, old: &str, new: &str) {
        self.moved |= old.len() != new.len() || !is_char(old) || !is_char(new);
    }
}

/// Whether a text is just one character.
fn is_char(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some() && chars.next().is_none()
}

/// A compiled normalizer.
pub struct Normalizer {
    /// In order; steps that look at characters alone are one part.
    parts: Vec<Steps>,
}

/// Steps one after the other.
struct Steps {
    steps: Vec<Step>,
    /// All of them at once, for text of ASCII.
    ascii: Option<Ascii>,
}

/// One change of a text.
pub enum Step {
    /// A normalization form of Unicode.
    Form(Form),
    /// Something done to each character alone.
    PerChar(PerChar),
    /// White space is taken away at one end or both.
    Strip {
        /// At the start.
        left: bool,
        /// At the end.
        right: bool,
    },
    /// Every match of a pattern is replaced.
    Replace(Replace),
    /// A text is put in front, unless there is nothing to put it in front of.
    Prepend(String),
    /// SentencePiece's map of characters.
    Precompiled(Precompiled),
    /// All that SentencePiece does.
    SentencePiece(SentencePiece),
}

impl Normalizer {
    /// The steps are done in this order.
    pub fn new(steps: Vec<Step>) -> Self {
        let mut parts: Vec<Vec<Step>> = Vec::new();
        for step in steps {
            match parts.last_mut() {
                Some(part) if step.is_of_characters() && part[0].is_of_characters() => {
                    part.push(step);
                }
                _ => parts.push(vec![step]),
            }
        }
        let with_table = |steps: Vec<Step>| Steps { ascii: Ascii::new(&steps), steps };
        Self { parts: parts.into_iter().map(with_table).collect() }
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.parts.iter().flat_map(|part| &part.steps)
    }

    /// Whether texts that are put together are normalized as each alone, if the second one begins with a
    /// character that composes with nothing before it.
    pub fn is_local(&self) -> bool {
        self.steps().all(|step| matches!(step, Step::Form(_) | Step::PerChar(_)))
    }

    /// The rules of SentencePiece, if they are all that there is.
    pub fn sentence_piece(&self) -> Option<&SentencePiece> {
        let mut steps = self.steps();
        match (steps.next(), steps.next()) {
            (Some(Step::SentencePiece(rules)), None) => Some(rules),
            _ => None,
        }
    }

    /// Whether no text is ever changed.
    pub fn is_identity(&self) -> bool {
        self.parts.is_empty()
    }

    /// The normalized text, borrowed if it is (a part of) `text`.
    ///
    /// Fails where the oracle does, and where a pattern takes too many steps.
    pub fn normalize<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, EncodeError> {
        self.normalize_noting(text).map(|(text, _)| text)
    }

    /// The same, and what matters of how it came to be.
    pub fn normalize_noting<'t>(
        &self,
        text: &'t str,
    ) -> Result<(Cow<'t, str>, Notes), EncodeError> {
        let mut notes = Notes::default();
        let mut current = Cow::Borrowed(text);
        for (at, part) in self.parts.iter().enumerate() {
            let mut noted = Notes::default();
            current = on(current, |text| part.normalize(text, &mut noted))?;
            notes.moved |= noted.moved;
            notes.in_front |= noted.in_front;
            let behind = || self.parts[at + 1..].iter().flat_map(|part| &part.steps);
            if noted.in_front && behind().any(Step::goes_by_spans) {
                return self
                    .normalize_spans(text, spans::identity(text))
                    .map(|(text, _)| (text.into(), notes));
            }
        }
        Ok((current, notes))
    }

    /// The normalized text, and for each of its bytes the span of the original that it stands for.
    ///
    /// `spans` are those of the bytes of `text`, see [`identity`]; all bytes of a character have the
    /// same. What stands for nothing has the span (0, 0), so spans count from the start of this text.
    pub fn normalize_spans(
        &self,
        text: &str,
        spans: Vec<Span>,
    ) -> Result<(String, Vec<Span>), EncodeError> {
        let mut aligned = Aligned::new(text, spans);
        for part in &self.parts {
            if !part.only_replaces(&mut aligned) {
                part.steps.iter().try_for_each(|step| step.normalize_spans(&mut aligned))?;
            }
        }
        Ok(aligned.into_parts())
    }
}

impl Steps {
    /// Does the steps and notes what matters of them.
    fn normalize<'t>(&self, text: &'t str, notes: &mut Notes) -> Result<Cow<'t, str>, EncodeError> {
        if let Some((text, noted)) = self.ascii.as_ref().and_then(|ascii| ascii.normalize(text)) {
            *notes = noted;
            return Ok(text);
        }
        self.steps.iter().try_fold(Cow::Borrowed(text), |text, step| {
            let mut noted = Notes::default();
            let made = on(text, |text| step.normalize(text, &mut noted))?;
            notes.moved |= noted.moved;
            notes.in_front |= noted.in_front;
            Ok(made)
        })
    }

    /// Does the steps if all that they do is to put characters in the places of others of as many bytes:
    /// what each byte stands for stays.
    fn only_replaces(&self, aligned: &mut Aligned) -> bool {
        if !aligned.front_stands_for_something() {
            return false;
        }
        let mut noted = Notes::default();
        match self.normalize(aligned.text(), &mut noted) {
            Ok(made) if noted == Notes::default() => {
                if let Cow::Owned(made) = made {
                    aligned.put(made);
                }
                true
            }
            _ => false,
        }
    }
}

/// Changes a text by what borrows (a part of) it or makes another.
fn on<'t>(
    text: Cow<'t, str>,
    change: impl FnOnce(&str) -> Result<Cow<'_, str>, EncodeError>,
) -> Result<Cow<'t, str>, EncodeError> {
    Ok(match text {
        Cow::Borrowed(text) => change(text)?,
        Cow::Owned(text) => match change(&text)? {
            Cow::Owned(changed) => Cow::Owned(changed),
            Cow::Borrowed(part) if part.len() == text.len() => Cow::Owned(text),
            Cow::Borrowed(part) => Cow::Owned(part.to_owned()),
        },
    })
}

pub use spans::identity;

impl Step {
    /// Does the step and notes what matters of it.
    fn normalize<'t>(&self, text: &'t str, notes: &mut Notes) -> Result<Cow<'t, str>, EncodeError> {
        Ok(match self {
            Step::Form(form) => form.normalize(text, notes),
            Step::PerChar(rule) => rule.normalize(text, notes),
            Step::Strip { left, right } => {
                let kept = strip(text, *left, *right);
                notes.moved |= kept.len() < text.len();
                Cow::Borrowed(kept)
            }
            Step::Replace(replace) => replace.normalize(text, notes)?,
            Step::Prepend(_) if text.is_empty() => Cow::Borrowed(text),
            Step::Prepend(front) if front.is_empty() => {
                *notes = Notes { in_front: true, moved: true };
                Cow::Borrowed(text)
            }
            Step::Prepend(front) => {
                notes.moved = true;
                Cow::Owned([front, text].concat())
            }
            Step::Precompiled(map) => map.normalize(text, notes)?,
            Step::SentencePiece(rules) => {
                notes.moved = true;
                rules.normalize(text)?
            }
        })
    }

    fn normalize_spans(&self, aligned: &mut Aligned) -> Result<(), EncodeError> {
        let in_step = aligned.front_stands_for_something();
        match self {
            Step::Form(form) if in_step => form.normalize_spans(aligned),
            Step::Form(form) => {
                let changes = form.changes(aligned.text());
                aligned.transform(changes, 0, form.name())?;
            }
            Step::PerChar(rule) if in_step => rule.normalize_spans(aligned),
            Step::PerChar(rule) => {
                let (changes, removed) = rule.changes(aligned.text());
                aligned.transform(changes, removed, rule.name())?;
            }
            Step::Strip { left, right } => strip_spans(aligned, *left, *right)?,
            Step::Replace(replace) => replace.normalize_spans(aligned)?,
            Step::Prepend(front) => aligned.prepend(front),
            Step::Precompiled(map) => {
                if let Some(changes) = map.changes(aligned.text())? {
                    aligned.transform(changes, 0, "Precompiled")?;
                }
            }
            Step::SentencePiece(rules) => rules.normalize_spans(aligned)?,
        }
        Ok(())
    }

    /// Whether it looks at characters, not at what they stand next to but for their composing with it.
    fn is_of_characters(&self) -> bool {
        matches!(self, Step::Form(_) | Step::PerChar(_) | Step::Precompiled(_))
    }

    /// Whether it is done on the part of the text from the first byte that stands for something.
    fn goes_by_spans(&self) -> bool {
        !matches!(self, Step::Replace(_) | Step::Prepend(_))
    }
}

fn is_space(c: char) -> bool {
    is_rust_whitespace(u32::from(c))
}

fn strip(text: &str, left: bool, right: bool) -> &str {
    let text = if left { text.trim_start_matches(is_space) } else { text };
    if right {
        text.trim_end_matches(is_space)
    } else {
        text
    }
}

fn strip_spans(aligned: &mut Aligned, left: bool, right: bool) -> Result<(), EncodeError> {
    let text = aligned.text();
    let kept = strip(text, left, right);
    if kept.len() == text.len() {
        return Ok(());
    }
    let removed = if left { text.chars().take_while(|&c| is_space(c)).count() } else { 0 };
    let changes = kept.chars().map(|c| (c, 0)).collect();
    aligned.transform(changes, removed, "Strip")
}

#[cfg(test)]
mod tests;
