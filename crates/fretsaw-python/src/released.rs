//! When the interpreter is released, and how locks are taken while it is held.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// Work on texts from this size on is done with the interpreter released.
pub const RELEASE_BYTES: usize = 2048;

/// Does work on so many bytes, with the interpreter released unless they are few.
#[inline]
pub fn released<R: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    match bytes < RELEASE_BYTES {
        true => work(),
        false => py.detach(work),
    }
}

/// Takes a lock; who has to wait for it lets the interpreter go meanwhile.
#[inline]
pub fn locked<'a, T>(py: Python<'_>, mutex: &'a Mutex<T>) -> MutexGuard<'a, T> {
    mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}
