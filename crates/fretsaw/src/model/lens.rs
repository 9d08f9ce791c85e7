//! How much of a piece each token covers, where its string alone says so.
//!
//! With this the ids of a piece lead back to the piece without the model being asked again. A token
//! that covers now this, now that has no length here: the unknown token, and all tokens of a model that
//! may leave characters out or chooses by chance.

use std::collections::{HashMap, HashSet};

use super::bpe::{Bpe, CharStart, Start, DROPPED};
use super::Model;
use crate::byte_level;
use crate::spec::MARK;

/// How much a token covers; of nothing known, no bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Len {
    /// How many bytes of what the model reads.
    bytes: u16,
    /// How many characters start in it, and in the top bits what it starts with.
    chars: u16,
}

/// It starts within a character.
const WITHIN: u16 = 1 << 15;
/// It starts with a mark.
const MARKED: u16 = 1 << 14;

impl Len {
    fn of(bytes: usize, chars: usize, starts_with: u16) -> Self {
        match (u16::try_from(bytes), u16::try_from(chars)) {
            (Ok(bytes), Ok(chars)) if chars < MARKED => Self { bytes, chars: chars | starts_with },
            _ => Self::default(),
        }
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let is_inner = |byte: &u8| byte & 0xC0 == 0x80;
        let chars = bytes.iter().filter(|byte| !is_inner(byte)).count();
        let within = bytes.first().is_some_and(is_inner);
        Self::of(bytes.len(), chars, if within { WITHIN } else { 0 })
    }

    /// Of what a token spells in the byte alphabet.
    fn of_spelled(token: &str) -> Self {
        let mut bytes = Vec::with_capacity(token.len());
        match byte_level::unspell(token, &mut bytes) {
            true => Self::of_bytes(&bytes),
            false => Self::default(),
        }
    }

    fn of_text(text: &str) -> Self {
        let starts_with = if text.starts_with(MARK) { MARKED } else { 0 };
        Self::of(text.len(), text.chars().count(), starts_with)
    }

    /// The bytes, if they are known.
    #[inline]
    fn known(self) -> Option<Self> {
        (self.bytes > 0).then_some(self)
    }

    /// How many bytes it covers.
    #[inline]
    pub fn bytes(self) -> usize {
        usize::from(self.bytes)
    }

    /// How many characters start in it.
    #[inline]
    pub fn chars(self) -> u32 {
        u32::from(self.chars & (MARKED - 1))
    }

    /// Whether its first byte is not the first of a character.
    #[inline]
    pub fn starts_within(self) -> bool {
        self.chars & WITHIN != 0
    }

    /// Whether it starts with a mark.
    #[inline]
    pub fn is_marked(self) -> bool {
        self.chars & MARKED != 0
    }
}

/// The lengths of all tokens, by id.
pub struct Lens {
    at_start: Vec<Len>,
    /// Of tokens that WordPiece spells with a prefix since they don't start a piece.
    behind: Vec<Len>,
    /// With one byte for each mark; none where no token has a mark.
    unmarked: Vec<Len>,
    /// WordPiece's unknown token, which covers a word.
    unknown_word: Option<u32>,
    /// Bytes that leave no trace, if the model has some that text can have.
    dropped: Option<Box<[bool; 256]>>,
    covers_all: bool,
}

impl Lens {
    /// The lengths of a model's tokens; `prefix` is what WordPiece spells in front of a token that does
    /// not start a piece.
    pub fn new(model: &Model, prefix: &str) -> Self {
        let vocabulary = model.vocabulary();
        let count = vocabulary.id_end() as usize;
        let covers_all = !model.is_random() && covers_all(model);
        let mut lens = Self {
            at_start: vec![Len::default(); count],
            behind: Vec::new(),
            unmarked: Vec::new(),
            unknown_word: None,
            dropped: dropped(model),
            covers_all,
        };
        if !covers_all {
            return lens;
        }
        let by_chars = matches!(model, Model::Bpe(bpe) if bpe.byte_level);
        let suffix = suffix(model).unwrap_or("");
        let mut any_mark = false;
        for (token, id) in vocabulary.iter() {
            lens.at_start[id as usize] = match by_chars {
                true => Len::of_spelled(token.strip_suffix(suffix).unwrap_or(token)),
                false => Len::of_text(token),
            };
            any_mark |= token.contains(MARK);
        }
        if let Model::WordPiece(words) = model {
            lens.unknown_word = words.unknown();
            lens.behind = vec![Len::default(); count];
            for (token, id) in vocabulary.iter() {
                lens.behind[id as usize] =
                    token.strip_prefix(prefix).map_or(Len::default(), Len::of_text);
            }
        }
        if any_mark && !by_chars {
            lens.with_marks(model);
        }
        lens.forget_uncertain(model);
        lens
    }

    fn with_marks(&mut self, model: &Model) {
        self.unmarked.clone_from(&self.at_start);
        for (token, id) in model.vocabulary().iter() {
            let at = id as usize;
            let marks = token.matches(MARK).count() * (MARK.len_utf8() - 1);
            self.unmarked[at] = Len::of(token.len() - marks, token.chars().count(), 0);
        }
    }

    /// Tokens that stand for other text than their own.
    fn forget_uncertain(&mut self, model: &Model) {
        match model {
            Model::Bpe(bpe) => {
                let Start::Chars(start) = &bpe.start else { return };
                // Where no merge makes one, a token of a byte stands for that byte.
                let bytes: HashSet<u32> = others(start).collect();
                for (byte, id) in byte_tokens(start) {
                    let len = match bpe.ignore_merges {
                        true => Len::default(),
                        false => Len::of_bytes(&[byte]),
                    };
                    self.set(id, len);
                }
                self.forget_other_ends(bpe, start);
                let results = bpe.merges.results().iter();
                results
                    .filter(|id| bytes.contains(id))
                    .for_each(|&id| self.set(id, Len::default()));
                let unknown = start.unknown.iter().filter_map(|(_, id)| *id);
                unknown.for_each(|id| self.set(id, Len::default()));
            }
            Model::Unigram(unigram) => {
                unigram.uncertain().for_each(|id| self.set(id, Len::default()));
            }
            Model::WordPiece(words) => {
                words.unknown().into_iter().for_each(|id| self.set(id, Len::default()));
            }
            Model::WordLevel(_) | Model::SentencePiece(_) => {}
        }
    }

    /// Tokens that end in the characters of the suffix without being the end of a word, and all that is
    /// merged from these.
    fn forget_other_ends(&mut self, bpe: &Bpe, start: &CharStart) {
        let Some(suffix) = &start.suffix else { return };
        let mut with_suffix = vec![false; self.at_start.len()];
        for (token, id) in bpe.vocabulary.iter() {
            with_suffix[id as usize] = token.ends_with(suffix);
        }
        let has = |id: u32| with_suffix.get(id as usize).is_some_and(|&has| has);
        let mut made_from: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut open = Vec::new();
        for [left, right, _, made] in bpe.merges.to_list() {
            made_from.entry(left).or_default().push(made);
            made_from.entry(right).or_default().push(made);
            if has(made) != has(right) || has(left) {
                open.push(made);
            }
        }
        let mut forgotten = HashSet::new();
        while let Some(id) = open.pop() {
            if forgotten.insert(id) {
                open.extend(made_from.get(&id).into_iter().flatten());
                self.set(id, Len::default());
            }
        }
    }

    fn set(&mut self, id: u32, len: Len) {
        for lens in [&mut self.at_start, &mut self.behind, &mut self.unmarked] {
            lens.get_mut(id as usize).into_iter().for_each(|own| *own = len);
        }
    }

    /// Whether the tokens of every piece that nothing is dropped from cover all of it, so that what those
    /// with a length cover says where the others are.
    pub fn covers_all(&self) -> bool {
        self.covers_all
    }

    /// How many bytes a token covers; nothing where its string does not say.
    #[inline]
    pub fn get(&self, id: u32, starts_piece: bool) -> Option<usize> {
        let len = match starts_piece || self.behind.is_empty() {
            true => self.at_start(id),
            false => self.behind(id),
        };
        len.map(Len::bytes)
    }

    /// How much a token covers that starts a piece, or any where WordPiece's prefix is not spelled.
    #[inline]
    pub fn at_start(&self, id: u32) -> Option<Len> {
        self.at_start.get(id as usize)?.known()
    }

    /// How much a token covers that WordPiece spells with its prefix.
    #[inline]
    pub fn behind(&self, id: u32) -> Option<Len> {
        self.behind.get(id as usize)?.known()
    }

    /// How much a token covers of a text that has a space for each of SentencePiece's marks and no mark
    /// of its own.
    #[inline]
    pub fn unmarked(&self, id: u32) -> Option<Len> {
        match self.unmarked.is_empty() {
            true => self.at_start(id),
            false => self.unmarked.get(id as usize)?.known(),
        }
    }

    /// Whether some bytes leave no trace, so that no token covers them.
    #[inline]
    pub fn drops_from(&self, bytes: &[u8]) -> bool {
        let Some(dropped) = &self.dropped else { return false };
        bytes.iter().any(|&byte| dropped[usize::from(byte)])
    }

    /// The token of a word that WordPiece does not know.
    #[inline]
    pub fn unknown_word(&self) -> Option<u32> {
        self.unknown_word
    }

    /// Whether tokens are spelled in another way where they don't start a piece.
    pub fn has_behind(&self) -> bool {
        !self.behind.is_empty()
    }
}

/// The suffix of a model's last characters.
fn suffix(model: &Model) -> Option<&str> {
    match model {
        Model::Bpe(Bpe { start: Start::Chars(start), .. }) => start.suffix.as_deref(),
        _ => None,
    }
}

/// Whether a model from bytes has a token for each byte, with its suffix and without, and the suffix
/// can't be taken for one of these.
fn spells_all_with_suffix(bpe: &Bpe, start: &CharStart) -> bool {
    let suffix = start.suffix.as_deref().unwrap_or_default();
    let has = |text: &str| bpe.vocabulary.id(text.as_bytes()).is_some();
    bpe.byte_level
        && !bpe.ignore_merges
        && suffix.chars().count() > 1
        && byte_level::CHARS.iter().all(|c| has(&c.to_string()) && has(&format!("{c}{suffix}")))
}

/// Whether a merge takes a token that may stand for other text than its own.
fn merges_others(bpe: &Bpe, start: &CharStart) -> bool {
    let others: HashSet<u32> = others(start).collect();
    !others.is_empty()
        && bpe
            .merges
            .to_list()
            .iter()
            .any(|[left, right, ..]| others.contains(left) || others.contains(right))
}

/// The tokens that stand for other text than their own: the unknown one, and those of bytes.
fn others(start: &CharStart) -> impl Iterator<Item = u32> + '_ {
    let unknown = start.unknown.iter().filter_map(|(_, id)| *id);
    byte_tokens(start).map(|(_, id)| id).chain(unknown)
}

/// The bytes that have a token.
fn byte_tokens(start: &CharStart) -> impl Iterator<Item = (u8, u32)> + '_ {
    let tokens = start.byte_tokens.iter().flat_map(|tokens| (0..=255u8).zip(tokens.iter()));
    tokens.filter_map(|(byte, id)| Some((byte, (*id)?)))
}

/// The bytes of UTF-8 that leave no trace.
fn dropped(model: &Model) -> Option<Box<[bool; 256]>> {
    let Model::Bpe(Bpe { start: Start::Bytes(ids), strict_bytes: false, .. }) = model else {
        return None;
    };
    let in_no_text = |byte: usize| matches!(byte, 0xC0 | 0xC1 | 0xF5..);
    let dropped = std::array::from_fn(|byte| ids[byte] == DROPPED && !in_no_text(byte));
    dropped.contains(&true).then(|| Box::new(dropped))
}

/// Whether the tokens of a piece cover all of it but for what is dropped, each what its string says but
/// for some tokens.
fn covers_all(model: &Model) -> bool {
    match model {
        Model::Bpe(bpe) => match &bpe.start {
            Start::Bytes(_) => true,
            Start::Chars(start) => {
                let plain = start.prefix.is_none()
                    && (start.suffix.is_none() || spells_all_with_suffix(bpe, start));
                // A byte that falls back in its spelling has one or two tokens.
                let spelled = bpe.byte_level && start.byte_tokens.is_some();
                let covers = start.unknown.is_some() || start.has_all_bytes();
                plain && !spelled && covers && !merges_others(bpe, start)
            }
        },
        Model::Unigram(_) | Model::WordPiece(_) => true,
        // A word is one token, whatever it is.
        Model::WordLevel(_) => false,
        // The model is asked for the whole text.
        Model::SentencePiece(_) => false,
    }
}
