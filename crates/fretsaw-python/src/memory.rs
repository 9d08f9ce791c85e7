//! Whether there is room for what a call makes, where a process has a limit on its memory.
//!
//! Rust ends the process when memory can't be had. Under a limit such as that of `ulimit -v` an attempt
//! comes first: as much as a call may need at most is asked for, and given back at once. Without a limit
//! the system promises memory whether it is there or not, and there is nothing to learn; so nothing is
//! asked then, nor for small inputs, for which reading the limit would cost more than the work.

use std::hint::black_box;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// Inputs from this size on are looked after.
const FROM_BYTES: usize = 1 << 20;

/// The most bytes that are made of a byte of text at once: an id for each, in a list that has just been
/// doubled, and as much again for what is known about it.
const TIMES: usize = 16;

/// `MemoryError` where what may be made of so many bytes has no room.
pub fn room_for(bytes: usize) -> PyResult<()> {
    if bytes < FROM_BYTES || !is_limited() {
        return Ok(());
    }
    let needed = bytes.saturating_mul(TIMES);
    let mut room: Vec<u8> = Vec::new();
    let found = room.try_reserve_exact(needed);
    black_box(&room);
    found.map_err(|_| {
        PyMemoryError::new_err(format!(
            "{bytes} bytes of input may need {needed} more, which the limit on this process's memory does \
             not allow; give less at once, or raise the limit (ulimit -v)"
        ))
    })
}

/// Whether this process may have no more than so much memory, by the system's own account of it.
fn is_limited() -> bool {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let found = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    found.is_some_and(|line| !line.trim_start().starts_with("unlimited"))
}
