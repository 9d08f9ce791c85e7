//! The functions of `fretsaw` for the memory of piece caches.

use fretsaw::cache;
use pyo3::prelude::*;

/// The budget of all piece caches of this process, and what they hold now, in bytes.
#[pyfunction]
pub fn cache_bytes() -> (usize, usize) {
    (cache::limit_bytes(), cache::used_bytes())
}

/// Sets the budget. Caches that are not in use now are dropped; those in use are when they are done, if
/// together they are above it.
#[pyfunction]
pub fn set_cache_limit(py: Python<'_>, limit_bytes: usize) {
    py.detach(|| cache::set_limit_bytes(limit_bytes));
}
