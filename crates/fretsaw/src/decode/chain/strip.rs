//! `Strip`: so many characters at the start and the end of a token, if they are the given one.

use crate::error::EncodeError;

use super::state::{built, Slot};
use super::Next;

/// What is stripped, and how many at most.
///
/// Until another character comes or `start` of them are gone, `Slot::count` is how many are; from
/// then on (`Slot::inside`) it is how many are held back at the end. `Slot::later` is whether another
/// character came: a token of nothing else that is shorter than `start + stop` is an error, unless
/// `stop` is 0.
pub struct Strip {
    pub content: char,
    pub start: usize,
    pub stop: usize,
}

impl Strip {
    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        let mut text = text;
        slot.later |= !text.trim_start_matches(self.content).is_empty();
        if !slot.inside {
            while slot.count < self.start {
                let Some(rest) = text.strip_prefix(self.content) else { break };
                (text, slot.count) = (rest, slot.count + 1);
            }
            if slot.count == self.start || !text.is_empty() {
                (slot.inside, slot.count) = (true, 0);
            }
        }
        if slot.inside {
            text = self.hold(text, slot, next)?;
        }
        if ends {
            let too_short =
                self.stop > 0 && !slot.later && !(slot.inside && slot.count == self.stop);
            (slot.inside, slot.count, slot.later) = (false, 0, false);
            if too_short {
                return Err(EncodeError::NormalizerFails { normalizer: "Strip" });
            }
        }
        next.piece(text, ends)
    }

    /// Holds back what may be stripped from the end, and returns what of `text` may go on.
    fn hold<'t>(
        &self,
        text: &'t str,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<&'t str, EncodeError> {
        if self.stop == 0 {
            return Ok(text);
        }
        let width = self.content.len_utf8();
        let body = text.trim_end_matches(self.content).len();
        let before = slot.count;
        slot.count = (text.len() - body) / width;
        if body == 0 {
            // The held characters are the same, so those in the text go on for them.
            slot.count += before;
        } else if before > 0 {
            let build = |held: &mut String| held.extend((0..before).map(|_| self.content));
            built(&mut slot.held, build, |held| next.piece(held, false))?;
        }
        let settled = slot.count.saturating_sub(self.stop);
        slot.count -= settled;
        Ok(&text[..body + settled * width])
    }
}
