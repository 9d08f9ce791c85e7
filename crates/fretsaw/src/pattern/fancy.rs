//! fancy-regex, as tiktoken uses it.
//!
//! The engine's own limit of 1,000,000 steps a match is part of the expression and is tiktoken's
//! too, so it is compiled twice: with few steps, which nearly always do, and with all.

use fancy_regex::{Error, Regex, RegexBuilder, RuntimeError};

use super::Stopped;

/// The engine's default.
const ALL_STEPS: usize = 1_000_000;
/// No more than what the budget gives first.
const FEW_STEPS: usize = 512;

/// A compiled regular expression.
pub(super) struct Fancy {
    quick: Regex,
    full: Regex,
}

impl Fancy {
    /// Compiles, or gives the engine's reason for refusing.
    pub(super) fn new(source: &str) -> Result<Self, String> {
        let with_limit = |steps| {
            let regex = RegexBuilder::new(source).backtrack_limit(steps).build();
            regex.map_err(|error| error.to_string())
        };
        Ok(Self { quick: with_limit(FEW_STEPS)?, full: with_limit(ALL_STEPS)? })
    }

    /// The leftmost match that starts at `from` or later, in at most `steps` steps.
    pub(super) fn find(
        &self,
        text: &str,
        from: usize,
        steps: u64,
    ) -> Result<Option<(usize, usize)>, Stopped> {
        let (regex, last) = match steps {
            0..=511 => return Err(Stopped::Refused), // the budget is spent
            512..=999_999 => (&self.quick, false),
            _ => (&self.full, true),
        };
        match regex.find_from_pos(text, from) {
            Ok(found) => Ok(found.map(|found| (found.start(), found.end()))),
            Err(Error::RuntimeError(RuntimeError::BacktrackLimitExceeded)) if !last => {
                Err(Stopped::OutOfSteps)
            }
            Err(_) => Err(Stopped::Refused),
        }
    }
}
