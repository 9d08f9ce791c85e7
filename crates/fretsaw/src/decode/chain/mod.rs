//! Hugging Face's decoders: from a list of token strings to text, whole or token by token.
//!
//! A decoder maps a list of strings to a list of strings, and the text is what the last list
//! makes when joined. Here a [`Chain`] is a flat list of steps, and what goes from one step to the
//! next is a piece of a token and whether the token ends with it. After `Fuse` and `ByteLevel` all
//! text is one token that ends with the stream; the steps behind them work on its pieces, so that
//! it still comes out as it is settled. What the pushes append and what [`Chain::finish`] appends
//! always equal the decoding of all tokens at once.
//!
//! What each step holds back; "all text" means a token that `Fuse` or `ByteLevel` made:
//!
//! | step         | between tokens                                | inside all text               |
//! |--------------|-----------------------------------------------|-------------------------------|
//! | BPEDecoder   | a token from its first suffix to the next one | the start of a suffix         |
//! | ByteFallback | a run of byte tokens, while it is sound UTF-8 | six bytes                     |
//! | ByteLevel    | an unfinished character                       | **unbounded**, see below      |
//! | CTC          | nothing                                       | the starts of its patterns    |
//! | Fuse         | nothing                                       | nothing                       |
//! | Metaspace    | nothing                                       | nothing                       |
//! | Replace      | nothing                                       | a literal: a start of it      |
//! |              |                                               | a regex: **everything**       |
//! | Strip        | nothing                                       | `stop` characters (a count)   |
//! | WordPiece    | nothing                                       | the starts of what it cleans  |
//!
//! `ByteLevel` on all text (two in one chain, or one after `Fuse`) can't tell before a character
//! outside the byte alphabet, such as a space, whether characters beyond ASCII are bytes: it holds
//! back from the first of those until then. A regular expression may look ahead to the end. A run
//! of byte tokens is text only if the whole run is sound, so a text of nothing else is held.
//!
//! Cost: linear in the text times the number of steps, beside what regular expressions take. The
//! state has room for [`state::INLINE`] steps; it goes to the heap for more, for text held back,
//! and for room to build a changed token, which it keeps.
//!
//! The oracle panics where `Strip` gets a token of nothing but its character (or nothing at all)
//! that is shorter than `start + stop`, except where `stop` is 0. That is an error here.
//!
//! Source: `decoders`, `pre_tokenizers/{byte_level,metaspace}.rs` and `normalizers/replace.rs` in
//! Hugging Face tokenizers 0.23.3.

mod byte_fallback;
mod byte_level;
mod ctc;
mod literal;
mod lower;
mod regex;
mod state;
mod strip;
mod words;

use crate::error::{EncodeError, LoadError};
use crate::spec;

pub use state::ChainState;
use state::Slot;

/// A compiled decoder.
pub struct Chain {
    steps: Vec<Step>,
}

/// One step: it takes the tokens of the step before, and gives tokens to the next.
enum Step {
    /// A space between two tokens, which is what no decoder means.
    Spaced,
    /// All tokens become one.
    Fuse,
    ByteLevel,
    ByteFallback,
    Strip(strip::Strip),
    Literal(literal::Literal),
    Between(literal::Between),
    Regex(regex::Regex),
    Metaspace(words::Metaspace),
    Prefix(words::Prefix),
    Cleanup,
    Suffix(words::Suffix),
    Dedup,
    DropEmpty,
}

impl Chain {
    /// Compiles a decoder that stands at the JSON path `path`; none joins tokens by spaces.
    ///
    /// # Errors
    ///
    /// What [`crate::pattern::Pattern::compile`] says of a regular expression, and
    /// [`crate::error::Problem::TooMany`] beyond [`lower::MAX_STEPS`] steps.
    pub fn compile(decoder: Option<&spec::Decoder>, path: &str) -> Result<Self, LoadError> {
        let steps = match decoder {
            None => vec![Step::Spaced],
            Some(decoder) => lower::steps(decoder, path)?,
        };
        Ok(Self { steps })
    }

    /// The byte that a token stands for, if the chain has ByteFallback and the token is one of its.
    pub fn byte_of(&self, token: &str) -> Option<u8> {
        let falls_back = self.steps.iter().any(|step| matches!(step, Step::ByteFallback));
        falls_back.then(|| byte_fallback::byte_of(token)).flatten()
    }

    /// Takes one more token and appends what is settled.
    ///
    /// # Errors
    ///
    /// [`EncodeError::StepLimit`] where a regular expression takes too long, and
    /// [`EncodeError::NormalizerFails`] where its matches go backwards or `Strip` is asked for more
    /// than there is, which makes the oracle panic. The state is then as new.
    pub fn push(
        &self,
        token: &str,
        state: &mut ChainState,
        out: &mut String,
    ) -> Result<(), EncodeError> {
        let slots = state.slots(self.steps.len());
        let done = Next { steps: &self.steps, slots, out }.piece(token, true);
        if done.is_err() {
            *state = ChainState::default();
        }
        done
    }

    /// Appends what was held back; the state is as new.
    ///
    /// # Errors
    ///
    /// As for [`Chain::push`].
    pub fn finish(&self, state: &mut ChainState, out: &mut String) -> Result<(), EncodeError> {
        let slots = state.slots(self.steps.len());
        let mut done = Ok(());
        for (number, step) in self.steps.iter().enumerate() {
            let (own, later) = slots.split_at_mut(number + 1);
            let mut next = Next { steps: &self.steps[number + 1..], slots: later, out };
            done = done.and_then(|()| step.finish(&mut own[number], &mut next));
        }
        *state = ChainState::default();
        done
    }

    /// Appends the text of all tokens.
    ///
    /// # Errors
    ///
    /// As for [`Chain::push`].
    pub fn decode<'t>(
        &self,
        tokens: impl IntoIterator<Item = &'t str>,
        out: &mut String,
    ) -> Result<(), EncodeError> {
        let mut state = ChainState::default();
        let slots = state.slots(self.steps.len());
        for token in tokens {
            Next { steps: &self.steps, slots: &mut *slots, out }.piece(token, true)?;
        }
        self.finish(&mut state, out)
    }
}

/// The steps that a step gives its tokens to, and the text at their end.
struct Next<'a> {
    steps: &'a [Step],
    slots: &'a mut [Slot],
    out: &'a mut String,
}

impl Next<'_> {
    /// Gives on a piece of a token, the last one if it `ends` there.
    #[inline]
    fn piece(&mut self, text: &str, ends: bool) -> Result<(), EncodeError> {
        if text.is_empty() && !ends {
            return Ok(());
        }
        match (self.steps.split_first(), self.slots.split_first_mut()) {
            (Some((step, steps)), Some((slot, slots))) => {
                step.piece(text, ends, slot, &mut Next { steps, slots, out: self.out })
            }
            _ => {
                self.out.push_str(text);
                Ok(())
            }
        }
    }
}

impl Step {
    /// Takes a piece of a token, which is empty only where the token ends.
    fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        match self {
            Step::Spaced => words::spaced(text, ends, slot, next),
            Step::Fuse => next.piece(text, false),
            Step::ByteLevel => byte_level::piece(text, ends, slot, next),
            Step::ByteFallback => byte_fallback::piece(text, ends, slot, next),
            Step::Strip(strip) => strip.piece(text, ends, slot, next),
            Step::Literal(literal) => literal.piece(text, ends, slot, next),
            Step::Between(between) => between.piece(text, ends, slot, next),
            Step::Regex(regex) => regex.piece(text, ends, slot, next),
            Step::Metaspace(metaspace) => metaspace.piece(text, ends, slot, next),
            Step::Prefix(prefix) => prefix.piece(text, ends, slot, next),
            Step::Cleanup => words::cleanup(text, ends, slot, next),
            Step::Suffix(suffix) => suffix.piece(text, ends, slot, next),
            Step::Dedup => ctc::dedup(text, ends, slot, next),
            Step::DropEmpty => ctc::drop_empty(text, ends, slot, next),
        }
    }

    /// Gives on what is left when no more tokens come; the last token has ended.
    fn finish(&self, slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
        match self {
            Step::Fuse => next.piece("", true),
            Step::ByteLevel => byte_level::finish(slot, next),
            Step::ByteFallback => byte_fallback::finish(slot, next),
            Step::Suffix(suffix) => suffix.finish(slot, next),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
