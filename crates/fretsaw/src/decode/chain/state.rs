//! What a chain of decoders remembers between two tokens.

use crate::decode::Utf8State;

/// So many steps need no heap.
pub const INLINE: usize = 8;

/// What a chain of decoders remembers between two tokens.
///
/// It belongs to the chain that it was first used with, until that one's `finish`.
#[derive(Debug, Clone, Default)]
pub struct ChainState {
    inline: [Slot; INLINE],
    /// The slots of a chain of more steps.
    many: Vec<Slot>,
}

impl ChainState {
    /// The slots of `count` steps.
    #[inline]
    pub(super) fn slots(&mut self, count: usize) -> &mut [Slot] {
        if count <= INLINE {
            return &mut self.inline[..count];
        }
        self.many.resize_with(count, Slot::default);
        &mut self.many
    }
}

/// What one step remembers. Each step says for itself what it uses and how.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot {
    /// Text that is not settled; where nothing is, room to build a token in.
    pub held: String,
    /// Bytes that are not text yet.
    pub bytes: Vec<u8>,
    pub count: usize,
    /// An unfinished character.
    pub utf8: Utf8State,
    /// Whether a token came before this one.
    pub later: bool,
    /// Whether something of this token has gone on.
    pub inside: bool,
}

/// Builds a text in `room` and hands it to `give`; the room is empty before and after.
pub(super) fn built<T>(
    room: &mut String,
    build: impl FnOnce(&mut String),
    give: impl FnOnce(&str) -> T,
) -> T {
    debug_assert!(room.is_empty());
    build(room);
    let given = give(room);
    room.clear();
    given
}
