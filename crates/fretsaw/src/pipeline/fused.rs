//! The one loop from pieces to ids: scanner, cache and model together.
//!
//! Pieces come in batches of boundaries. A first pass over 64 of them makes keys and asks for
//! their cache entries, a second compares and writes four ids at a time into a small array, of
//! which as many count as the entry says. Misses go to the model and into the cache.

use std::cell::Cell;

use super::summed::Summing;
use super::CachedModel;
use crate::cache::{long_hash, PieceCache, Short, LONG_MAX_BYTES};
use crate::error::EncodeError;
use crate::model::{Model, ModelScratch, Random};
use crate::pretokenize::{Pieces, Place, Seams, Spelling, Splitter, Step};
use crate::scan::{best_level, short_key, ShortKey, SHORT};

/// Pieces that are looked up together.
const GROUP: usize = 64;

/// What is known of the pieces that are looked up together.
struct Group {
    keys: [ShortKey; GROUP],
    sets: [usize; GROUP],
    /// Ids found, not yet appended: room for four of each piece.
    found: [u32; GROUP * 4],
}

/// What is kept of a buffer that a long piece made larger.
const KEPT_BYTES: usize = 1 << 16;

/// Buffers of a thread, reused from call to call.
struct Scratch {
    group: Group,
    buffers: Buffers,
}

/// What a model needs to read pieces.
#[derive(Default)]
struct Buffers {
    model: ModelScratch,
    /// A piece as the model is given it.
    spelled: Vec<u8>,
}

impl Default for Scratch {
    fn default() -> Self {
        let group =
            Group { keys: [ShortKey::default(); GROUP], sets: [0; GROUP], found: [0; GROUP * 4] };
        Self { group, buffers: Buffers::default() }
    }
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Random choices of this thread follow from this seed from now on.
pub fn seed(seed: u64) {
    let mut scratch = SCRATCH.take().unwrap_or_default();
    scratch.buffers.model.set_random(Random::new(seed));
    SCRATCH.set(Some(scratch));
}

/// A model at work for one call: a cache of its own, and the buffers of the thread.
pub struct Work<'m> {
    model: &'m CachedModel,
    spelling: Spelling,
    cache: Box<PieceCache>,
    scratch: Box<Scratch>,
    /// The sum of scores so far in a text, for models that go on from it.
    sum: f32,
    /// How many ids there were, where only that is asked for: then none are kept.
    counted: Option<usize>,
}

/// What encodes text after text: the work goes on from one to the next with the same model.
pub struct Hands<'m> {
    /// On how many threads a long text is encoded; 0: the CPUs that this process may use.
    pub threads: usize,
    work: Option<Work<'m>>,
}

impl<'m> Hands<'m> {
    pub fn new(threads: usize) -> Self {
        Self { threads, work: None }
    }

    /// The work with a model.
    #[inline]
    pub fn work(&mut self, model: &'m CachedModel, spelling: Spelling) -> &mut Work<'m> {
        if self.work.as_ref().is_some_and(|work| !work.is_of(model)) {
            self.rest();
        }
        self.work.get_or_insert_with(|| Work::new(model, spelling))
    }

    /// Gives back what the work has taken: random choices that start anew are found there.
    #[inline]
    pub fn rest(&mut self) {
        if let Some(work) = self.work.take() {
            work.finish();
        }
    }
}

impl Drop for Hands<'_> {
    #[inline]
    fn drop(&mut self) {
        self.rest();
    }
}

impl<'m> Work<'m> {
    /// Takes a cache and the buffers; [`Work::finish`] gives them back.
    #[inline]
    fn new(model: &'m CachedModel, spelling: Spelling) -> Self {
        let scratch = SCRATCH.take().unwrap_or_default();
        Self { model, spelling, cache: model.caches.take(), scratch, sum: 0.0, counted: None }
    }

    /// Does some encoding that keeps no ids; returns how many there were.
    #[inline]
    pub fn count(
        &mut self,
        encode: impl FnOnce(&mut Self) -> Result<(), EncodeError>,
    ) -> Result<usize, EncodeError> {
        self.counted = Some(0);
        let done = encode(self);
        let counted = self.counted.take().unwrap_or_default();
        done.map(|()| counted)
    }

    /// Whether it is this model's.
    #[inline]
    fn is_of(&self, model: &CachedModel) -> bool {
        std::ptr::eq(self.model, model)
    }

    /// Appends the ids of a text without added tokens to `ids`.
    #[inline]
    pub fn encode_segment(
        &mut self,
        splitter: &Splitter,
        text: &str,
        place: Place,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        self.sum = 0.0;
        splitter.pieces(text, place, |bytes, boundaries| self.encode(bytes, boundaries, ids))
    }

    /// Appends the ids of what steps make of a text.
    pub fn encode_steps(
        &mut self,
        steps: &[Step],
        mut pieces: Pieces<'_>,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        for step in steps {
            pieces.apply(step, best_level())?;
        }
        pieces.hand_out(false, |bytes, boundaries| self.encode(bytes, boundaries, ids))
    }

    /// Appends the ids of a text without marks that is cut at seams alone, with added tokens at
    /// these places in it.
    pub fn encode_around(
        &mut self,
        seams: &Seams,
        text: &str,
        places: &[(usize, usize)],
        apart: &mut impl Apart,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let Self { model, spelling, cache, scratch, .. } = self;
        let Scratch { group, buffers } = &mut **scratch;
        seams.pieces_around(text, places, |boundaries| {
            let reader = Reader { model: &model.model, spelling: *spelling, buffers };
            encode_pieces::<false>(reader, cache, group, text.as_bytes(), boundaries, apart, ids)
                .map(drop)
        })
    }

    /// Gives cache and buffers back.
    #[inline]
    fn finish(self) {
        let Self { model, cache, mut scratch, .. } = self;
        scratch.buffers.model.shrink();
        scratch.buffers.spelled.shrink_to(KEPT_BYTES);
        SCRATCH.set(Some(scratch));
        model.caches.give_back(cache);
    }

    #[inline]
    fn encode(
        &mut self,
        bytes: &[u8],
        boundaries: &[usize],
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let Self { model, spelling, cache, scratch, sum, counted } = self;
        let Scratch { group, buffers } = &mut **scratch;
        if let Model::SentencePiece(pieces) = &model.model {
            if pieces.is_summed() {
                let scratch = buffers.model.pieces();
                let mut summing = Summing { model: pieces, cache, scratch, sum };
                summing.encode(bytes, boundaries, ids)?;
                if let Some(counted) = counted {
                    *counted += taken(ids);
                }
                return Ok(());
            }
        }
        let reader = Reader { model: &model.model, spelling: *spelling, buffers };
        match counted {
            None => {
                encode_pieces::<false>(reader, cache, group, bytes, boundaries, &mut Nothing, ids)
                    .map(drop)
            }
            Some(counted) => {
                encode_pieces::<true>(reader, cache, group, bytes, boundaries, &mut Nothing, ids)
                    .map(|more| *counted += more)
            }
        }
    }
}

/// A model that reads pieces.
struct Reader<'a> {
    model: &'a Model,
    /// How pieces are spelled for it.
    spelling: Spelling,
    buffers: &'a mut Buffers,
}

impl Reader<'_> {
    fn encode_piece(&mut self, piece: &[u8], ids: &mut Vec<u32>) -> Result<(), EncodeError> {
        let Buffers { model: scratch, spelled } = self.buffers;
        match self.spelling.spell(piece, spelled) {
            // White space that stands for nothing.
            [] => Ok(()),
            piece => self.model.encode_piece(piece, scratch, ids),
        }
    }
}

/// Pieces whose ids don't come from the model.
pub trait Apart {
    /// Whether the next of them starts here.
    fn is_next(&self, start: usize) -> bool;

    /// Appends the next one's id.
    fn take(&mut self, ids: &mut Vec<u32>);
}

/// None of them.
struct Nothing;

impl Apart for Nothing {
    #[inline(always)]
    fn is_next(&self, _start: usize) -> bool {
        false
    }

    fn take(&mut self, _ids: &mut Vec<u32>) {}
}

/// Appends the ids of the pieces `bytes[boundaries[i]..boundaries[i + 1]]`, or leaves none and returns how
/// many there were.
fn encode_pieces<const COUNTS: bool>(
    mut reader: Reader<'_>,
    cache: &mut PieceCache,
    group: &mut Group,
    bytes: &[u8],
    mut boundaries: &[usize],
    apart: &mut impl Apart,
    ids: &mut Vec<u32>,
) -> Result<usize, EncodeError> {
    let Group { keys, sets, found } = group;
    let mut counted = 0;
    if reader.model.is_random() {
        let mut pieces = boundaries.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        pieces.try_for_each(|piece| reader.encode_piece(piece, ids))?;
        return Ok(if COUNTS { taken(ids) } else { 0 });
    }
    while boundaries.len() > 1 {
        let count = GROUP.min(boundaries.len() - 1);
        let group = &boundaries[..=count];
        for (at, pair) in group.windows(2).enumerate() {
            let len = pair[1] - pair[0];
            keys[at] =
                if len <= SHORT { short_key(bytes, pair[0], len) } else { ShortKey::default() };
            sets[at] = cache.short_set(keys[at].hash());
            cache.prefetch(sets[at]);
        }
        let mut written = 0;
        for (at, pair) in group.windows(2).enumerate() {
            if apart.is_next(pair[0]) {
                ids.extend_from_slice(&found[..written]);
                written = 0;
                apart.take(ids);
                continue;
            }
            match cache.short(keys[at], sets[at]) {
                Short::Inline(_, len) if COUNTS && !keys[at].is_none() => counted += len,
                Short::Many(many) if COUNTS => counted += many.len(),
                Short::Inline(four, len) if !keys[at].is_none() => {
                    // The array has room for four ids of each piece of the group.
                    if let Some(place) = found.get_mut(written..written + 4) {
                        place.copy_from_slice(&four);
                    }
                    written += len;
                }
                Short::Many(many) => {
                    ids.extend_from_slice(&found[..written]);
                    written = 0;
                    ids.extend_from_slice(many);
                }
                _ => {
                    ids.extend_from_slice(&found[..written]);
                    written = 0;
                    miss(&mut reader, cache, &bytes[pair[0]..pair[1]], keys[at], ids)?;
                    if COUNTS {
                        counted += taken(ids);
                    }
                }
            }
        }
        ids.extend_from_slice(&found[..written]);
        boundaries = &boundaries[count..];
    }
    Ok(counted)
}

/// Takes ids away again; returns how many.
fn taken(ids: &mut Vec<u32>) -> usize {
    let len = ids.len();
    ids.clear();
    len
}

/// Encodes a piece that the short cache does not know, and remembers it.
#[inline(never)]
fn miss(
    reader: &mut Reader<'_>,
    cache: &mut PieceCache,
    piece: &[u8],
    key: ShortKey,
    ids: &mut Vec<u32>,
) -> Result<(), EncodeError> {
    let before = ids.len();
    if piece.len() <= SHORT {
        match cache.spilled(key) {
            Short::Inline(four, len) => {
                ids.extend_from_slice(&four);
                ids.truncate(before + len);
                return Ok(());
            }
            Short::Many(many) => {
                ids.extend_from_slice(many);
                return Ok(());
            }
            Short::Missing => {}
        }
        reader.encode_piece(piece, ids)?;
        cache.insert_short(key, &ids[before..]);
    } else if piece.len() <= LONG_MAX_BYTES {
        let hash = long_hash(piece);
        if let Some(known) = cache.long(piece, hash) {
            ids.extend_from_slice(known);
            return Ok(());
        }
        reader.encode_piece(piece, ids)?;
        cache.insert_long(piece, hash, &ids[before..]);
    } else {
        reader.encode_piece(piece, ids)?;
    }
    Ok(())
}
