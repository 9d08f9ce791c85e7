//! The text that a model generates, id by id: behind a prompt, up to a stop, markers left out.
//!
//! What a stream gives is the decoding of the prompt's ids and the pushed ones, cut behind what that
//! has in common with the decoding of the prompt alone: a character that the prompt's last id begins
//! comes whole. Text comes as soon as the decoder has settled it (`decode::chain` says when) and no
//! stop string can begin in it any more.
//!
//! Cost: that of the decoder, and linear in the text for stops. A stream keeps no text but what the
//! decoder holds back.

use std::sync::Arc;

use super::Pipeline;
use crate::error::DecodeError;
use crate::stream::{DecodeState, Found, Search, Stops};

/// What a stream looks for; streams that look for the same can share it.
#[derive(Debug)]
pub struct Watched {
    stops: Stops,
    /// Ids that end a stream, ascending.
    stop_ids: Vec<u32>,
    /// Whether what ends a stream is in its text.
    include_stop: bool,
}

impl Watched {
    /// Stop strings, markers, and ids that end a stream; `include_stop` says whether what ends it is
    /// part of its text. `None` where [`Stops::new`] has none.
    pub fn new(
        stop: &[String],
        markers: &[String],
        stop_ids: &[u32],
        include_stop: bool,
    ) -> Option<Self> {
        let stops = Stops::new(stop, markers)?;
        Some(Self { stops, stop_ids: sorted(stop_ids), include_stop })
    }

    /// Whether this is made of such.
    pub fn is(
        &self,
        stop: &[String],
        markers: &[String],
        stop_ids: &[u32],
        include_stop: bool,
    ) -> bool {
        self.include_stop == include_stop
            && self.stops.are(stop, markers)
            && self.stop_ids == sorted(stop_ids)
    }
}

fn sorted(ids: &[u32]) -> Vec<u32> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids
}

/// What ended a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A stop string, by its place in the list.
    String(usize),
    /// An id.
    Id(u32),
}

/// A stream of text from ids.
#[derive(Clone)]
pub struct TextStream {
    pipeline: Arc<Pipeline>,
    skip_special_tokens: bool,
    watched: Arc<Watched>,
    state: DecodeState,
    /// What the decoder held back behind the prompt, as far as the text has repeated it.
    prompt: String,
    search: Search,
    /// How many characters were given, markers left out.
    given_chars: usize,
    /// What ended it, and at which character.
    ending: Option<(Ending, usize)>,
    /// Markers by their place in the list, and the character that each came before.
    events: Vec<(u32, usize)>,
    /// Text from the decoder; empty between calls.
    settled: String,
}

impl TextStream {
    /// A stream behind the ids of a prompt.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::decode_ids`], for the prompt.
    pub fn new(
        pipeline: Arc<Pipeline>,
        skip_special_tokens: bool,
        watched: Arc<Watched>,
        prompt: &[u32],
    ) -> Result<Self, DecodeError> {
        let search = watched.stops.search();
        let mut state = DecodeState::default();
        let mut text = String::new();
        for &id in prompt {
            pipeline.decode_ids_step(&mut state, id, skip_special_tokens, &mut text)?;
            text.clear();
        }
        if !prompt.is_empty() {
            pipeline.decode_ids_finish(&mut state.clone(), &mut text)?;
        }
        Ok(Self {
            pipeline,
            skip_special_tokens,
            watched,
            state,
            prompt: text,
            search,
            given_chars: 0,
            ending: None,
            events: Vec::new(),
            settled: String::new(),
        })
    }

    /// Takes one more id and appends the text that it settles. Behind a stop nothing happens.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::decode_ids_step`]; the stream is then as before, but for decoders of several
    /// steps, which start from nothing.
    #[inline]
    pub fn push(&mut self, id: u32, out: &mut String) -> Result<(), DecodeError> {
        if self.ending.is_some() {
            return Ok(());
        }
        if self.watched.stop_ids.binary_search(&id).is_ok() {
            return self.stop_at(id, out);
        }
        if self.is_plain() {
            return self.step(id, out);
        }
        let mut settled = std::mem::take(&mut self.settled);
        let stepped = self.step(id, &mut settled);
        self.give(&settled, out);
        self.put_back(settled);
        stepped
    }

    /// Ends the text and appends the rest. A stream that did not stop then starts from nothing, without
    /// the prompt; its characters count on.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::decode_ids_finish`].
    pub fn finish(&mut self, out: &mut String) -> Result<(), DecodeError> {
        if self.ending.is_some() {
            return Ok(());
        }
        let mut settled = std::mem::take(&mut self.settled);
        let finished = self.pipeline.decode_ids_finish(&mut self.state, &mut settled);
        self.give(&settled, out);
        self.put_back(settled);
        if self.ending.is_none() {
            let held = self.watched.stops.held(self.search);
            self.given_chars += held.chars().count();
            out.push_str(held);
        }
        self.search = self.watched.stops.search();
        self.prompt.clear();
        finished
    }

    /// What ended the stream, and how many characters of text came before it.
    pub fn ending(&self) -> Option<(Ending, usize)> {
        self.ending
    }

    /// The stop string at a place of the list.
    pub fn stop(&self, at: usize) -> &str {
        self.watched.stops.stop(at)
    }

    /// The markers so far, each with how many characters of text came before it.
    pub fn events(&self) -> impl ExactSizeIterator<Item = (&str, usize)> {
        let stops = &self.watched.stops;
        self.events.iter().map(|&(marker, place)| (stops.marker(marker as usize), place))
    }

    /// What is held back: text that a stop may begin with, then the bytes of an unfinished character,
    /// or, of decoders that hold back other things, what they are worth if nothing follows.
    pub fn pending(&self) -> Vec<u8> {
        if self.ending.is_some() {
            return Vec::new();
        }
        let mut pending = self.watched.stops.held(self.search).as_bytes().to_vec();
        if self.pipeline.parts.decoder.is_bytes() {
            pending.extend_from_slice(self.state.pending());
            return pending;
        }
        let mut text = String::new();
        if self.pipeline.decode_ids_finish(&mut self.state.clone(), &mut text).is_ok() {
            pending.extend_from_slice(&text.as_bytes()[common(&text, &self.prompt)..]);
        }
        pending
    }

    /// Whether the decoder's text is the stream's.
    #[inline]
    fn is_plain(&self) -> bool {
        self.prompt.is_empty() && self.watched.stops.is_empty() && self.watched.stop_ids.is_empty()
    }

    #[inline]
    fn step(&mut self, id: u32, out: &mut String) -> Result<(), DecodeError> {
        self.pipeline.decode_ids_step(&mut self.state, id, self.skip_special_tokens, out)
    }

    /// Ends at an id, unless the text before it has a stop string.
    fn stop_at(&mut self, id: u32, out: &mut String) -> Result<(), DecodeError> {
        let mut before = self.clone();
        let mut text = String::new();
        before.finish(&mut text)?;
        if before.ending.is_none() {
            let place = before.given_chars;
            if self.watched.include_stop {
                before = self.clone();
                text.clear();
                let mut settled = String::new();
                before.step(id, &mut settled)?;
                before.give(&settled, &mut text);
                before.finish(&mut text)?;
            }
            before.ending = before.ending.or(Some((Ending::Id(id), place)));
        }
        *self = before;
        out.push_str(&text);
        Ok(())
    }

    /// Takes text from the decoder: leaves out the prompt's, and gives what no stop can begin in.
    fn give(&mut self, text: &str, out: &mut String) {
        let mut text = text;
        if !self.prompt.is_empty() {
            let common = common(text, &self.prompt);
            if common < text.len() {
                self.prompt = String::new();
            } else {
                self.prompt.drain(..common);
            }
            text = &text[common..];
        }
        let watched = Arc::clone(&self.watched);
        let stops = &watched.stops;
        if stops.is_empty() {
            self.given_chars += text.chars().count();
            out.push_str(text);
            return;
        }
        while !text.is_empty() {
            let start = out.len();
            let found = stops.read(&mut self.search, text, out);
            self.given_chars += out[start..].chars().count();
            match found {
                None => return,
                Some((Found::Marker(at), read)) => {
                    self.events.push((at as u32, self.given_chars));
                    text = &text[read..];
                }
                Some((Found::Stop(at), _)) => {
                    self.ending = Some((Ending::String(at), self.given_chars));
                    if self.watched.include_stop {
                        out.push_str(stops.stop(at));
                    }
                    return;
                }
            }
        }
    }

    /// Keeps the room that a text took, if it is little.
    fn put_back(&mut self, mut settled: String) {
        const KEPT_BYTES: usize = 256;
        if settled.capacity() <= KEPT_BYTES {
            settled.clear();
            self.settled = settled;
        }
    }
}

/// How many bytes at their start two texts have in common, in whole characters.
fn common(text: &str, other: &str) -> usize {
    let pairs = text.chars().zip(other.chars());
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}
