//! What fuzzers reach of the inside; there is none of it in a build without `--cfg fuzzing`.
//!
//! A split is found twice, by the scanner and by the engine of the pattern's own dialect, and a parsed
//! pattern is handed out as what it means.

use crate::error::{EncodeError, LoadError};
use crate::pattern::Pattern;
use crate::scan::Cut;
use crate::spec;

pub use crate::compile::{parse, Dialect, Node};
pub use crate::scan::{at_level, levels, Level};
pub use crate::tables::fret::sign;

/// A pattern, and the scanner's split for it if there is one.
pub struct Split {
    pattern: Pattern,
    cut: Option<Cut>,
}

impl Split {
    /// Compiles both.
    ///
    /// # Errors
    ///
    /// What the engine says of the pattern.
    pub fn new(pattern: &spec::Pattern) -> Result<Self, LoadError> {
        let cut = crate::compile::pattern_cut(pattern).map(|(cut, _)| cut);
        Ok(Self { pattern: Pattern::compile(pattern, "pattern")?, cut })
    }

    /// Where the scanner cuts a text at a level, ends of pieces in bytes; `None` for a pattern that it
    /// does not know. A text that is empty has no pieces.
    pub fn scanned(&self, level: Level, text: &str) -> Option<Vec<usize>> {
        let cut = self.cut.as_ref()?;
        let mut ends = Vec::new();
        if !text.is_empty() {
            cut.apply(level, text, 0, text.len(), &mut ends);
        }
        Some(ends)
    }

    /// What the engine matches in a text.
    ///
    /// # Errors
    ///
    /// What the engine says of the text.
    pub fn matched(&self, text: &str) -> Result<Vec<(usize, usize)>, EncodeError> {
        self.pattern.find_iter(text).collect()
    }

    /// Where the engine cuts a text: matches, and what lies between them.
    ///
    /// # Errors
    ///
    /// What the engine says of the text.
    pub fn searched(&self, text: &str) -> Result<Vec<usize>, EncodeError> {
        let mut ends: Vec<usize> = Vec::new();
        for (start, end) in self.matched(text)?.into_iter().chain([(text.len(), text.len())]) {
            for place in [start, end] {
                ends.extend((place > ends.last().copied().unwrap_or(0)).then_some(place));
            }
        }
        Ok(ends)
    }
}
