//! The two ends of `CTC`: equal tokens in a row become one, and empty tokens go.

use crate::error::EncodeError;

use super::state::Slot;
use super::Next;

/// Drops a token that equals the one before.
///
/// `Slot::held` is the token before (`Slot::count` bytes, if there is one: `Slot::later`) and what
/// has come of this one.
pub(super) fn dedup(
    text: &str,
    ends: bool,
    slot: &mut Slot,
    next: &mut Next<'_>,
) -> Result<(), EncodeError> {
    let in_pieces = slot.held.len() > slot.count;
    if !ends || in_pieces {
        slot.held.push_str(text);
        if !ends {
            return Ok(());
        }
    }
    let (before, pieces) = slot.held.split_at(slot.count);
    let token = if in_pieces { pieces } else { text };
    let same = slot.later && before == token;
    if same {
        slot.held.truncate(slot.count);
        return Ok(());
    }
    let given = next.piece(token, true);
    if in_pieces {
        slot.held.drain(..slot.count);
    } else {
        slot.held.clear();
        slot.held.push_str(text);
    }
    (slot.count, slot.later) = (slot.held.len(), true);
    given
}

/// Drops a token without text. `Slot::inside` is whether this one has some.
pub(super) fn drop_empty(
    text: &str,
    ends: bool,
    slot: &mut Slot,
    next: &mut Next<'_>,
) -> Result<(), EncodeError> {
    let any = slot.inside || !text.is_empty();
    slot.inside = any && !ends;
    if any {
        next.piece(text, ends)
    } else {
        Ok(())
    }
}
