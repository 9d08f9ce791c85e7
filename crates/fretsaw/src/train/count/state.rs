//! What a counter has counted so far, as bytes, so that counting can go on in another process.
//!
//! The bytes since the last round, and every piece with its kind and count; numbers are little-endian.
//! Bytes from outside are checked: what they say they hold has to be there, and nothing else.
//!
//! Cost: O(bytes of the distinct pieces).

use super::table::{Kind, Table};
use super::{open, Counter};
use crate::error::TrainError;
use crate::train::saved::{put_wide, Saved};

impl Counter {
    /// All that was counted. The number of threads does not show but in the order.
    pub fn state(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_wide(&mut bytes, [*open(&self.round_bytes) as u64]);
        self.settled_len();
        self.gathered(|table| {
            table.each(|kind, piece, count| {
                bytes.push(match kind {
                    Kind::Raw => 0,
                    Kind::Spelled => 1,
                });
                put_wide(&mut bytes, [count, piece.len() as u64]);
                bytes.extend(piece);
            })
        });
        bytes
    }

    /// Goes on from a state, forgetting what was counted here.
    ///
    /// ```
    /// use fretsaw::spec::from_json;
    /// use fretsaw::train::{Counter, Limits, Watch};
    ///
    /// let spec = from_json(br#"{"model": {"type": "BPE", "vocab": {}, "merges": []}}"#)?;
    /// let first = Counter::new(&spec, 1, Limits::default())?;
    /// first.count(&["ab"], Watch::nobody())?;
    /// let second = Counter::new(&spec, 1, Limits::default())?;
    /// second.restore(&first.state())?;
    /// second.count(&["ab"], Watch::nobody())?;
    /// assert_eq!(second.finish().iter().collect::<Vec<_>>(), [("ab", 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TrainError::Damaged`] where the bytes are not such a state.
    pub fn restore(&self, state: &[u8]) -> Result<(), TrainError> {
        let damaged = TrainError::Damaged { what: "counted pieces" };
        let (round_bytes, mut table) = read(state).ok_or(damaged)?;
        for other in &self.tables {
            *open(other) = std::mem::take(&mut table);
        }
        *open(&self.round_bytes) = round_bytes;
        Ok(())
    }
}

fn read(state: &[u8]) -> Option<(usize, Table)> {
    let mut saved = Saved::new(state);
    let round_bytes = usize::try_from(saved.wide()?).ok()?;
    let mut table = Table::default();
    while !saved.is_empty() {
        let kind = saved.bytes(1)?;
        let count = saved.wide().filter(|count| *count > 0)?;
        let len = saved.size(1)?;
        let piece = saved.bytes(len)?;
        let kind = match kind {
            [0] => Kind::Raw,
            [1] if std::str::from_utf8(piece).is_ok() => Kind::Spelled,
            _ => return None,
        };
        table.add_counted(kind, piece, count);
    }
    Some((round_bytes, table))
}
