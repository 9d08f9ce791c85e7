//! What SentencePiece does to a text: its map of characters, and its ways with spaces.
//!
//! From left to right: a user-defined symbol stays as it is, else the longest key of the map is
//! replaced, else a character is copied. Spaces at both ends fall away and so do all but the first of
//! several (`remove_extra_whitespaces`), one is put in front or behind (`add_dummy_prefix`), and each
//! becomes `▁` (`escape_whitespaces`).
//!
//! ASCII that nothing can start with is copied in runs. Cost: linear, a look-up in the map where it may
//! have something to say.
//!
//! Source: `Normalizer::Normalize` of sentencepiece 0.2.3, whose `norm_to_orig` are the places here.

mod charsmap;

use std::borrow::Cow;

use super::spans::Aligned;
use super::Span;
use crate::error::EncodeError;
use crate::prefixes::Prefixes;

pub use charsmap::Charsmap;

/// The rules of a model.
#[derive(Debug)]
pub struct SentencePiece {
    charsmap: Option<Charsmap>,
    symbols: Prefixes,
    /// What a space becomes.
    space: &'static str,
    adds_space: Option<Side>,
    removes_spaces: bool,
    /// What may be done about each byte where it starts something.
    starts: Box<[Start; 256]>,
}

/// Where a space is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Front,
    Behind,
}

/// What may start with a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// It is a character that stays as it is.
    Itself,
    /// It is, if ASCII follows.
    ItselfBeforeAscii,
    /// It is a space that nothing else starts with.
    Space,
    /// It is, if ASCII follows.
    SpaceBeforeAscii,
    /// Something that has to be looked up.
    Something,
}

/// How spaces are dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spaces {
    pub add_dummy_prefix: bool,
    pub remove_extra: bool,
    /// What each becomes.
    pub space: &'static str,
    pub as_suffix: bool,
}

/// Where a part of a text is. Behind it, if it is not the end, stands something that it does not end
/// in spaces before; and so does something before it that does not end with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartOf {
    Start,
    Middle,
    End,
}

const FAILS: EncodeError = EncodeError::NormalizerFails { normalizer: "SentencePiece" };

/// What a text becomes, and where each byte of it comes from if that is kept.
struct Made<'o> {
    text: String,
    origins: Option<&'o mut Vec<u32>>,
}

impl Made<'_> {
    #[inline]
    fn push(&mut self, text: &str, origin: usize) {
        self.text.push_str(text);
        if let Some(origins) = &mut self.origins {
            origins.extend(std::iter::repeat_n(origin as u32, text.len()));
        }
    }

    /// Text that stands for itself, byte for byte.
    #[inline]
    fn copy(&mut self, text: &str, origin: usize) {
        self.text.push_str(text);
        if let Some(origins) = &mut self.origins {
            origins.extend(origin as u32..(origin + text.len()) as u32);
        }
    }
}

impl SentencePiece {
    pub fn new(charsmap: Option<Charsmap>, symbols: Prefixes, spaces: Spaces) -> Self {
        let may_start = |prefix: &[u8]| charsmap.as_ref().is_some_and(|map| map.has_prefix(prefix));
        let is_mapped = |byte: u8| charsmap.as_ref().is_some_and(|map| map.find(&[byte]).is_some());
        let with_ascii = |byte: u8| (0..0x80).any(|next| may_start(&[byte, next]));
        let starts = |byte: u8| {
            if byte >= 0x80 || symbols.starts_with(byte) || is_mapped(byte) || with_ascii(byte) {
                return Start::Something;
            }
            match (byte, may_start(&[byte])) {
                (b' ', false) => Start::Space,
                (b' ', true) => Start::SpaceBeforeAscii,
                (_, false) => Start::Itself,
                (_, true) => Start::ItselfBeforeAscii,
            }
        };
        let side = if spaces.as_suffix { Side::Behind } else { Side::Front };
        Self {
            starts: Box::new(std::array::from_fn(|byte| starts(byte as u8))),
            charsmap,
            symbols,
            space: spaces.space,
            adds_space: spaces.add_dummy_prefix.then_some(side),
            removes_spaces: spaces.remove_extra,
        }
    }

    /// The map of characters.
    pub fn charsmap(&self) -> Option<&Charsmap> {
        self.charsmap.as_ref()
    }

    /// Whether spaces fall away.
    pub fn removes_spaces(&self) -> bool {
        self.removes_spaces
    }

    /// Whether a space is put in front.
    pub fn adds_front(&self) -> bool {
        self.adds_space == Some(Side::Front)
    }

    /// Whether a space is put behind.
    pub fn adds_behind(&self) -> bool {
        self.adds_space == Some(Side::Behind)
    }

    /// Writes what becomes of a part of a text.
    pub fn normalize_part(
        &self,
        part: &str,
        place: PartOf,
        text: &mut String,
    ) -> Result<(), EncodeError> {
        text.clear();
        let mut made = Made { text: std::mem::take(text), origins: None };
        let result = match place {
            PartOf::Start => self.start(part, &mut made).map(|_| ()),
            PartOf::Middle | PartOf::End => self.each_char(part, 0, false, &mut made),
        };
        if self.removes_spaces && place == PartOf::End {
            let kept = made.text.trim_end_matches(self.space).len();
            made.text.truncate(kept);
        }
        if place == PartOf::End && self.adds_behind() {
            made.text.push_str(self.space);
        }
        *text = made.text;
        result
    }

    /// The normalized text.
    pub fn normalize<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, EncodeError> {
        self.run(text, None).map(|(text, _)| Cow::Owned(text))
    }

    /// The same with spans: a character stands for all from its own place to that of the next.
    pub(super) fn normalize_spans(&self, aligned: &mut Aligned) -> Result<(), EncodeError> {
        if u32::try_from(aligned.text().len()).is_err() {
            return Err(EncodeError::PieceTooLong { bytes: aligned.text().len() });
        }
        let mut origins = Vec::new();
        let (text, end) = self.run(aligned.text(), Some(&mut origins))?;
        origins.push(end as u32);
        let mut spans: Vec<Span> = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let span = (origins[at], origins[at + c.len_utf8()]);
            spans.extend(std::iter::repeat_n(span, c.len_utf8()));
        }
        *aligned = Aligned::new(&text, spans);
        Ok(())
    }

    /// The text, and the place in the original where it ends.
    fn run(
        &self,
        text: &str,
        origins: Option<&mut Vec<u32>>,
    ) -> Result<(String, usize), EncodeError> {
        let mut made = Made { text: String::new(), origins };
        if !self.start(text, &mut made)? {
            return Ok((String::new(), 0));
        }
        let mut end = text.len();
        if self.removes_spaces {
            while made.text.ends_with(self.space) {
                let len = made.text.len() - self.space.len();
                made.text.truncate(len);
                if let Some(origins) = &mut made.origins {
                    end = origins[len] as usize;
                    origins.truncate(len);
                }
            }
        }
        if self.adds_space == Some(Side::Behind) {
            made.push(self.space, end);
        }
        Ok((made.text, end))
    }

    /// Does all but what is done about spaces at the end; says whether anything is left to do it to.
    fn start(&self, text: &str, made: &mut Made<'_>) -> Result<bool, EncodeError> {
        let mut at = 0;
        if self.removes_spaces {
            while let (" ", len) = self.prefix(text, at)? {
                at += len;
            }
        }
        if at == text.len() {
            // Nothing is left, or there was nothing.
            return Ok(false);
        }
        made.text.reserve(text.len() + text.len() / 2);
        if self.adds_space == Some(Side::Front) {
            made.push(self.space, at);
        }
        self.each_char(text, at, self.removes_spaces, made)?;
        Ok(true)
    }

    /// Appends what becomes of a text from a place on.
    fn each_char(
        &self,
        text: &str,
        mut at: usize,
        mut behind_space: bool,
        made: &mut Made<'_>,
    ) -> Result<(), EncodeError> {
        let bytes = text.as_bytes();
        while at < text.len() {
            let run = self.run_end(bytes, at);
            if run > at {
                made.copy(&text[at..run], at);
                at = run;
                behind_space = false;
                continue;
            }
            if self.is_space(bytes, at) {
                if !behind_space {
                    made.push(self.space, at);
                }
                behind_space = self.removes_spaces;
                at += 1;
                continue;
            }
            let (found, len) = self.prefix(text, at)?;
            let kept = if behind_space { found.trim_start_matches(' ') } else { found };
            if !kept.is_empty() {
                self.push_spaced(made, kept, at);
                behind_space = self.removes_spaces && kept.ends_with(' ');
            }
            at += len;
        }
        Ok(())
    }

    /// Appends a text with its spaces as they are to be.
    fn push_spaced(&self, made: &mut Made<'_>, text: &str, origin: usize) {
        for (at, part) in text.split(' ').enumerate() {
            if at > 0 {
                made.push(self.space, origin);
            }
            made.push(part, origin);
        }
    }

    /// Where the run of ASCII that is copied ends.
    #[inline]
    fn run_end(&self, bytes: &[u8], at: usize) -> usize {
        let mut end = at;
        while let Some(&byte) = bytes.get(end) {
            match self.starts[usize::from(byte)] {
                Start::Itself => {}
                Start::ItselfBeforeAscii if bytes.get(end + 1).is_none_or(u8::is_ascii) => {}
                _ => break,
            }
            end += 1;
        }
        end
    }

    /// Whether a space stands there and nothing that starts with one.
    #[inline]
    fn is_space(&self, bytes: &[u8], at: usize) -> bool {
        match self.starts[usize::from(bytes[at])] {
            Start::Space => true,
            Start::SpaceBeforeAscii => bytes.get(at + 1).is_none_or(u8::is_ascii),
            _ => false,
        }
    }

    /// What the text from `at` on starts with, as it is to be, and how much of the text that is; nothing
    /// at the end of the text.
    fn prefix<'t>(&'t self, text: &'t str, at: usize) -> Result<(&'t str, usize), EncodeError> {
        let rest = &text[at..];
        if let Some(len) = self.symbols.longest(rest.as_bytes()) {
            return Ok((&rest[..len], len));
        }
        if let Some((len, found)) = self.charsmap.as_ref().and_then(|map| map.find(rest.as_bytes()))
        {
            // A key that ends within a character leaves bytes behind that are no text.
            return match found.filter(|_| rest.is_char_boundary(len)) {
                Some(found) => Ok((found, len)),
                None => Err(FAILS),
            };
        }
        let len = rest.chars().next().map_or(0, char::len_utf8);
        Ok((&rest[..len], len))
    }
}
