//! Steps that know words: what marks their starts and ends becomes spaces.

use crate::error::EncodeError;

use super::state::{built, Slot};
use super::Next;

/// Puts a space before each token but the first.
pub(super) fn spaced(
    text: &str,
    ends: bool,
    slot: &mut Slot,
    next: &mut Next<'_>,
) -> Result<(), EncodeError> {
    if slot.later && !slot.inside {
        next.piece(" ", false)?;
    }
    (slot.inside, slot.later) = (!ends, slot.later | ends);
    next.piece(text, ends)
}

/// `Metaspace`: the mark becomes a space.
pub struct Metaspace {
    pub mark: char,
    /// Whether all marks of the first token go without a space.
    pub drop_first: bool,
}

impl Metaspace {
    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        let space = if self.drop_first && !slot.later { "" } else { " " };
        slot.later |= ends;
        if !text.contains(self.mark) {
            return next.piece(text, ends);
        }
        let build = |changed: &mut String| {
            for (number, part) in text.split(self.mark).enumerate() {
                changed.push_str(if number == 0 { "" } else { space });
                changed.push_str(part);
            }
        };
        built(&mut slot.held, build, |changed| next.piece(changed, ends))
    }
}

/// The first half of `WordPiece`: a token that has the prefix loses it, any other gets a space in
/// front; the first one stays as it is.
///
/// `Slot::inside` is whether that is decided for this token, and `Slot::count` how much of the
/// prefix has come before that.
pub struct Prefix {
    pub prefix: String,
}

impl Prefix {
    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        let decided = slot.inside || !slot.later;
        slot.later |= ends;
        if decided {
            slot.inside = !ends;
            return next.piece(text, ends);
        }
        let (came, missing) = self.prefix.split_at(slot.count);
        let rest = text.strip_prefix(missing);
        if rest.is_none() && !ends && missing.starts_with(text) {
            slot.count += text.len();
            return Ok(());
        }
        (slot.inside, slot.count) = (!ends, 0);
        if let Some(rest) = rest {
            return next.piece(rest, ends);
        }
        let build = |changed: &mut String| changed.extend([" ", came, text]);
        built(&mut slot.held, build, |changed| next.piece(changed, ends))
    }
}

/// What `cleanup` replaces, one after the other.
pub const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// The second half of `WordPiece`: spaces before signs and shortened words go. It takes whole
/// tokens, so those in pieces are held back.
pub(super) fn cleanup(
    text: &str,
    ends: bool,
    slot: &mut Slot,
    next: &mut Next<'_>,
) -> Result<(), EncodeError> {
    if ends && slot.held.is_empty() && !may_change(text) {
        return next.piece(text, true);
    }
    slot.held.push_str(text);
    if !ends {
        return Ok(());
    }
    let mut token = std::mem::take(&mut slot.held);
    if may_change(&token) {
        for (pattern, content) in CLEANUP {
            if token.contains(pattern) {
                token = token.replace(pattern, content);
            }
        }
    }
    next.piece(&token, true)
}

/// Whether the text may have any of [`CLEANUP`]: a space and one of the signs after it.
fn may_change(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(2).any(|pair| {
        pair[0] == b' ' && matches!(pair[1], b'.' | b'?' | b'!' | b',' | b'\'' | b'n' | b'd')
    })
}

/// `BPEDecoder`: the suffix becomes a space, in the last token nothing.
///
/// `Slot::held` is what has come of a token in pieces, or (`Slot::later`) the end of the token
/// before, from its first suffix on.
pub struct Suffix {
    pub suffix: String,
}

impl Suffix {
    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        if slot.later {
            self.give(" ", slot, next)?;
        }
        let mut token = std::mem::take(&mut slot.held);
        token.push_str(text);
        if !ends {
            slot.held = token;
            return Ok(());
        }
        let Some(at) = token.find(&self.suffix) else {
            let given = next.piece(&token, true);
            token.clear();
            slot.held = token;
            return given;
        };
        let given = next.piece(&token[..at], false);
        token.drain(..at);
        (slot.held, slot.later) = (token, true);
        given
    }

    /// Gives on the end of the token before.
    fn give(
        &self,
        replacement: &str,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        slot.later = false;
        let given = if slot.held == self.suffix && !self.suffix.is_empty() {
            next.piece(replacement, true)
        } else {
            next.piece(&slot.held.replace(&self.suffix, replacement), true)
        };
        slot.held.clear();
        given
    }

    pub(super) fn finish(&self, slot: &mut Slot, next: &mut Next<'_>) -> Result<(), EncodeError> {
        if slot.later {
            self.give("", slot, next)?;
        }
        Ok(())
    }
}
