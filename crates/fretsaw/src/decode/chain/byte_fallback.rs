//! `ByteFallback`: tokens such as `<0x0A>` are bytes.
//!
//! The bytes of a run of such tokens become one token if they are UTF-8, and one U+FFFD each if
//! anything in the run is not. So they are held back (`Slot::bytes`, of which `Slot::count` are
//! whole characters) until the run ends or becomes ill-formed (`Slot::later`), from where on each
//! is settled at once. Of a token in pieces `Slot::held` is what may be a byte, and `Slot::inside`
//! whether it is none.

use crate::error::EncodeError;

use super::state::Slot;
use super::Next;

const OPENING: &str = "<0x";
const LENGTH: usize = 6;

pub(super) fn piece(
    text: &str,
    ends: bool,
    slot: &mut Slot,
    next: &mut Next<'_>,
) -> Result<(), EncodeError> {
    if slot.inside {
        slot.inside = !ends;
        return next.piece(text, ends);
    }
    if ends && slot.held.is_empty() {
        return token(text, slot, next);
    }
    slot.held.push_str(text);
    if !ends && may_be_byte(&slot.held) {
        return Ok(());
    }
    let held = std::mem::take(&mut slot.held);
    if ends {
        return token(&held, slot, next);
    }
    slot.inside = true;
    end_run(slot, next)?;
    next.piece(&held, false)
}

/// Whether a token that starts like this may be a byte.
fn may_be_byte(start: &str) -> bool {
    start.len() <= LENGTH && (start.starts_with(OPENING) || OPENING.starts_with(start))
}

/// The byte of a token. As in the oracle, case does not matter, and `+` may stand for the first
/// digit.
pub(super) fn byte_of(token: &str) -> Option<u8> {
    if token.len() != LENGTH {
        return None;
    }
    let digits = token.strip_prefix(OPENING)?.strip_suffix('>')?;
    u8::from_str_radix(digits, 16).ok()
}

/// Takes a whole token.
fn token(text: &str, slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    let Some(byte) = byte_of(text) else {
        end_run(slot, next)?;
        return next.piece(text, true);
    };
    slot.bytes.push(byte);
    if !slot.later {
        match std::str::from_utf8(&slot.bytes[slot.count..]) {
            Ok(_) => {
                slot.count = slot.bytes.len();
                return Ok(());
            }
            Err(error) if error.error_len().is_none() => return Ok(()),
            Err(_) => slot.later = true,
        }
    }
    replace(slot, next)
}

/// Each byte held becomes a token of one U+FFFD.
fn replace(slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    for _ in 0..slot.bytes.len() {
        next.piece("\u{FFFD}", true)?;
    }
    slot.bytes.clear();
    slot.count = 0;
    Ok(())
}

/// Another token or the end follows the run, if there is one.
fn end_run(slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    slot.later = false;
    if slot.bytes.is_empty() {
        return Ok(());
    }
    match std::str::from_utf8(&slot.bytes) {
        Ok(text) => next.piece(text, true)?,
        Err(_) => return replace(slot, next),
    }
    slot.bytes.clear();
    slot.count = 0;
    Ok(())
}

pub(super) fn finish(slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    end_run(slot, next)
}
