//! Piece caches: ids of pieces seen before, under one memory budget for the whole process.
//!
//! A [`PieceCache`] has a two-way table for pieces of up to 15 bytes, whose key and up to four ids
//! sit in one 32-byte entry, two of them to a cache line; a smaller one of the same kind for entries
//! that had to leave their line, so that three pieces on one line don't drive each other out for ever;
//! and one for longer pieces, each of which may lie in two places, their bytes and ids in arenas. Tables
//! grow as they fill and never shrink; arenas are emptied together with every entry that points into
//! them. A [`CachePool`] belongs to a model and lends one cache a call, so that no two threads share one
//! and dropping the model frees them all.
//!
//! Every byte is reserved from a process-wide [`limit_bytes`] first; where nothing is left, idle
//! caches of other models are dropped, else the cache just stays as small as it is. Results never
//! depend on what is cached.

use std::sync::{Arc, Weak};

use bytemuck::allocation::zeroed_vec;

use crate::scan::ShortKey;
use crate::sync::{shared, thread_local, AtomicUsize, Mutex, MutexGuard, Ordering};
use crate::tables::hash;

const DEFAULT_LIMIT_BYTES: usize = 64 << 20;
const FIRST_BITS: u32 = 9;
const LAST_BITS: u32 = 17;
/// Smaller tables grow by four, so that entries seldom move; larger ones by two.
const LARGE_BITS: u32 = 13;
/// How many sets there are for each set of what spills over.
const SPILL: usize = 4;
/// Every how many times what spilled over goes back when it is found.
const BACK_EVERY: u32 = 8;
const LONG_FIRST_BITS: u32 = 8;
const LONG_LAST_BITS: u32 = 17;
/// How many bytes of longer pieces, and how many ids that fit no entry, a cache holds at most.
const MOST_KEY_BYTES: usize = 8 << 20;
const MOST_IDS: usize = 2 << 20;
/// Longer pieces are not cached.
pub const LONG_MAX_BYTES: usize = 256;
/// Ids are cached in 24 bits beside their number; models with larger ids are not cached.
pub const MAX_ID: u32 = (1 << 24) - 1;
/// What stands for the number of ids where they lie in the arena.
const IN_ARENA: u32 = 255;

shared!(static LIMIT_BYTES: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT_BYTES));
shared!(static USED_BYTES: AtomicUsize = AtomicUsize::new(0));
shared!(static POOLS: Mutex<Vec<Weak<CachePool>>> = Mutex::new(Vec::new()));

/// The budget of all piece caches of this process, in bytes.
pub fn limit_bytes() -> usize {
    LIMIT_BYTES.load(Ordering::Relaxed)
}

/// Sets the budget. Caches that are larger already are dropped when they are next idle.
pub fn set_limit_bytes(bytes: usize) {
    LIMIT_BYTES.store(bytes, Ordering::Relaxed);
    drop_idle(usize::MAX);
}

/// How many bytes all piece caches of this process hold now.
pub fn used_bytes() -> usize {
    USED_BYTES.load(Ordering::Relaxed)
}

/// Takes `bytes` out of the budget if they are there.
fn try_reserve(bytes: usize) -> bool {
    USED_BYTES
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|&sum| sum <= limit_bytes())
        })
        .is_ok()
}

/// Takes `bytes` out of the budget, dropping idle caches of other models where needed.
fn reserve(bytes: usize) -> bool {
    try_reserve(bytes)
        || (bytes <= limit_bytes() && drop_idle(bytes) >= bytes && try_reserve(bytes))
}

/// Drops idle caches until `wanted` bytes are free again; returns how many were.
fn drop_idle(wanted: usize) -> usize {
    // Another thread that is dropping caches right now does it for this one too.
    let Ok(mut pools) = POOLS.try_lock() else { return 0 };
    pools.retain(|pool| pool.strong_count() > 0);
    let mut freed = 0;
    for pool in pools.iter().filter_map(Weak::upgrade) {
        if freed >= wanted {
            break;
        }
        for mut idle in pool.shelves() {
            freed += idle.iter().map(|cache| cache.reserved_bytes).sum::<usize>();
            idle.clear();
        }
    }
    freed
}

/// How many shelves a pool has: threads that run at once seldom share one.
const SHELVES: usize = 8;

thread_local! {
    /// The shelf of a thread.
    static SHELF: usize = {
        shared!(static THREADS: AtomicUsize = AtomicUsize::new(0));
        THREADS.fetch_add(1, Ordering::Relaxed) % SHELVES
    };
}

/// The caches of one model, lent out one a call. A thread gets back what it had last, if that lies there
/// still.
#[derive(Default)]
pub struct CachePool {
    // Boxed, since a cache is handed over twice a call and is some 200 bytes of fields.
    #[allow(clippy::vec_box)]
    idle: [Mutex<Vec<Box<PieceCache>>>; SHELVES],
}

impl CachePool {
    /// A pool that the process knows of.
    pub fn new() -> Arc<Self> {
        let pool = Arc::new(Self::default());
        // Not waiting for the lock keeps a forked child alive; a pool that is not known is only
        // spared when others need room.
        if let Ok(mut pools) = POOLS.try_lock() {
            pools.retain(|pool| pool.strong_count() > 0);
            pools.push(Arc::downgrade(&pool));
        }
        pool
    }

    /// A cache that is this caller's until it gives it back.
    ///
    /// Never waits: locks that are held, be it by threads that a `fork` left behind, are passed over, and
    /// where nothing else is left the cache is a fresh one.
    #[inline]
    pub fn take(&self) -> Box<PieceCache> {
        self.shelves().find_map(|mut idle| idle.pop()).unwrap_or_default()
    }

    /// The caches that lie there, by shelf: this thread's first. Those that are locked are left out.
    #[inline]
    fn shelves(&self) -> impl Iterator<Item = MutexGuard<'_, Vec<Box<PieceCache>>>> {
        let own = SHELF.with(|shelf| *shelf);
        (own..own + SHELVES).filter_map(|at| self.idle[at % SHELVES].try_lock().ok())
    }

    /// Gives a cache back.
    #[inline]
    pub fn give_back(&self, cache: Box<PieceCache>) {
        if cache.reserved_bytes > 0 && used_bytes() <= limit_bytes() {
            if let Some(mut idle) = self.shelves().next() {
                idle.push(cache);
            }
        }
    }
}

/// A short piece and its ids: the number of ids in the top byte of the first.
#[derive(Clone, Copy, Default, bytemuck::Zeroable)]
#[repr(C)]
struct ShortEntry {
    key: ShortKey,
    ids: [u32; 4],
}

/// The two entries that a hash may fall on: one cache line.
#[derive(Clone, Copy, Default, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct ShortSet([ShortEntry; 2]);

#[derive(Clone, Copy, Default)]
struct LongEntry {
    hash: u64,
    key_start: u32,
    key_len: u32,
    ids_start: u32,
    ids_len: u32,
}

/// What a cache knows of a short piece.
pub enum Short<'a> {
    /// Up to four ids; the first `count` of the array.
    Inline([u32; 4], usize),
    /// More ids than fit an entry.
    Many(&'a [u32]),
    /// Not there.
    Missing,
}

/// The ids of pieces seen before.
#[derive(Default)]
pub struct PieceCache {
    short: Vec<ShortSet>,
    short_bits: u32,
    short_filled: usize,
    /// Entries that had to leave `short`, which has [`SPILL`] times as many sets.
    spill: Vec<ShortSet>,
    spilled_hits: u32,
    long: Vec<LongEntry>,
    long_bits: u32,
    long_filled: usize,
    key_bytes: Vec<u8>,
    many_ids: Vec<u32>,
    reserved_bytes: usize,
}

impl Drop for PieceCache {
    fn drop(&mut self) {
        USED_BYTES.fetch_sub(self.reserved_bytes, Ordering::Relaxed);
    }
}

impl PieceCache {
    /// The set of entries that a hash falls on; 0 as long as the table is empty.
    #[inline(always)]
    pub fn short_set(&self, hash: u64) -> usize {
        (hash >> (63 - self.short_bits) >> 1) as usize
    }

    /// Asks for a set of entries ahead of its use.
    #[inline(always)]
    pub fn prefetch(&self, set: usize) {
        crate::scan::prefetch(&self.short, set);
    }

    /// What set `set` knows of `key`.
    #[inline(always)]
    pub fn short(&self, key: ShortKey, set: usize) -> Short<'_> {
        self.known(self.short.get(set), key)
    }

    /// What is known of a key that [`PieceCache::short`] misses. Now and then what is found goes back
    /// to where it came from, so that what is asked for often ends up there.
    #[inline]
    pub fn spilled(&mut self, key: ShortKey) -> Short<'_> {
        let set = self.spill_set(key);
        let Some(ShortSet(entries)) = self.spill.get(set) else { return Short::Missing };
        if entries.iter().all(|entry| entry.key.is_none()) {
            return Short::Missing;
        }
        if let Some(at) = entries.iter().position(|entry| entry.key == key) {
            self.spilled_hits = self.spilled_hits.wrapping_add(1);
            if self.spilled_hits.is_multiple_of(BACK_EVERY) {
                let entry = std::mem::take(&mut self.spill[set].0[at]);
                self.place(entry);
                return self.short(key, self.short_set(key.hash()));
            }
        }
        self.known(self.spill.get(set), key)
    }

    fn spill_set(&self, key: ShortKey) -> usize {
        (key.hash() >> 20) as usize & self.spill.len().wrapping_sub(1)
    }

    #[inline(always)]
    fn known(&self, set: Option<&ShortSet>, key: ShortKey) -> Short<'_> {
        let Some(ShortSet(entries)) = set else { return Short::Missing };
        // Which of the two it is can't be foretold: there is no branch for it.
        let [first, second] = entries.each_ref().map(|entry| entry.key.difference(key));
        if first.min(second) != 0 {
            return Short::Missing;
        }
        let entry = &entries[usize::from(first != 0)];
        let count = entry.ids[0] >> 24;
        if count == IN_ARENA {
            let start = entry.ids[1] as usize;
            return Short::Many(&self.many_ids[start..start + entry.ids[2] as usize]);
        }
        let [first, second, third, fourth] = entry.ids;
        Short::Inline([first & MAX_ID, second, third, fourth], count as usize)
    }

    /// Remembers a short piece. `ids` are at most [`MAX_ID`].
    pub fn insert_short(&mut self, key: ShortKey, ids: &[u32]) {
        if self.short_filled * 2 >= self.short.len() && !self.grow_short() && self.short.is_empty()
        {
            return;
        }
        let mut entry = ShortEntry { key, ids: [0; 4] };
        if ids.len() <= 4 {
            entry.ids[..ids.len()].copy_from_slice(ids);
            entry.ids[0] |= (ids.len() as u32) << 24;
        } else {
            let Some(start) = self.keep_ids(ids) else { return };
            entry.ids = [IN_ARENA << 24, start, ids.len() as u32, 0];
        }
        self.place(entry);
    }

    /// Puts an entry first in its set; the one that was first stays as the second, and that one spills
    /// over.
    fn place(&mut self, entry: ShortEntry) {
        let set = self.short_set(entry.key.hash());
        let ShortSet(entries) = &mut self.short[set];
        let [first, last] = *entries;
        *entries = [entry, first];
        if last.key.is_none() {
            self.short_filled += 1;
            return;
        }
        let set = self.spill_set(last.key);
        if let Some(ShortSet(entries)) = self.spill.get_mut(set) {
            *entries = [last, entries[0]];
        }
    }

    /// The ids of a longer piece.
    #[inline]
    pub fn long(&self, piece: &[u8], hash: u64) -> Option<&[u32]> {
        let slot = self.long_slot(hash);
        let entries = [self.long.get(slot)?, self.long.get(slot ^ 1)?];
        let entry = entries.into_iter().find(|entry| entry.hash == hash)?;
        let start = entry.key_start as usize;
        if self.key_bytes.get(start..start + entry.key_len as usize)? != piece {
            return None;
        }
        let start = entry.ids_start as usize;
        Some(&self.many_ids[start..start + entry.ids_len as usize])
    }

    /// Where the hash of a longer piece falls.
    #[inline]
    fn long_slot(&self, hash: u64) -> usize {
        (hash >> (63 - self.long_bits) >> 1) as usize
    }

    /// Puts an entry where its hash falls; what was there goes beside it.
    fn place_long(&mut self, entry: LongEntry) {
        let slot = self.long_slot(entry.hash);
        let old = std::mem::replace(&mut self.long[slot], entry);
        if old.key_len == 0 {
            self.long_filled += 1;
        } else if old.hash != entry.hash {
            let beside = &mut self.long[slot ^ 1];
            self.long_filled += usize::from(beside.key_len == 0);
            *beside = old;
        }
    }

    /// Remembers a longer piece.
    pub fn insert_long(&mut self, piece: &[u8], hash: u64, ids: &[u32]) {
        if piece.len() > LONG_MAX_BYTES
            || (self.long_filled * 4 >= self.long.len()
                && !self.grow_long()
                && self.long.is_empty())
        {
            return;
        }
        let Some(ids_start) = self.keep_ids(ids) else { return };
        if !make_room(&mut self.key_bytes, piece.len(), &mut self.reserved_bytes, MOST_KEY_BYTES) {
            self.forget();
            return;
        }
        let key_start = self.key_bytes.len() as u32;
        self.key_bytes.extend_from_slice(piece);
        self.place_long(LongEntry {
            hash,
            key_start,
            key_len: piece.len() as u32,
            ids_start,
            ids_len: ids.len() as u32,
        });
    }

    /// Appends ids to the arena and returns where; when it is full, everything is forgotten.
    fn keep_ids(&mut self, ids: &[u32]) -> Option<u32> {
        if !make_room(&mut self.many_ids, ids.len(), &mut self.reserved_bytes, MOST_IDS) {
            self.forget();
            return None;
        }
        let start = self.many_ids.len() as u32;
        self.many_ids.extend_from_slice(ids);
        Some(start)
    }

    /// Empties the arenas, and every entry with them: none may point at recycled storage.
    fn forget(&mut self) {
        self.key_bytes.clear();
        self.many_ids.clear();
        self.short.fill(ShortSet::default());
        self.spill.fill(ShortSet::default());
        self.long.fill(LongEntry::default());
        self.short_filled = 0;
        self.long_filled = 0;
    }

    fn grow_short(&mut self) -> bool {
        let bits = match self.short_bits {
            _ if self.short.is_empty() => FIRST_BITS,
            bits if bits < LARGE_BITS => bits + 2,
            bits => bits + 1,
        };
        let (sets, spill) = (1 << bits, (1 << bits) / SPILL);
        let bytes = size_of::<ShortSet>() * (sets + spill - self.short.len() - self.spill.len());
        if bits > LAST_BITS || !reserve(bytes) {
            return false;
        }
        self.reserved_bytes += bytes;
        let old = std::mem::replace(&mut self.short, zeroed_vec(sets));
        let spilled = std::mem::replace(&mut self.spill, zeroed_vec(spill));
        self.short_bits = bits;
        self.short_filled = 0;
        for sets in [spilled, old] {
            for ShortSet([first, second]) in &sets {
                // The newer one is placed last, so that it comes first again.
                if !second.key.is_none() {
                    self.place(*second);
                }
                if !first.key.is_none() {
                    self.place(*first);
                }
            }
        }
        true
    }

    fn grow_long(&mut self) -> bool {
        let bits = if self.long.is_empty() { LONG_FIRST_BITS } else { self.long_bits + 1 };
        let bytes = (size_of::<LongEntry>() << bits) - size_of_val(&self.long[..]);
        if bits > LONG_LAST_BITS || !reserve(bytes) {
            return false;
        }
        self.reserved_bytes += bytes;
        let old = std::mem::replace(&mut self.long, vec![LongEntry::default(); 1 << bits]);
        self.long_bits = bits;
        self.long_filled = 0;
        old.into_iter().filter(|entry| entry.key_len > 0).for_each(|entry| self.place_long(entry));
        true
    }
}

/// Makes an arena hold `more` items, within `most` items and the budget.
fn make_room<T>(arena: &mut Vec<T>, more: usize, reserved_bytes: &mut usize, most: usize) -> bool {
    let needed = arena.len() + more;
    if needed > most {
        return false;
    }
    if needed > arena.capacity() {
        let capacity = needed.next_power_of_two().clamp(1024, most);
        let bytes = (capacity - arena.capacity()) * size_of::<T>();
        if !reserve(bytes) {
            return false;
        }
        *reserved_bytes += bytes;
        arena.reserve_exact(capacity - arena.len());
    }
    true
}

/// The hash of a longer piece.
#[inline]
pub fn long_hash(piece: &[u8]) -> u64 {
    hash(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::short_key;

    fn look_up(cache: &mut PieceCache, piece: &[u8]) -> Option<Vec<u32>> {
        let key = short_key(piece, 0, piece.len());
        if let Short::Inline(ids, count) = cache.short(key, cache.short_set(key.hash())) {
            return Some(ids[..count].to_vec());
        }
        if let Short::Many(ids) = cache.short(key, cache.short_set(key.hash())) {
            return Some(ids.to_vec());
        }
        match cache.spilled(key) {
            Short::Inline(ids, count) => Some(ids[..count].to_vec()),
            Short::Many(ids) => Some(ids.to_vec()),
            Short::Missing => None,
        }
    }

    #[test]
    fn three_pieces_on_one_line_stay() {
        let mut cache = PieceCache::default();
        cache.insert_short(short_key(b"x", 0, 1), &[0]);
        let names: Vec<String> = (0..100_000).map(|i| format!("p{i}")).collect();
        let key = |name: &str| short_key(name.as_bytes(), 0, name.len());
        let set = |name: &&String| cache.short_set(key(name).hash());
        let first = set(&&names[0]);
        let three: Vec<&String> = names.iter().filter(|name| set(name) == first).take(3).collect();
        for (name, id) in three.iter().zip(0..) {
            cache.insert_short(key(name), &[id]);
        }
        for _ in 0..20 {
            for (name, id) in three.iter().zip(0..) {
                assert_eq!(look_up(&mut cache, name.as_bytes()), Some(vec![id]));
            }
        }
    }

    #[test]
    fn gives_back_just_what_was_put_in() {
        let mut cache = PieceCache::default();
        let ids_of = |i: u32| (0..i % 9).map(|k| (i * 31 + k) & MAX_ID).collect::<Vec<_>>();
        let name = |i: u32| format!("piece{}", i.wrapping_mul(2_654_435_761) % 100_000);
        for i in 0..60_000u32 {
            let piece = name(i);
            let ids = ids_of(i % 100_000);
            match look_up(&mut cache, piece.as_bytes()) {
                // Names may repeat with other ids; only a fresh one must be missing or equal.
                Some(_) => {}
                None => cache.insert_short(short_key(piece.as_bytes(), 0, piece.len()), &ids),
            }
            let long = format!("a rather longer piece {i}");
            let hash = long_hash(long.as_bytes());
            assert_eq!(cache.long(long.as_bytes(), hash), None);
            cache.insert_long(long.as_bytes(), hash, &ids);
            if let Some(found) = cache.long(long.as_bytes(), hash) {
                assert_eq!(found, ids);
            }
        }
        let mut fresh = PieceCache::default();
        for i in 0..600u32 {
            let piece = format!("p{i}");
            fresh.insert_short(short_key(piece.as_bytes(), 0, piece.len()), &ids_of(i));
            assert_eq!(look_up(&mut fresh, piece.as_bytes()), Some(ids_of(i)), "{i}");
        }
    }

    #[test]
    fn reserved_bytes_return_when_a_cache_goes() {
        let pool = CachePool::new();
        let mut cache = pool.take();
        cache.insert_short(short_key(b"abc", 0, 3), &[1, 2, 3]);
        let reserved = cache.reserved_bytes;
        assert!(reserved >= 64 << FIRST_BITS);
        assert!(used_bytes() >= reserved);
        pool.give_back(cache);
        let mut again = pool.take();
        assert_eq!(look_up(&mut again, b"abc"), Some(vec![1, 2, 3]));
    }

    #[test]
    fn a_locked_shelf_is_passed_over() {
        let pool = CachePool::new();
        let mut cache = pool.take();
        cache.insert_short(short_key(b"abc", 0, 3), &[1, 2, 3]);
        let own = SHELF.with(|shelf| *shelf);
        let held = pool.idle[own].try_lock().unwrap();
        pool.give_back(cache);
        drop(held);
        // It lies on another shelf, where any thread finds it.
        let mut again = pool.take();
        assert_eq!(look_up(&mut again, b"abc"), Some(vec![1, 2, 3]));
        pool.give_back(again);
        assert_eq!(pool.idle[own].try_lock().unwrap().len(), 1);
        let all: Vec<_> = pool.idle.iter().map(|shelf| shelf.try_lock().unwrap()).collect();
        assert_eq!(pool.take().reserved_bytes, 0);
        drop(all);
    }
}
