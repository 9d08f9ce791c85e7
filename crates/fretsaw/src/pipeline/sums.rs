//! What ids cover, summed up over a text: the loops behind [`Pipeline::offsets`](super::Pipeline::offsets).
//!
//! Each token adds its length in bytes and in characters to the place where the text is. A token whose
//! string does not say what it covers, such as the unknown token of a Unigram model, has the model asked
//! about its word alone. Where that can't be, nothing is told.

use super::origin::Origin;
use super::parts_of_text::{Part, Stretch};
use super::CachedModel;
use crate::encoding::Offsets;
use crate::model::{Len, Lens, Model, ModelScratch, Traced};
use crate::pretokenize::{has_mark, Clip, Place, Spelling, Splitter, Words, MARK};
use crate::unicode::{is_bert_punctuation, is_rust_whitespace};

/// The ids that are still to come, and the offsets of those before.
pub(super) struct Sums<'a> {
    text: &'a str,
    ids: &'a [u32],
    lens: &'a Lens,
    /// Who is asked about words with tokens that have no length, and what that needs.
    model: &'a Model,
    scratch: ModelScratch,
    /// What WordPiece spells in front of a token that does not start a word.
    prefix: &'a str,
    /// How far the ids before reach, and how many characters start before that.
    byte: usize,
    char: u32,
    /// Ranges of the text that no token covers, the next one apart from the others.
    gone: std::vec::IntoIter<(usize, usize)>,
    next_gone: (usize, usize),
    /// How far a place in the text lies behind that place in what the model is given.
    lost: usize,
    /// Whether the model was asked about a word.
    asked: bool,
    offsets: Vec<Offsets>,
}

/// A word with tokens whose strings don't say what they cover.
struct Word<'t> {
    text: &'t str,
    /// Whether the model reads a mark in front of it, and how many bytes of the text that stands for.
    marked: bool,
    mark_covers: usize,
    /// How many bytes of what the model reads are behind.
    passed: usize,
}

/// Whether a text may be a word or a sign: one character, or without punctuation and white space.
fn is_word(text: &str) -> bool {
    let apart = |c: char| is_bert_punctuation(c as u32) || is_rust_whitespace(c as u32);
    text.chars().nth(1).is_none() || !text.chars().any(apart)
}

/// A range that no place comes to.
const NEVER: (usize, usize) = (usize::MAX, usize::MAX);

impl<'a> Sums<'a> {
    /// Of a text's own ids; `prefix` is what WordPiece spells in front of a token that does not start a
    /// word, and `offsets` are those of the ids before.
    pub fn new(
        text: &'a str,
        ids: &'a [u32],
        cached: &'a CachedModel,
        prefix: &'a str,
        offsets: Vec<Offsets>,
    ) -> Self {
        Self {
            text,
            ids,
            lens: cached.lens(prefix),
            model: &cached.model,
            scratch: ModelScratch::default(),
            prefix,
            byte: 0,
            char: 0,
            gone: Vec::new().into_iter(),
            next_gone: NEVER,
            lost: 0,
            asked: false,
            offsets,
        }
    }

    /// The text as it was given.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// All offsets, if none of the ids is left; `by_id` if all must be of ids whose strings are their
    /// tokens'.
    pub fn finish(self, by_id: bool) -> Option<Vec<Offsets>> {
        (self.ids.is_empty() && !(by_id && self.asked)).then_some(self.offsets)
    }

    /// Ranges of the text that comes next are covered by no token.
    pub fn lose(&mut self, gone: Vec<(usize, usize)>) {
        self.gone = gone.into_iter();
        self.next_gone = self.gone.next().unwrap_or(NEVER);
    }

    /// Goes on to a place in the text.
    pub fn go_to(&mut self, byte: usize) -> Option<()> {
        self.char += self.chars_from(self.byte, byte)?;
        self.byte = byte;
        Some(())
    }

    /// How many characters start between two places in the text.
    fn chars_from(&self, start: usize, end: usize) -> Option<u32> {
        let bytes = self.text.as_bytes().get(start..end)?;
        Some(bytes.iter().filter(|&byte| byte & 0xC0 != 0x80).count() as u32)
    }

    /// Goes on behind what is covered by no token, if that starts here.
    #[inline(always)]
    fn pass_gone(&mut self) -> Option<()> {
        if self.byte == self.next_gone.0 {
            self.add_gone()?;
        }
        Some(())
    }

    /// Takes the next range that is covered by no token as passed: it lies before the place.
    #[cold]
    fn add_gone(&mut self) -> Option<()> {
        let (start, end) = self.next_gone;
        self.char += self.chars_from(start, end)?;
        self.byte += end - start;
        self.lost += end - start;
        self.next_gone = self.gone.next().unwrap_or(NEVER);
        Some(())
    }

    pub fn part(&mut self, part: Part<'_>, splitter: &Splitter) -> Option<()> {
        match part {
            Part::Added { place, .. } => self.added(place?),
            Part::Text(Stretch { by_spans: true, .. }) => None,
            Part::Text(Stretch { text, place, origin, .. }) => match origin? {
                Origin::Itself(start) => {
                    self.go_to(start)?;
                    self.stretch(text, place, start + text.len(), splitter)
                }
                Origin::Spans(_) => None,
            },
        }
    }

    /// An added token at a place in bytes.
    pub fn added(&mut self, (start, end): (usize, usize)) -> Option<()> {
        let (_, rest) = self.ids.split_first()?;
        self.ids = rest;
        self.go_to(start)?;
        let first = self.char;
        self.go_to(end)?;
        self.offsets.push((first, self.char));
        Some(())
    }

    /// Whether each stretch of the text is tokens from end to end, wherever added tokens cut it.
    pub fn is_plain(&self, splitter: &Splitter) -> bool {
        let covers = || self.lens.covers_all() && !self.lens.drops_from(self.text.as_bytes());
        match splitter {
            Splitter::Gpt2 { add_prefix_space: false, .. } => covers(),
            Splitter::Chain(_) | Splitter::Whole | Splitter::Seams(_) => covers(),
            Splitter::Marks(marks) => marks.are_alone() && !has_mark(self.text) && covers(),
            _ => false,
        }
    }

    /// The text from here to `end`, where all of it is plain.
    pub fn plain_stretch(&mut self, end: usize, splitter: &Splitter) -> Option<()> {
        match splitter {
            Splitter::Marks(_) => self.whole(end, 0, Lens::unmarked, |_, _| None),
            _ => self.whole(end, 0, Lens::at_start, |_, _| None),
        }?;
        (self.byte == end).then_some(())
    }

    /// What the model is given of the text from here to `end`: all of it but for what is gone.
    pub fn stretch(
        &mut self,
        text: &str,
        place: Place,
        end: usize,
        splitter: &Splitter,
    ) -> Option<()> {
        if !self.lens.covers_all() || self.lens.drops_from(text.as_bytes()) {
            return None;
        }
        self.lost = self.byte;
        match splitter {
            _ if text.is_empty() => Some(()),
            Splitter::Gpt2 { add_prefix_space, .. } => {
                let lead = usize::from(*add_prefix_space && !text.starts_with(' '));
                self.whole(end, lead, Lens::at_start, |_, _| None)
            }
            Splitter::Chain(_) | Splitter::Whole | Splitter::Seams(_) => {
                self.whole(end, 0, Lens::at_start, |_, _| None)
            }
            Splitter::Marks(marks) if !has_mark(text) => {
                let fronted = marks.adds_front(text, place);
                let ask = |sums: &mut Self, lead| {
                    let word = marks.are_words().then(|| sums.marked_word(text, fronted, lead))?;
                    sums.ask(word)
                };
                self.whole(end, usize::from(fronted), Lens::unmarked, ask)
            }
            Splitter::Words(words) => match words.spelling() {
                Spelling::Word if !has_mark(text) && !self.lens.has_behind() => {
                    self.marked_words(text, end, words)
                }
                Spelling::Bare => self.bare_words(text, end, words),
                _ => None,
            },
            Splitter::Clip(clip) => self.clip_words(text, end, clip),
            Splitter::Marks(_) | Splitter::Steps { .. } => None,
        }?;
        self.pass_gone()?;
        (self.byte == end).then_some(())
    }

    /// Ids that cover the whole of a text, behind `lead` bytes that stand for its first character; `ask`
    /// goes on where an id has no length.
    #[inline]
    fn whole(
        &mut self,
        end: usize,
        mut lead: usize,
        len: impl Fn(&Lens, u32) -> Option<Len>,
        ask: impl Fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        loop {
            self.pass_gone()?;
            if self.byte >= end {
                return Some(());
            }
            let (&id, rest) = self.ids.split_first()?;
            let lead = std::mem::take(&mut lead);
            match len(self.lens, id) {
                Some(len) => {
                    self.ids = rest;
                    self.cover(len, lead)?;
                }
                None => ask(self, lead)?,
            }
        }
    }

    /// An id that covers `lead` bytes, one character, that stand for the character which comes next,
    /// and the text behind them.
    #[inline(always)]
    fn cover(&mut self, len: Len, lead: usize) -> Option<()> {
        let first = self.char.checked_sub(u32::from(len.starts_within()))?;
        let bytes = len.bytes().checked_sub(lead)?;
        self.cover_from(first, bytes, len.chars().checked_sub(u32::from(lead > 0))?)
    }

    /// An id that covers so many bytes and characters, and starts in a character.
    #[inline(always)]
    fn cover_from(&mut self, first: u32, bytes: usize, chars: u32) -> Option<()> {
        self.byte += bytes;
        self.char += chars;
        while self.byte > self.next_gone.0 {
            self.add_gone()?;
        }
        self.offsets.push((first, self.char.max(first + 1)));
        Some(())
    }

    /// The word that the place lies in, where words start at spaces that are marks to the model.
    fn marked_word<'t>(&self, text: &'t str, fronted: bool, lead: usize) -> Word<'t> {
        let (bytes, at) = (text.as_bytes(), self.byte - self.lost);
        let space = match bytes.get(at) {
            Some(b' ') => Some(at),
            _ => memchr::memrchr(b' ', &bytes[..at]),
        };
        let start = space.map_or(0, |space| space + 1);
        let end = memchr::memchr(b' ', &bytes[at.max(start)..]).map(|more| at.max(start) + more);
        let marked = space.is_some() || fronted;
        let mark = if marked { MARK.len_utf8() } else { 0 };
        Word {
            text: &text[start..end.unwrap_or(bytes.len())],
            marked,
            mark_covers: usize::from(space.is_some()),
            passed: match at.checked_sub(start) {
                Some(_) if lead > 0 => 0,
                Some(passed) => mark + passed,
                None => 0,
            },
        }
    }

    /// The ids of a word from a place in it on, some of which have no length: the model is asked, if
    /// its tokens cover words from end to end.
    fn ask(&mut self, word: Word<'_>) -> Option<()> {
        if !matches!(self.model, Model::Unigram(_)) {
            return None;
        }
        let mark = if word.marked { MARK.len_utf8() } else { 0 };
        let spelled: String =
            [MARK][..usize::from(word.marked)].iter().copied().chain(word.text.chars()).collect();
        let mut tokens = Vec::new();
        let mut at = 0;
        let mut in_order = true;
        let each = |Traced { id, start, end, .. }: Traced| {
            in_order &= start == at && end > at;
            at = end;
            tokens.push((id, start, end));
        };
        self.model.each_token(spelled.as_bytes(), &mut self.scratch, each).ok()?;
        let first = tokens.iter().position(|&(_, start, _)| start == word.passed)?;
        if !in_order || at < spelled.len() {
            return None;
        }
        for &(id, start, end) in &tokens[first..] {
            self.ids = self.ids.split_first().filter(|(&next, _)| next == id)?.1;
            let has_mark = start < mark;
            let less = if has_mark { mark - word.mark_covers } else { 0 };
            let chars = spelled.get(start..end)?.chars().count();
            let chars = chars as u32 - u32::from(has_mark && word.mark_covers == 0);
            self.pass_gone()?;
            self.cover_from(self.char, end - start - less, chars)?;
        }
        self.asked = true;
        Some(())
    }

    /// Words with a mark in front of each, and the white space between them.
    fn marked_words(&mut self, text: &str, end: usize, words: &Words) -> Option<()> {
        // Where the word starts in the text, and whether none of its ids came so far.
        let (mut start, mut is_new) = (0, true);
        loop {
            let skipped = self.skip_space(text, |text| words.space_len(text))?;
            if self.byte >= end {
                return Some(());
            }
            let at = self.byte - self.lost;
            if skipped || is_new {
                (start, is_new) = (at, true);
            }
            let (&id, rest) = self.ids.split_first()?;
            let Some(len) = self.lens.at_start(id) else {
                let word = text.get(start..)?;
                let text = &word[..words.word_len(word)];
                let passed = if is_new { 0 } else { MARK.len_utf8() + at - start };
                self.ask(Word { text, marked: true, mark_covers: 0, passed })?;
                continue;
            };
            is_new = false;
            self.ids = rest;
            if skipped && !len.is_marked() {
                return None;
            }
            self.cover(len, if len.is_marked() { MARK.len_utf8() } else { 0 })?;
        }
    }

    /// Words and punctuation, and the white space between them. What a token that does not start a word
    /// begins with must be punctuation, so that no word does, and the unknown token no word.
    fn bare_words(&mut self, text: &str, end: usize, words: &Words) -> Option<()> {
        if !self.prefix.chars().all(|c| is_bert_punctuation(c as u32)) {
            return None;
        }
        let unknown = self.lens.unknown_word();
        if unknown.and_then(|id| self.model.vocabulary().token(id)).is_some_and(is_word) {
            return None;
        }
        loop {
            let skipped = self.skip_space(text, |text| words.space_len(text))?;
            if self.byte >= end {
                return Some(());
            }
            let (&id, rest) = self.ids.split_first()?;
            self.ids = rest;
            if unknown == Some(id) {
                let first = self.char;
                self.go_to(self.byte + words.word_len(text.get(self.byte - self.lost..)?))?;
                if self.byte > self.next_gone.0 {
                    return None;
                }
                self.offsets.push((first, self.char));
                continue;
            }
            let behind = self.lens.behind(id);
            if behind.is_some() && skipped && !self.prefix.is_empty() {
                return None;
            }
            self.cover(behind.or_else(|| self.lens.at_start(id))?, 0)?;
        }
    }

    /// CLIP's words, and the white space between them.
    fn clip_words(&mut self, text: &str, end: usize, clip: &Clip) -> Option<()> {
        loop {
            self.skip_space(text, |text| clip.space_len(text))?;
            if self.byte >= end {
                return Some(());
            }
            let (&id, rest) = self.ids.split_first()?;
            self.ids = rest;
            self.cover(self.lens.at_start(id)?, 0)?;
        }
    }

    /// Goes on behind white space, and whether there was any.
    #[inline(always)]
    fn skip_space(&mut self, text: &str, space_len: impl Fn(&[u8]) -> usize) -> Option<bool> {
        let mut skipped = false;
        loop {
            self.pass_gone()?;
            let len = space_len(text.as_bytes().get(self.byte - self.lost..)?);
            if len == 0 {
                return Some(skipped);
            }
            self.byte += len;
            self.char += 1;
            skipped = true;
        }
    }
}
