//! What threads share state by, named in one place, so that models of `loom/` put a checker's own there.
//!
//! The files of that state (`pool.rs`, `cache.rs`) name nothing of `std::sync` or of rayon but through
//! this, and are compiled by `loom/` as they stand.

pub use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
pub use std::sync::{Mutex, MutexGuard, PoisonError};
pub use std::thread_local;

pub use rayon::{ThreadPool, ThreadPoolBuilder};

/// A static. A checker makes it anew for each order of events that it tries, which takes other words.
macro_rules! shared {
    ($(#[$about:meta])* static $name:ident: $kind:ty = $value:expr) => {
        $(#[$about])*
        static $name: $kind = $value;
    };
}
pub(crate) use shared;
