//! The step limit of a backtracking search.
//!
//! The engines limit the steps of one match, but not of all matches in a text, and don't say how
//! many steps they took. So each search is first given few steps and, when these don't suffice,
//! eight times as many, again and again; what it was given is taken off a budget for the whole
//! text. That costs at most an eighth more than a search without a limit. The budget is about a
//! thousand million steps and a thousand for each byte: the first steps of a search are thereby
//! always paid for, and a pattern that takes time in proportion to the text never runs out.
//! The outcome depends on the pattern and the text alone.
//!
//! A step is a return to an alternative that was left open, which is what the engines count. Mere
//! scanning is free: `a++b|a` in a text of `a` looks at all the rest from every place, in time
//! that is quadratic in the text, here as in the oracle. It can be stopped between two matches.

use super::Stopped;

/// What a search is given first.
const FIRST: u64 = 512;
/// Twice `FIRST`, for at every character at most two searches start.
const STEPS_PER_BYTE: u64 = 1024;
const BASE: u64 = 1 << 30;

/// The steps that are left for a text.
pub(super) struct Budget {
    pub(super) left: u64,
}

impl Budget {
    /// The budget for a text.
    pub(super) fn new(text_bytes: usize) -> Self {
        Self { left: BASE.saturating_add(STEPS_PER_BYTE.saturating_mul(text_bytes as u64)) }
    }

    /// Runs a search with enough steps, if there are as many.
    pub(super) fn spend<T>(
        &mut self,
        mut search: impl FnMut(u64) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let mut steps = FIRST;
        loop {
            steps = steps.min(self.left);
            if steps == 0 {
                return Err(Stopped::Refused);
            }
            self.left -= steps;
            match search(steps) {
                Err(Stopped::OutOfSteps) => steps = steps.saturating_mul(8),
                done => return done,
            }
        }
    }
}
