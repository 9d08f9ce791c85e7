//! The files of fretsaw by which threads share state, as they stand, with loom's primitives in them.
//!
//! `pool.rs` and `cache.rs` name what they share by through `crate::sync` alone. Here that is loom's, so
//! a model in `tests/` runs the real code in every order of events that the memory model allows, within
//! a limit on how often threads are preempted. What else they use is the real code as well, but for
//! rayon's pool, whose stand-in starts a thread for each piece of work.
//!
//! Source: loom 0.7, after "CDSChecker: checking concurrent data structures written with C/C++ atomics",
//! Norris and Demsky 2013.

#![allow(dead_code)]

#[path = "../../crates/fretsaw/src/cache.rs"]
pub mod cache;
#[path = "../../crates/fretsaw/src/scan/key.rs"]
mod key;
#[path = "../../crates/fretsaw/src/pool.rs"]
pub mod pool;
pub mod sync;

/// The keys of the caches, and no more of the scanner.
mod scan {
    pub use crate::key::{prefetch, short_key, ShortKey};
}

pub use scan::short_key;

/// The pool of so many helpers, which the crate itself has no name for outside.
pub fn pool_of(threads: usize) -> Option<&'static sync::ThreadPool> {
    pool::pool(threads)
}

/// A hash for longer pieces, as good as any to a model.
mod tables {
    pub fn hash(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
    }
}
