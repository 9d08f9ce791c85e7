//! The unigram language model: the segmentation of a piece with the highest sum of scores.
//!
//! The best way to each place of the piece is found from left to right: over all tokens that end
//! there, longest first, of the best way to the token's start plus its score, and where no token
//! is the one character before the place, also over that character as unknown. Of equal sums the
//! first one stays. Then the ways are walked back from the end, unknown neighbours become one
//! string, and a string that is no token becomes its bytes' tokens (`byte_fallback`) or unknown.
//!
//! The oracle goes from token starts, not ends, but offers each place its candidates in the same
//! order and adds the same two numbers, so that ties and rounding come out the same; NaN and
//! infinite scores too.
//!
//! Cost: a constant number of table look-ups a byte on average, and one for each token that
//! matches anywhere. At one place the matches have different lengths, so there are at most as many
//! as the longest token has bytes, and at most sqrt(2 V) where V is the bytes of the vocabulary: a
//! long token that does not match costs nothing. 16 bytes of buffer a byte of the piece.
//!
//! Source: behaviour of `Unigram` in Hugging Face tokenizers 0.23.3 (`is_optimized` and `fuse_unk`
//! are always true there: no file can say otherwise).
//!
//! With `alpha` a way is chosen by chance instead of the best one (`sample.rs`).

mod lattice;
mod matches;
mod nbest;
mod sample;
#[cfg(test)]
mod tests;

use matches::{MatchView, Matcher, NO_MATCH};
use sample::{SampleScratch, Sampling};

use crate::error::{EncodeError, LoadError, Problem};
use crate::model::random::Random;
use crate::spec;
use crate::tables::fret::{Reader, Writer};
use crate::vocabulary::Vocabulary;

/// How much worse than the worst token an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

/// A byte without a token of its own.
const NO_TOKEN: u32 = u32::MAX;

/// A unigram model.
pub struct Unigram {
    pub vocabulary: Vocabulary,
    matcher: Matcher,
    pub(super) unknown: Option<u32>,
    unknown_score: f64,
    /// `<0x00>` to `<0xFF>`, where the model falls back to bytes.
    byte_tokens: Option<Box<[u32; 256]>>,
    /// How a way is chosen, where it is not the best one.
    pub(super) sampling: Option<Sampling>,
}

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct UnigramScratch {
    best: Vec<Step>,
    sample: SampleScratch,
}

/// Buffers that a long piece made larger than this are given back.
const KEPT_STEPS: usize = 1 << 16;

impl UnigramScratch {
    /// Gives back what only an unusually long piece needed.
    pub fn shrink(&mut self) {
        if self.best.capacity() > KEPT_STEPS {
            *self = Self::default();
        }
    }
}

/// The last step of a way to a place.
#[derive(Debug, Clone, Copy, Default)]
pub struct Step {
    /// The sum of the way; in a lattice, of the step alone.
    score: f64,
    /// The bytes of the step.
    len: u32,
    /// The token, as the matcher has it; [`NO_MATCH`] for an unknown character.
    place: u32,
}

impl Unigram {
    /// The model of a spec.
    ///
    /// `vocabulary` is built from `spec.vocab`; a model that leaves out control ids has one built
    /// without them (but with the unknown id). Scores are those of the whole list all the same, so
    /// that what an unknown character costs does not change.
    pub fn new(vocabulary: Vocabulary, spec: &spec::Unigram) -> Result<Self, LoadError> {
        let scores = &spec.scores;
        if scores.len() != spec.vocab.len() {
            return Err(LoadError::at("model.vocab", Problem::Missing { field: "score" }));
        }
        if let Some(unk_id) = spec.unk_id.filter(|&unk_id| unk_id >= scores.len()) {
            let expected = "the index of an entry of the vocabulary";
            let problem = Problem::OutOfRange { value: unk_id.to_string(), expected };
            return Err(LoadError::at("model.unk_id", problem));
        }
        // Of a token that stands twice the last entry counts.
        let entries = vocabulary.iter().map(|(token, id)| (token.as_bytes(), id));
        let tokens = entries.filter(|&(token, id)| vocabulary.id(token) == Some(id));
        let score = |id: u32| scores.get(id as usize).copied().unwrap_or(f64::NEG_INFINITY);
        let matcher = Matcher::build(tokens, score).ok_or_else(|| {
            let limit = u32::MAX as usize >> 1;
            LoadError::at("model.vocab", Problem::TooMany { what: "bytes of tokens", limit })
        })?;
        Self::of(vocabulary, matcher, scores, spec)
    }

    fn of(
        vocabulary: Vocabulary,
        matcher: Matcher,
        scores: &[f64],
        options: &spec::Unigram,
    ) -> Result<Self, LoadError> {
        // NaN is never less and never more: it is passed over.
        let mut least = f64::INFINITY;
        for &score in scores {
            if score < least {
                least = score;
            }
        }
        Ok(Self {
            byte_tokens: options.byte_fallback.then(|| byte_tokens(&vocabulary)),
            vocabulary,
            matcher,
            unknown: options.unk_id.map(|unk_id| unk_id as u32),
            unknown_score: least - UNKNOWN_PENALTY,
            sampling: Sampling::of(options)?,
        })
    }

    /// Writes the model's own tables.
    pub fn store(&self, writer: &mut Writer) {
        self.matcher.store(writer);
    }

    /// The model whose tables were written, in place; `scores` are those of the whole list.
    pub fn stored(
        reader: &Reader,
        vocabulary: Vocabulary,
        scores: &[f64],
        options: &spec::Unigram,
    ) -> Result<Self, LoadError> {
        let known = |unk_id: usize| unk_id < scores.len() && unk_id < vocabulary.id_end() as usize;
        if !options.unk_id.is_none_or(known) {
            return Err(reader.broken());
        }
        let matcher = Matcher::stored(reader, vocabulary.id_end())?;
        Self::of(vocabulary, matcher, scores, options)
    }

    /// Appends the ids of one piece to `ids`. `piece` is UTF-8; in ill-formed bytes a character is
    /// a byte and the continuation bytes behind it.
    pub fn encode_piece(
        &self,
        piece: &[u8],
        scratch: &mut UnigramScratch,
        random: &mut Random,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let piece = self.find_way(piece, scratch, random)?;
        let from = ids.len();
        self.walk_back(piece, &scratch.best, |id, _, _, _| ids.push(id));
        ids[from..].reverse();
        Ok(())
    }

    /// Calls `each` with the ids of one piece, where the text of each lies in the piece, and whether
    /// its token string is that text, not what its id usually has. Tokens of the bytes of one unknown
    /// string have the whole string.
    pub fn each_token(
        &self,
        piece: &[u8],
        scratch: &mut UnigramScratch,
        random: &mut Random,
        mut each: impl FnMut(u32, usize, usize, bool),
    ) -> Result<(), EncodeError> {
        let piece = self.find_way(piece, scratch, random)?;
        let mut tokens = Vec::new();
        self.walk_back(piece, &scratch.best, |id, start, end, own| {
            tokens.push((id, start, end, own));
        });
        tokens.into_iter().rev().for_each(|(id, start, end, own)| each(id, start, end, own));
        Ok(())
    }

    /// The tokens whose strings don't say what they stand for.
    pub fn uncertain(&self) -> impl Iterator<Item = u32> + '_ {
        let bytes = self.byte_tokens.iter().flat_map(|tokens| tokens.iter().copied());
        self.unknown.into_iter().chain(bytes.filter(|&id| id != NO_TOKEN))
    }

    /// Finds the best way, or chooses one, and writes its steps to `scratch.best`. Returns what of
    /// the piece it covers: all of it, or nothing where the piece leaves no trace.
    #[inline]
    fn find_way<'p>(
        &self,
        piece: &'p [u8],
        scratch: &mut UnigramScratch,
        random: &mut Random,
    ) -> Result<&'p [u8], EncodeError> {
        let UnigramScratch { best, sample } = scratch;
        if piece.len() >= u32::MAX as usize {
            return Err(EncodeError::PieceTooLong { bytes: piece.len() });
        }
        if best.len() <= piece.len() {
            best.resize(piece.len() + 1, Step::default());
        }
        let best = &mut best[..=piece.len()];
        match self.sampling {
            Some(sampling) if !piece.is_empty() => {
                let found = self.sample(piece, sampling, sample, random, best)?;
                Ok(if found { piece } else { &[] })
            }
            _ => self.find_best(piece, best).map(|()| piece),
        }
    }

    /// The best way to each place where a character ends: `best[end]`.
    fn find_best(&self, piece: &[u8], best: &mut [Step]) -> Result<(), EncodeError> {
        best[0] = Step::default();
        let view = self.matcher.view();
        let mut state = view.start();
        let mut char_start = 0;
        for (at, &byte) in piece.iter().enumerate() {
            state = view.step(state, byte);
            let end = at + 1;
            if piece.get(end).is_some_and(|&next| is_continuation(next)) {
                // No token starts inside a character; a table that says so does no harm.
                let len = (end - char_start) as u32;
                best[end] = Step { score: f64::NEG_INFINITY, len, place: NO_MATCH };
                continue;
            }
            let step = self.best_step(view, view.longest(state), best, char_start, end);
            if step.len == 0 {
                return Err(EncodeError::UnknownTokenMissing { token: "<unk>".to_owned() });
            }
            best[end] = step;
            char_start = end;
        }
        Ok(())
    }

    /// The best last step to `end`, of the tokens from `place` on and the unknown character. Its
    /// length is 0 where that is an unknown character without an unknown token.
    #[inline]
    fn best_step(
        &self,
        view: MatchView<'_>,
        mut place: u32,
        best: &[Step],
        char_start: usize,
        end: usize,
    ) -> Step {
        let mut step = Step::default();
        let mut shortest = 0;
        while place != NO_MATCH {
            let (token_score, len, next) = view.get(place);
            let score = token_score + best[end - len as usize].score;
            if step.len == 0 || score > step.score {
                step = Step { score, len, place };
            }
            shortest = len as usize;
            place = next;
        }
        let char_len = end - char_start;
        if shortest != char_len {
            let score = self.unknown_score + best[char_start].score;
            if step.len == 0 || score > step.score {
                let len = if self.unknown.is_some() { char_len as u32 } else { 0 };
                step = Step { score, len, place: NO_MATCH };
            }
        }
        step
    }

    /// Gives the ids and spans of the best way, last first, and whether the token string is the text.
    #[inline]
    fn walk_back(
        &self,
        piece: &[u8],
        best: &[Step],
        mut give: impl FnMut(u32, usize, usize, bool),
    ) {
        let view = self.matcher.view();
        let unknown = self.unknown.unwrap_or(NO_TOKEN);
        let id = |step: Step| if step.place == NO_MATCH { unknown } else { view.id(step.place) };
        let mut end = piece.len();
        while end > 0 {
            let step = best[end];
            let mut start = end - step.len as usize;
            let found = id(step);
            if found != unknown {
                give(found, start, end, false);
            } else {
                // The unknown token itself, written out in the text, joins unknown neighbours.
                while start > 0 && id(best[start]) == unknown {
                    start -= best[start].len as usize;
                }
                self.give_unknown(&piece[start..end], unknown, |id, own| give(id, start, end, own));
            }
            end = start;
        }
    }

    /// Gives the ids of an unknown string, last first: of the token that it may be after all, or
    /// of its bytes if they all have tokens, or the unknown one.
    fn give_unknown(&self, text: &[u8], unknown: u32, mut give: impl FnMut(u32, bool)) {
        if let Some(id) = self.vocabulary.id(text) {
            return give(id, false);
        }
        match &self.byte_tokens {
            Some(tokens) if text.iter().all(|&byte| tokens[usize::from(byte)] != NO_TOKEN) => {
                text.iter().rev().for_each(|&byte| give(tokens[usize::from(byte)], false));
            }
            _ => give(unknown, true),
        }
    }
}

/// Whether a byte goes on with a character.
#[inline]
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The ids of `<0x00>` to `<0xFF>`.
fn byte_tokens(vocabulary: &Vocabulary) -> Box<[u32; 256]> {
    let mut tokens = Box::new([NO_TOKEN; 256]);
    for (byte, token) in tokens.iter_mut().enumerate() {
        *token = vocabulary.id(format!("<0x{byte:02X}>").as_bytes()).unwrap_or(NO_TOKEN);
    }
    tokens
}
