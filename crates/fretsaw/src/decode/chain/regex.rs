//! A pattern whose matches give way to a text.

use crate::error::EncodeError;
use crate::pattern::Pattern;

use super::state::Slot;
use super::Next;

/// A regular expression and what comes in its place. It needs whole tokens.
pub struct Regex {
    pattern: Pattern,
    content: String,
}

impl Regex {
    pub fn new(pattern: Pattern, content: &str) -> Self {
        Self { pattern, content: content.to_owned() }
    }

    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        if !ends {
            slot.held.push_str(text);
            return Ok(());
        }
        if slot.held.is_empty() {
            return self.whole(text, next);
        }
        slot.held.push_str(text);
        let given = self.whole(&slot.held, next);
        slot.held.clear();
        given
    }

    fn whole(&self, token: &str, next: &mut Next<'_>) -> Result<(), EncodeError> {
        let mut done = 0;
        for found in self.pattern.find_iter(token) {
            let (start, end) = found?;
            // With `\K` a match may start before the end of the one before.
            let before = token.get(done..start);
            next.piece(
                before.ok_or(EncodeError::NormalizerFails { normalizer: "Replace" })?,
                false,
            )?;
            next.piece(&self.content, false)?;
            done = end;
        }
        next.piece(&token[done..], true)
    }
}
