//! `ByteLevel`: the characters of the byte alphabet become bytes, and all bytes one text.
//!
//! A token with any other character is its own UTF-8. Bytes that form no character become one
//! U+FFFD for each maximal ill-formed subpart, also across tokens.
//!
//! Of a token in pieces `Slot::held` is what may be either, and `Slot::inside` whether a character
//! outside the alphabet came. The characters of printable ASCII are their own byte.

use crate::byte_level::{byte_of, unspell};
use crate::error::EncodeError;

use super::state::Slot;
use super::Next;

pub(super) fn piece(
    text: &str,
    ends: bool,
    slot: &mut Slot,
    next: &mut Next<'_>,
) -> Result<(), EncodeError> {
    if ends && !slot.inside && slot.held.is_empty() {
        return token(text, slot, next);
    }
    if !slot.inside {
        let mut text = text;
        if slot.held.is_empty() {
            let same = text.bytes().take_while(u8::is_ascii_graphic).count();
            bytes(&text.as_bytes()[..same], slot, next)?;
            text = &text[same..];
        }
        slot.held.push_str(text);
        slot.inside = text.chars().any(|character| byte_of(character).is_none());
        if !slot.inside && !ends {
            return Ok(());
        }
        let held = std::mem::take(&mut slot.held);
        if slot.inside {
            bytes(held.as_bytes(), slot, next)?;
        } else {
            token(&held, slot, next)?;
        }
    } else {
        bytes(text.as_bytes(), slot, next)?;
    }
    slot.inside &= !ends;
    Ok(())
}

/// Takes a token of which nothing has been taken yet that could be either.
fn token(text: &str, slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    let mut unspelled = std::mem::take(&mut slot.bytes);
    let given = if unspell(text, &mut unspelled) {
        bytes(&unspelled, slot, next)
    } else {
        bytes(text.as_bytes(), slot, next)
    };
    unspelled.clear();
    slot.bytes = unspelled;
    given
}

/// Gives on the characters that more bytes complete.
fn bytes(bytes: &[u8], slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    if slot.utf8.pending().is_empty() {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return next.piece(text, false);
        }
    }
    let mut text = String::new();
    slot.utf8.push_bytes(bytes, &mut text);
    next.piece(&text, false)
}

pub(super) fn finish(slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
    let mut text = String::new();
    slot.utf8.finish(&mut text);
    next.piece(&text, true)
}
